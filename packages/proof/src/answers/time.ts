/** When it was: nobody vouches for it but the signers, with the times that they state. */
import type { Cosigned } from '../log/checkpoint.ts';
import { type Answer, holds, notShown } from './answer.ts';
import type { Signed, Trust } from './signer.ts';

export const CLOCK = 'The time stated is the clock of the service that sealed it.';

export const STATED = notShown('stated', `${CLOCK} Nobody else vouches for it.`);

export function timeOf(signed: Signed, policy: Trust['policy']): Answer {
  const { is_signed, seen } = signed;
  if (!is_signed) return STATED;
  if (policy === undefined || policy.witnesses.length === 0) return knownOf(signed);
  const of = `${seen.by.length} of ${policy.witnesses.length} witnesses of your policy`;
  const by = [...seen.by].sort((one, other) => one.time - other.time);
  // The first moment at which enough of them had seen it.
  const enough = by.findIndex((_, i) => policy.isMet(by.slice(0, i + 1).map(({ key }) => key)));
  if (enough === -1) return notShown('too_few_witnesses', `${of} say when they saw it, which is too few.`);
  const at = instantOf(by[enough]!.time);
  return holds('witnessed', `It existed by ${at} at the latest: ${of} say when they saw the checkpoint.`);
}

/** Of witnesses that no policy asks for: they say when they saw it, and how much that shows is for the reader to decide. */
function knownOf({ known }: Signed): Answer {
  if (known.by.length === 0) return STATED;
  const of = known.among === 1 ? 'one witness' : `${known.among} witnesses`;
  return notShown(
    'stated',
    `${CLOCK} ${known.by.length} of ${of} cosigned the checkpoint, last at ${lastOf(known.by)}.`,
    'Name the witnesses that you rely on in a policy of your own.',
  );
}

/** When the last of them saw it. */
export function lastOf(by: readonly Cosigned[]): string {
  return instantOf(Math.max(...by.map(({ time }) => time)));
}

function instantOf(time: number): string {
  return new Date(time * 1000).toISOString().replace('.000Z', 'Z');
}
