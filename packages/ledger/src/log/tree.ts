/** The hashes of a log's tree as it was signed last: full tiles, and the edge behind them. No entry is read. */
import type { Subtree } from '@rcpt/proof/log/merkle.ts';
import { appendLeaf, rootOfPeaks } from '@rcpt/proof/log/peaks.ts';
import { TILE_WIDTH } from '@rcpt/proof/log/tiles.ts';
import type { Queries } from '@rcpt/service/db/db.ts';
import type { Refusal } from '@rcpt/service/error.ts';
import { refuse } from '../problems.ts';
import { findTile, type LogName, type SignedEnd, type StoredTile, tileRoots } from '../store/logs.ts';
import { decodeHashes, encodeHashes } from './encoding.ts';

/** Levels of the tree within one tile. */
const TILE_LEVELS = 8;

export class LogTree {
  readonly #db: Queries;
  readonly #organization_id: string;
  readonly #log: LogName;
  readonly #end: SignedEnd;
  readonly #tiles = new Map<string, Promise<Uint8Array[]>>();

  constructor(db: Queries, organization_id: string, log: LogName, end: SignedEnd) {
    this.#db = db;
    this.#organization_id = organization_id;
    this.#log = log;
    this.#end = end;
  }

  /** As `merkle.ts` asks for them. */
  readonly subtree: Subtree = async (level, index) => {
    if (level > 0 && level % TILE_LEVELS === 0) return this.#rootOfTile(level / TILE_LEVELS - 1, index);
    const tile_level = Math.floor(level / TILE_LEVELS);
    const width = 2 ** (level % TILE_LEVELS);
    const tile = Math.floor((index * width) / TILE_WIDTH);
    const from = (index * width) % TILE_WIDTH;
    const hashes = (await this.hashes(tile_level, tile)).slice(from, from + width);
    if (hashes.length < width) throw missing(tile_level, tile);
    return rootOfHashes(hashes);
  };

  /** Of this tile, as many as there are. */
  hashes(level: number, tile: number): Promise<Uint8Array[]> {
    const name = `${level}/${tile}`;
    const known = this.#tiles.get(name) ?? this.#read(level, tile);
    this.#tiles.set(name, known);
    return known;
  }

  async #read(level: number, tile: number): Promise<Uint8Array[]> {
    if (level === 0 && tile === Math.floor(this.#end.size / TILE_WIDTH)) return decodeHashes(this.#end.edge);
    const kept = await findTile(this.#db, this.#organization_id, this.#log, level, tile);
    if (kept !== null) return decodeHashes(kept.hashes);
    if (level === 0) return [];
    const [from, to] = [tile * TILE_WIDTH, (tile + 1) * TILE_WIDTH];
    const roots = await tileRoots(this.#db, this.#organization_id, this.#log, level - 1, from, to);
    return roots.map((root) => Buffer.from(root, 'base64'));
  }

  async #rootOfTile(level: number, tile: number): Promise<Uint8Array> {
    const kept = await findTile(this.#db, this.#organization_id, this.#log, level, tile);
    if (kept === null) throw missing(level, tile);
    return Buffer.from(kept.root, 'base64');
  }
}

export function fullTile(level: number, tile: number, hashes: Uint8Array[]): StoredTile {
  return { level, tile, root: Buffer.from(rootOfHashes(hashes)).toString('base64'), hashes: encodeHashes(hashes) };
}

function rootOfHashes(hashes: Uint8Array[]): Uint8Array {
  return rootOfPeaks(hashes.reduce<Uint8Array[]>((peaks, hash, i) => appendLeaf(peaks, i, hash), []));
}

function missing(level: number, tile: number): Refusal {
  return refuse(
    'log_inconsistent',
    `The tile ${level}/${tile} of the signed tree is not stored any more. Restore the newest backup.`,
  );
}
