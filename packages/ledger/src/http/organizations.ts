import {
  CreatedOrganization,
  NewOrganization,
  Organization,
  OrganizationChange,
} from '@rcpt/contract/ledger/tenancy.ts';
import type { App } from '@rcpt/service/http.ts';
import type { Ledger } from '../ledger.ts';
import { loadOrganization, updateOrganization } from '../store/tenancy.ts';
import { foundOrganization } from '../tenancy.ts';
import { createAndSend, IdempotencyHeader } from './idempotent.ts';

export function organizationRoutes(app: App, ledger: Ledger): void {
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
      })),
  );

  app.get(
    '/organization',
    {
      config: { may: 'read' },
      schema: {
        tags: ['organizations'],
        summary: 'The organization of this key',
        security: [{ bearer: [] }],
        response: { 200: Organization },
      },
    },
    (request) => loadOrganization(ledger.db, request.principal.organization_id),
  );

  app.patch(
    '/organization',
    {
      config: { may: 'administer' },
      schema: {
        tags: ['organizations'],
        summary: 'Rename the organization or switch four eyes on or off',
        security: [{ bearer: [] }],
        body: OrganizationChange,
        response: { 200: Organization },
      },
    },
    (request) => ledger.db.transaction((tx) => updateOrganization(tx, request.principal.organization_id, request.body)),
  );
}
