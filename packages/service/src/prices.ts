/** `PRICES_FILE`: rows that are added to the default prices or replace one of them; the same file for ledger and router. */
import { readFileSync } from 'node:fs';
import {
  DEFAULT_PRICES,
  type GpuPrice,
  Price,
  type PriceTable,
  priceOfRow,
  priceTable,
} from '@rcpt/contract/prices.ts';
import { z } from 'zod';
import { validationMessage } from './http/validation-messages.ts';
import { ConfigError } from './process/config.ts';

export const PRICES_FILE = 'PRICES_FILE';
const TAKES = 'takes a JSON list of rows {"gpu_type", "gpu_name", "vram_gb", "hourly_rate_usd"}';

/** Also a rate in quotes, as receipts write it. */
const Row = Price.extend({
  hourly_rate_usd: z.preprocess(
    (rate) => (typeof rate === 'string' && /^\d{1,7}(\.\d{1,2})?$/.test(rate) ? Number(rate) : rate),
    Price.shape.hourly_rate_usd,
  ),
});

/** The table a service works with until it is started again. Throws `ConfigError`, one line that names the row. */
export function openPrices(file: string | undefined): PriceTable {
  return priceTable(file === undefined ? DEFAULT_PRICES : [...DEFAULT_PRICES, ...readPriceRows(file)]);
}

/** The rows of the file alone. Throws `ConfigError`. */
export function readPriceRows(file: string): GpuPrice[] {
  const wrong = (what: string) => new ConfigError(`${PRICES_FILE}: got ${JSON.stringify(file)}, ${TAKES}: ${what}`);
  const rows = rowsIn(file, wrong).map((row, i) => {
    const named = `row ${i + 1}${typeOf(row)}`;
    const parsed = Row.safeParse(row, { error: validationMessage });
    if (parsed.success) return priceOfRow(parsed.data);
    const [issue] = parsed.error.issues;
    throw wrong([named, issue!.path.join('.'), issue!.message].filter((part) => part !== '').join(' '));
  });
  const twice = rows.findIndex(({ gpu_type }, i) => rows.findIndex((row) => row.gpu_type === gpu_type) !== i);
  if (twice !== -1) throw wrong(`row ${twice + 1}${typeOf(rows[twice])} names a type that an earlier row names`);
  return rows;
}

function rowsIn(file: string, wrong: (what: string) => ConfigError): unknown[] {
  let rows: unknown;
  try {
    rows = JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    throw wrong((error as Error).message.replaceAll(/\s+/g, ' '));
  }
  if (!Array.isArray(rows)) throw wrong('it holds no list');
  return rows;
}

function typeOf(row: unknown): string {
  const type = (row as { gpu_type?: unknown } | null)?.gpu_type;
  return typeof type === 'string' ? ` (${JSON.stringify(type.slice(0, 100))})` : '';
}
