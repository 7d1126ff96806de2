/**
 * Signs checkpoints (docs/spec.md §34), after the commits that made the entries. Two that contradict each other are never signed, by any
 * number of processes:
 *   read what was signed last → hash the entries since then, as they are stored → compare with the peaks that the mints kept
 *   → in one transaction: keep the full tiles, replace what was signed last by compare-and-swap.
 * A crash before the commit leaves the last checkpoint as it was; a checkpoint is shown after it.
 */

import { checkpointText } from '@rcpt/proof/log/checkpoint.ts';
import { leafHash } from '@rcpt/proof/log/merkle.ts';
import { appendLeaf, rootOfPeaks } from '@rcpt/proof/log/peaks.ts';
import { TILE_WIDTH } from '@rcpt/proof/log/tiles.ts';
import type { Db, Queries } from '@rcpt/service/db/db.ts';
import { refuse } from '../problems.ts';
import {
  keepTiles,
  loadSignedEnd,
  replaceSignedEnd,
  type SignedEnd,
  type StoredTile,
  tileRoots,
} from '../store/logs.ts';
import { decodeHashes, encodeHashes } from './encoding.ts';
import { type LogKeys, signNote } from './keys.ts';
import type { LogSource } from './source.ts';
import { fullTile } from './tree.ts';

/** Entries that are hashed before everything else that waits has its turn. */
const BATCH = 64;
/** Entries between two checkpoints at most: a chain of a million is taken in step by step, each of which stays. */
const STEP = 65_536;

export interface SignSettings {
  db: Db;
  keys: LogKeys;
  now(): string;
  /** Of a chain that is taken in, a million receipts: how far it is. */
  onProgress?(hashed: number, size: number): void;
}

/**
 * The checkpoint of all entries that there are, signed now if it was not yet. Null: there are none. Throws `log_inconsistent` where what
 * is stored does not continue what was signed.
 */
export async function signEnd(
  settings: SignSettings,
  organization_id: string,
  source: LogSource,
): Promise<{ end: SignedEnd; fresh: boolean } | null> {
  const { db, keys, now, onProgress } = settings;
  for (;;) {
    const signed = await loadSignedEnd(db, organization_id, source.log);
    const end = await source.end(db, organization_id);
    const from = signed?.size ?? 0;
    if (end.size < from)
      throw refuse(
        'log_inconsistent',
        `A checkpoint of ${from} entries was signed, and ${end.size} are stored: an older backup was restored, or entries were deleted. Nothing more is signed until they are back.`,
      );
    if (end.size === from) {
      if (signed !== null && end.peaks !== null && end.peaks !== signed.peaks) throw altered(from);
      return signed === null ? null : { end: signed, fresh: false };
    }
    const size = Math.min(end.size, from + STEP);
    const grown = await grow(settings, organization_id, source, signed, size);
    if (size === end.size && end.peaks !== null && end.peaks !== grown.peaks) throw altered(size);

    const signing = await keys.signing(organization_id, source.log);
    const origin = signing[0]!.verifier.name;
    const root = rootOfPeaks(decodeHashes(grown.peaks));
    const checkpoint = signNote(checkpointText({ origin, size, root }), signing);
    const next: SignedEnd = { size, peaks: grown.peaks, edge: grown.edge, checkpoint, signed_at: now() };
    const replaced = await db.transaction(async (tx) => {
      if (!(await replaceSignedEnd(tx, organization_id, source.log, signed?.size ?? null, next))) return false;
      await keepTiles(tx, organization_id, source.log, grown.tiles);
      await keepUpperTiles(tx, organization_id, source, grown.tiles);
      if (size === end.size && end.peaks === null) await source.takeIn(tx, organization_id, size, grown.peaks);
      return true;
    });
    onProgress?.(size, end.size);
    if (replaced && size === end.size) return { end: next, fresh: true };
  }
}

/** What was signed last, and the entries since then. */
async function grow(
  { db }: SignSettings,
  organization_id: string,
  source: LogSource,
  signed: SignedEnd | null,
  size: number,
): Promise<{ peaks: string; edge: string; tiles: StoredTile[] }> {
  let at = signed?.size ?? 0;
  let peaks: Uint8Array[] = decodeHashes(signed?.peaks ?? '');
  const tiles: StoredTile[] = [];
  let edge = decodeHashes(signed?.edge ?? '');
  while (at < size) {
    const limit = Math.min(BATCH, size - at, TILE_WIDTH - (at % TILE_WIDTH));
    const entries = await source.entries(db, organization_id, at, limit);
    if (entries.length === 0) throw altered(at);
    for (const entry of entries) {
      const leaf = leafHash(Buffer.from(entry));
      peaks = appendLeaf(peaks, at++, leaf);
      edge.push(leaf);
    }
    if (edge.length === TILE_WIDTH) {
      tiles.push(fullTile(0, at / TILE_WIDTH - 1, edge));
      edge = [];
    }
    await new Promise((resolve) => setImmediate(resolve));
  }
  return { peaks: encodeHashes(peaks), edge: encodeHashes(edge), tiles };
}

/** Of each level above, the tiles that these complete. */
async function keepUpperTiles(
  tx: Queries,
  organization_id: string,
  source: LogSource,
  below: StoredTile[],
): Promise<void> {
  const complete: StoredTile[] = [];
  for (const { level, tile } of below) {
    if ((tile + 1) % TILE_WIDTH !== 0) continue;
    const roots = await tileRoots(tx, organization_id, source.log, level, tile + 1 - TILE_WIDTH, tile + 1);
    if (roots.length < TILE_WIDTH) throw altered(tile * TILE_WIDTH);
    const hashes = roots.map((root) => Buffer.from(root, 'base64'));
    complete.push(fullTile(level + 1, (tile + 1) / TILE_WIDTH - 1, hashes));
  }
  if (complete.length === 0) return;
  await keepTiles(tx, organization_id, source.log, complete);
  await keepUpperTiles(tx, organization_id, source, complete);
}

function altered(at: number) {
  return refuse(
    'log_inconsistent',
    `The stored entries up to ${at} do not hash to the tree that was kept as they were made: GET /ledger/verify says which was altered. Nothing more is signed until it is restored.`,
  );
}
