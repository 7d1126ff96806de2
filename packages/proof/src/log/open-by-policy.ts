/** A checkpoint held against a policy: which log signed it, which witnesses cosigned it, and whether they are enough. */
import { ProofError } from '../error.ts';
import { type Checkpoint, parseCheckpointText, verifyCosignatures } from './checkpoint.ts';
import { isQuorum, type Policy, type PolicyWitness } from './policy.ts';
import { parseNote, verifyNote } from './signed-note.ts';
import type { VerifierKey } from './verifier-key.ts';

export interface CheckpointByPolicy extends Checkpoint {
  /** The key that signed it. */
  log: VerifierKey;
  /** Those of the policy that have cosigned it, in the policy's order, and when they say so, in whole seconds since 1970. */
  cosigned: { witness: PolicyWitness; time: number }[];
  /** Whether they are the quorum. It is no error where they are not: that is an answer of its own. */
  quorum_met: boolean;
}

/**
 * Throws `not_a_note`, `not_a_checkpoint`; `unknown_log` where the policy has no key of its origin; `bad_signature` where none of those
 * signed it, or a line of a known log or witness does not hold.
 */
export async function openByPolicy(note: string, policy: Policy): Promise<CheckpointByPolicy> {
  const parsed = parseNote(note);
  const checkpoint = parseCheckpointText(parsed.text);
  const logs = policy.logs.map(({ key }) => key).filter(({ name }) => name === checkpoint.origin);
  if (logs.length === 0) throw new ProofError('unknown_log', `the policy names no key of ${checkpoint.origin}`);
  const [signed] = await verifyNote(parsed, logs);
  const verified = await verifyCosignatures(
    parsed,
    policy.witnesses.map(({ key }) => key),
  );
  const cosigned = policy.witnesses.flatMap((witness) => {
    const own = verified.find(({ key }) => key === witness.key);
    return own === undefined ? [] : [{ witness, time: own.time }];
  });
  const quorum_met = isQuorum(
    policy.quorum,
    cosigned.map(({ witness }) => witness.key),
  );
  return { ...checkpoint, log: signed!.key, cosigned, quorum_met };
}
