/**
 * The plug is pulled: what SQLite may find on its disk afterwards. The ledger is frozen under load, its two files are
 * copied as they lie there, and the copies are damaged in the ways a power cut may damage what was not yet synced.
 */
import assert from 'node:assert/strict';
import { Buffer } from 'node:buffer';
import { randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, test } from 'node:test';
import { openDatabase } from '@rcpt/service/db/open.ts';
import { verifyChain } from '../../packages/ledger/src/chain/verify.ts';
import { type Acknowledged, audit, auditTables, type Minted } from './audit.ts';
import { approveMany, mint, mintMany, openWorkshop, random, type Workshop } from './load.ts';
import { type LedgerProcess, settingsOf, startLedgerProcess, temporaryFolder } from './process.ts';
import { type Log, readLog } from './wal.ts';

const RUNS_PER_IMAGE = 80;

export interface Thoroughness {
  /** Power cuts. */
  images: number;
  /** Torn in this many places per image, beside as many ends of a commit. */
  torn: number;
}

interface Image {
  database: Buffer;
  wal: Buffer;
  /** Before the image was begun. */
  acknowledged: Acknowledged;
}

export function powerCut(how: Thoroughness): void {
  describe('a power cut on sqlite', () => suite(how));
}

function suite(how: Thoroughness): void {
  test('loses nothing that was acknowledged before it, wherever the last write was torn', async (t) => {
    const folder = temporaryFolder();
    const url = `sqlite:${join(folder, 'ledger.db')}`;
    const ledger = await startLedgerProcess(settingsOf(url, folder));
    const db = openDatabase(url);
    const workshop = await openWorkshop(ledger, db);
    const acknowledged: Acknowledged = new Map();
    const counts = { images: 0, torn: 0, frames: 0, receipts: 0 };
    for (let i = 0; i < how.images; i++) {
      writeBack(url);
      const runs = await approveMany(db, workshop, RUNS_PER_IMAGE);
      const image = await imageUnderLoad(ledger, workshop, runs, acknowledged, join(folder, 'ledger.db'));
      const log = readLog(image.wal);
      const whole = await openImage(folder, image, workshop);
      for (const [run_id, receipt] of image.acknowledged) assert.equal(whole.get(run_id), receipt);
      counts.torn += await tearEverywhere(folder, image, log, whole, workshop, how.torn);
      await garbleCheckpoint(folder, image, log, whole, workshop);
      counts.images++;
      counts.frames += log.frames.length;
      counts.receipts = whole.size;
    }
    await audit(ledger, db, workshop.tenant, acknowledged);
    await db.close();
    t.diagnostic(JSON.stringify(counts));
  });

  test('leaves a database on which the ledger starts and mints what was cut off', async () => {
    const folder = temporaryFolder();
    const url = `sqlite:${join(folder, 'ledger.db')}`;
    const ledger = await startLedgerProcess(settingsOf(url, folder));
    const db = openDatabase(url);
    const workshop = await openWorkshop(ledger, db);
    writeBack(url);
    const runs = await approveMany(db, workshop, RUNS_PER_IMAGE);
    const image = await imageUnderLoad(ledger, workshop, runs, new Map(), join(folder, 'ledger.db'));
    await ledger.kill();
    await db.close();
    const { frames } = readLog(image.wal);
    const torn = { ...image, wal: withGarbage(image.wal, frames[random(frames.length >> 1, frames.length - 1)]!.end) };
    const cut = writeImage(folder, torn);

    const again = await startLedgerProcess(settingsOf(cut, folder));
    const found = openDatabase(cut);
    const minted = await audit(again, found, workshop.tenant, new Map());
    const acknowledged: Acknowledged = new Map();
    for (const { id } of await found.all<{ id: string }>('select id from runs')) {
      const answer = await mint(again, workshop.tenant, id);
      assert.equal(answer?.status, minted.has(id) ? 200 : 201, answer?.text);
      acknowledged.set(id, answer!.text);
    }
    for (const [run_id, receipt] of minted) assert.equal(acknowledged.get(run_id), receipt);
    await audit(again, found, workshop.tenant, acknowledged);
    await found.close();
  });
}

/** The log starts anew, and is far from the length at which it is written back by itself: what of it is there may be lost. */
function writeBack(url: string): void {
  const connection = new DatabaseSync(url.slice('sqlite:'.length), { timeout: 5_000 });
  connection.exec('pragma wal_checkpoint(truncate)');
  connection.close();
}

/** Freezes the ledger at a random moment of the load; the load goes on afterwards, to its end. */
async function imageUnderLoad(
  ledger: LedgerProcess,
  { tenant }: Workshop,
  runs: string[],
  acknowledged: Acknowledged,
  path: string,
): Promise<Image> {
  let answers_left = random(1, runs.length);
  let image: Image | null = null;
  await mintMany(ledger, tenant, runs, (run_id, answer) => {
    assert.equal(answer?.status, 201, answer?.text);
    acknowledged.set(run_id, answer!.text);
    if (--answers_left === 0) {
      ledger.freeze();
      image = { acknowledged: new Map(acknowledged), database: readFileSync(path), wal: readFileSync(`${path}-wal`) };
      ledger.thaw();
    }
    return true;
  });
  return image!;
}

/**
 * The log ends anywhere: after every commit, and in the middle of frames and headers, cleanly or followed by garbage.
 * What opens is always the chain as it was at the last whole commit: a prefix that agrees with itself.
 */
async function tearEverywhere(
  folder: string,
  image: Image,
  log: Log,
  whole: Minted,
  workshop: Workshop,
  torn: number,
): Promise<number> {
  const commits = log.frames.filter((frame) => frame.commit).map((frame) => frame.end);
  const elsewhere = Array.from({ length: torn }, () => random(0, log.frames.at(-1)?.end ?? 0));
  const places = [...new Set([...sample(commits, torn), ...elsewhere])].sort((a, b) => a - b);
  let last = 0;
  for (const at of places) {
    for (const wal of [image.wal.subarray(0, at), withGarbage(image.wal, at)]) {
      const found = await openImage(folder, { ...image, wal }, workshop);
      assert.ok(found.size >= last, `cut at ${at}, ${found.size} receipts, ${last} further left`);
      last = found.size;
      assert.deepEqual([...found], [...whole].slice(0, found.size));
    }
  }
  return places.length * 2;
}

/** A power cut while the log is written back: those pages of the database file may hold anything, the log has them all. */
async function garbleCheckpoint(
  folder: string,
  image: Image,
  log: Log,
  whole: Minted,
  workshop: Workshop,
): Promise<void> {
  const database = Buffer.from(image.database);
  const last_commit = log.frames.findLastIndex((frame) => frame.commit);
  for (const { page } of log.frames.slice(0, last_commit + 1)) {
    const at = (page - 1) * log.page_bytes;
    // Whatever is beyond the end of the file has not been written back yet.
    if (at + log.page_bytes <= database.length && random(0, 1) === 1) randomBytes(log.page_bytes).copy(database, at);
  }
  assert.deepEqual(await openImage(folder, { ...image, database }, workshop), whole);
}

let images = 0;
function writeImage(folder: string, { database, wal }: Pick<Image, 'database' | 'wal'>): string {
  const path = join(folder, `image-${++images}.db`);
  writeFileSync(path, database);
  writeFileSync(`${path}-wal`, wal);
  return `sqlite:${path}`;
}

/** Opens the image like a ledger that starts, and audits it. */
async function openImage(
  folder: string,
  image: Pick<Image, 'database' | 'wal'>,
  { tenant }: Workshop,
): Promise<Minted> {
  const db = openDatabase(writeImage(folder, image));
  try {
    const [{ integrity_check }] = (await db.all('pragma integrity_check')) as [{ integrity_check: string }];
    assert.equal(integrity_check, 'ok');
    const report = await verifyChain(db, tenant.organization_id);
    assert.deepEqual(report.violations, []);
    return await auditTables(db, tenant.organization_id);
  } finally {
    await db.close();
  }
}

/** As long as before, but from `at` on nothing is what was written. */
function withGarbage(wal: Buffer, at: number): Buffer {
  return Buffer.concat([wal.subarray(0, at), randomBytes(wal.length - at)]);
}

/** The last one, and others at random. */
function sample<T>(all: T[], count: number): T[] {
  const last = all.at(-1);
  return last === undefined ? [] : [last, ...Array.from({ length: count - 1 }, () => all[random(0, all.length - 1)]!)];
}
