/** Nodes as the inventory shows them. */

import type { PriceTable } from '@rcpt/contract/prices.ts';
import type { Node } from '@rcpt/contract/router/compute.ts';
import type { Queries } from '@rcpt/service/db.ts';
import { type Seen, stateOf } from './domain/worker.ts';
import { heldPerNode } from './store/jobs.ts';
import { listNodes, type StoredNode } from './store/nodes.ts';
import { listWorkers } from './store/workers.ts';

export async function showNodes(db: Queries, prices: PriceTable, now: number): Promise<Node[]> {
  const [nodes, held, workers] = await Promise.all([listNodes(db), heldPerNode(db), listWorkers(db)]);
  return nodes.map((node) =>
    showNode(
      node,
      prices,
      held.get(node.id) ?? 0,
      workers.filter((worker) => worker.node_id === node.id).map((worker) => stateOf(worker, now)),
    ),
  );
}

/** A node is what its workers are; one that never had a worker is available. */
export function showNode(
  node: StoredNode,
  prices: PriceTable,
  current_jobs: number,
  workers: ReturnType<typeof stateOf>[],
): Node {
  const price = prices.of(node.gpu_type);
  return {
    ...node,
    gpu_name: price?.gpu_name ?? node.gpu_type,
    vram_gb: price?.vram_gb ?? null,
    hourly_rate_usd: price === null ? null : Number(price.hourly_rate_usd),
    status: statusOf(node, current_jobs, workers),
    current_jobs,
  };
}

function statusOf(
  { max_concurrent_jobs }: StoredNode,
  current_jobs: number,
  workers: Seen['status'][],
): Node['status'] {
  if (workers.length > 0 && workers.every((status) => status === 'offline')) return 'offline';
  if (workers.length > 0 && workers.every((status) => status === 'offline' || status === 'maintenance'))
    return 'maintenance';
  return current_jobs >= max_concurrent_jobs ? 'busy' : 'available';
}
