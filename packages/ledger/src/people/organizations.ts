/** Founding an organization, and its settings. */
import type { Actor } from '@rcpt/contract/activity.ts';
import type { Organization, OrganizationChange, OrganizationSettings } from '@rcpt/contract/ledger/tenancy.ts';
import { LANE_NAMES } from '@rcpt/contract/words.ts';
import { type Db, type Queries, together } from '@rcpt/service/db/db.ts';
import { newId } from '@rcpt/service/ids.ts';
import { OPERATOR_ACTS } from '../activity/actor.ts';
import { recordActivity } from '../activity/record.ts';
import { changes } from '../changes/transaction.ts';
import { limitStorage, readStorage } from '../store/storage.ts';
import { insertOrganization, loadOrganization, lockOrganization, updateOrganization } from '../store/tenancy.ts';
import { issueKey } from './keys.ts';

/** With its first owner key. Only the operator founds one. */
export async function foundOrganization(
  tx: Queries,
  { name, four_eyes = false }: { name: string; four_eyes?: boolean | undefined },
  at: string,
): Promise<Organization & { organization_id: string; key_id: string; api_key: string }> {
  const new_one = { id: newId('org'), name, four_eyes, created_at: at };
  await insertOrganization(tx, new_one);
  const organization = await loadOrganization(tx, new_one.id);
  const founded = { by: OPERATOR_ACTS, kind: 'organization_created', details: { four_eyes } } as const;
  await recordActivity(tx, organization.id, founded, at);
  const first = { role: 'owner', label: 'first owner' } as const;
  const { id, api_key } = await issueKey(tx, organization.id, OPERATOR_ACTS, first, at);
  return { ...organization, organization_id: organization.id, key_id: id, api_key };
}

/** @param storage_bytes what an organization may store that was given no limit of its own */
export async function readSettings(db: Queries, id: string, storage_bytes: number): Promise<OrganizationSettings> {
  const [organization, storage] = await together(loadOrganization(db, id), readStorage(db, id, storage_bytes));
  return { ...organization, storage };
}

/** @param storage_bytes as for `readSettings` */
export function changeSettings(
  { db, now }: { db: Db; now(): string },
  id: string,
  by: Actor,
  change: OrganizationChange,
  storage_bytes: number,
): Promise<OrganizationSettings> {
  const at = now();
  return db.transaction(async (tx) => {
    await lockOrganization(tx, id);
    const before = await loadOrganization(tx, id);
    const after = await updateOrganization(tx, id, change);
    changes(tx, id, { settings: true });
    if (before.name !== after.name) {
      const details = { before: before.name, after: after.name };
      await recordActivity(tx, id, { by, kind: 'organization_renamed', details }, at);
    }
    if (before.four_eyes !== after.four_eyes) {
      const details = { before: before.four_eyes, after: after.four_eyes };
      await recordActivity(tx, id, { by, kind: 'four_eyes_switched', details }, at);
    }
    const passkeys = { before: passkeyWords(before), after: passkeyWords(after) };
    if (passkeys.before !== passkeys.after)
      await recordActivity(tx, id, { by, kind: 'passkey_approvals_changed', details: passkeys }, at);
    return readSettings(tx, id, storage_bytes);
  });
}

/** `offered`; `required`, in every lane; `required: cook, eval`. */
/** As the activity tells it. */
export function passkeyWords({ passkey_approvals, passkey_lanes }: Organization): string {
  const isEveryLane = passkey_lanes.length === LANE_NAMES.length;
  return passkey_approvals !== 'required' || isEveryLane ? passkey_approvals : `required: ${passkey_lanes.join(', ')}`;
}

/**
 * By the operator. Throws `not_found`.
 * @param bytes null: what the ledger gives every organization
 */
export async function changeStorageLimit(tx: Queries, id: string, bytes: number | null, at: string): Promise<void> {
  const before = await limitStorage(tx, id, bytes);
  if (before === bytes) return;
  const act = { by: OPERATOR_ACTS, kind: 'storage_limit_changed', details: { before, after: bytes } } as const;
  await recordActivity(tx, id, act, at);
}
