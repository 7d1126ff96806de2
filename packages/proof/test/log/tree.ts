/** A tree of these leaves, hashed anew for each question. */
import { leafHash, nodeHash, rootOf, type Subtree, type Tree } from '../../src/log/merkle.ts';

export function subtreesOf(leaves: readonly Uint8Array[]): Subtree {
  const hash = (level: number, index: number): Uint8Array =>
    level === 0 ? leaves[index]! : nodeHash(hash(level - 1, 2 * index), hash(level - 1, 2 * index + 1));
  return hash;
}

export async function treeOf(leaves: readonly Uint8Array[], size: number): Promise<Tree> {
  return { size, root: await rootOf(size, subtreesOf(leaves)) };
}

export function numberedLeaves(count: number): Uint8Array[] {
  return Array.from({ length: count }, (_, i) => leafHash(new TextEncoder().encode(`receipt ${i}`)));
}

/** The same bytes but for one bit. */
export function flipped(bytes: Uint8Array, bit: number): Uint8Array {
  const other = Uint8Array.from(bytes);
  other[bit >> 3]! ^= 1 << (bit & 7);
  return other;
}
