/** Who may act in an organization, as the tables say now: what its activity chain is held against. */
import type { Organization } from '@rcpt/contract/ledger/tenancy.ts';
import type { Queries } from '@rcpt/service/db/db.ts';
import { loadOrganization } from './tenancy.ts';

export interface Standing {
  organization: Organization;
  /** Live ones, by id. */
  keys: { id: string; role: string; since: string }[];
  members: { id: string; role: string; since: string }[];
  /** By the credential's id. */
  passkeys: { id: string; person_id: string; public_key_pem: string; since: string }[];
}

export async function readStanding(db: Queries, organization_id: string): Promise<Standing> {
  return {
    organization: await loadOrganization(db, organization_id),
    keys: await db.all(
      `select id, role, created_at as since from api_keys where organization_id = $1 and revoked_at is null order by id`,
      [organization_id],
    ),
    members: await db.all(
      `select person_id as id, role, invited_at as since from memberships where organization_id = $1 order by person_id`,
      [organization_id],
    ),
    passkeys: await db.all(
      `select credential_id as id, person_id, public_key_pem, created_at as since from passkeys
       where organization_id = $1 and removed_at is null order by id`,
      [organization_id],
    ),
  };
}
