/**
 * The machine that `./rcpt up` runs on, as the price table names it: by its own processor, at a rate that says it is one for a
 * demonstration. Rows stand in `<data>/prices.json`, which is kept, so that what was priced by them stays priced.
 */
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';
import type { Price } from '@rcpt/contract/prices.ts';

const DEMO_USD_PER_HOUR = 0.2;

/** @param model as the operating system names the processor; empty where it names none */
export function ownPrice(model: string = cpus()[0]?.model ?? ''): Price {
  const name = model.replaceAll(/\s+/g, ' ').trim();
  const slug = name
    .replaceAll(/\((?:R|TM|C)\)/gi, '')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '_')
    .replaceAll(/^_+|_+$/g, '')
    .slice(0, 80);
  return {
    gpu_type: `cpu_${slug || 'of_unknown_model'}`,
    gpu_name: `${name.slice(0, 150) || 'Unknown model'} (CPU, demo rate)`,
    // No memory of a GPU: there is none in use.
    vram_gb: 0,
    hourly_rate_usd: DEMO_USD_PER_HOUR,
  };
}

/** One node per kind of machine: a data folder that moves to another machine gets another node there. */
export function ownNode({ gpu_type }: Price = ownPrice()) {
  return { id: `local-${gpu_type}`, gpu_type, tags: ['demo', 'runs on the CPU of this machine'] };
}

type Row = Pick<Price, 'gpu_type'>;

/**
 * The price file for both services: this machine's row beside those of earlier starts. The rows of `given` (PRICES_FILE) go first;
 * a file that is none is passed on as it is: the ledger says what is wrong with it.
 */
export function pricesFile(data: string, given: string | undefined): string {
  const own = join(data, 'prices.json');
  const stored = existsSync(own) ? rowsOf(own) : [];
  if (stored === null) return own;
  const price = ownPrice();
  const rows = stored.some(({ gpu_type }) => gpu_type === price.gpu_type) ? stored : [...stored, price];
  if (rows !== stored) write(own, rows);
  if (!given) return own;
  const theirs = rowsOf(given);
  if (theirs === null) return given;
  const named = new Set(theirs.map(({ gpu_type }) => gpu_type));
  const both = join(data, 'prices.with-yours.json');
  write(both, [...theirs, ...rows.filter(({ gpu_type }) => !named.has(gpu_type))]);
  return both;
}

function rowsOf(file: string): Row[] | null {
  try {
    const rows: unknown = JSON.parse(readFileSync(file, 'utf8'));
    return Array.isArray(rows) && rows.every((row) => typeof row?.gpu_type === 'string') ? rows : null;
  } catch {
    return null;
  }
}

function write(file: string, rows: Row[]): void {
  writeFileSync(`${file}.new`, `${JSON.stringify(rows, null, 2)}\n`);
  renameSync(`${file}.new`, file);
}
