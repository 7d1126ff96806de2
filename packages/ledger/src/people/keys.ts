/** API keys, the same for HTTP and the command line. A secret leaves here once. */
import type { Actor } from '@rcpt/contract/activity.ts';
import type { Key } from '@rcpt/contract/ledger/tenancy.ts';
import type { Role } from '@rcpt/contract/vocabulary.ts';
import type { Queries } from '@rcpt/service/db/db.ts';
import { newId, newSecret, secretSha256 } from '@rcpt/service/ids.ts';
import { recordActivity } from '../activity/record.ts';
import { changes } from '../changes/transaction.ts';
import { insertKey, lockOrganization, markRevoked } from '../store/tenancy.ts';
import { requireAnotherOwner } from './last-owner.ts';
import type { People } from './people.ts';
import { apiKeyOf } from './principal.ts';
import { sealedNameOfKey } from './signature.ts';

/** Throws `key_limit`. */
export async function issueKey(
  tx: Queries,
  organization_id: string,
  by: Actor,
  { role, label = '' }: { role: Role; label?: string | undefined },
  at: string,
): Promise<Key & { api_key: string }> {
  const key: Key = { id: newId('key'), organization_id, role, label, created_at: at, revoked_at: null };
  const api_key = apiKeyOf(organization_id, newSecret());
  await insertKey(tx, key, secretSha256(api_key));
  changes(tx, organization_id, { settings: true });
  await recordActivity(tx, organization_id, { by, kind: 'key_issued', details: described(key) }, at);
  return { ...key, api_key };
}

/** Throws `not_found`, `last_owner`. */
export async function revokeKey(
  { db, credentials, now }: People,
  organization_id: string,
  by: Actor,
  id: string,
): Promise<Key> {
  const at = now();
  const key = await db.transaction(async (tx) => {
    await lockOrganization(tx, organization_id);
    await requireAnotherOwner(tx, organization_id, id);
    changes(tx, organization_id, { settings: true });
    const { key, fresh } = await markRevoked(tx, organization_id, id, at);
    if (fresh) await recordActivity(tx, organization_id, { by, kind: 'key_revoked', details: described(key) }, at);
    return key;
  });
  await credentials.invalidate();
  return key;
}

function described({ id, label, role }: Key) {
  return { key: { id, name: sealedNameOfKey({ id, name: label || id }) }, role };
}
