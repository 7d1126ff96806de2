/** Without an owner an organization could never be administered again. */
import type { Queries } from '@rcpt/service/db/db.ts';
import { refuse } from '../problems.ts';
import { listOwners } from '../store/tenancy.ts';

/** Throws `last_owner`. The transaction holds the organization's lock. */
export async function requireAnotherOwner(tx: Queries, organization_id: string, id: string): Promise<void> {
  const owners = await listOwners(tx, organization_id);
  if (owners.length === 1 && owners[0] === id)
    throw refuse(
      'last_owner',
      'This is the last owner: create another owner key, or let another owner sign in, first.',
    );
}
