/** An activity chain as it is stored. */
import assert from 'node:assert/strict';
import type { ActivityReceipt } from '@rcpt/contract/activity.ts';
import type { Queries } from '@rcpt/service/db/db.ts';
import type { Tenant } from './running.ts';

export async function activityOf(db: Queries, organization_id: string): Promise<ActivityReceipt[]> {
  const rows = await db.all<{ payload: string }>(
    'select payload from activity where organization_id = $1 order by org_seq',
    [organization_id],
  );
  return rows.map(({ payload }) => JSON.parse(payload) as ActivityReceipt);
}

/** Of a tenant, as an auditor reads it: from its `from`th line on. */
export async function linesOf(tenant: Tenant, from = 0): Promise<ActivityReceipt[]> {
  const { receipts } = await tenant.as('auditor')('GET', `/activity?limit=500&after_seq=${from - 1}`);
  return receipts as ActivityReceipt[];
}

/** The ledger finds nothing wrong with it: also no key, member or setting that no line explains. */
export async function wholeActivity(tenant: Tenant): Promise<void> {
  const report = await tenant.as('auditor')('GET', '/activity/verify');
  assert.deepEqual(report.violations, []);
}
