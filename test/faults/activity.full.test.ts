/** An act of an administrator and its line are one, wherever the ledger is killed (docs/crash.md). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ActivityReceipt } from '@rcpt/contract/activity.ts';
import type { Db } from '@rcpt/service/db/db.ts';
import { activityOf } from '../../packages/ledger/test/kit/activity.ts';
import { type Tenant, tenantOf } from '../../packages/ledger/test/kit/running.ts';
import { eachEngine } from '../kit/engines.ts';
import { auditActivity, noOpenTransactions } from './audit.ts';
import { lockPostgres } from './locks.ts';
import { type LedgerProcess, MIGRATIONS, settingsOf, startLedgerProcess, temporaryFolder, until } from './process.ts';

const KEYS = 400;
const CLIENTS = 12;

eachEngine('a ledger killed while administrators act', MIGRATIONS, (fresh, engine) => {
  const opened = async () => {
    const { db, url } = await fresh();
    const settings = settingsOf(url, temporaryFolder());
    const ledger = await startLedgerProcess(settings);
    const tenant = await tenantOf(ledger.call);
    return { db, url, ledger, tenant, restart: () => startLedgerProcess(settings) };
  };
  const kindsOf = async (db: Db, { organization_id }: Tenant) =>
    (await activityOf(db, organization_id)).map(({ activity }) => activity.kind);
  const rename = ({ call }: LedgerProcess, { keys }: Tenant) =>
    call('PATCH', '/organization', { token: keys.owner, body: { name: 'Renamed' } });
  const nameOf = async ({ call }: LedgerProcess, { keys }: Tenant) =>
    (await call('GET', '/organization', { token: keys.owner })).json.name;

  test('at any moment keeps each answered act with one line, and no line without its act', async (t) => {
    const { db, ledger, tenant, restart } = await opened();
    const answered: string[] = [];
    let left = KEYS;
    const client = async () => {
      while (left-- > 0) {
        const answer = await ledger
          .call('POST', '/keys', { token: tenant.keys.owner, body: { role: 'agent' } })
          .catch(() => null);
        if (answer === null) return;
        assert.equal(answer.status, 201, answer.text);
        answered.push(answer.json.id);
        if (answered.length === 40) await ledger.kill();
      }
    };
    await Promise.all(Array.from({ length: CLIENTS }, client));
    const again = await restart();
    await until('the server has done what it was told', () => noOpenTransactions(db));
    await auditActivity(again, tenant);
    const issued = (await activityOf(db, tenant.organization_id)).flatMap(keyIssued);
    for (const id of answered) assert.equal(issued.filter((one) => one === id).length, 1, id);
    const { keys } = (await again.call('GET', '/keys', { token: tenant.keys.owner })).json;
    assert.deepEqual(keys.map(({ id }: { id: string }) => id).sort(), [...issued].sort());
    t.diagnostic(`${answered.length} keys answered, ${issued.length} issued`);
  });

  if (engine !== 'postgres') return;

  for (const [moment, event] of [
    ['after what it changes is changed', 'after update on organizations'],
    ['after the line is stored', 'after insert on activity'],
    ['after the head is moved', 'after update on activity_chains'],
  ] as const)
    test(`${moment} and before the commit leaves neither, and a repeat does both`, async () => {
      const { db, url, ledger, tenant, restart } = await opened();
      const before = await kindsOf(db, tenant);
      await waitAt(db, `create trigger wait_here ${event} for each statement execute function wait_here()`);
      await killAt(url, ledger, () => rename(ledger, tenant));
      const again = await restart();
      assert.deepEqual(await kindsOf(db, tenant), before);
      assert.equal(await nameOf(again, tenant), 'Test Workshop');
      assert.equal((await rename(again, tenant)).status, 200);
      assert.deepEqual(await kindsOf(db, tenant), [...before, 'organization_renamed']);
      await auditActivity(again, tenant);
    });

  test('while the commit is on its way leaves both, and a repeat leaves no second line', async () => {
    const { db, url, ledger, tenant, restart } = await opened();
    const before = await kindsOf(db, tenant);
    await waitAt(
      db,
      `create constraint trigger wait_here after insert on activity deferrable initially deferred
       for each row execute function wait_here()`,
    );
    await killAt(url, ledger, () => rename(ledger, tenant));
    // The server finishes what it was told, whether or not anybody listens.
    await until('the commit is done', async () => (await kindsOf(db, tenant)).length > before.length);
    const again = await restart();
    assert.equal(await nameOf(again, tenant), 'Renamed');
    assert.equal((await rename(again, tenant)).status, 200);
    assert.deepEqual(await kindsOf(db, tenant), [...before, 'organization_renamed']);
    await auditActivity(again, tenant);
  });
});

function keyIssued({ activity }: ActivityReceipt): string[] {
  return activity.kind === 'key_issued' ? [activity.details.key.id] : [];
}

/** Advisory lock 1 stops whoever passes `trigger`. */
async function waitAt(db: Db, trigger: string): Promise<void> {
  await db.script(
    `create function wait_here() returns trigger language plpgsql as
     $$ begin perform pg_advisory_xact_lock_shared(1); return null; end $$`,
  );
  await db.script(trigger);
}

async function killAt(url: string, ledger: LedgerProcess, act: () => Promise<unknown>): Promise<void> {
  const lock = await lockPostgres(url, 'select pg_advisory_xact_lock(1)');
  const acting = act().catch(() => null);
  await until('the act waits', () => lock.awaited());
  await ledger.kill();
  await acting;
  await lock.release();
}
