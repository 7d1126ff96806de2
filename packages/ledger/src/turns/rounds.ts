/** The order in which waiting requests are served: one of each organization, then the next of each. Pure. */

/** Of one organization in the order in which they came; the organizations in the order of their first. */
export function inRounds<T>(waiting: readonly T[], whose: (one: T) => string): T[] {
  const rounds: T[][] = [];
  const lengths = new Map<string, number>();
  for (const one of waiting) {
    const round = lengths.get(whose(one)) ?? 0;
    lengths.set(whose(one), round + 1);
    if (round === rounds.length) rounds.push([one]);
    else rounds[round]!.push(one);
  }
  return rounds.flat();
}
