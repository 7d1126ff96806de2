import { Price, showPrice } from '@rcpt/contract/prices.ts';
import { NewNode, Node, Quote, QuoteRequest } from '@rcpt/contract/router/compute.ts';
import type { App } from '@rcpt/service/http/app.ts';
import { newId } from '@rcpt/service/ids.ts';
import { z } from 'zod';
import { priceOf, quoteCents, usdNumber } from '../domain/price.ts';
import { estimateInReceipt } from '../domain/receipt.ts';
import type { Router } from '../router.ts';
import { loadMember } from '../store/members.ts';
import { insertNode } from '../store/nodes.ts';
import { listWorkerSummaries } from '../store/workers.ts';
import { showNode, showNodes } from '../views/nodes.ts';
import { createAndSend, createdOnce, IdempotencyHeader, OPEN_OR_BEARER } from './shell.ts';

export function computeRoutes(app: App, router: Router): void {
  const config = { open_to: 'member' } as const;
  const common = { tags: ['compute'], security: OPEN_OR_BEARER };

  app.get(
    '/compute/prices',
    {
      config,
      schema: {
        ...common,
        summary: 'The price table: what can be quoted, and at which rate',
        description:
          'The two default rows, and what the operator’s `PRICES_FILE` adds or replaces; read when the router starts.',
        response: { 200: z.array(Price) },
      },
    },
    () => router.prices.rows.map(showPrice),
  );

  app.get(
    '/compute/inventory',
    {
      config,
      schema: {
        ...common,
        summary: 'All nodes with their rates',
        description:
          '`status` follows from the live workers of the node: `offline` when nobody serves it, `maintenance` while none of them takes new work, `busy` when it holds as many jobs as it or they declared.',
        response: { 200: z.array(Node) },
      },
    },
    () => showNodes(router.db, router.prices, router.now()),
  );

  app.post(
    '/compute/register-node',
    {
      config,
      schema: {
        ...common,
        summary: 'Register a node; its GPU must have a price',
        headers: IdempotencyHeader,
        body: NewNode,
        response: { 201: Node },
      },
    },
    (request, reply) => {
      const { id = newId('node'), hostname, gpu_type, max_concurrent_jobs = 1, tags = [] } = request.body;
      priceOf(router.prices, gpu_type);
      return createAndSend(router, request, reply, async (tx, batch) => {
        const node = { id, hostname, gpu_type, status: 'available', max_concurrent_jobs, tags, created_at: batch.at };
        await insertNode(tx, node);
        const workers = await listWorkerSummaries(tx);
        return { body: showNode(node, router.prices, 0, workers, batch.now), location: '/compute/inventory' };
      });
    },
  );

  app.post(
    '/compute/quote',
    {
      config,
      schema: {
        ...common,
        summary: 'Quote: the server’s hourly rate × hours; whatever rate a caller sends is not looked at',
        headers: IdempotencyHeader,
        body: QuoteRequest,
        response: { 200: Quote },
      },
    },
    async (request) => {
      const { member_id, requested_gpu_sku, estimated_hours, job_type } = request.body;
      const { hourly_rate_usd, gpu_name } = priceOf(router.prices, requested_gpu_sku);
      const cents = quoteCents(hourly_rate_usd, estimated_hours);
      const { body } = await createdOnce(router, request, async (tx, batch) => {
        await loadMember(tx, member_id);
        const receipt_id = batch.add({
          receipt_type: 'compute_quote',
          member_id,
          job_id: null,
          dataset_ids: [],
          amount_cents: cents,
          metadata: { requested_gpu_sku, job_type, hourly_rate_usd, ...estimateInReceipt(estimated_hours) },
        });
        const quote: z.infer<typeof Quote> = {
          member_id,
          requested_gpu_sku,
          gpu_display_name: gpu_name,
          hourly_rate_usd: Number(hourly_rate_usd),
          estimated_hours,
          estimated_cost_usd: usdNumber(cents),
          job_type,
          receipt_id,
        };
        return { body: quote, location: '' };
      });
      return body as z.infer<typeof Quote>;
    },
  );
}
