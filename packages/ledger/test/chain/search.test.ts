/** Looking through receipts and Runs: by id, number, hash, link, title, lane and date, in bounded stretches. */
import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { ReceiptPage } from '@rcpt/contract/ledger/search.ts';
import { chainOf } from '../../../../test/bench/src/prepare.ts';
import { type Receipt, wholeChain } from '../kit/independent.ts';
import { type Answer, eachLedger, type Tenant } from '../kit/running.ts';
import { mintedReceipt, runAt } from '../kit/story.ts';

const TITLES = ['Roof survey', 'ROOF repair', 'Ärztebrief', '100% wool_mix', 'Decade of facade work', 'Invoice 2'];

eachLedger(
  'looking through receipts',
  (ledger) => {
    let tenant: Tenant;
    let receipts: Receipt[];
    const get = (of: Tenant, query: Record<string, string | number>): Promise<Answer['json']> =>
      of.as('auditor')('GET', `/receipts?${new URLSearchParams(query as Record<string, string>)}`);
    const seqs = async (query: Record<string, string | number>) =>
      (await get(tenant, query)).receipts.map((receipt: { org_seq: number }) => receipt.org_seq);

    before(async () => {
      tenant = await ledger.tenant();
      receipts = [];
      for (const [i, title] of TITLES.entries())
        receipts.push(await mintedReceipt(tenant, i === 3 ? 'model-pin' : 'generic', { title }));
    });

    test('lists them newest first, page by page, each as its receipt says', async () => {
      const seen: Answer['json'][] = [];
      let page = await get(tenant, { limit: 4 });
      assert.deepEqual([page.receipts.length, page.next_before_seq, page.head_seq], [4, 2, 5]);
      seen.push(...page.receipts);
      page = await get(tenant, { limit: 4, before_seq: page.next_before_seq });
      assert.equal(page.next_before_seq, null);
      seen.push(...page.receipts);
      assert.deepEqual(
        seen.map((receipt) => receipt.org_seq),
        [5, 4, 3, 2, 1, 0],
      );
      for (const { title, run_id, lane, outcome, ...shown } of seen) {
        const receipt = receipts[shown.org_seq]!;
        for (const [name, value] of Object.entries(shown)) assert.equal(value, receipt[name], name);
        assert.equal(title, TITLES[shown.org_seq]);
        assert.equal(outcome, receipt.verdict?.outcome ?? null);
        assert.equal(lane, shown.org_seq === 3 ? 'model-pin' : 'generic');
        if (lane === 'generic') assert.equal(run_id, receipt.run.id);
      }
      assert.equal((await get(tenant, { limit: 6 })).next_before_seq, null, 'a full last page is the last');
    });

    test('finds a receipt by its id, the beginning of it, its number, its link and its Run', async () => {
      const { receipt_id, share_url, run } = receipts[2]!;
      for (const search of [
        receipt_id,
        receipt_id.toLowerCase(),
        receipt_id.slice(0, -3),
        'RCPT-000002',
        '#2',
        share_url,
        `${share_url}/pdf`,
        run.id,
      ])
        assert.deepEqual(await seqs({ search }), [2], search);
      assert.deepEqual(await seqs({ search: '2' }), [2, 5], 'a number first, then titles that hold it');
      assert.deepEqual(await seqs({ search: 'RCPT-000002-ffffffff' }), []);
      assert.deepEqual(await seqs({ search: `RCPT-${'9'.repeat(15)}` }), []);
    });

    test('finds a receipt by the beginning of its hash, also the last of the chain', async () => {
      for (const { org_seq, receipt_sha256 } of receipts)
        for (const length of [8, 40, 64])
          assert.deepEqual(await seqs({ search: receipt_sha256.slice(0, length) }), [org_seq]);
      assert.deepEqual(await seqs({ search: receipts[1]!.receipt_sha256.toUpperCase() }), [1]);
      assert.deepEqual(await seqs({ search: '0'.repeat(64) }), [], 'the parent of the first is no receipt');
    });

    test('finds part of a title, in any case and script, and takes every character as itself', async () => {
      for (const [search, expected] of [
        ['roof', [1, 0]],
        ['ärzte', [2]],
        ['ÄRZTE', [2]],
        ['100%', [3]],
        ['%', [3]],
        ['_', [3]],
        ['facade', [4]],
        ['\\', []],
        ['', [5, 4, 3, 2, 1, 0]],
        ['   ', [5, 4, 3, 2, 1, 0]],
      ] as const)
        assert.deepEqual(await seqs({ search }), expected, search);
      assert.deepEqual(await seqs({ search: 'roof', limit: 1 }), [1]);
      assert.equal((await get(tenant, { search: 'roof', limit: 1 })).next_before_seq, 1);
      assert.deepEqual(await seqs({ search: 'roof', limit: 1, before_seq: 1 }), [0]);
    });

    test('keeps to a lane and to dates, a day meaning until its end', async () => {
      assert.deepEqual(await seqs({ lane: 'model-pin' }), [3]);
      assert.deepEqual(await seqs({ lane: 'model-pin', search: '2' }), []);
      const at = (i: number) => receipts[i]!.created_at;
      const today = at(0).slice(0, 10);
      assert.deepEqual(await seqs({ from: at(2) }), [5, 4, 3, 2]);
      assert.deepEqual(await seqs({ to: at(2) }), [1, 0]);
      assert.deepEqual(await seqs({ from: at(1), to: at(4), search: 'roof' }), [1]);
      assert.deepEqual(await seqs({ from: today, to: at(5).slice(0, 10) }), [5, 4, 3, 2, 1, 0]);
      assert.deepEqual(await seqs({ to: '2020-01-01' }), []);
      assert.deepEqual(await seqs({ from: '2020-01-01', to: '9999-12-31' }), [5, 4, 3, 2, 1, 0]);
      assert.deepEqual(await seqs({ from: '9999-12-31' }), []);
    });

    test('shows an organization its own receipts only, and none where there are none', async () => {
      const stranger = await ledger.tenant();
      assert.deepEqual(await get(stranger, {}), { receipts: [], next_before_seq: null, head_seq: null });
      for (const search of [receipts[0]!.receipt_sha256, receipts[0]!.share_url, receipts[0]!.run.id, 'roof', '0'])
        assert.deepEqual((await get(stranger, { search })).receipts, [], search);
    });

    test('still lists receipts that were altered, or whose Run was taken away', async () => {
      const doomed = await ledger.doomedTenant();
      for (const title of ['one', 'two', 'three']) await mintedReceipt(doomed, 'generic', { title });
      const of = 'where organization_id = $1';
      await ledger.db.run(`update receipts set payload = '{' ${of} and org_seq = 0`, [doomed.organization_id]);
      await ledger.db.run(`update receipts set schema = 'x', receipt_sha256 = 'y' ${of} and org_seq = 1`, [
        doomed.organization_id,
      ]);
      await ledger.db.run(`delete from runs ${of} and title = 'three'`, [doomed.organization_id]);
      const { receipts } = await get(doomed, {});
      assert.deepEqual(
        receipts.map(({ org_seq, title }: Answer['json']) => [org_seq, title]),
        [
          [2, ''],
          [1, 'two'],
          [0, 'one'],
        ],
      );
      ReceiptPage.parse({ receipts: [receipts[0], receipts[2]], next_before_seq: null, head_seq: 2 });
    });

    test('the whole chain is one file, byte for byte the lines of the ledger', async () => {
      const file = await tenant.ask('auditor', 'GET', '/ledger/export');
      const lines = await tenant.ask('auditor', 'GET', '/ledger', { headers: { accept: 'application/x-ndjson' } });
      assert.equal(file.status, 200);
      assert.equal(file.text, lines.text);
      assert.equal(file.text.trimEnd().split('\n').length, TITLES.length);
      assert.equal(
        file.headers.get('content-disposition'),
        `attachment; filename="${tenant.organization_id}-chain.ndjson"`,
      );
      for (const name of ['content-type', 'ledger-head']) assert.equal(file.headers.get(name), lines.headers.get(name));
    });

    describe('of a long chain', () => {
      const LONG = 12_000;
      let long: Tenant;
      before(async () => {
        long = await ledger.doomedTenant();
        const { organization_id } = long;
        const founded = { organization_id, name: 'Test Workshop', api_key: '', key_id: 'key_0' };
        await chainOf(ledger.db, founded, LONG, () => undefined);
        const rare = 'where organization_id = $1 and org_seq in (7, 8000)';
        await ledger.db.run(
          `update runs set title = 'Needle' where organization_id = $1 and id in (select run_id from receipts ${rare})`,
          [organization_id],
        );
      });

      test('reads a bounded stretch per call and goes on where it stopped', async () => {
        const found: number[] = [];
        const stops: (number | null)[] = [];
        for (let before_seq: number | null | undefined; before_seq !== null; ) {
          const page = await get(long, { search: 'needle', ...(before_seq === undefined ? {} : { before_seq }) });
          found.push(...page.receipts.map((receipt: { org_seq: number }) => receipt.org_seq));
          before_seq = page.next_before_seq as number | null;
          stops.push(before_seq);
        }
        assert.deepEqual(found, [8000, 7]);
        assert.deepEqual(stops, [LONG - 5_000, LONG - 10_000, null]);
      });

      test('reads as far for a lane; recent receipts of one schema are found however far back', async () => {
        const stops: (number | null)[] = [];
        for (let before_seq: number | null | undefined; before_seq !== null; ) {
          const page = await get(long, { lane: 'cook', ...(before_seq === undefined ? {} : { before_seq }) });
          assert.deepEqual(page.receipts, []);
          before_seq = page.next_before_seq as number | null;
          stops.push(before_seq);
        }
        assert.deepEqual(stops, [LONG - 5_000, LONG - 10_000, null]);
        const page = await get(long, { lane: 'eval', limit: 2, before_seq: 10 });
        assert.deepEqual(
          [page.receipts.map((receipt: { org_seq: number }) => receipt.org_seq), page.next_before_seq],
          [[9, 8], 8],
        );
        const recent = async (schema: string) =>
          (await long.as('auditor')('GET', `/receipts/recent?limit=2&schema=${schema}`)).receipts;
        assert.deepEqual(await recent('service.cook-receipt/v1'), []);
        await ledger.db.run('update receipts set schema = $2 where organization_id = $1 and org_seq in (3, 5, 7)', [
          long.organization_id,
          'service.cook-receipt/v1',
        ]);
        const far = (await recent('service.cook-receipt/v1')).map((receipt: Receipt) => receipt.org_seq);
        await ledger.db.run("update receipts set schema = 'service.eval-receipt/v1' where organization_id = $1", [
          long.organization_id,
        ]);
        assert.deepEqual(far, [7, 5]);
        assert.deepEqual(
          (await recent('service.eval-receipt/v1')).map((receipt: Receipt) => receipt.org_seq),
          [LONG - 1, LONG - 2],
        );
      });

      test('finds a hash and a number anywhere at once', async () => {
        const { receipts } = await get(long, { search: '#4321' });
        const again = await get(long, { search: receipts[0].receipt_sha256.slice(0, 12) });
        assert.equal(again.receipts[0].org_seq, 4321);
      });

      test('is whole', async () => {
        await wholeChain(long);
      });
    });
  },
  { LEDGER_OVERLOAD_DELAY_MS: '60000' },
);

eachLedger('looking through Runs', (ledger) => {
  test('by part of a title and by outcome, page by page', async () => {
    const tenant = await ledger.tenant();
    const ids: string[] = [];
    for (const title of ['Roof one', 'Cellar', 'roof two', 'ROOF three'])
      ids.push(await runAt(tenant, 'Verdict', 'generic', { title }));
    ids.push(await runAt(tenant, 'Inputs', 'generic', { title: 'Roof four' }));
    const list = async (query: string) => {
      const { runs, next_after } = await tenant.as('auditor')('GET', `/runs?${query}`);
      return [
        runs.map((run: { id: string }) => ids.indexOf(run.id)),
        next_after === null ? null : ids.indexOf(next_after),
      ];
    };
    assert.deepEqual(await list('search=roof'), [[4, 3, 2, 0], null]);
    assert.deepEqual(await list('search=%25'), [[], null]);
    assert.deepEqual(await list('search=ROOF&limit=2'), [[4, 3], 3]);
    assert.deepEqual(await list(`search=ROOF&limit=2&after=${ids[3]}`), [[2, 0], null]);
    const { verdict } = await tenant.as('auditor')('GET', `/runs/${ids[0]}`);
    assert.deepEqual(await list(`outcome=${verdict.outcome}`), [[3, 2, 1, 0], null]);
    assert.deepEqual(await list(`outcome=${verdict.outcome}&search=roof&stage=Verdict`), [[3, 2, 0], null]);
    const other = ['pass', 'review', 'fail'].find((outcome) => outcome !== verdict.outcome);
    assert.deepEqual(await list(`outcome=${other}`), [[], null]);
    assert.deepEqual(await list('search='), [[4, 3, 2, 1, 0], null]);
  });
});
