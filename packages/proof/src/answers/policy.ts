/** A policy file as the answers take it. */
import { isQuorum, type Policy, quorumInWords } from '../log/policy.ts';
import type { Trust } from './signer.ts';

/** Undefined: the policy asks for no witness. */
export function policyToTrust({ witnesses, quorum }: Policy): Trust['policy'] {
  if (quorum === null) return undefined;
  return {
    witnesses: witnesses.map(({ key }) => key),
    quorum: quorumInWords(quorum),
    isMet: (cosigned) => isQuorum(quorum, cosigned),
  };
}
