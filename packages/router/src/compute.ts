/** Nodes and quotes. */
import type { PriceTable } from '@rcpt/contract/prices.ts';
import type { NewNode, Quote, QuoteRequest } from '@rcpt/contract/router/compute.ts';
import type { Queries } from '@rcpt/service/db/db.ts';
import type { Created } from '@rcpt/service/http/idempotency.ts';
import { newId } from '@rcpt/service/ids.ts';
import type { z } from 'zod';
import { priceOf, quoteCents, usdNumber } from './domain/price.ts';
import { estimateInReceipt } from './domain/receipt.ts';
import type { ReceiptBatch } from './receipts/batch.ts';
import { loadMember } from './store/members.ts';
import { insertNode } from './store/nodes.ts';
import { listWorkerSummaries } from './store/workers.ts';
import { showNode } from './views/nodes.ts';

/** Throws `gpu_unpriced`, `id_taken`. */
export async function registerNode(
  tx: Queries,
  batch: ReceiptBatch,
  prices: PriceTable,
  { id = newId('node'), hostname, gpu_type, max_concurrent_jobs = 1, tags = [] }: z.infer<typeof NewNode>,
): Promise<Created> {
  priceOf(prices, gpu_type);
  const node = { id, hostname, gpu_type, status: 'available', max_concurrent_jobs, tags, created_at: batch.at };
  await insertNode(tx, node);
  const workers = await listWorkerSummaries(tx);
  return { body: showNode(node, prices, 0, workers, batch.now), location: '/compute/inventory' };
}

/** Leaves a receipt, and is not binding. Throws `gpu_unpriced`, `not_found`. */
export async function quote(
  tx: Queries,
  batch: ReceiptBatch,
  prices: PriceTable,
  { member_id, requested_gpu_sku, estimated_hours, job_type }: z.infer<typeof QuoteRequest>,
): Promise<Created> {
  const { hourly_rate_usd, gpu_name } = priceOf(prices, requested_gpu_sku);
  const cents = quoteCents(hourly_rate_usd, estimated_hours);
  await loadMember(tx, member_id);
  const receipt_id = batch.add({
    receipt_type: 'compute_quote',
    member_id,
    job_id: null,
    dataset_ids: [],
    amount_cents: cents,
    metadata: { requested_gpu_sku, job_type, hourly_rate_usd, ...estimateInReceipt(estimated_hours) },
  });
  const body: z.infer<typeof Quote> = {
    member_id,
    requested_gpu_sku,
    gpu_display_name: gpu_name,
    hourly_rate_usd: Number(hourly_rate_usd),
    estimated_hours,
    estimated_cost_usd: usdNumber(cents),
    job_type,
    receipt_id,
  };
  return { body, location: '' };
}
