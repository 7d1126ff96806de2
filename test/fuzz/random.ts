/** Chance from a seed: the same seed, the same choices. */
export interface Random {
  /** From 0 up to, not including, 1. */
  next(): number;
  chance(share: number): boolean;
  /** Whole, both ends included. */
  between(low: number, high: number): number;
  pick<T>(from: readonly T[]): T;
  letters(count: number): string;
  hex(count: number): string;
}

/** Mulberry32: 32 bits of state are plenty for choosing requests. */
export function seeded(seed: number): Random {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const between = (low: number, high: number) => low + Math.floor(next() * (high - low + 1));
  const word = (alphabet: string, count: number) =>
    Array.from({ length: count }, () => alphabet[between(0, alphabet.length - 1)]).join('');
  return {
    next,
    between,
    chance: (share) => next() < share,
    pick: (from) => from[between(0, from.length - 1)]!,
    letters: (count) => word('abcdefghijklmnopqrstuvwxyz', count),
    hex: (count) => word('0123456789abcdef', count),
  };
}
