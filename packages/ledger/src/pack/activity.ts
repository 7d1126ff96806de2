/** What the organization's administrators did, whole and as it is now: its last line is that this pack was taken. */

import { listActivity, readActivityEnd } from '../store/activity.ts';
import { reasonOf } from './anchors.ts';
import { lines } from './keys.ts';
import type { Packing } from './packing.ts';
import type { ZipEntry } from './zip.ts';

const PAGE_ROWS = 64;

export async function* activityEntries(packing: Packing): AsyncGenerator<ZipEntry> {
  const { ledger, organization, period, problems, included } = packing;
  const at = period.taken_at;
  const { last_seq } = await readActivityEnd(ledger.db, organization.id);
  included.activity = 0;
  yield { path: 'activity/activity.ndjson', at, content: activityLines(packing, last_seq) };
  yield { path: 'keys/activity.txt', at, content: lines(await ledger.logs.verifierKeys(organization.id, 'activity')) };
  try {
    const content = await checkpointOf(packing, last_seq + 1);
    yield { path: 'activity/checkpoint.txt', at, content };
  } catch (error) {
    problems.add(`The checkpoint of the administrators’ chain: ${reasonOf(error)}`);
  }
}

/** Of exactly the lines in the pack: others may have come since. */
async function checkpointOf({ ledger: { logs }, organization }: Packing, size: number): Promise<string> {
  await logs.checkpoint(organization.id, 'activity');
  return logs.checkpointAt(organization.id, 'activity', size);
}

async function* activityLines(packing: Packing, last_seq: number): AsyncGenerator<string> {
  const { ledger, organization, included } = packing;
  for (let after_seq = -1; after_seq < last_seq; ) {
    const { rows } = await packing.inTurn(() =>
      listActivity(ledger.db, organization.id, { order: 'oldest', after_seq, limit: PAGE_ROWS }),
    );
    const page = rows.filter(({ org_seq }) => org_seq <= last_seq);
    if (page.length === 0) return;
    yield lines(page.map(({ payload }) => payload));
    included.activity! += page.length;
    after_seq = page.at(-1)!.org_seq;
  }
}
