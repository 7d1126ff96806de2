/** Organizations, their keys and owners, and agent profiles. */
import type { Key, Organization, OrganizationChange, StoredAgentProfile } from '@rcpt/contract/ledger/tenancy.ts';
import type { LaneName } from '@rcpt/contract/vocabulary.ts';
import { LANE_NAMES } from '@rcpt/contract/words.ts';
import { GENESIS_HASH } from '@rcpt/proof/chain.ts';
import type { Queries } from '@rcpt/service/db/db.ts';
import { Refusal } from '@rcpt/service/error.ts';
import type { Principal } from '../people/principal.ts';
import { refuse } from '../problems.ts';
import { insertActivityChain } from './activity.ts';
import { noOrganization } from './no-organization.ts';

interface OrganizationRow {
  id: string;
  name: string;
  four_eyes: number;
  passkey_approvals: Organization['passkey_approvals'];
  /** Null: every lane, also one that is added later. */
  passkey_lanes: string | null;
  created_at: string;
}

/** Together with its chains: a head at position -1, so that minting always finds one to replace. */
export async function insertOrganization(
  tx: Queries,
  { id, name, four_eyes, created_at }: Pick<Organization, 'id' | 'name' | 'four_eyes' | 'created_at'>,
): Promise<void> {
  await tx.run('insert into organizations (organization_id, name, four_eyes, created_at) values ($1, $2, $3, $4)', [
    id,
    name,
    Number(four_eyes),
    created_at,
  ]);
  await tx.run("insert into chains (organization_id, org_seq, receipt_sha256, peaks) values ($1, -1, $2, '')", [
    id,
    GENESIS_HASH,
  ]);
  await insertActivityChain(tx, id);
}

const ORGANIZATION = 'organization_id as id, name, four_eyes, passkey_approvals, passkey_lanes, created_at';

/** Throws `not_found`. */
export async function loadOrganization(db: Queries, id: string): Promise<Organization> {
  return found(
    await db.get<OrganizationRow>(`select ${ORGANIZATION} from organizations where organization_id = $1`, [id]),
    id,
  );
}

/** Writes what is named, in one statement: a change of the rest at the same time is kept. Throws `not_found`. */
export async function updateOrganization(
  tx: Queries,
  id: string,
  { name, four_eyes, passkey_approvals, passkey_lanes }: OrganizationChange,
): Promise<Organization> {
  return found(
    await tx.get<OrganizationRow>(
      `update organizations set name = coalesce($2, name), four_eyes = coalesce($3, four_eyes),
         passkey_approvals = coalesce($4, passkey_approvals), passkey_lanes = case when $5 = '' then passkey_lanes else $6 end
       where organization_id = $1 returning ${ORGANIZATION}`,
      [
        id,
        name ?? null,
        four_eyes === undefined ? null : Number(four_eyes),
        passkey_approvals ?? null,
        passkey_lanes === undefined ? '' : 'named',
        lanesColumn(passkey_lanes),
      ],
    ),
    id,
  );
}

function lanesColumn(lanes: readonly LaneName[] = LANE_NAMES): string | null {
  const named = LANE_NAMES.filter((lane) => lanes.includes(lane));
  return named.length === LANE_NAMES.length ? null : JSON.stringify(named);
}

function found(row: OrganizationRow | undefined, id: string): Organization {
  if (row === undefined) throw noOrganization(id);
  const { four_eyes, passkey_lanes, ...organization } = row;
  const lanes = passkey_lanes === null ? [...LANE_NAMES] : (JSON.parse(passkey_lanes) as LaneName[]);
  return { ...organization, four_eyes: Boolean(four_eyes), passkey_lanes: lanes };
}

const KEY = 'id, organization_id, role, label, created_at, revoked_at';

/** Of one organization, revoked ones among them: their list is one answer. */
const MOST_KEYS = 10_000;
const MOST_PROFILES = 1_000;

/** Throws `key_limit`. */
export async function insertKey(tx: Queries, key: Key, secret_sha256: string): Promise<void> {
  const inserted = await tx.run(
    `insert into api_keys (organization_id, id, role, label, secret_sha256, created_at) select $1, $2, $3, $4, $5, $6
     where (select count(*) from api_keys where organization_id = $1) < ${MOST_KEYS}`,
    [key.organization_id, key.id, key.role, key.label, secret_sha256, key.created_at],
  );
  if (inserted === 0)
    throw refuse(
      'key_limit',
      `An organization has ${MOST_KEYS} keys at most, revoked ones among them. Use one of them.`,
    );
}

export function listKeys(db: Queries, organization_id: string): Promise<Key[]> {
  return db.all<Key>(`select ${KEY} from api_keys where organization_id = $1 order by id`, [organization_id]);
}

/** Locks the organization until the transaction ends: no other transaction takes an owner from it. */
export async function lockOrganization(tx: Queries, organization_id: string): Promise<void> {
  await tx.get(`select name from organizations where organization_id = $1 ${tx.dialect.forUpdate}`, [organization_id]);
}

/** Live owner keys, and owners who have signed in: an invited owner may be a mistyped address. */
export async function listOwners(db: Queries, organization_id: string): Promise<string[]> {
  const rows = await db.all<{ id: string }>(
    `select id from api_keys where organization_id = $1 and role = 'owner' and revoked_at is null
     union all
     select person_id from memberships where organization_id = $1 and role = 'owner' and joined_at is not null`,
    [organization_id],
  );
  return rows.map(({ id }) => id);
}

/** Revoked once; a repeat changes nothing, and is not `fresh`. Throws `not_found`. */
export async function markRevoked(
  tx: Queries,
  organization_id: string,
  id: string,
  at: string,
): Promise<{ key: Key; fresh: boolean }> {
  const revoked = await tx.run(
    'update api_keys set revoked_at = $3 where organization_id = $1 and id = $2 and revoked_at is null',
    [organization_id, id, at],
  );
  const key = await tx.get<Key>(`select ${KEY} from api_keys where organization_id = $1 and id = $2`, [
    organization_id,
    id,
  ]);
  if (key === undefined) throw new Refusal('not_found', 'This organization has no such key.');
  return { key, fresh: revoked === 1 };
}

interface CredentialRow extends Pick<Key, 'id' | 'organization_id' | 'role' | 'label'> {
  secret_sha256: string;
}

/** The live credential with this secret, with the stored hash for the constant-time comparison. */
export async function findCredential(
  db: Queries,
  organization_id: string,
  secret_sha256: string,
): Promise<{ principal: Principal; secret_sha256: string } | null> {
  const row = await db.get<CredentialRow>(
    `select id, organization_id, role, label, secret_sha256 from api_keys
     where organization_id = $1 and secret_sha256 = $2 and revoked_at is null`,
    [organization_id, secret_sha256],
  );
  if (row === undefined) return null;
  const { id, role, label } = row;
  return { principal: { organization_id, id, role, name: label || id }, secret_sha256: row.secret_sha256 };
}

const PROFILE = 'id, name, capability_tier, harness, model, created_at';

/** Throws `agent_profile_limit`. */
export async function insertAgentProfile(
  tx: Queries,
  organization_id: string,
  profile: StoredAgentProfile,
): Promise<void> {
  const { id, name, capability_tier, harness, model, created_at } = profile;
  const inserted = await tx.run(
    `insert into agent_profiles (organization_id, ${PROFILE}) select $1, $2, $3, $4, $5, $6, $7
     where (select count(*) from agent_profiles where organization_id = $1) < ${MOST_PROFILES}`,
    [organization_id, id, name, capability_tier, harness, model, created_at],
  );
  if (inserted === 0)
    throw refuse(
      'agent_profile_limit',
      `An organization has ${MOST_PROFILES} agent profiles at most. Name one of them, or the agent in the execution.`,
    );
}

export function listAgentProfiles(db: Queries, organization_id: string): Promise<StoredAgentProfile[]> {
  return db.all<StoredAgentProfile>(`select ${PROFILE} from agent_profiles where organization_id = $1 order by id`, [
    organization_id,
  ]);
}

export function findAgentProfile(
  db: Queries,
  organization_id: string,
  id: string,
): Promise<StoredAgentProfile | undefined> {
  return db.get<StoredAgentProfile>(`select ${PROFILE} from agent_profiles where organization_id = $1 and id = $2`, [
    organization_id,
    id,
  ]);
}
