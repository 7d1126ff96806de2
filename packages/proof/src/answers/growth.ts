/** A checkpoint held against the last one of its log that the reader has seen: the log may only have grown. */
import { equal } from '../log/bytes.ts';
import { extendsTree, type Tree } from '../log/merkle.ts';

/**
 * `rewritten`: two trees that cannot both be of one log that only grows. `shorter`: this one is older, and that the one seen extends it is
 * not shown. `refuted`: the consistency proof that was given does not hold.
 */
export type Growth = 'nothing_seen' | 'same' | 'shown' | 'not_shown' | 'shorter' | 'rewritten' | 'refuted';

/** @param seen_root the root of the first `seen.size` receipts, where the reader holds them all */
export function growthSince(
  seen: Tree | null | undefined,
  now: Tree,
  consistency: readonly Uint8Array[] | null | undefined,
  seen_root: Uint8Array | null = null,
): Growth {
  if (!seen || seen.size === 0) return 'nothing_seen';
  if (seen.size === now.size) return equal(seen.root, now.root) ? 'same' : 'rewritten';
  if (seen_root !== null) return equal(seen.root, seen_root) ? 'shown' : 'rewritten';
  const [older, newer] = seen.size < now.size ? [seen, now] : [now, seen];
  if (consistency) return extendsTree(older, newer, consistency) ? 'shown' : 'refuted';
  return seen.size < now.size ? 'not_shown' : 'shorter';
}
