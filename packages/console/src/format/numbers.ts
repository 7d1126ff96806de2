/** How numbers and sizes are worded, as on the receipt's page: every digit. */
import { grouped, usdInWords } from '@rcpt/contract/shown.ts';

/** `1,234`. */
export const amount = grouped;
/** `1,234.50 USD`. */
export const usd = usdInWords;

/** `1 receipt`, `1,234 receipts`. */
export function count(value: number, noun: string): string {
  return `${amount(value)} ${noun}${value === 1 ? '' : 's'}`;
}

/** `1.5 MB`: decimal units, of what is measured, not sealed. */
export function byteSize(bytes: number): string {
  const units = ['bytes', 'kB', 'MB', 'GB', 'TB', 'PB'];
  const power = bytes >= 1000 ? Math.min(units.length - 1, Math.floor(Math.log10(bytes) / 3)) : 0;
  if (power === 0) return `${bytes} ${bytes === 1 ? 'byte' : 'bytes'}`;
  return `${Math.round(bytes / 10 ** (power * 3 - 1)) / 10} ${units[power]}`;
}
