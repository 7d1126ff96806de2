/** Founding organizations and issuing keys, the same for HTTP and the command line. A secret leaves here once. */
import type { Key, Organization } from '@rcpt/contract/ledger/tenancy.ts';
import type { Role } from '@rcpt/contract/vocabulary.ts';
import type { Queries } from '@rcpt/service/db/db.ts';
import { newId, newSecret, secretSha256 } from '@rcpt/service/ids.ts';
import { changes } from '../changes/transaction.ts';
import { refuse } from '../problems.ts';
import { insertKey, insertOrganization, listOwners, lockOrganization, revokeKey } from '../store/tenancy.ts';
import { apiKeyOf } from './principal.ts';

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

export async function issueKey(
  tx: Queries,
  organization_id: string,
  role: Role,
  label: string,
  at: string,
): Promise<Key & { api_key: string }> {
  const key: Key = { id: newId('key'), organization_id, role, label, created_at: at, revoked_at: null };
  const api_key = apiKeyOf(organization_id, newSecret());
  await insertKey(tx, key, secretSha256(api_key));
  changes(tx, organization_id, { settings: true });
  return { ...key, api_key };
}

/** Throws `not_found`, `last_owner`. */
export async function withdrawKey(tx: Queries, organization_id: string, id: string, at: string): Promise<Key> {
  await lockOrganization(tx, organization_id);
  await requireOwnerBeside(tx, organization_id, id);
  changes(tx, organization_id, { settings: true });
  return revokeKey(tx, organization_id, id, at);
}

/** Without an owner an organization could never be administered again. Throws `last_owner`; holds the organization's lock. */
export async function requireOwnerBeside(tx: Queries, organization_id: string, id: string): Promise<void> {
  const owners = await listOwners(tx, organization_id);
  if (owners.length === 1 && owners[0] === id)
    throw refuse(
      'last_owner',
      'This is the last owner: create another owner key, or let another owner sign in, first.',
    );
}
