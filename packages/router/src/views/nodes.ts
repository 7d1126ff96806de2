/** Nodes as the inventory shows them. */

import type { PriceTable } from '@rcpt/contract/prices.ts';
import type { Node } from '@rcpt/contract/router/compute.ts';
import type { Queries } from '@rcpt/service/db/db.ts';
import { nodeState } from '../domain/worker.ts';
import { heldPerNode } from '../store/jobs.ts';
import { addNode, listNodes, type StoredNode } from '../store/nodes.ts';
import { listWorkerSummaries, type StoredWorker, type WorkerSummary } from '../store/workers.ts';

export async function showNodes(db: Queries, prices: PriceTable, now: number): Promise<Node[]> {
  const [nodes, held, workers] = await Promise.all([listNodes(db), heldPerNode(db), listWorkerSummaries(db)]);
  return nodes.map((node) => showNode(node, prices, held.get(node.id) ?? 0, workers, now));
}

/** @param workers of this node and of others */
export function showNode(
  node: StoredNode,
  prices: PriceTable,
  current_jobs: number,
  workers: WorkerSummary[],
  now: number,
): Node {
  const price = prices.of(node.gpu_type);
  const own = workers.filter((worker) => worker.node_id === node.id);
  return {
    ...node,
    gpu_name: price?.gpu_name ?? node.gpu_type,
    vram_gb: price?.vram_gb ?? null,
    hourly_rate_usd: price === null ? null : Number(price.hourly_rate_usd),
    status: nodeState(node.max_concurrent_jobs, current_jobs, own, now),
    current_jobs,
  };
}

/**
 * Registers the node of a worker, when its id is new: with the first of the worker's GPUs that has a price. A worker that declares no
 * such GPU registers no node.
 */
export async function registerNodeOf(
  tx: Queries,
  prices: PriceTable,
  { node_id, hostname, capabilities }: StoredWorker,
  at: string,
): Promise<void> {
  const gpu_type = capabilities.gpu_skus?.find((sku) => prices.of(sku) !== null);
  if (gpu_type === undefined) return;
  const { max_concurrent_jobs = 1 } = capabilities;
  await addNode(tx, {
    id: node_id,
    hostname,
    gpu_type,
    status: 'available',
    max_concurrent_jobs,
    tags: [],
    created_at: at,
  });
}
