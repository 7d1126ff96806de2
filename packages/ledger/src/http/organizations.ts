import {
  CreatedOrganization,
  NewOrganization,
  OrganizationChange,
  OrganizationSettings,
} from '@rcpt/contract/ledger/tenancy.ts';
import { type Queries, together } from '@rcpt/service/db/db.ts';
import type { App } from '@rcpt/service/http/app.ts';
import { changes } from '../changes/transaction.ts';
import type { Ledger } from '../ledger.ts';
import { foundOrganization } from '../people/tenancy.ts';
import { readStorage } from '../store/storage.ts';
import { loadOrganization, updateOrganization } from '../store/tenancy.ts';
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
    (request) => loadSettings(ledger.db, request.principal.organization_id),
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
        response: { 200: OrganizationSettings },
      },
    },
    (request) =>
      ledger.db.transaction(async (tx) => {
        const { id } = await updateOrganization(tx, request.principal.organization_id, request.body);
        changes(tx, id, { settings: true });
        return loadSettings(tx, id);
      }),
  );

  async function loadSettings(db: Queries, id: string): Promise<OrganizationSettings> {
    const [organization, storage] = await together(
      loadOrganization(db, id),
      readStorage(db, id, ledger.config.organization_storage_bytes),
    );
    return { ...organization, storage };
  }
}
