/**
 * A Merkle tree while it grows: the roots of its complete subtrees, the largest first (a compact range). A tree of n leaves has as many as n has
 * one bits; appending a leaf hashes as many nodes as become complete, two on average.
 */
import { emptyRoot, nodeHash } from './merkle.ts';

export type Peaks = readonly Uint8Array[];

/** @param size leaves so far. @param leaf `leafHash` of the entry that is appended */
export function appendLeaf(peaks: Peaks, size: number, leaf: Uint8Array): Uint8Array[] {
  const grown = [...peaks];
  let hash = leaf;
  for (let n = size; n % 2 === 1; n = (n - 1) / 2) hash = nodeHash(grown.pop()!, hash);
  grown.push(hash);
  return grown;
}

export function rootOfPeaks(peaks: Peaks): Uint8Array {
  return peaks.length === 0 ? emptyRoot() : peaks.reduceRight((right, left) => nodeHash(left, right));
}

/** How many peaks a tree of this size has. */
export function countPeaks(size: number): number {
  let count = 0;
  for (let n = size; n > 0; n = Math.floor(n / 2)) count += n % 2;
  return count;
}
