/** One look at an organization's chain and its log from outside, or at one shared receipt; compared with the look before. */
import type { ProofError } from '@rcpt/proof/error.ts';
import { type Checkpoint, parseCheckpointText } from '@rcpt/proof/log/checkpoint.ts';
import { includes, leafHash } from '@rcpt/proof/log/merkle.ts';
import { type ProofFile, parseProofFile } from '@rcpt/proof/log/proof-file.ts';
import { parseNote } from '@rcpt/proof/log/signed-note.ts';
import { formatVerifierKey, type VerifierKey } from '@rcpt/proof/log/verifier-key.ts';
import { verifyReceipt } from '@rcpt/proof/receipt.ts';
import { readReceipts, requireSeen, verifiedHead } from './chain.ts';
import {
  consistencyHashes,
  expectedKeys,
  opened,
  requireExtension,
  requireFresh,
  type SignedCheckpoint,
} from './checkpoint.ts';
import { ChainFault, NotVerified } from './found.ts';
import { type Question, textAnswer } from './question.ts';
import { NOTHING_SEEN, type Seen } from './seen.ts';

/** Resolves with what is to be compared with next time. Throws `ChainFault`, `NotVerified`. */
export async function look(question: Question): Promise<Seen> {
  const { seen, receipts } = question;
  // Before the checkpoint, which then holds at least what was verified.
  const verified = receipts ? await verifiedHead(question) : null;
  if (receipts) await requireSeen(question, verified);
  const keys = await expectedKeys(question, `${question.root}/key`);
  const note = await textAnswer(question, `${question.root}/checkpoint`);
  if (note === null) {
    if (verified === null && !seen?.checkpoint) return { ...NOTHING_SEEN, keys: keys.map(formatVerifierKey) };
    throw new ChainFault(
      `THE LOG IS EMPTY: GET ${question.root}/checkpoint knows none, and ${seen?.checkpoint ? 'one was seen before' : 'the chain holds receipts'}`,
    );
  }
  requireSameLog(seen, note);
  const checkpoint = await opened(note, keys, question.witnesses);
  const grown_at = await compare(question, checkpoint, (from, to) => consistencyHashes(question, from, to));
  if (verified !== null && checkpoint.size <= verified.org_seq)
    throw new ChainFault(
      `THE CHECKPOINT ENDS EARLY: it is of ${checkpoint.size} receipts, and the chain has ${verified.org_seq + 1}`,
      note,
    );
  requireFresh(question, checkpoint, grown_at);
  const read =
    verified === null
      ? { organization_id: null, head: null, peaks: [], ...seen }
      : await readReceipts(question, verified, checkpoint);
  const { organization_id, head, peaks } = read;
  return { organization_id, head, peaks, checkpoint: note, keys: keys.map(formatVerifierKey), grown_at };
}

/**
 * In public, by a share link: that receipt, its proof, and the checkpoint in it. Without a credential nobody can ask whether a longer
 * checkpoint continues a shorter one; that it is shorter, or another of the same size, is seen.
 */
export async function lookAtShared(question: Question): Promise<Seen> {
  const { seen, ledger } = question;
  const token = /\/share\/([^/]+)$/.exec(ledger.base_url)![1]!;
  const asked = { ...question, ledger: { base_url: ledger.base_url.slice(0, -`/share/${token}`.length) } };
  const keys = await expectedKeys(asked, `/share/${token}/key`);
  const receipt = await textAnswer(asked, `/share/${token}/download`);
  const proof = await textAnswer(asked, `/share/${token}/proof`);
  if (receipt === null || proof === null) throw new NotVerified('the link shows no receipt with a proof');
  const { ok, receipt_sha256, payload, fault } = verifyReceipt(receipt);
  if (!ok) throw new ChainFault(`THE RECEIPT DOES NOT VERIFY: ${fault!.detail}`);
  const { index, checkpoint } = await included(proof, receipt, keys, question.witnesses);
  const head = { org_seq: index, receipt_sha256: receipt_sha256! };
  if (seen?.head && (seen.head.org_seq !== index || seen.head.receipt_sha256 !== receipt_sha256))
    throw new ChainFault(`THE RECEIPT WAS EXCHANGED: ${seen.head.org_seq}:${seen.head.receipt_sha256} was seen before`);
  const grown_at = await compare(question, checkpoint, null);
  requireFresh(question, checkpoint, grown_at);
  const organization_id = (payload!.organization as { id: string }).id;
  return { organization_id, head, peaks: [], checkpoint: checkpoint.note, keys: keys.map(formatVerifierKey), grown_at };
}

async function included(proof: string, receipt: string, keys: VerifierKey[], witnesses: readonly VerifierKey[]) {
  const { index, hashes, checkpoint: note } = parsedProof(proof);
  const checkpoint = await opened(note, keys, witnesses);
  const { size, root } = checkpoint;
  if (!includes({ index, size, leaf: leafHash(new TextEncoder().encode(receipt)), root }, hashes))
    throw new ChainFault(
      `THE LOG DOES NOT HOLD THIS RECEIPT: its proof does not lead to the signed root of ${size} receipts`,
      note,
    );
  return { index, checkpoint };
}

function parsedProof(proof: string): ProofFile {
  try {
    return parseProofFile(proof);
  } catch (error) {
    throw new NotVerified((error as ProofError).message);
  }
}

/** Since when the log has ended where it ends. Throws `ChainFault`. */
async function compare(
  { seen, now }: Question,
  checkpoint: SignedCheckpoint,
  proof: Parameters<typeof requireExtension>[2],
): Promise<string> {
  const at = new Date(now()).toISOString();
  if (!seen?.checkpoint) return at;
  // Its signature was verified when it was kept.
  const older = { ...textOf(seen.checkpoint), witnesses: [], note: seen.checkpoint };
  await requireExtension(older, checkpoint, proof);
  return checkpoint.size === older.size ? (seen.grown_at ?? at) : at;
}

/** With the credential of another organization nothing is shown of the one that was seen. */
function requireSameLog(seen: Seen | null, note: string): void {
  if (!seen?.checkpoint) return;
  const [before, now] = [textOf(seen.checkpoint).origin, textOf(note).origin];
  if (before !== now) throw new NotVerified(`the key is one of ${now}, and what was seen before is the log ${before}`);
}

/** Throws `NotVerified`. */
function textOf(note: string): Checkpoint {
  try {
    return parseCheckpointText(parseNote(note).text);
  } catch (error) {
    throw new NotVerified((error as ProofError).message);
  }
}
