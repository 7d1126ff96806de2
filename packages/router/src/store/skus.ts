/** The GPUs that unfinished jobs ask for, also those that have no price any more. */
import type { Queries } from '@rcpt/service/db/db.ts';

/** Steps from one value of the queue's index to the next, so a long queue is not read. */
const QUEUED = `with recursive asked (sku) as (
    select min(requested_gpu_sku) from jobs where status = 'queued'
    union all
    select (select min(requested_gpu_sku) from jobs where status = 'queued' and requested_gpu_sku > asked.sku)
    from asked where asked.sku is not null
  ) select sku from asked where sku is not null`;
const HELD = `select distinct requested_gpu_sku as sku from jobs where status in ('leased', 'running')`;

export async function unfinishedSkus(db: Queries): Promise<string[]> {
  const [queued, held] = await Promise.all([db.all<{ sku: string }>(QUEUED), db.all<{ sku: string }>(HELD)]);
  return [...queued, ...held].map(({ sku }) => sku);
}
