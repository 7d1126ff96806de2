/** A policy file as the answers take it. */
import { isQuorum, type Policy, quorumInWords } from '../log/policy.ts';
import type { Trust } from './signer.ts';

/** Undefined: the policy asks for no witness; those that it names are known all the same, as `Trust.beside`. */
export function policyToTrust({ witnesses, quorum }: Policy): Trust['policy'] {
  if (quorum === null) return undefined;
  return {
    witnesses: witnesses.map(({ key }) => key),
    quorum: quorumInWords(quorum),
    isMet: (cosigned) => isQuorum(quorum, cosigned),
  };
}
