/** An activity chain as it is stored. */
import type { ActivityReceipt } from '@rcpt/contract/activity.ts';
import type { Queries } from '@rcpt/service/db/db.ts';

export async function activityOf(db: Queries, organization_id: string): Promise<ActivityReceipt[]> {
  const rows = await db.all<{ payload: string }>(
    'select payload from activity where organization_id = $1 order by org_seq',
    [organization_id],
  );
  return rows.map(({ payload }) => JSON.parse(payload) as ActivityReceipt);
}
