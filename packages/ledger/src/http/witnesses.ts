/** The organization's witnesses (docs/spec.md §35). */
import { NewWitness, Witness, WitnessList } from '@rcpt/contract/ledger/witnesses.ts';
import type { App } from '@rcpt/service/http/app.ts';
import { z } from 'zod';
import { actorOf } from '../activity/actor.ts';
import type { Ledger } from '../ledger.ts';
import { loadOrganization } from '../store/tenancy.ts';
import { listWitnesses } from '../store/witnesses.ts';
import { addWitness, policyOf, removeWitness } from '../witnesses/witnesses.ts';
import { createAndSend, IdempotencyHeader } from './idempotent.ts';

export function witnessRoutes(app: App, ledger: Ledger): void {
  const { db, logs, submitter } = ledger;
  const common = { tags: ['organizations'], security: [{ bearer: [] }] };

  app.post(
    '/witnesses',
    {
      config: { may: 'administer' },
      schema: {
        ...common,
        summary: 'Add a witness: it is asked to cosign every checkpoint from now on',
        description:
          '422 `witness_key_invalid` for what is no key of a witness, `witness_address` for an address that this ledger does not call; 409 `witness_exists`, `witness_limit`.',
        headers: IdempotencyHeader,
        body: NewWitness,
        response: { 201: Witness },
      },
    },
    async (request, reply) => {
      const { principal, body } = request;
      const sent = await createAndSend(ledger, request, reply, async (tx) => {
        const how = { at: ledger.now(), only_public: ledger.only_public_witnesses };
        const witness = await addWitness(tx, principal.organization_id, actorOf(principal), body, how);
        return { body: witness, location: `/witnesses/${witness.id}` };
      });
      submitter.wake(principal.organization_id);
      return sent;
    },
  );

  app.get(
    '/witnesses',
    {
      config: { may: 'read', in_turn: true },
      schema: {
        ...common,
        summary: 'All witnesses, and how far each has cosigned',
        response: { 200: WitnessList },
      },
    },
    async ({ principal }) => ({ witnesses: await listWitnesses(db, principal.organization_id) }),
  );

  app.delete(
    '/witnesses/:id',
    {
      config: { may: 'administer' },
      schema: {
        ...common,
        summary: 'Remove a witness: it is asked no more, and its cosignatures are served no more',
        params: z.object({ id: z.string() }),
        response: { 200: Witness },
      },
    },
    ({ principal, params }) =>
      removeWitness(db, principal.organization_id, actorOf(principal), params.id, ledger.now()),
  );

  app.get(
    '/ledger/policy',
    {
      config: { may: 'read', in_turn: true },
      schema: {
        ...common,
        tags: ['ledger'],
        summary: 'A policy for those who verify: the keys, the witnesses, more than half of whom are asked for',
        description:
          'C2SP tlog-policy, for `./rcpt verify --policy`. The organization proposes it; who verifies keeps their own copy and changes it themselves.',
        response: {
          200: { description: 'The policy', content: { 'text/plain': { schema: z.string() } } },
        },
      },
    },
    async ({ principal: { organization_id } }, reply) => {
      const { name } = await loadOrganization(db, organization_id);
      const keys = await logs.verifierKeys(organization_id, 'receipts');
      const text = policyOf(name, keys, await listWitnesses(db, organization_id));
      return reply.type('text/plain; charset=utf-8').header('cache-control', 'no-store').send(text);
    },
  );
}
