/** The hashes of a log's tree, from full tiles that are kept and from entries. What is kept follows from the entries. */
import { leafHash, type Subtree } from '@rcpt/proof/log/merkle.ts';
import { appendLeaf, rootOfPeaks } from '@rcpt/proof/log/peaks.ts';
import { TILE_WIDTH } from '@rcpt/proof/log/tiles.ts';
import type { Queries } from '@rcpt/service/db/db.ts';
import type { Refusal } from '@rcpt/service/error.ts';
import { refuse } from '../problems.ts';
import { findTile, type StoredTile, tileRoots } from '../store/logs.ts';
import { decodeHashes, encodeHashes } from './encoding.ts';
import type { LogSource } from './source.ts';

/** Levels of the tree within one tile. */
const TILE_LEVELS = 8;

export class LogTree {
  readonly #db: Queries;
  readonly #organization_id: string;
  readonly #source: LogSource;
  readonly #tiles = new Map<string, Promise<Uint8Array[]>>();

  /** Reads as of one call: make a new one for the next. */
  constructor(db: Queries, organization_id: string, source: LogSource) {
    this.#db = db;
    this.#organization_id = organization_id;
    this.#source = source;
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
    const kept = await findTile(this.#db, this.#organization_id, this.#source.log, level, tile);
    if (kept !== null) return decodeHashes(kept.hashes);
    if (level === 0) return this.leaves(tile * TILE_WIDTH, (tile + 1) * TILE_WIDTH);
    const [from, to] = [tile * TILE_WIDTH, (tile + 1) * TILE_WIDTH];
    const roots = await tileRoots(this.#db, this.#organization_id, this.#source.log, level - 1, from, to);
    return roots.map((root) => Buffer.from(root, 'base64'));
  }

  async #rootOfTile(level: number, tile: number): Promise<Uint8Array> {
    const kept = await findTile(this.#db, this.#organization_id, this.#source.log, level, tile);
    if (kept !== null) return Buffer.from(kept.root, 'base64');
    const hashes = await this.hashes(level, tile);
    if (hashes.length < TILE_WIDTH) throw missing(level, tile);
    return rootOfHashes(hashes);
  }

  /** Hashes of the entries from the first up to, not including, the second; fewer at the end of the log. */
  async leaves(from: number, to: number): Promise<Uint8Array[]> {
    const leaves: Uint8Array[] = [];
    while (from + leaves.length < to) {
      const next = from + leaves.length;
      const entries = await this.#source.entries(this.#db, this.#organization_id, next, to - next);
      if (entries.length === 0) break;
      for (const entry of entries) leaves.push(leafHash(Buffer.from(entry)));
    }
    return leaves;
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
    `The entries from ${tile * TILE_WIDTH ** (level + 1)} on are not all stored: a checkpoint of more was signed. Restore the newest backup.`,
  );
}
