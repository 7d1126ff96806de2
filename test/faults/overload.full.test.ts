/** More than it can do at once, and the end while there is much to do. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Tenant } from '../../packages/ledger/test/kit/running.ts';
import { eachEngine } from '../kit/engines.ts';
import { type Acknowledged, audit } from './audit.ts';
import { approveMany, mint, mintMany, openWorkshop } from './load.ts';
import { lockPostgres, lockSqlite } from './locks.ts';
import { type LedgerProcess, MIGRATIONS, settingsOf, startLedgerProcess, temporaryFolder, until } from './process.ts';
import { mintText, parseAnswer, type RawClient, rawClient, requestText } from './raw.ts';

const QUEUE = 3;
const AT_ONCE = 40;

eachEngine('a ledger with too much to do', MIGRATIONS, (fresh, engine) => {
  test('refuses what its queue does not hold with 503 and Retry-After, and mints it later', async () => {
    const { db, url } = await fresh();
    const ledger = await startLedgerProcess({
      ...settingsOf(url, temporaryFolder()),
      LEDGER_MINT_QUEUE: String(QUEUE),
    });
    const workshop = await openWorkshop(ledger, db);
    const { tenant } = workshop;
    const runs = await approveMany(db, workshop, AT_ONCE);
    const clients = await Promise.all(runs.map(() => knownClient(ledger, tenant)));
    // All of them arrive in one instant.
    ledger.freeze();
    await Promise.all(clients.map((client, i) => client.send(mintText(runs[i]!, tenant.keys.approver))));
    ledger.thaw();
    const answers = await Promise.all(clients.map(({ ended }) => ended.then(parseAnswer)));

    const acknowledged: Acknowledged = new Map();
    for (const [i, { status, headers, body }] of answers.entries()) {
      if (status === 201) acknowledged.set(runs[i]!, body);
      else {
        assert.deepEqual([status, JSON.parse(body).code], [503, 'overloaded']);
        assert.match(headers, /^retry-after: [1-9]/m);
      }
    }
    assert.ok(acknowledged.size >= QUEUE, 'who fits is served');
    assert.ok(acknowledged.size < AT_ONCE, 'who does not fit is refused');
    assert.equal((await audit(ledger, db, tenant, acknowledged)).size, acknowledged.size, 'a refused mint is no mint');
    for (const run_id of runs) {
      const answer = await mint(ledger, tenant, run_id);
      assert.equal(answer?.status, acknowledged.has(run_id) ? 200 : 201);
      acknowledged.set(run_id, answer!.text);
    }
    assert.equal((await audit(ledger, db, tenant, acknowledged)).size, AT_ONCE);
  });

  test('told to stop answers the mints in hand, then ends with 0', async () => {
    const { db, url } = await fresh();
    const ledger = await startLedgerProcess(settingsOf(url, temporaryFolder()));
    const workshop = await openWorkshop(ledger, db);
    const { tenant } = workshop;
    // One of them keeps the loop of a ledger on SQLite busy, so that it could not take a second one in hand.
    const runs = await approveMany(db, workshop, engine === 'sqlite' ? 1 : 6);
    const clients = await Promise.all(runs.map(() => rawClient(ledger.url)));
    const stall = () =>
      lockPostgres(url, 'select 1 from chains where organization_id = $1 for update', [tenant.organization_id]);
    const lock = engine === 'sqlite' ? lockSqlite(url) : await stall();
    // The server says `100 Continue` when it has the request in hand.
    for (const [i, client] of clients.entries())
      await client.send(mintText(runs[i]!, tenant.keys.approver, { expect: '100-continue' }));
    await until('all are in hand', () => clients.every((client) => client.heard().includes(' 100 Continue')));
    const exit = ledger.stop();
    if (engine === 'postgres') await until('it drains', () => ledger.lines.some((line) => line.includes('draining')));
    await lock.release();

    const answers = await Promise.all(clients.map(({ ended }) => ended.then(parseAnswer)));
    for (const { status, body } of answers) assert.equal(status, 201, body);
    assert.equal(await exit, 0);
    const again = await startLedgerProcess(settingsOf(url, temporaryFolder()));
    const acknowledged = new Map(answers.map(({ body }, i) => [runs[i]!, body]));
    assert.equal((await audit(again, db, tenant, acknowledged)).size, runs.length);
  });

  if (engine === 'postgres')
    test('told to stop still answers, as ever, who asks again before his first answer', async () => {
      const { db, url } = await fresh();
      const ledger = await startLedgerProcess(settingsOf(url, temporaryFolder()));
      const workshop = await openWorkshop(ledger, db);
      const { keys, organization_id } = workshop.tenant;
      const [run_id] = await approveMany(db, workshop, 1);
      const lock = await lockPostgres(url, 'select 1 from chains where organization_id = $1 for update', [
        organization_id,
      ]);
      const client = await rawClient(ledger.url);
      await client.send(mintText(run_id!, keys.approver, { connection: 'keep-alive', expect: '100-continue' }));
      await until('it is in hand', () => client.heard().includes(' 100 Continue'));
      const exit = ledger.stop();
      await until('it drains', () => ledger.lines.some((line) => line.includes('draining')));
      await client.send(requestText('GET', '/receipts/recent', { authorization: `Bearer ${keys.auditor}` }));
      await lock.release();
      const text = await client.ended;
      assert.match(text, /HTTP\/1\.1 201 [\s\S]*HTTP\/1\.1 200 /);
      assert.match(parseAnswer(text).body, /^\{"receipts":\[/);
      assert.equal(await exit, 0);
    });

  test('told to stop answers what had arrived before, then ends with 0', async () => {
    const { db, url } = await fresh();
    const settings = settingsOf(url, temporaryFolder());
    const ledger = await startLedgerProcess(settings);
    const workshop = await openWorkshop(ledger, db);
    const { tenant } = workshop;
    const runs = await approveMany(db, workshop, AT_ONCE);
    const clients = await Promise.all(runs.map(() => knownClient(ledger, tenant)));
    ledger.freeze();
    await Promise.all(clients.map((client, i) => client.send(mintText(runs[i]!, tenant.keys.approver))));
    const exit = ledger.stop();
    ledger.thaw();
    const answers = await Promise.all(clients.map(({ ended }) => ended.then(parseAnswer)));
    for (const { status, body } of answers) assert.equal(status, 201, body);
    assert.equal(await exit, 0);
    const again = await startLedgerProcess(settings);
    const acknowledged = new Map(answers.map(({ body }, i) => [runs[i]!, body]));
    assert.equal((await audit(again, db, tenant, acknowledged)).size, AT_ONCE);
  });

  test('told to stop under load ends with 0 and has kept what it acknowledged', async (t) => {
    const { db, url } = await fresh();
    const settings = settingsOf(url, temporaryFolder());
    const ledger = await startLedgerProcess(settings);
    const workshop = await openWorkshop(ledger, db);
    const { tenant } = workshop;
    const runs = await approveMany(db, workshop, 400);
    const acknowledged: Acknowledged = new Map();
    const counts: Record<string, number> = {};
    let exit: Promise<number | null> | null = null;
    await mintMany(ledger, tenant, runs, (run_id, answer) => {
      const name = `${exit === null ? 'before' : 'after'} ${answer?.status ?? 'cut off'}`;
      counts[name] = (counts[name] ?? 0) + 1;
      if (answer?.status === 201) acknowledged.set(run_id, answer.text);
      else if (answer !== null) {
        assert.deepEqual([answer.status, answer.code], [503, 'overloaded'], answer.text);
        assert.ok(answer.retry_after);
      }
      if (acknowledged.size === 100) exit ??= ledger.stop();
      return answer !== null;
    });
    assert.equal(await exit, 0);
    const again = await startLedgerProcess(settings);
    await audit(again, db, tenant, acknowledged);
    t.diagnostic(JSON.stringify(counts));
  });

  if (engine === 'sqlite')
    test('told to stop waits only so long for a client that never finishes its request', async () => {
      const { db, url } = await fresh();
      const ledger = await startLedgerProcess(settingsOf(url, temporaryFolder()));
      const { tenant } = await openWorkshop(ledger, db);
      const headers = {
        authorization: `Bearer ${tenant.keys.agent}`,
        'content-type': 'application/json',
        'content-length': '500',
      };
      const half_a_head = await rawClient(ledger.url);
      await half_a_head.send('POST /runs HTTP/1.1\r\nhost: ledger');
      const half_a_body = await rawClient(ledger.url);
      await half_a_body.send(`${requestText('POST', '/runs', { ...headers, expect: '100-continue' })}{"lane":`);
      await until('it is in hand', () => half_a_body.heard().includes(' 100 Continue'));
      assert.equal(await ledger.stop(), 0);
      await Promise.all([half_a_head.ended, half_a_body.ended]);
    });
});

/** Connected, and served before. */
async function knownClient({ url }: LedgerProcess, { keys }: Tenant): Promise<RawClient> {
  const client = await rawClient(url);
  await client.send(requestText('GET', '/receipts/recent', { authorization: `Bearer ${keys.approver}` }));
  await until('it is served', () => client.heard().endsWith('{"receipts":[]}'));
  return client;
}
