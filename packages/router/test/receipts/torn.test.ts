/** A last line that is torn although it was on disk once: what a start makes of it, and what it leaves for verification to tell. */
import assert from 'node:assert/strict';
import { readFileSync, rmSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { assertLedger, eachRouter, START, temporaryFolder } from '../kit/running.ts';

const FILE = `${new Date(START).toISOString().slice(0, 10)}.receipts.jsonl`;

eachRouter('a torn file', (start, _, fresh) => {
  test('is whole again after a start when the end of its last line is gone, wherever it was torn', async (t) => {
    const database = await fresh();
    const folder = temporaryFolder();
    t.after(() => rmSync(folder, { recursive: true, force: true }));
    const first = await start({ database, folder, doomed: true });
    await first.job({ payload: { prompt: 'wie groß ist die Übersicht?' }, output_uri: 's3://ergebnisse/übersicht' });
    await first.job();
    await first.close();
    const file = join(folder, FILE);
    const whole = readFileSync(file);
    const last_line = whole.length - (whole.lastIndexOf(0x0a, whole.length - 2) + 1);
    for (const gone of [1, 2, Math.floor(last_line / 2), last_line - 1]) {
      truncateSync(file, whole.length - gone);
      const next = await start({ database, folder, doomed: true });
      await assertLedger(next);
      assert.equal(readFileSync(file, 'utf8'), whole.toString('utf8'), `${gone} bytes`);
      await next.close();
    }
  });

  test('is not mended where more than its last line is missing: verification tells', async (t) => {
    const database = await fresh();
    const folder = temporaryFolder();
    t.after(() => rmSync(folder, { recursive: true, force: true }));
    const first = await start({ database, folder, doomed: true });
    await Promise.all([first.member(), first.member()]);
    await first.job();
    await first.close();
    const file = join(folder, FILE);
    const whole = readFileSync(file);
    const last_line = whole.lastIndexOf(0x0a, whole.length - 2) + 1;
    const line_before = whole.lastIndexOf(0x0a, last_line - 2) + 1;
    for (const [size, missing] of [
      [last_line, 1],
      [line_before + 10, 2],
    ] as const) {
      truncateSync(file, size);
      const next = await start({ database, folder, doomed: true });
      const { violations } = await next.get('/receipts/verify');
      assert.deepEqual(
        violations.map(({ kind }: { kind: string }) => kind),
        Array.from({ length: missing }, () => 'missing_receipt'),
      );
      await next.close();
    }
  });
});
