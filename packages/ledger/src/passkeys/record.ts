/** Enrolment and removal of a passkey, in the organization's activity (docs/spec.md §27). */
import type { Actor } from '@rcpt/contract/activity.ts';
import { publicKeySha256 } from '@rcpt/proof/approval/public-key.ts';
import type { Queries } from '@rcpt/service/db/db.ts';
import { recordActivity } from '../activity/record.ts';
import type { StoredPasskey } from '../store/passkeys.ts';

/**
 * The last statement of its transaction, as `recordActivity`.
 * @param by the member, or who removed the member
 */
export async function recordPasskey(
  tx: Queries,
  organization_id: string,
  kind: 'passkey_enrolled' | 'passkey_removed',
  { by, member }: { by: Actor; member: Actor },
  { credential_id, name, public_key_pem }: Pick<StoredPasskey, 'credential_id' | 'name' | 'public_key_pem'>,
  at: string,
): Promise<void> {
  const details = { member, passkey: { id: credential_id, name }, public_key_sha256: publicKeySha256(public_key_pem) };
  await recordActivity(tx, organization_id, { by, kind, details }, at);
}
