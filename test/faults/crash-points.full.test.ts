/** Every row of docs/crash.md that can be brought about on purpose: the ledger is killed exactly there. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Db } from '@rcpt/service/db/db.ts';
import { openDatabase } from '@rcpt/service/db/open.ts';
import { mailServer } from '../../packages/ledger/test/kit/copies.ts';
import { eachEngine, type Fresh } from '../kit/engines.ts';
import { type Acknowledged, audit, auditTables, noOpenTransactions } from './audit.ts';
import { objectStorageOn, startObjectServer } from './destinations.ts';
import { approveMany, mint, openWorkshop, type Workshop } from './load.ts';
import { type Lock, lockPostgres, lockSqlite } from './locks.ts';
import { type LedgerProcess, MIGRATIONS, settingsOf, startLedgerProcess, temporaryFolder, until } from './process.ts';

interface Stage {
  db: Db;
  url: string;
  workshop: Workshop;
  ledger: LedgerProcess;
  /** Starts it again, as it was or with other settings. */
  restart(changed?: Record<string, string>): Promise<LedgerProcess>;
}

async function stageOf({ db, url }: Fresh, changed: Record<string, string> = {}, inputs: object = {}): Promise<Stage> {
  const settings = { ...settingsOf(url, temporaryFolder()), ...changed };
  const ledger = await startLedgerProcess(settings);
  const workshop = await openWorkshop(ledger, db, inputs);
  return { db, url, workshop, ledger, restart: (again = {}) => startLedgerProcess({ ...settings, ...again }) };
}

eachEngine('a ledger killed', MIGRATIONS, (fresh, engine) => {
  test('before the mint has read the head leaves nothing, and a repeat mints', async () => {
    const stage = await stageOf(await fresh());
    await killWhileMinting(stage, () => lockChain(stage, engine));
    await assertNothingMinted(stage);
  });

  if (engine === 'postgres') insideTheTransaction(fresh);

  test('when its client has gone already leaves a receipt that a repeat answers', async () => {
    const stage = await stageOf(await fresh());
    const { db, workshop, ledger } = stage;
    const { tenant } = workshop;
    const [run_id] = (await approveMany(db, workshop, 1)) as [string];
    const lock = await lockChain(stage, engine);
    const gone = new AbortController();
    const headers = { authorization: `Bearer ${tenant.keys.approver}` };
    const asked = fetch(`${ledger.url}/runs/${run_id}/receipt`, { method: 'POST', headers, signal: gone.signal });
    if (engine === 'postgres') await until('the mint waits', () => lock.awaited());
    gone.abort();
    await assert.rejects(asked);
    await lock.release();
    // On SQLite the client may have gone before the request had come.
    if (engine === 'postgres')
      await until('it is minted', async () => (await db.get('select 1 from receipts')) !== undefined);
    await ledger.kill();
    const again = await stage.restart();
    const before = await audit(again, db, tenant, new Map());
    const answer = await mint(again, tenant, run_id);
    assert.equal(answer?.status, before.size === 1 ? 200 : 201);
    if (before.size === 1) assert.equal(answer?.text, before.get(run_id));
    assert.equal((await audit(again, db, tenant, new Map([[run_id, answer!.text]]))).size, 1);
  });

  test('after the answer and before any copy leaves the receipt, and its copies are made later', async () => {
    const storage = await startObjectServer();
    await storage.close();
    const stage = await stageOf(await fresh(), objectStorageOn(storage.port));
    const acknowledged = await mintAFew(stage);
    await stage.ledger.kill();
    const due = await dueCopies(stage);
    assert.equal(due.length, 2 * acknowledged.size);

    const returned = await startObjectServer(storage.port);
    await leasesEnd(stage.db);
    const again = await stage.restart();
    await audit(again, stage.db, stage.workshop.tenant, acknowledged);
    await until('every copy is made', async () => (await dueCopies(stage)).length === 0);
    assertCopied(returned.objects, acknowledged);
  });

  test('in the middle of copying leaves the copy to be made, and it is made whole', async () => {
    const storage = await startObjectServer();
    const stage = await stageOf(await fresh(), storage.settings);
    storage.hold();
    const acknowledged = await mintAFew(stage);
    await until('copies are on their way', () => storage.held() > 0);
    await stage.ledger.kill();
    assert.equal((await dueCopies(stage)).length, 2 * acknowledged.size);
    assert.deepEqual(storage.written, []);

    await storage.close();
    const returned = await startObjectServer(storage.port);
    await leasesEnd(stage.db);
    await stage.restart();
    await until('every copy is made', async () => (await dueCopies(stage)).length === 0);
    assertCopied(returned.objects, acknowledged);
  });

  test('after a copy is written and before it is crossed off writes the same copy again', async () => {
    const storage = await startObjectServer();
    const stage = await stageOf(await fresh(), storage.settings);
    storage.hold();
    const acknowledged = await mintAFew(stage, 1);
    await until('both copies are on their way', () => storage.held() === 2);
    const lock =
      engine === 'sqlite'
        ? lockSqlite(stage.url)
        : await lockPostgres(stage.url, 'lock table outbox in exclusive mode');
    storage.release();
    await until('both copies are written', () => storage.written.length === 2);
    await stage.ledger.kill();
    await lock.release();
    const first = new Map(storage.objects);
    assert.equal((await dueCopies(stage)).length, 2);

    await leasesEnd(stage.db);
    await stage.restart();
    await until('every copy is made', async () => (await dueCopies(stage)).length === 0);
    assert.deepEqual(new Set(storage.written.slice(2)), new Set(storage.written.slice(0, 2)));
    assert.deepEqual([...storage.objects.keys()].sort(), [...first.keys()].sort());
    assertCopied(storage.objects, acknowledged);
  });

  test('before the mail server has said yes sends the mail again, under the same Message-ID', async () => {
    const heard: string[] = [];
    const first = await mailServer({
      onData(stream) {
        // Taken over, and never confirmed.
        void textOf(stream).then((raw) => heard.push(raw));
      },
    });
    const smtp = (port: number) => ({ LEDGER_SMTP_URL: `smtp://127.0.0.1:${port}` });
    const stage = await stageOf(await fresh(), smtp(first.port), { notify: ['client@example.org'] });
    const acknowledged = await mintAFew(stage, 1);
    await until('the mail was taken over', () => heard.length === 1);
    await stage.ledger.kill();
    await first.close();

    const second = await mailServer();
    await leasesEnd(stage.db);
    const again = await stage.restart(smtp(second.port));
    await until('every copy is made', async () => (await dueCopies(stage)).length === 0);
    assert.equal(second.received.length, 1);
    assert.equal(messageIdOf(second.received[0]!.raw), messageIdOf(heard[0]!));
    await audit(again, stage.db, stage.workshop.tenant, acknowledged);
    await again.kill();
    await second.close();
  });
});

/** PostgreSQL tells who waits for whom, so the mint can be held between any two of its statements. */
function insideTheTransaction(fresh: () => Promise<Fresh>): void {
  const steps: [name: string, trigger: string][] = [
    ['after the receipts are stored', 'after insert on receipts'],
    ['after the Runs are marked', 'after update on runs'],
    ['after the outbox is filled', 'after insert on outbox'],
    ['after the head is moved', 'after update on chains'],
  ];
  for (const [name, event] of steps)
    test(`${name} and before the commit leaves nothing, and a repeat mints`, async () => {
      const stage = await stageOf(await fresh());
      await waitAt(stage.db, `create trigger wait_here ${event} for each statement execute function wait_here()`);
      await killWhileMinting(stage, () => lockPostgres(stage.url, 'select pg_advisory_xact_lock(1)'));
      await assertNothingMinted(stage);
    });

  test('while the commit is on its way leaves everything, and a repeat answers the same receipt', async () => {
    const stage = await stageOf(await fresh());
    const { db, workshop } = stage;
    const { tenant } = workshop;
    await waitAt(
      db,
      `create constraint trigger wait_here after insert on receipts deferrable initially deferred
       for each row execute function wait_here()`,
    );
    const runs = await killWhileMinting(stage, () => lockPostgres(stage.url, 'select pg_advisory_xact_lock(1)'));
    // The server finishes what it was told, whether or not anybody listens.
    await until('the commit is done', async () => (await db.get('select 1 from receipts')) !== undefined);
    await auditTables(db, tenant.organization_id);
    const again = await stage.restart();
    const minted = await audit(again, db, tenant, new Map());
    const acknowledged: Acknowledged = new Map();
    for (const run_id of runs) {
      const answer = await mint(again, tenant, run_id);
      assert.equal(answer?.status, minted.has(run_id) ? 200 : 201);
      acknowledged.set(run_id, answer!.text);
    }
    for (const [run_id, receipt] of minted) assert.equal(acknowledged.get(run_id), receipt);
    assert.equal((await audit(again, db, tenant, acknowledged)).size, runs.length);
  });
}

/** Advisory lock 1 stops whoever passes `trigger`. */
async function waitAt(db: Db, trigger: string): Promise<void> {
  await db.script(
    `create function wait_here() returns trigger language plpgsql as
     $$ begin perform pg_advisory_xact_lock_shared(1); return null; end $$`,
  );
  await db.script(trigger);
}

function lockChain({ url, workshop }: Stage, engine: Db['engine']): Promise<Lock> {
  if (engine === 'sqlite') return Promise.resolve(lockSqlite(url));
  const { organization_id } = workshop.tenant;
  return lockPostgres(url, 'select 1 from chains where organization_id = $1 for update', [organization_id]);
}

/** Several mints at once; the kill comes when one waits for the lock. Returns the Runs, none of them acknowledged. */
async function killWhileMinting({ db, workshop, ledger }: Stage, stall: () => Promise<Lock>): Promise<string[]> {
  const runs = await approveMany(db, workshop, 6);
  const lock = await stall();
  const asked = runs.map((run_id) => mint(ledger, workshop.tenant, run_id));
  if (db.engine === 'postgres') await until('a mint waits', () => lock.awaited());
  await ledger.kill();
  assert.deepEqual(
    await Promise.all(asked),
    runs.map(() => null),
  );
  await lock.release();
  return runs;
}

async function assertNothingMinted(stage: Stage): Promise<void> {
  const { db, workshop } = stage;
  const { tenant } = workshop;
  const again = await stage.restart();
  await until('the server has rolled back', () => noOpenTransactions(db));
  assert.equal((await audit(again, db, tenant, new Map())).size, 0);
  assert.equal((await dueCopies(stage)).length, 0);
  if (db.engine === 'postgres') await db.script('drop function if exists wait_here cascade');
  const acknowledged: Acknowledged = new Map();
  const approved = await db.all<{ id: string }>("select id from runs where stage = 'Approval'");
  for (const { id } of approved) {
    const answer = await mint(again, tenant, id);
    assert.equal(answer?.status, 201, answer?.text);
    acknowledged.set(id, answer!.text);
  }
  assert.equal((await audit(again, db, tenant, acknowledged)).size, approved.length);
}

async function mintAFew({ db, workshop, ledger }: Stage, count = 5): Promise<Acknowledged> {
  const acknowledged: Acknowledged = new Map();
  for (const run_id of await approveMany(db, workshop, count)) {
    const answer = await mint(ledger, workshop.tenant, run_id);
    assert.equal(answer?.status, 201, answer?.text);
    acknowledged.set(run_id, answer!.text);
  }
  return acknowledged;
}

function dueCopies({ url }: Stage): Promise<unknown[]> {
  const db = openDatabase(url);
  return db.all('select org_seq, kind from outbox').finally(() => db.close());
}

/** The copier that was killed had taken its rows on for a while: the while passes. */
async function leasesEnd(db: Db): Promise<void> {
  await db.run("update outbox set next_attempt_at = '2000-01-01T00:00:00.000Z'");
}

function assertCopied(objects: Map<string, Buffer>, acknowledged: Acknowledged): void {
  for (const receipt of acknowledged.values()) {
    const { receipt_id, organization } = JSON.parse(receipt);
    const key = `${organization.id}/receipts/${receipt_id}`;
    assert.equal(objects.get(`${key}.json`)?.toString('utf8'), receipt);
    assert.match(objects.get(`${key}.pdf`)?.toString('latin1') ?? '', /^%PDF-[\s\S]*%%EOF\s*$/);
  }
}

function messageIdOf(raw: string): string {
  return /^message-id: *(\S+)/im.exec(raw)?.[1] ?? '';
}

async function textOf(stream: AsyncIterable<Buffer>): Promise<string> {
  let text = '';
  for await (const chunk of stream) text += chunk.toString('utf8');
  return text;
}
