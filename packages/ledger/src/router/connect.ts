/** Connecting an organization with a router, the same for HTTP and the command line. */
import type { RouterConnection } from '@rcpt/contract/ledger/router.ts';
import type { Db } from '@rcpt/service/db/db.ts';
import { setRouter } from '../store/routers.ts';
import { loadOrganization } from '../store/tenancy.ts';

/** Throws `not_found`. */
export async function connectRouter(
  db: Db,
  organization_id: string,
  url: string | null,
  at: string,
): Promise<RouterConnection> {
  await db.transaction(async (tx) => {
    await loadOrganization(tx, organization_id);
    await setRouter(tx, organization_id, url, at);
  });
  return { organization_id, url };
}
