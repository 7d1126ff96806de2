import { Price, showPrice } from '@rcpt/contract/prices.ts';
import { NewNode, Node, Quote, QuoteRequest } from '@rcpt/contract/router/compute.ts';
import type { App } from '@rcpt/service/http/app.ts';
import { z } from 'zod';
import { quote, registerNode } from '../compute.ts';
import type { Router } from '../router.ts';
import { showNodes } from '../views/nodes.ts';
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
          '`status` follows from the live workers of the node: `offline` when no worker serves it, `maintenance` while none of them takes new work, `busy` when it holds as many jobs as it or they declared.',
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
    (request, reply) =>
      createAndSend(router, request, reply, (tx, batch) => registerNode(tx, batch, router.prices, request.body)),
  );

  app.post(
    '/compute/quote',
    {
      config,
      schema: {
        ...common,
        summary: 'Quote: the server’s hourly rate × hours; a rate that the caller sends is ignored',
        headers: IdempotencyHeader,
        body: QuoteRequest,
        response: { 200: Quote },
      },
    },
    async (request) => {
      const { body } = await createdOnce(router, request, (tx, batch) => quote(tx, batch, router.prices, request.body));
      return body as z.infer<typeof Quote>;
    },
  );
}
