/** What one job has may be much larger than an answer should be: a page of it ends at 4 MiB. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eachRouter } from '../kit/running.ts';

const MOST = 4_194_304;
/** Names and times beside what is counted. */
const BESIDE = 65_536;

eachRouter('a job’s events, logs and artifacts', (start) => {
  test('come in pages that end at 4 MiB, whole and in order', async () => {
    const router = await start();
    const worker = await router.worker();
    const { id } = await router.job();
    const { lease_token } = await worker.lease();
    await worker.tell(`jobs/${id}/accept`, { lease_token });
    const text = 'x'.repeat(65_000);
    for (let i = 0; i < 70; i++) {
      const artifact = { artifact_type: 'other', name: `a${i}`, uri: `file:///a${i}`, metadata: { text } };
      const told = [
        worker.tell(`jobs/${id}/status`, { lease_token, event_type: 'epoch', payload: { text } }),
        worker.tell(`jobs/${id}/artifacts`, { lease_token, ...artifact }),
        ...(i < 10 ? [worker.tell(`jobs/${id}/logs`, { lease_token, message: 'y'.repeat(900_000), sequence: i })] : []),
      ];
      await Promise.all(told);
    }
    for (const [kind, count] of Object.entries({ events: 73, logs: 10, artifacts: 70 })) {
      const pages: { id: string }[][] = [];
      for (let after = ''; ; ) {
        const page: { id: string }[] = await router.get(`/jobs/${id}/${kind}?limit=500&after=${after}`);
        if (page.length === 0) break;
        pages.push(page);
        after = page.at(-1)!.id;
      }
      const sizes = pages.map((page) => JSON.stringify(page).length);
      assert.ok(sizes.length > 1 && Math.max(...sizes) < MOST + BESIDE, `${kind}: ${sizes}`);
      const ids = pages.flat().map((entry) => entry.id);
      assert.deepEqual(ids, [...new Set(ids)].sort(), kind);
      assert.equal(ids.length, count, kind);
    }
    const all: unknown[] = await router.get(`/jobs/${id}/artifacts?limit=3`);
    assert.equal(all.length, 3);
  });
});
