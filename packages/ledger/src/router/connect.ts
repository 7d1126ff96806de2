/** Connecting an organization with a router, the same for HTTP and the command line. */
import type { RouterConnection } from '@rcpt/contract/ledger/router.ts';
import type { Db } from '@rcpt/service/db/db.ts';
import { OPERATOR_ACTS } from '../activity/actor.ts';
import { recordActivity } from '../activity/record.ts';
import { findRouter, setRouter } from '../store/routers.ts';
import { loadOrganization, lockOrganization } from '../store/tenancy.ts';

/** By the operator. Throws `not_found`. */
export async function connectRouter(
  db: Db,
  organization_id: string,
  url: string | null,
  at: string,
): Promise<RouterConnection> {
  await db.transaction(async (tx) => {
    await loadOrganization(tx, organization_id);
    await lockOrganization(tx, organization_id);
    const before = await findRouter(tx, organization_id);
    await setRouter(tx, organization_id, url, at);
    if (before === url) return;
    const act = { by: OPERATOR_ACTS, kind: 'router_connected', details: { before, after: url } } as const;
    await recordActivity(tx, organization_id, act, at);
  });
  return { organization_id, url };
}
