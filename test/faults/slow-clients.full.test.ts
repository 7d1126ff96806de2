/** Clients that send half, read slowly or hang up are a harm to nobody else. */
import assert from 'node:assert/strict';
import { readdirSync, readlinkSync } from 'node:fs';
import { test } from 'node:test';
import { ChainVerifier } from '@rcpt/proof/chain.ts';
import type { Db } from '@rcpt/service/db/db.ts';
import { eachEngine } from '../kit/engines.ts';
import { ownPort } from '../kit/own-port.ts';
import { type Acknowledged, audit } from './audit.ts';
import { objectStorageOn } from './destinations.ts';
import { approveMany, mintMany, openWorkshop, type Workshop } from './load.ts';
import { type LedgerProcess, MIGRATIONS, settingsOf, startLedgerProcess, temporaryFolder, until } from './process.ts';
import { parseAnswer, rawClient, requestText } from './raw.ts';

/** More than there are database connections. */
const SLOW_READERS = 14;
const HALF_REQUESTS = 60;
const HANG_UPS = 40;
/** So that a chain is far larger than what the operating system buffers for a reader who does not read. */
const NOTE = 'A long note about the work. '.repeat(800);
const LARGE_RECEIPTS = 700;

eachEngine('a ledger with clients that do not behave', MIGRATIONS, (fresh) => {
  test('mints as if they were not there, and lets go of what they held', async () => {
    const { db, url } = await fresh();
    const ledger = await startLedgerProcess({
      ...settingsOf(url, temporaryFolder()),
      // Nothing is copied meanwhile.
      ...objectStorageOn(await ownPort()),
    });
    const workshop = await openWorkshop(ledger, db, { notes: NOTE });
    const { tenant } = workshop;
    const acknowledged: Acknowledged = new Map();
    // Of the lanes only the generic one seals all of its inputs.
    const large = { ...workshop, models: workshop.models.filter(({ lane }) => lane === 'generic') };
    await mintAll(ledger, large, await approveMany(db, large, LARGE_RECEIPTS), acknowledged);
    const before = await held(db, url, ledger);

    const halves = await Promise.all(
      Array.from({ length: HALF_REQUESTS }, async (_, i) => {
        const client = await rawClient(ledger.url);
        await client.send(requestText('POST', '/runs', { 'content-length': '100' }).slice(0, 20 + i));
        return client;
      }),
    );
    const authorization = `Bearer ${tenant.keys.auditor}`;
    const accept = 'application/x-ndjson';
    const readers = await Promise.all(
      Array.from({ length: SLOW_READERS }, async () => {
        const client = await rawClient(ledger.url, { deaf: true });
        await client.send(requestText('GET', '/ledger', { authorization, accept, connection: 'close' }));
        return client;
      }),
    );
    await until('every reader got something', () => readers.every(({ socket }) => hasBytes(socket)));
    await mintAll(ledger, workshop, await approveMany(db, workshop, 60), acknowledged);
    for (let i = 0; i < HANG_UPS; i++) {
      const client = await rawClient(ledger.url);
      await client.send(requestText('GET', '/ledger/verify', { authorization }));
      client.socket.destroy();
    }
    await mintAll(ledger, workshop, await approveMany(db, workshop, 60), acknowledged);
    await audit(ledger, db, tenant, acknowledged);

    const [patient, ...impatient] = readers;
    for (const { socket } of [...impatient, ...halves]) socket.destroy();
    let text = '';
    for await (const chunk of patient!.socket.setEncoding('utf8')) text += chunk;
    assertWholeExport(text, LARGE_RECEIPTS);
    await until('nothing is held any more', async () => (await held(db, url, ledger)) <= before);
    assert.deepEqual(
      ledger.lines.filter((line) => !line.startsWith('{') || /"level":"(error|fatal)"/.test(line)),
      [],
    );
    assert.equal(await ledger.stop(), 0);
  });
});

async function mintAll(
  ledger: LedgerProcess,
  { tenant }: Workshop,
  runs: string[],
  acknowledged: Acknowledged,
): Promise<void> {
  await mintMany(ledger, tenant, runs, (run_id, answer) => {
    assert.equal(answer?.status, 201, answer?.text);
    acknowledged.set(run_id, answer!.text);
    return true;
  });
}

function hasBytes(socket: { readableLength: number; bytesRead: number; readableFlowing: boolean | null }): boolean {
  return socket.readableLength > 0 || socket.bytesRead > 0;
}

/** What a reader gets who takes all his time: the chain as it was when he asked, whole, ending where the header said. */
function assertWholeExport(text: string, receipts: number): void {
  const { headers } = parseAnswer(text.slice(0, text.indexOf('\r\n\r\n') + 4));
  const lines = text.split('\n').filter((line) => line.startsWith('{"'));
  const verifier = new ChainVerifier();
  for (const line of lines) verifier.push(line.trimEnd());
  const [, org_seq, receipt_sha256] = /^ledger-head: (\d+):([0-9a-f]{64})/m.exec(headers)!;
  assert.deepEqual(verifier.finish({ org_seq: Number(org_seq), receipt_sha256: receipt_sha256! }).violations, []);
  assert.ok(lines.length >= receipts);
}

/** Open transactions on the server; on SQLite, connections: open handles of the log, where the system shows them. */
async function held(db: Db, url: string, { pid }: LedgerProcess): Promise<number> {
  if (db.engine === 'postgres') {
    const open = await db.all(
      `select 1 from pg_stat_activity
       where datname = current_database() and pid <> pg_backend_pid() and state like 'idle in transaction%'`,
    );
    return open.length;
  }
  const log = `${url.slice('sqlite:'.length)}-wal`;
  try {
    return readdirSync(`/proc/${pid}/fd`).filter((fd) => linkOf(`/proc/${pid}/fd/${fd}`) === log).length;
  } catch {
    return 0;
  }
}

function linkOf(path: string): string | null {
  try {
    return readlinkSync(path);
  } catch {
    return null;
  }
}
