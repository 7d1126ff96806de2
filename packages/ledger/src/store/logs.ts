/** The logs: what was signed of each, its full tiles, and the keys. */
import type { Queries } from '@rcpt/service/db/db.ts';

export type LogName = 'receipts' | 'activity';

export interface SignedEnd {
  size: number;
  /** The peaks of that tree, in base64. */
  peaks: string;
  /** Hashes of the entries behind the last full tile, in base64. */
  edge: string;
  checkpoint: string;
  signed_at: string;
}

/** The last signed checkpoint; null: nothing was signed yet. */
export async function loadSignedEnd(db: Queries, organization_id: string, log: LogName): Promise<SignedEnd | null> {
  const row = await db.get<SignedEnd>(
    'select size, peaks, edge, checkpoint, signed_at from log_ends where organization_id = $1 and log = $2',
    [organization_id, log],
  );
  return row ?? null;
}

/**
 * Only from what the signer has seen: false where another one has signed since. Keeps the last of each day.
 * @param from the size it was; null: nothing was signed yet
 */
export async function replaceSignedEnd(
  tx: Queries,
  organization_id: string,
  log: LogName,
  from: number | null,
  { size, peaks, edge, checkpoint, signed_at }: SignedEnd,
): Promise<boolean> {
  const values = [organization_id, log, size, peaks, edge, checkpoint, signed_at];
  const changed =
    from === null
      ? await tx.run(
          `insert into log_ends (organization_id, log, size, peaks, edge, checkpoint, signed_at)
           values ($1, $2, $3, $4, $5, $6, $7)
           on conflict (organization_id, log) do nothing`,
          values,
        )
      : await tx.run(
          `update log_ends set size = $3, peaks = $4, edge = $5, checkpoint = $6, signed_at = $7
           where organization_id = $1 and log = $2 and size = $8`,
          [...values, from],
        );
  if (changed === 0) return false;
  await tx.run(
    `insert into log_checkpoints (organization_id, log, day, size, checkpoint, signed_at) values ($1, $2, $3, $4, $5, $6)
     on conflict (organization_id, log, day) do update
     set size = excluded.size, checkpoint = excluded.checkpoint, signed_at = excluded.signed_at
     where excluded.size > log_checkpoints.size`,
    [organization_id, log, signed_at.slice(0, 10), size, checkpoint, signed_at],
  );
  return true;
}

/** The last one of a day, of exactly this size, that was kept. */
export async function findCheckpoint(
  db: Queries,
  organization_id: string,
  log: LogName,
  size: number,
): Promise<string | null> {
  const row = await db.get<{ checkpoint: string }>(
    'select checkpoint from log_checkpoints where organization_id = $1 and log = $2 and size = $3 order by day limit 1',
    [organization_id, log, size],
  );
  return row?.checkpoint ?? null;
}

export interface StoredTile {
  level: number;
  tile: number;
  /** Base64, as are the 8,192 bytes of `hashes`. */
  root: string;
  hashes: string;
}

/** A tile that is there already is the same one. */
export async function keepTiles(
  tx: Queries,
  organization_id: string,
  log: LogName,
  tiles: StoredTile[],
): Promise<void> {
  for (const { level, tile, root, hashes } of tiles)
    await tx.run(
      `insert into log_tiles (organization_id, log, level, tile, root, hashes) values ($1, $2, $3, $4, $5, $6)
       on conflict (organization_id, log, level, tile) do nothing`,
      [organization_id, log, level, tile, root, hashes],
    );
}

export async function findTile(
  db: Queries,
  organization_id: string,
  log: LogName,
  level: number,
  tile: number,
): Promise<{ root: string; hashes: string } | null> {
  const row = await db.get<{ root: string; hashes: string }>(
    'select root, hashes from log_tiles where organization_id = $1 and log = $2 and level = $3 and tile = $4',
    [organization_id, log, level, tile],
  );
  return row ?? null;
}

/** The roots of full tiles side by side, in base64; it ends before the first that is not kept. */
export async function tileRoots(
  db: Queries,
  organization_id: string,
  log: LogName,
  level: number,
  from: number,
  to: number,
): Promise<string[]> {
  const rows = await db.all<{ tile: number; root: string }>(
    `select tile, root from log_tiles
     where organization_id = $1 and log = $2 and level = $3 and tile >= $4 and tile < $5 order by tile`,
    [organization_id, log, level, from, to],
  );
  const gap = rows.findIndex(({ tile }, i) => tile !== from + i);
  return (gap === -1 ? rows : rows.slice(0, gap)).map(({ root }) => root);
}

export interface LogKeyRow {
  generation: number;
  origin: string;
  public_key: string;
  sealed_private_key: string;
  created_at: string;
  succession: string | null;
}

/** The newest first; none before the first signature. */
export async function loadLogKeys(db: Queries, organization_id: string): Promise<LogKeyRow[]> {
  return db.all<LogKeyRow>(
    `select generation, origin, public_key, sealed_private_key, created_at, succession from log_keys
     where organization_id = $1 order by generation desc`,
    [organization_id],
  );
}

/** Of two processes that make the first key, one does: false for the other. */
export async function insertLogKey(tx: Queries, organization_id: string, key: LogKeyRow): Promise<boolean> {
  const inserted = await tx.run(
    `insert into log_keys (organization_id, generation, origin, public_key, sealed_private_key, created_at, succession)
     values ($1, $2, $3, $4, $5, $6, $7) on conflict (organization_id, generation) do nothing`,
    [
      organization_id,
      key.generation,
      key.origin,
      key.public_key,
      key.sealed_private_key,
      key.created_at,
      key.succession,
    ],
  );
  return inserted > 0;
}

/** Any sealed key: by which the start sees whether the master key is the right one. */
export async function anyLogKey(db: Queries): Promise<(LogKeyRow & { organization_id: string }) | null> {
  const row = await db.get<LogKeyRow & { organization_id: string }>(
    'select organization_id, generation, origin, public_key, sealed_private_key, created_at, succession from log_keys limit 1',
  );
  return row ?? null;
}
