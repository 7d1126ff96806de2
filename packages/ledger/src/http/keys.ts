import { CreatedKey, Key, KeyList, NewKey } from '@rcpt/contract/ledger/tenancy.ts';
import type { App } from '@rcpt/service/http/app.ts';
import { z } from 'zod';
import { actorOf } from '../activity/actor.ts';
import type { Ledger } from '../ledger.ts';
import { issueKey, revokeKey } from '../people/keys.ts';
import { listKeys } from '../store/tenancy.ts';
import { createAndSend, IdempotencyHeader } from './idempotent.ts';

export function keyRoutes(app: App, ledger: Ledger): void {
  const common = { tags: ['organizations'], security: [{ bearer: [] }] };

  app.post(
    '/keys',
    {
      config: { may: 'administer' },
      schema: {
        ...common,
        summary: 'Create an API key; it is shown once',
        headers: IdempotencyHeader,
        body: NewKey,
        response: { 201: CreatedKey },
      },
    },
    (request, reply) =>
      createAndSend(ledger, request, reply, async (tx) => {
        const { principal, body } = request;
        const key = await issueKey(tx, principal.organization_id, actorOf(principal), body, ledger.now());
        return { body: key, location: `/keys/${key.id}`, holds_secret: true };
      }),
  );

  app.get(
    '/keys',
    {
      config: { may: 'administer', in_turn: true },
      schema: { ...common, summary: 'All keys, without their secrets', response: { 200: KeyList } },
    },
    async (request) => ({ keys: await listKeys(ledger.db, request.principal.organization_id) }),
  );

  app.delete(
    '/keys/:id',
    {
      config: { may: 'administer' },
      schema: {
        ...common,
        summary: 'Revoke a key; it is refused everywhere within five seconds',
        params: z.object({ id: z.string() }),
        response: { 200: Key },
      },
    },
    ({ principal, params }) => revokeKey(ledger, principal.organization_id, actorOf(principal), params.id),
  );
}
