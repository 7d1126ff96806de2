/** Under which name a credential's decision is kept and sealed. No mailbox is one: what is sealed is public for ever. */
import { KeyLabel } from '@rcpt/contract/public-name.ts';
import type { Signer } from '@rcpt/contract/signer.ts';
import type { Queries } from '@rcpt/service/db/db.ts';
import { refuse } from '../problems.ts';
import { findPublicName } from '../store/people.ts';
import { isPerson, type Principal } from './principal.ts';

/** Its label, else its id; a label of before labels had rules may hold a mailbox. */
export function sealedNameOfKey({ name, id }: Pick<Principal, 'name' | 'id'>): string {
  return KeyLabel.safeParse(name).success ? name : id;
}

/**
 * A person's public name as it is now, whatever an earlier look-up of the session found; a key's label or id.
 * Throws `public_name_needed`.
 */
export async function signatureOf(tx: Queries, by: Principal): Promise<Signer> {
  if (!isPerson(by)) return { id: by.id, name: sealedNameOfKey(by) };
  const name = await findPublicName(tx, by.id);
  if (name !== null) return { id: by.id, name };
  throw refuse(
    'public_name_needed',
    'Choose your public name first: it stands in receipts, in public, for ever. Nothing was changed. Send PATCH /session {"public_name": "…"}, or choose it in the console under Settings, Members.',
  );
}
