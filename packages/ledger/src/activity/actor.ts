/** Who acts, as the activity chain names them. */
import type { Actor } from '@rcpt/contract/activity.ts';
import { isPerson, type Principal } from '../people/principal.ts';
import { sealedNameOfKey } from '../people/signature.ts';

/** Of the service: its command line, and its admin token. */
export const OPERATOR_ACTS: Actor = { id: 'operator', name: 'the operator' };
/** Without anybody asking. */
export const LEDGER_ACTS: Actor = { id: 'ledger', name: 'the ledger' };

/** A person's public name, a key's label; where there is none, the id. Never a mailbox. */
export function actorOf(principal: Pick<Principal, 'id' | 'name'>): Actor {
  const { id, name } = principal;
  return { id, name: isPerson(principal) ? name : sealedNameOfKey(principal) };
}
