/** A receipt as a statement for tools of others (docs/spec.md §33), signed by the organization's newest key. */
import { ProofError } from '@rcpt/proof/error.ts';
import { parseCheckpointText } from '@rcpt/proof/log/checkpoint.ts';
import { includes, leafHash } from '@rcpt/proof/log/merkle.ts';
import { parseProofFile } from '@rcpt/proof/log/proof-file.ts';
import { parseNote } from '@rcpt/proof/log/signed-note.ts';
import { parseVerifierKey } from '@rcpt/proof/log/verifier-key.ts';
import { bundleOf, signedBytesOf, statementOf } from '@rcpt/proof/statement.ts';
import { refuse } from '../problems.ts';
import type { Logs } from './logs.ts';

/**
 * The Sigstore bundle. Only of a receipt that is in the signed log: who could change the database, but has no key, gets nothing signed. Throws
 * `log_inconsistent`.
 */
export async function signedStatement(
  logs: Pick<Logs, 'proofFile' | 'sign'>,
  organization_id: string,
  org_seq: number,
  receipt: string,
): Promise<string> {
  const { index, hashes, checkpoint } = parseProofFile(await logs.proofFile(organization_id, 'receipts', org_seq));
  const { origin, size, root } = parseCheckpointText(parseNote(checkpoint).text);
  if (!includes({ index, size, leaf: leafHash(Buffer.from(receipt)), root }, hashes)) throw notAsSigned(org_seq);
  const statement = statementIn(receipt, origin, org_seq);
  const { signature, verifier_key } = await logs.sign(organization_id, signedBytesOf(statement));
  return bundleOf(statement, parseVerifierKey(verifier_key).key, signature);
}

function statementIn(receipt: string, origin: string, org_seq: number): Uint8Array {
  try {
    return statementOf(receipt, origin);
  } catch (error) {
    throw error instanceof ProofError ? notAsSigned(org_seq) : error;
  }
}

function notAsSigned(org_seq: number) {
  return refuse('log_inconsistent', `The receipt at ${org_seq} is not the one that was signed. Nothing is said of it.`);
}
