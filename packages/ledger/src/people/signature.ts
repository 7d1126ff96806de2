/** The name under which a credential's decision is stored and sealed. It is never a mailbox: what is sealed is public for ever. */
import { KeyLabel } from '@rcpt/contract/public-name.ts';
import type { Signer } from '@rcpt/contract/signer.ts';
import type { Queries } from '@rcpt/service/db/db.ts';
import { refuse } from '../problems.ts';
import { findPublicName } from '../store/people.ts';
import { isPerson, type Principal } from './principal.ts';

/** Its label, else its id. A label that is older than the rules for labels may hold a mailbox. */
export function sealedNameOfKey({ name, id }: Pick<Principal, 'name' | 'id'>): string {
  return KeyLabel.safeParse(name).success ? name : id;
}

/**
 * A person's public name as it is now, whatever an earlier look-up of the session found; a key's label or id.
 * Throws `public_name_needed`.
 */
export async function signatureOf(tx: Queries, principal: Principal): Promise<Signer> {
  const { id } = principal;
  if (!isPerson(principal)) return { id, name: sealedNameOfKey(principal) };
  const name = await findPublicName(tx, id);
  if (name !== null) return { id, name };
  throw refuse(
    'public_name_needed',
    'Choose your public name first: it stands in receipts, in public, for ever. Nothing was changed. Send PATCH /session {"public_name": "…"}, or choose it in the console under Settings, Members.',
  );
}
