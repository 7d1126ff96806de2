/** The known word that `word` is likely to be a slip of; null when none is near. */
export function nearest(word: string, known: readonly string[]): string | null {
  let best: string | null = null;
  // One stroke may be wrong, or a third of what was typed, but no more than three.
  let least = Math.min(3, Math.max(1, Math.floor(word.length / 3))) + 1;
  for (const candidate of known) {
    const strokes = strokesBetween(word, candidate);
    if (strokes < least) [best, least] = [candidate, strokes];
  }
  return best;
}

/** Characters to insert, delete, replace or swap with their neighbour (optimal string alignment). */
function strokesBetween(a: string, b: string): number {
  let before: number[] = [];
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      const swapped = a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1] ? before[j - 2]! + 1 : Infinity;
      next.push(Math.min(row[j]! + 1, next[j - 1]! + 1, replaced, swapped));
    }
    [before, row] = [row, next];
  }
  return row[b.length]!;
}
