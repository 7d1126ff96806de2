/** What stands beside a receipt, read from what is stored. */
import { disclosureOf } from '@rcpt/contract/lanes/private.ts';
import { receiptIdOf } from '@rcpt/proof/receipt.ts';
import type { Queries } from '@rcpt/service/db/db.ts';
import { commitmentsOf, type Decision, decisionsOn, type Place, recordedErasures } from '../store/disclosures.ts';
import { loadMarks } from '../store/runs.ts';
import { type Decided, NOTHING_DECIDED } from './list.ts';

/**
 * An erasure counts that either the table or the activity chain knows: a table that was put back to an earlier state shows nothing again.
 * @param texts false: no value is read, only that it is shown; a path: of this one only
 */
export async function loadDecided(
  db: Queries,
  place: Omit<Place, 'run_id'>,
  { texts = true }: { texts?: boolean | string } = {},
): Promise<Decided> {
  const { organization_id, org_seq } = place;
  const stored = await commitmentsOf(db, place);
  if (stored === null) return NOTHING_DECIDED;
  const { run_id, commitments } = stored;
  const recorded = await recordedErasures(db, organization_id, receiptIdOf(org_seq, run_id));
  const decisions = new Map((await decisionsOn(db, place)).map((decision) => [decision.path, decision]));
  for (const { path, erased_at, reason } of recorded)
    if (!decisions.get(path)?.erased_at) decisions.set(path, { path, disclosed: false, erased_at, reason });
  const members = commitments?.members ?? [];
  const shown = members.filter(({ path }) => isShown(decisions.get(path)));
  return {
    committed: members.map(({ path }) => path),
    decisions: [...decisions.values()],
    texts:
      texts === false
        ? Object.fromEntries(shown.map(({ path }) => [path, '']))
        : await textsOf(db, { ...place, run_id }, texts === true ? shown : shown.filter(({ path }) => path === texts)),
  };
}

function isShown(decision: Decision | undefined): boolean {
  return decision?.disclosed === true && decision.erased_at === null;
}

async function textsOf(
  db: Queries,
  { organization_id, run_id }: Place,
  members: Parameters<typeof disclosureOf>[0][],
): Promise<Record<string, string>> {
  if (members.length === 0) return {};
  const { title, inputs, approval } = await loadMarks(db, organization_id, run_id, 'title', 'inputs');
  const from = { title, inputs, note: approval?.note ?? '' };
  const texts = members.map((member) => [member.path, disclosureOf(member, from)] as const);
  return Object.fromEntries(texts.filter((entry): entry is [string, string] => entry[1] !== null));
}
