/** The server's prices (docs/spec.md §19). Whatever rate a caller sends is not looked at. */
import { z } from 'zod';
import { decimal, formatUsd } from './money.ts';
import { Line } from './wire.ts';

export interface GpuPrice {
  /** The node identifier of the price table; also the SKU that jobs and quotes ask for. */
  gpu_type: string;
  gpu_name: string;
  vram_gb: number;
  /** Exactly two decimals. */
  hourly_rate_usd: string;
}

export interface PriceTable {
  readonly rows: readonly GpuPrice[];
  /** Null for a type without a price. */
  of(gpu_type: string): GpuPrice | null;
}

/** What holds without a price file. */
export const DEFAULT_PRICES: readonly GpuPrice[] = [
  {
    gpu_type: 'rtx6000_blackwell_96gb',
    gpu_name: 'RTX PRO 6000 Blackwell Workstation 96GB',
    vram_gb: 96,
    hourly_rate_usd: '5.00',
  },
  {
    gpu_type: 'rog_astral_5090_32gb',
    gpu_name: 'ASUS ROG Astral RTX 5090 32GB',
    vram_gb: 32,
    hourly_rate_usd: '2.00',
  },
];

/** A later row replaces an earlier one of its type, at the place of the earlier one. */
export function priceTable(rows: readonly GpuPrice[]): PriceTable {
  const by_type = new Map(rows.map((row) => [row.gpu_type, row]));
  return { rows: [...by_type.values()], of: (gpu_type) => by_type.get(gpu_type) ?? null };
}

const MOST_USD = 1_000_000;
const RATE = /^\d{1,7}(\.\d{1,2})?$/;

/** A row as the API answers it and as a price file holds it. */
export const Price = z.object({
  gpu_type: z
    .string()
    .regex(/^[A-Za-z0-9][\w.-]{0,99}$/, 'takes 1 to 100 letters, digits, . _ or -')
    .describe('What jobs and quotes ask for, and what a receipt names as its runner'),
  gpu_name: Line.max(200).describe('What people call it'),
  vram_gb: z.number().min(0).max(1_000_000).describe('Memory of the GPU; 0 for a machine without one'),
  hourly_rate_usd: z
    .number()
    .min(0)
    .max(MOST_USD)
    .refine((usd) => RATE.test(String(usd)), 'takes at most two decimals'),
});
export type Price = z.infer<typeof Price>;

/** The row as the API answers it: the rate as a JSON number. */
export function showPrice(row: GpuPrice): Price {
  return { ...row, hourly_rate_usd: Number(row.hourly_rate_usd) };
}

/** The row that `showPrice` showed. */
export function priceOfRow({ gpu_type, gpu_name, vram_gb, hourly_rate_usd }: Price): GpuPrice {
  return { gpu_type, gpu_name, vram_gb, hourly_rate_usd: formatUsd(decimal(hourly_rate_usd)) };
}
