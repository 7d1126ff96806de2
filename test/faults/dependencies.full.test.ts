/** Storage and mail away, silent or slow: the mints do not notice, health says so, and the copies arrive afterwards. */
import assert from 'node:assert/strict';
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { openDatabase } from '@rcpt/service/db/open.ts';
import { mailServer } from '../../packages/ledger/test/kit/copies.ts';
import { ownPort } from '../kit/own-port.ts';
import { type Acknowledged, audit } from './audit.ts';
import { type ObjectServer, objectStorageOn, startObjectServer } from './destinations.ts';
import { approveMany, mintMany, openWorkshop } from './load.ts';
import { type LedgerProcess, settingsOf, startLedgerProcess, temporaryFolder, until } from './process.ts';

const RUNS = 30;

interface Outage {
  settings: Record<string, string>;
  notify?: string[];
  /** Once the ledger runs and has approved Runs. */
  begin?(): void;
  during: Partial<Health>;
  /** The dependency comes back. */
  end(): Promise<void> | void;
  /** Every copy that the receipts should have had. */
  arrived(acknowledged: Acknowledged): void;
}

interface Health {
  ok: boolean;
  db: boolean;
  storage: boolean;
  email: boolean;
}

const AWAY: Partial<Health> = { ok: false, storage: false, email: true };

describe('mints go on as ever on sqlite', () => {
  test('while object storage refuses connections', async () => {
    const port = await ownPort();
    let returned: ObjectServer;
    await survive({
      settings: objectStorageOn(port),
      during: AWAY,
      async end() {
        returned = await startObjectServer(port);
      },
      arrived: (acknowledged) => assertCopied(returned.objects, acknowledged),
    });
  });

  test('while object storage takes connections and never answers', async () => {
    const storage = await startObjectServer();
    let returned: ObjectServer;
    await survive({
      settings: storage.settings,
      begin: () => storage.hold(),
      during: AWAY,
      async end() {
        await storage.close();
        returned = await startObjectServer(storage.port);
      },
      arrived: (acknowledged) => assertCopied(returned.objects, acknowledged),
    });
  });

  test('while object storage is slow', async () => {
    const storage = await startObjectServer();
    await survive({
      settings: storage.settings,
      begin: () => storage.release(200),
      during: { ok: true, storage: true },
      end: () => storage.release(),
      arrived: (acknowledged) => assertCopied(storage.objects, acknowledged),
    });
  });

  test('while the storage folder is a file', async () => {
    const folder = temporaryFolder();
    const objects = join(folder, 'objects');
    await survive({
      settings: { LEDGER_STORAGE_URL: `file:${objects}` },
      begin() {
        // By a rename: the ledger may be writing into it.
        renameSync(objects, join(folder, 'removed'));
        writeFileSync(objects, 'not a folder');
      },
      during: AWAY,
      end() {
        rmSync(objects);
        renameSync(join(folder, 'removed'), objects);
      },
      arrived(acknowledged) {
        const keys = keysOf(acknowledged).flatMap((key) => [`${key}.json`, `${key}.pdf`]);
        assertCopied(new Map(keys.map((key) => [key, readFileSync(join(objects, key))])), acknowledged);
      },
    });
  });

  test('while the mail server refuses connections', async () => {
    const port = await ownPort();
    let returned: Awaited<ReturnType<typeof mailServer>>;
    await survive({
      settings: { LEDGER_SMTP_URL: `smtp://127.0.0.1:${port}` },
      notify: ['client@example.org'],
      during: { ok: false, storage: true, email: false },
      async end() {
        returned = await mailServer({}, port);
      },
      arrived(acknowledged) {
        const subjects = returned.received.map(({ mail }) => mail.subject);
        for (const receipt of acknowledged.values())
          assert.equal(subjects.filter((subject) => subject?.includes(JSON.parse(receipt).receipt_id)).length, 1);
      },
    });
    await returned!.close();
  });
});

async function survive({ settings, notify, begin, during, end, arrived }: Outage): Promise<void> {
  const folder = temporaryFolder();
  const url = `sqlite:${join(folder, 'ledger.db')}`;
  const ledger = await startLedgerProcess({ ...settingsOf(url, folder), ...settings });
  const db = openDatabase(url);
  const workshop = await openWorkshop(ledger, db, notify === undefined ? {} : { notify });
  const runs = await approveMany(db, workshop, RUNS);
  begin?.();
  const acknowledged: Acknowledged = new Map();
  const told = until('health tells what is away', async () => matches(await healthOf(ledger), { db: true, ...during }));
  await mintMany(ledger, workshop.tenant, runs, (run_id, answer) => {
    assert.equal(answer?.status, 201, answer?.text);
    acknowledged.set(run_id, answer!.text);
    return true;
  });
  await told;
  await audit(ledger, db, workshop.tenant, acknowledged);

  await end();
  await until('health is good again', async () => (await healthOf(ledger)).ok);
  // How long it is left alone grows with the outage; the copier's clock is not what is tested here.
  await until('every copy is made', async () => (await db.all('select 1 from outbox')).length === 0);
  arrived(acknowledged);
  await audit(ledger, db, workshop.tenant, acknowledged);
  assert.equal(await ledger.stop(), 0);
  await db.close();
}

/** While the database answers it is 200, whatever else is away. */
async function healthOf({ call }: LedgerProcess): Promise<Health> {
  const { status, json } = await call('GET', '/healthz');
  assert.equal(status, 200);
  return json;
}

function matches(health: Health, wanted: Partial<Health>): boolean {
  return Object.entries(wanted).every(([name, state]) => health[name as keyof Health] === state);
}

function keysOf(acknowledged: Acknowledged): string[] {
  return [...acknowledged.values()].map((receipt) => {
    const { receipt_id, organization } = JSON.parse(receipt);
    return `${organization.id}/receipts/${receipt_id}`;
  });
}

function assertCopied(objects: Map<string, Buffer>, acknowledged: Acknowledged): void {
  const receipts = [...acknowledged.values()];
  for (const [i, key] of keysOf(acknowledged).entries()) {
    assert.equal(objects.get(`${key}.json`)?.toString('utf8'), receipts[i]);
    assert.match(objects.get(`${key}.pdf`)?.toString('latin1') ?? '', /^%PDF-[\s\S]*%%EOF\s*$/);
  }
}
