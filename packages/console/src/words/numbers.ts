/** How numbers and sizes are worded, as on the receipt's page. */
const GROUPED = new Intl.NumberFormat('en-US', { maximumFractionDigits: 12 });

/** `1,234`. */
export function amount(value: number): string {
  return GROUPED.format(value);
}

/** `1 receipt`, `1,234 receipts`. */
export function count(value: number, noun: string): string {
  return `${amount(value)} ${noun}${value === 1 ? '' : 's'}`;
}

/** `1.5 MB`: decimal units. */
export function byteSize(bytes: number): string {
  const units = ['bytes', 'kB', 'MB', 'GB', 'TB', 'PB'];
  const power = bytes >= 1000 ? Math.min(units.length - 1, Math.floor(Math.log10(bytes) / 3)) : 0;
  if (power === 0) return `${bytes} ${bytes === 1 ? 'byte' : 'bytes'}`;
  return `${Math.round(bytes / 10 ** (power * 3 - 1)) / 10} ${units[power]}`;
}

/** `1,234.50 USD`. */
export function usd(value: number): string {
  return `${new Intl.NumberFormat('en-US', { minimumFractionDigits: 2, maximumFractionDigits: 2 }).format(value)} USD`;
}
