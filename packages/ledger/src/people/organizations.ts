/** Founding an organization, and its settings. */
import type { Organization, OrganizationChange, OrganizationSettings } from '@rcpt/contract/ledger/tenancy.ts';
import { type Db, type Queries, together } from '@rcpt/service/db/db.ts';
import { newId } from '@rcpt/service/ids.ts';
import { changes } from '../changes/transaction.ts';
import { readStorage } from '../store/storage.ts';
import { insertOrganization, loadOrganization, updateOrganization } from '../store/tenancy.ts';
import { issueKey } from './keys.ts';

/** With its first owner key. */
export async function foundOrganization(
  tx: Queries,
  { name, four_eyes = false }: { name: string; four_eyes?: boolean | undefined },
  at: string,
): Promise<Organization & { organization_id: string; key_id: string; api_key: string }> {
  const organization = { id: newId('org'), name, four_eyes, created_at: at };
  await insertOrganization(tx, organization);
  const { id, api_key } = await issueKey(tx, organization.id, 'owner', 'first owner', at);
  return { ...organization, organization_id: organization.id, key_id: id, api_key };
}

/** @param storage_bytes what an organization may store that was given no limit of its own */
export async function readSettings(db: Queries, id: string, storage_bytes: number): Promise<OrganizationSettings> {
  const [organization, storage] = await together(loadOrganization(db, id), readStorage(db, id, storage_bytes));
  return { ...organization, storage };
}

/** @param storage_bytes as for `readSettings` */
export function changeSettings(
  db: Db,
  id: string,
  change: OrganizationChange,
  storage_bytes: number,
): Promise<OrganizationSettings> {
  return db.transaction(async (tx) => {
    await updateOrganization(tx, id, change);
    changes(tx, id, { settings: true });
    return readSettings(tx, id, storage_bytes);
  });
}
