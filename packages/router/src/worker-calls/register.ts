/** A worker registers: it gets an id and a token. */
import type { PriceTable } from '@rcpt/contract/prices.ts';
import { type Registration, WORKER_CONTRACT } from '@rcpt/contract/router/workers.ts';
import type { Queries } from '@rcpt/service/db/db.ts';
import { newId, newSecret, secretSha256 } from '@rcpt/service/ids.ts';
import type { z } from 'zod';
import type { Changes } from '../notifier.ts';
import type { ReceiptBatch } from '../receipts/batch.ts';
import { insertWorker, type StoredWorker } from '../store/workers.ts';
import { registerNodeOf } from '../views/nodes.ts';

const HEARTBEAT_SECONDS = 30;

/** A worker may register again when it lost its token. Its node is registered too, where it is not known yet. */
export async function register(
  tx: Queries,
  batch: ReceiptBatch,
  changes: Changes,
  prices: PriceTable,
  body: z.infer<typeof Registration>,
) {
  const worker_id = newId('worker');
  const worker_token = `dwrk_${newSecret()}`;
  const { node_id, name, hostname, endpoint_url = null, capabilities = {}, tags = [], version = null } = body;
  const worker: StoredWorker = {
    id: worker_id,
    node_id,
    name,
    hostname,
    endpoint_url,
    status: 'registered',
    desired: 'run',
    capabilities: capabilities as StoredWorker['capabilities'],
    tags,
    version,
    current_jobs: 0,
    metrics: {},
    heartbeat_interval_seconds: body.heartbeat_interval_seconds ?? HEARTBEAT_SECONDS,
    last_heartbeat_at: null,
    revoked_at: null,
    created_at: batch.at,
  };
  await insertWorker(tx, worker, secretSha256(worker_token));
  await registerNodeOf(tx, prices, worker, batch.at);
  if (changes.visible !== null) changes.visible.workers = true;
  batch.add({
    receipt_type: 'worker_registered',
    member_id: worker_id,
    job_id: null,
    dataset_ids: [],
    amount_cents: 0,
    metadata: { node_id, name, hostname },
  });
  return { worker_id, worker_token, status: 'registered' as const, contract_version: WORKER_CONTRACT };
}
