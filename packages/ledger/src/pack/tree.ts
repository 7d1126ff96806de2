/**
 * Inclusion proofs of many receipts, one after the other. What proofs have in common is read and hashed once: within a tile its levels, above it
 * the roots. A proof costs no query then, and memory does not grow with the receipts.
 */
import { inclusionProof, nodeHash, type Subtree } from '@rcpt/proof/log/merkle.ts';
import { TILE_WIDTH } from '@rcpt/proof/log/tiles.ts';
import type { Queries } from '@rcpt/service/db/db.ts';
import { LogTree } from '../log/tree.ts';
import { refuse } from '../problems.ts';
import type { SignedEnd } from '../store/logs.ts';

const TILE_LEVELS = 8;
/** The one at hand, the edge, and those that a boundary touches. */
const TILES_KEPT = 4;

export class PackTree {
  readonly #db: Queries;
  readonly #organization_id: string;
  readonly #end: SignedEnd;
  readonly #upper: LogTree;
  readonly #roots = new Map<string, Uint8Array>();
  /** Leaf hashes first, the level above them next; the tile that was asked for last is the last. */
  readonly #tiles = new Map<number, Uint8Array[][]>();

  /** @param end signed last */
  constructor(db: Queries, organization_id: string, end: SignedEnd) {
    this.#db = db;
    this.#organization_id = organization_id;
    this.#end = end;
    this.#upper = new LogTree(db, organization_id, 'receipts', end);
  }

  /** In the tree of the first `size` entries. Throws `log_inconsistent`. */
  proof(index: number, size: number): Promise<Uint8Array[]> {
    return inclusionProof(index, size, this.#subtree);
  }

  /** As it was signed. */
  leaf(index: number): Promise<Uint8Array> {
    return Promise.resolve(this.#subtree(0, index));
  }

  readonly #subtree: Subtree = (level, index) =>
    level < TILE_LEVELS ? this.#within(level, index) : this.#above(level, index);

  async #within(level: number, index: number): Promise<Uint8Array> {
    const width = TILE_WIDTH / 2 ** level;
    const tile = Math.floor(index / width);
    const hash = (this.#kept(tile) ?? (await this.#read(tile)))[level]?.[index % width];
    if (hash === undefined)
      throw refuse(
        'log_inconsistent',
        `The tile 0/${tile} of the signed tree is not stored any more. Restore the newest backup.`,
      );
    return hash;
  }

  #kept(tile: number): Uint8Array[][] | undefined {
    const levels = this.#tiles.get(tile);
    if (levels === undefined) return undefined;
    this.#tiles.delete(tile);
    this.#tiles.set(tile, levels);
    return levels;
  }

  async #read(tile: number): Promise<Uint8Array[][]> {
    // A tree of its own: what it reads is not kept with what others read.
    const leaves = await new LogTree(this.#db, this.#organization_id, 'receipts', this.#end).hashes(0, tile);
    const levels = [leaves];
    for (let below = leaves; below.length > 1; ) {
      below = Array.from({ length: Math.floor(below.length / 2) }, (_, i) =>
        nodeHash(below[2 * i]!, below[2 * i + 1]!),
      );
      levels.push(below);
    }
    this.#tiles.set(tile, levels);
    if (this.#tiles.size > TILES_KEPT) this.#tiles.delete(this.#tiles.keys().next().value!);
    return levels;
  }

  async #above(level: number, index: number): Promise<Uint8Array> {
    const name = `${level}/${index}`;
    const known = this.#roots.get(name);
    if (known !== undefined) return known;
    const root = await this.#upper.subtree(level, index);
    this.#roots.set(name, root);
    return root;
  }
}
