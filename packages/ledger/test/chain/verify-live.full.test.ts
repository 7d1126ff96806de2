/** Verification of a long chain says how far it is, and stops when nobody listens any more. */
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { Verification } from '@rcpt/contract/ledger/receipts.ts';
import { chainOf } from '../../../../test/bench/src/prepare.ts';
import { readEvents } from '../../../../test/kit/events.ts';
import { openVerifier } from '../../src/chain/verifier.ts';
import { type Answer, eachLedger, type Tenant } from '../kit/running.ts';
import { mintedReceipt } from '../kit/story.ts';

const LONG = 20_000;
const LATER = AbortSignal.timeout(900_000);

eachLedger(
  'verification as a stream',
  (ledger) => {
    let tenant: Tenant;
    const verify = (of: Tenant) =>
      readEvents(`${ledger.url}/ledger/verify`, { authorization: `Bearer ${of.keys.auditor}` });

    before(async () => {
      tenant = await ledger.doomedTenant();
      const { organization_id } = tenant;
      const founded = { organization_id, name: 'Test Workshop', api_key: '', key_id: 'key_0' };
      await chainOf(ledger.db, founded, LONG, () => undefined);
    });

    test('tells its progress, ten times a second at most, and ends with the report of the plain call', async () => {
      const asked = performance.now();
      const reader = await verify(tenant);
      assert.match(reader.headers.get('content-type')!, /^text\/event-stream/);
      assert.equal(await reader.ended, true);
      const progress = reader.events.slice(0, -1);
      assert.deepEqual(progress[0]!.data, { receipts_checked: 0, receipts: LONG });
      let checked = -1;
      for (const { event, data } of progress) {
        assert.deepEqual([event, data.receipts], ['progress', LONG]);
        assert.ok(data.receipts_checked > checked && data.receipts_checked <= LONG);
        checked = data.receipts_checked;
      }
      const took = reader.events.at(-1)!.at - asked;
      assert.ok(progress.length <= 1 + took / 100, `${progress.length} events in ${took} ms`);
      const report = reader.events.at(-1)!;
      assert.equal(report.event, 'report');
      assert.deepEqual(Verification.parse(report.data), await tenant.as('auditor')('GET', '/ledger/verify'));
      assert.equal(report.data.receipts_checked, LONG);
      assert.equal(report.data.ok, true);
    });

    test('names what was altered, and says so of an empty chain', async () => {
      const altered = `where organization_id = $1 and org_seq = 12345`;
      await ledger.db.run(`update receipts set payload = replace(payload, 'Release', 'Retain') ${altered}`, [
        tenant.organization_id,
      ]);
      const reader = await verify(tenant);
      await reader.ended;
      const { event, data } = reader.events.at(-1)!;
      assert.deepEqual(
        [event, data.ok, data.violation.kind, data.violation.org_seq],
        ['report', false, 'payload_altered', 12345],
      );
      const none = await verify(await ledger.tenant());
      await none.ended;
      assert.deepEqual(
        none.events.map(({ event, data }) => [event, data.receipts ?? data.head]),
        [
          ['progress', 0],
          ['report', null],
        ],
      );
    });

    test('that is aborted has no report: it never says that a chain holds', async () => {
      const verifier = openVerifier(ledger.database_url, console);
      const { organization_id } = await ledger.doomedTenant();
      const stopped = { code: 'request_timeout' };
      await assert.rejects(verifier.verify(organization_id, AbortSignal.abort()), stopped);
      for (const after of [0, 1]) {
        const gone = new AbortController();
        let heard = 0;
        const walk = verifier.verify(tenant.organization_id, gone.signal, () => heard++ === after && gone.abort());
        await assert.rejects(walk, stopped);
      }
      const [busy, gone] = [[0, 1].map(() => verifier.verify(tenant.organization_id, LATER)), new AbortController()];
      const waits = verifier.verify(tenant.organization_id, gone.signal);
      gone.abort();
      await assert.rejects(waits, stopped);
      for (const { receipts_checked } of await Promise.all(busy)) assert.equal(receipts_checked, LONG);
      await verifier.close();
    });

    test('waits for no other organization, however often that one asks', async () => {
      const other = await ledger.tenant();
      const receipt = await mintedReceipt(other);
      const verifier = openVerifier(ledger.database_url, console);
      let walked = 0;
      const long = Array.from({ length: 4 }, () => verifier.verify(tenant.organization_id, LATER).then(() => walked++));
      const { ok, head } = await verifier.verify(other.organization_id, LATER);
      assert.deepEqual([ok, head?.receipt_sha256, walked], [true, receipt.receipt_sha256, 0]);
      await Promise.all(long);
      await verifier.close();
    });

    test('stops for those who hang up, and leaves room for others', async () => {
      for (let i = 0; i < 40; i++) {
        const reader = await verify(tenant);
        assert.equal(reader.status, 200);
        reader.stop();
        assert.equal(await reader.ended, false);
      }
      const ask = () => tenant.ask('auditor', 'GET', '/ledger/verify');
      let answer: Answer = await ask();
      for (const deadline = performance.now() + 60_000; answer.status === 429; answer = await ask())
        assert.ok(performance.now() < deadline, 'those who hung up still take the room');
      assert.equal(answer.json.receipts_checked, LONG);
    });

    test('tells a problem in the stream', async () => {
      const stranger = await ledger.doomedTenant();
      await ledger.db.script('alter table chains rename to chains_away');
      const reader = await verify(stranger);
      await reader.ended;
      await ledger.db.script('alter table chains_away rename to chains');
      assert.deepEqual(
        reader.events.map(({ event, data }) => [event, data.code, data.status]),
        [['problem', 'internal', 500]],
      );
      assert.doesNotMatch(JSON.stringify(reader.events), /chains/);
    });
  },
  { LEDGER_OVERLOAD_DELAY_MS: '60000' },
);
