/** Arithmetic of the report. */

/** The value that `share` (0 to 1) of the values do not exceed: nearest rank. NaN of nothing. */
export function percentile(values: ArrayLike<number>, share: number): number {
  const sorted = Float64Array.from(values).sort();
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN;
}

/** Of an even number of values, the mean of the two in the middle. */
export function median(values: ArrayLike<number>): number {
  const sorted = Float64Array.from(values).sort();
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

/** Three significant digits at least, thousands grouped: `6,450`, `12.3`, `0.912`. */
export function readable(value: number): string {
  if (!Number.isFinite(value)) return 'n/a';
  const digits = Math.max(0, 2 - Math.floor(Math.log10(Math.abs(value) || 1)));
  return value.toLocaleString('en', { minimumFractionDigits: digits, maximumFractionDigits: digits });
}
