/** What a router's history says in sums and words. Pure. */
import type { History } from '@rcpt/contract/router/admin.ts';

export type Bucket = History['buckets'][number];

const DAY = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' });

/** `21 Nov, 14:00–15:00 UTC`, or the day: `21 Nov UTC`. */
export function whenWords({ at }: Bucket, bucket_seconds: number): string {
  const from = new Date(at);
  if (bucket_seconds >= 86_400) return `${DAY.format(from)} UTC`;
  return `${DAY.format(from)}, ${clock(from)}–${clock(new Date(from.getTime() + bucket_seconds * 1000))} UTC`;
}

/** Below a chart: `14:00`, at midnight and for days the date. */
export function labelWords({ at }: Bucket, bucket_seconds: number): string {
  const from = new Date(at);
  return bucket_seconds >= 86_400 || clock(from) === '00:00' ? DAY.format(from) : clock(from);
}

type Sums = Omit<Bucket, 'at' | 'queued'>;

export function sumOf(buckets: readonly Bucket[]): Sums {
  const sums = { created: 0, completed: 0, failed: 0, canceled: 0, spend_usd: 0 };
  for (const bucket of buckets) for (const name of Object.keys(sums) as (keyof Sums)[]) sums[name] += bucket[name];
  // Cents, though floats were added.
  return { ...sums, spend_usd: Math.round(sums.spend_usd * 100) / 100 };
}

/** The buckets of the UTC day that `now` is in. */
export function today(buckets: readonly Bucket[], now: number): readonly Bucket[] {
  const date = new Date(now).toISOString().slice(0, 10);
  return buckets.filter(({ at }) => at.startsWith(date));
}

function clock(instant: Date): string {
  return instant.toISOString().slice(11, 16);
}
