import {
  CreatedOrganization,
  NewOrganization,
  OrganizationChange,
  OrganizationSettings,
} from '@rcpt/contract/ledger/tenancy.ts';
import type { App } from '@rcpt/service/http/app.ts';
import { actorOf } from '../activity/actor.ts';
import type { Ledger } from '../ledger.ts';
import { changeSettings, foundOrganization, readSettings } from '../people/organizations.ts';
import { createAndSend, IdempotencyHeader } from './idempotent.ts';

export function organizationRoutes(app: App, ledger: Ledger): void {
  const { organization_storage_bytes: storage_bytes } = ledger.config;

  app.post(
    '/organizations',
    {
      config: { may: 'operate' },
      schema: {
        tags: ['organizations'],
        summary: 'Create an organization and its first owner key',
        description: 'Under the service’s admin token; without one configured this address answers 404.',
        security: [{ bearer: [] }],
        headers: IdempotencyHeader,
        body: NewOrganization,
        response: { 201: CreatedOrganization },
      },
    },
    (request, reply) =>
      createAndSend(ledger, request, reply, async (tx) => ({
        body: await foundOrganization(tx, request.body, ledger.now()),
        location: '/organization',
        holds_secret: true,
      })),
  );

  app.get(
    '/organization',
    {
      config: { may: 'read' },
      schema: {
        tags: ['organizations'],
        summary: 'The organization of this key, and how much it stores',
        description:
          '`storage.used_bytes` counts evidence that is stored here, the inputs and executions of Runs, and flight sheets. What does not fit is refused with 409 `storage_quota`.',
        security: [{ bearer: [] }],
        response: { 200: OrganizationSettings },
      },
    },
    ({ principal }) => readSettings(ledger.db, principal.organization_id, storage_bytes),
  );

  app.patch(
    '/organization',
    {
      config: { may: 'administer' },
      schema: {
        tags: ['organizations'],
        summary: 'Rename the organization, switch four eyes on or off, or say where approvals are signed with passkeys',
        description:
          '`passkey_approvals`: `off`, `offered`, or `required`: then an approval without a passkey’s signature is refused with 409 `passkey_required`, also of an API key, in the lanes of `passkey_lanes` (all, unless named). A rejection seals nothing and takes no passkey.',
        security: [{ bearer: [] }],
        body: OrganizationChange,
        response: { 200: OrganizationSettings },
      },
    },
    ({ principal, body }) => changeSettings(ledger, principal.organization_id, actorOf(principal), body, storage_bytes),
  );
}
