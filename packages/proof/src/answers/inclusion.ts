/** What a checkpoint has to be before a receipt or an export is held against it. */
import type { JsonObject } from '../canonical.ts';
import type { Checkpoint } from '../log/checkpoint.ts';
import { oneLine } from '../one-line.ts';
import { organizationOf } from '../receipt.ts';
import { type Answer, fails, notShown } from './answer.ts';
import type { Growth } from './growth.ts';
import type { Signed, Trust } from './signer.ts';

export const TAKE_ANEW = 'Take it anew from where you have it.';

/** Why the checkpoint shows nothing; null: it does. */
export function unsignedOf({ is_signed, seen }: Signed, { policy }: Trust): Answer | null {
  if (!is_signed)
    return notShown(
      'checkpoint_not_signed',
      'The checkpoint is not seen to be signed by the ledger, so it shows nothing.',
    );
  if (policy === undefined) return null;
  if (seen.broken)
    return fails('cosignature_broken', 'The signature of a witness that you rely on does not hold.', TAKE_ANEW);
  if (policy.isMet(seen.by.map(({ key }) => key))) return null;
  const { quorum, witnesses } = policy;
  return fails(
    'quorum_not_reached',
    `${seen.by.length} of the ${witnesses.length} witnesses of your policy signed the checkpoint; it asks for ${oneLine(quorum)}.`,
    'Take a newer proof or checkpoint. Without witnesses you may be shown another ledger than others are.',
  );
}

const KEEP_BOTH = 'Keep both checkpoints: signed by one key, they prove it to anybody.';

/** Where the checkpoint contradicts the one that the reader has seen. */
export function refusedGrowth(growth: Growth, now: Checkpoint, seen: Checkpoint | null | undefined): Answer | null {
  if (growth === 'rewritten')
    return fails(
      'history_rewritten',
      `History was rewritten: the ${seen!.size} receipts of the checkpoint that you saw are not the beginning of these ${now.size}.`,
      KEEP_BOTH,
    );
  if (growth === 'refuted')
    return fails(
      'not_consistent',
      `The consistency proof does not lead from ${seen!.size} to ${now.size} receipts.`,
      'Take the consistency proof anew, from the size that you saw. If it fails again, history was rewritten: keep both checkpoints.',
    );
  return null;
}

/** @param log as `logOf` */
export function isOfLog({ origin }: Checkpoint, log: string | null): boolean {
  return log !== null && origin.endsWith(`/${log}`);
}

/** `org/<organization id>`, of an activity receipt `…/activity`: the end of the origin (docs/spec.md §37.3). Null: it does not say. */
export function logOf(payload: JsonObject | null): string | null {
  const organization_id = organizationOf(payload);
  if (organization_id === null) return null;
  return `org/${organization_id}${payload!.schema === ACTIVITY_SCHEMA ? '/activity' : ''}`;
}

const ACTIVITY_SCHEMA = 'service.activity-receipt/v1';
