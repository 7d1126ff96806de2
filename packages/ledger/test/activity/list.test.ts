/** GET /activity: pages, filters, who may (docs/spec.md §27). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ActivityReceipt } from '@rcpt/contract/activity.ts';
import { linesOf } from '../kit/activity.ts';
import { assertChain, assertSealed } from '../kit/independent.ts';
import { eachLedger, ROLES } from '../kit/running.ts';

const PATHS = ['/activity', '/activity/export', '/activity/verify'];

eachLedger('the activity of an organization', (ledger) => {
  const seqs = (page: { receipts: ActivityReceipt[] }) => page.receipts.map(({ org_seq }) => org_seq);

  test('is for its owners and auditors alone', async () => {
    const tenant = await ledger.tenant();
    for (const path of PATHS)
      for (const role of ROLES) {
        const { status, json } = await tenant.ask(role, 'GET', path);
        if (role === 'owner' || role === 'auditor') assert.equal(status, 200, `${role} ${path}`);
        else assert.deepEqual([status, json.code], [403, 'forbidden'], `${role} ${path}`);
      }
    for (const path of PATHS) assert.equal((await ledger.call('GET', path)).status, 401);
  });

  test('is its own: another organization’s acts are in no page of it', async () => {
    const [mine, other] = [await ledger.tenant(), await ledger.tenant()];
    await other.as('owner')('POST', '/keys', { role: 'agent', label: 'of the other' });
    for (const path of ['/activity', '/activity?kind=key_issued', '/activity/export', '/activity?order=newest'])
      assert.ok(!(await mine.ask('owner', 'GET', path)).text.includes(other.organization_id), path);
  });

  test('is read page by page from either end, and by kind and by who acted', async () => {
    const tenant = await ledger.tenant();
    const ask = (query: string) => tenant.as('auditor')('GET', `/activity?${query}`);
    await tenant.as('owner')('PATCH', '/organization', { four_eyes: true });
    const all = await linesOf(tenant);
    assert.deepEqual(seqs(await ask('')), [0, 1, 2, 3, 4, 5, 6]);

    const first = await ask('limit=4');
    assert.deepEqual([seqs(first), first.next_after_seq, first.next_before_seq], [[0, 1, 2, 3], 3, null]);
    const second = await ask('limit=4&after_seq=3');
    assert.deepEqual([seqs(second), second.next_after_seq, second.next_before_seq], [[4, 5, 6], null, null]);
    const full = await ask('limit=3&after_seq=3');
    assert.deepEqual([seqs(full), full.next_after_seq], [[4, 5, 6], null], 'a full last page is the last');

    const newest = await ask('order=newest&limit=4');
    assert.deepEqual([seqs(newest), newest.next_after_seq, newest.next_before_seq], [[6, 5, 4, 3], null, 3]);
    const older = await ask('order=newest&limit=4&before_seq=3');
    assert.deepEqual([seqs(older), older.next_before_seq], [[2, 1, 0], null]);

    assert.deepEqual(seqs(await ask('kind=four_eyes_switched')), [6]);
    assert.deepEqual(seqs(await ask('kind=key_issued&by=operator')), [1]);
    const owner = all.filter(({ activity }) => activity.by.id === all[6]!.activity.by.id).map(({ org_seq }) => org_seq);
    assert.equal(owner.length, 4);
    assert.deepEqual(seqs(await ask(`by=${all[6]!.activity.by.id}`)), owner);
    assert.deepEqual(
      seqs(await ask(`by=${all[6]!.activity.by.id}&order=newest&limit=2`)),
      owner.toReversed().slice(0, 2),
    );
    assert.deepEqual(seqs(await ask('kind=erased')), []);
  });

  test('refuses what it cannot look for', async () => {
    const tenant = await ledger.tenant();
    for (const query of ['kind=nothing', 'order=sideways', 'after_seq=x', 'limit=0', 'limit=501', 'before_seq='])
      assert.equal((await tenant.ask('owner', 'GET', `/activity?${query}`)).status, 422, query);
  });

  test('leaves as the bytes that are stored, one chain in the form of receipts', async () => {
    const tenant = await ledger.tenant();
    const { headers, text } = await tenant.ask('auditor', 'GET', '/activity/export');
    assert.equal(headers.get('content-type'), 'application/x-ndjson');
    assert.match(headers.get('content-disposition')!, new RegExp(`"${tenant.organization_id}-activity.ndjson"`));
    const lines = text.split('\n').slice(0, -1);
    assertChain(lines, assertSealed);
    const stored = await ledger.db.all<{ payload: string }>(
      'select payload from activity where organization_id = $1 order by org_seq',
      [tenant.organization_id],
    );
    assert.deepEqual(
      lines,
      stored.map(({ payload }) => payload),
    );
    assert.equal(JSON.parse(lines.at(-1)!).activity.kind, 'export_taken', 'it ends with the line that tells of it');
  });

  test('is verified as it goes on', async () => {
    const tenant = await ledger.tenant();
    const { text } = await tenant.ask('auditor', 'GET', '/activity/verify', {
      headers: { accept: 'text/event-stream' },
    });
    assert.match(text, /^event: progress\n/m);
    const report = JSON.parse(/event: report\ndata: (.*)/.exec(text)![1]!);
    assert.deepEqual([report.ok, report.receipts_checked], [true, 6]);
  });
});
