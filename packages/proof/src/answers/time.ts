/** When it was: nobody vouches for it but the signers, with the times that they state. */
import { type Answer, holds, notShown } from './answer.ts';
import type { Signed, Trust } from './signer.ts';

export const STATED = notShown(
  'stated',
  'The time stated is the clock of the service that sealed it. Nobody else vouches for it.',
);

export function timeOf({ is_signed, seen }: Signed, policy: Trust['policy']): Answer {
  if (policy === undefined || !is_signed || policy.witnesses.length === 0) return STATED;
  const of = `${seen.by.length} of ${policy.witnesses.length} witnesses of your policy`;
  const by = [...seen.by].sort((one, other) => one.time - other.time);
  // The first moment at which enough of them had seen it.
  const enough = by.findIndex((_, i) => policy.isMet(by.slice(0, i + 1).map(({ key }) => key)));
  if (enough === -1) return notShown('too_few_witnesses', `${of} say when they saw it, which is too few.`);
  const at = new Date(by[enough]!.time * 1000).toISOString().replace('.000Z', 'Z');
  return holds('witnessed', `It existed by ${at} at the latest: ${of} say when they saw the checkpoint.`);
}
