/** The server's prices (SPEC, Limits). Whatever rate a caller sends is not looked at. */
import { type Decimal, decimal } from './money.ts';

export interface GpuPrice {
  /** The node identifier of the price table; also the SKU that jobs and quotes ask for. */
  gpu_type: string;
  gpu_name: string;
  vram_gb: number;
  /** Exactly two decimals. */
  hourly_rate_usd: string;
}

export const GPU_PRICES: readonly GpuPrice[] = [
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

export const ANNUAL_MEMBERSHIP_USD = '100.00';
export const MEMBERSHIP_DAYS = 365;

const BY_TYPE: ReadonlyMap<string, GpuPrice> = new Map(GPU_PRICES.map((price) => [price.gpu_type, price]));

/** Null for a GPU without a price. */
export function gpuPrice(gpuType: string): GpuPrice | null {
  return BY_TYPE.get(gpuType) ?? null;
}

/** USD per hour; null for a GPU without a price. */
export function hourlyRate(gpuType: string): Decimal | null {
  const price = BY_TYPE.get(gpuType);
  return price ? decimal(price.hourly_rate_usd) : null;
}
