/**
 * The Merkle tree over an organization's receipts, and its proofs (RFC 6962, section 2.1; RFC 9162, sections 2.1.3 and 2.1.4). A leaf
 * is the stored canonical bytes of a receipt. Sizes and indices are whole numbers up to 2^53 − 1: nothing here shifts 32-bit words.
 */
import { equal, sha256Of } from './bytes.ts';

export const HASH_BYTES = 32;

const LEAF = Uint8Array.of(0);
const NODE = Uint8Array.of(1);

export function leafHash(entry: Uint8Array): Uint8Array {
  return sha256Of(LEAF, entry);
}

export function nodeHash(left: Uint8Array, right: Uint8Array): Uint8Array {
  return sha256Of(NODE, left, right);
}

export function emptyRoot(): Uint8Array {
  return sha256Of();
}

/** Whether `leaf` is the leaf at `index` of the tree of `size` leaves with this root. */
export function includes(
  { index, size, leaf, root }: { index: number; size: number; leaf: Uint8Array; root: Uint8Array },
  proof: readonly Uint8Array[],
): boolean {
  if (!isSize(index) || !isSize(size) || index >= size) return false;
  if (![leaf, root, ...proof].every(isHash)) return false;
  let at = index;
  let last = size - 1;
  let hash = leaf;
  for (const sibling of proof) {
    if (last === 0) return false;
    if (isOdd(at) || at === last) {
      hash = nodeHash(sibling, hash);
      while (!isOdd(at) && at !== 0) [at, last] = [half(at), half(last)];
    } else {
      hash = nodeHash(hash, sibling);
    }
    [at, last] = [half(at), half(last)];
  }
  return last === 0 && equal(hash, root);
}

export interface Tree {
  size: number;
  root: Uint8Array;
}

/** Whether the newer tree holds the older one, unchanged, as its beginning. Of an empty tree nothing can be shown. */
export function extendsTree(older: Tree, newer: Tree, proof: readonly Uint8Array[]): boolean {
  if (!isSize(older.size) || !isSize(newer.size) || older.size === 0 || older.size > newer.size) return false;
  if (![older.root, newer.root, ...proof].every(isHash)) return false;
  if (older.size === newer.size) return proof.length === 0 && equal(older.root, newer.root);
  if (proof.length === 0) return false;
  const [first, ...rest] = isPowerOfTwo(older.size) ? [older.root, ...proof] : proof;
  let at = older.size - 1;
  let last = newer.size - 1;
  while (isOdd(at)) [at, last] = [half(at), half(last)];
  let old_hash = first!;
  let new_hash = first!;
  for (const hash of rest) {
    if (last === 0) return false;
    if (isOdd(at) || at === last) {
      old_hash = nodeHash(hash, old_hash);
      new_hash = nodeHash(hash, new_hash);
      while (!isOdd(at) && at !== 0) [at, last] = [half(at), half(last)];
    } else {
      new_hash = nodeHash(new_hash, hash);
    }
    [at, last] = [half(at), half(last)];
  }
  return last === 0 && equal(old_hash, older.root) && equal(new_hash, newer.root);
}

/**
 * Where the hashes of a proof come from: the root of the complete subtree of `2 ** level` leaves that is number `index` on that level. What is
 * larger or incomplete is hashed from these.
 */
export type Subtree = (level: number, index: number) => Promise<Uint8Array> | Uint8Array;

export async function rootOf(size: number, subtree: Subtree): Promise<Uint8Array> {
  return size === 0 ? emptyRoot() : rootOfRange(0, size, subtree);
}

/** The hashes by which `includes` finds the root of the first `size` leaves, the leaf's sibling first. */
export async function inclusionProof(index: number, size: number, subtree: Subtree): Promise<Uint8Array[]> {
  if (!isSize(index) || !isSize(size) || index >= size) throw new RangeError(`no leaf ${index} among ${size}`);
  const ranges: Range[] = [];
  let [from, to] = [0, size];
  while (to - from > 1) {
    const middle = from + splitOf(to - from);
    ranges.unshift(index < middle ? [middle, to] : [from, middle]);
    [from, to] = index < middle ? [from, middle] : [middle, to];
  }
  return hashesOf(ranges, subtree);
}

/** The hashes by which `extendsTree` finds both roots. */
export async function consistencyProof(
  older_size: number,
  newer_size: number,
  subtree: Subtree,
): Promise<Uint8Array[]> {
  if (!isSize(older_size) || !isSize(newer_size) || older_size === 0 || older_size > newer_size)
    throw new RangeError(`no proof from ${older_size} to ${newer_size}`);
  const ranges: Range[] = [];
  let [from, to] = [0, newer_size];
  while (older_size < to) {
    const middle = from + splitOf(to - from);
    ranges.unshift(older_size <= middle ? [middle, to] : [from, middle]);
    [from, to] = older_size <= middle ? [from, middle] : [middle, to];
  }
  // The reader has the root of the older tree: where it is a complete subtree from the beginning, its hash is not sent.
  if (from !== 0) ranges.unshift([from, to]);
  return hashesOf(ranges, subtree);
}

/** Leaves from the first up to, not including, the second. */
type Range = [from: number, to: number];

async function hashesOf(ranges: Range[], subtree: Subtree): Promise<Uint8Array[]> {
  const hashes: Uint8Array[] = [];
  for (const [from, to] of ranges) hashes.push(await rootOfRange(from, to, subtree));
  return hashes;
}

async function rootOfRange(from: number, to: number, subtree: Subtree): Promise<Uint8Array> {
  const length = to - from;
  if (isPowerOfTwo(length)) return subtree(Math.log2(length), from / length);
  const middle = from + splitOf(length);
  return nodeHash(await rootOfRange(from, middle, subtree), await rootOfRange(middle, to, subtree));
}

/** The largest power of two below `length`. */
function splitOf(length: number): number {
  let split = 1;
  while (split * 2 < length) split *= 2;
  return split;
}

function isHash(bytes: Uint8Array): boolean {
  return bytes.length === HASH_BYTES;
}

function isSize(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 0;
}

function isPowerOfTwo(value: number): boolean {
  return Number.isInteger(Math.log2(value)) && 2 ** Math.log2(value) === value;
}

function isOdd(value: number): boolean {
  return value % 2 === 1;
}

function half(value: number): number {
  return Math.floor(value / 2);
}
