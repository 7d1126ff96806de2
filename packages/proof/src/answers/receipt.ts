/** The four answers of one receipt, with its proof file or without. */
import { canonicalize } from '../canonical.ts';
import { ProofError } from '../error.ts';
import type { Checkpoint } from '../log/checkpoint.ts';
import { includes, leafHash } from '../log/merkle.ts';
import { type ProofFile, parseProofFile } from '../log/proof-file.ts';
import { oneLine } from '../one-line.ts';
import { type ReceiptVerdict, verifyReceipt } from '../receipt.ts';
import { type Answer, type Answers, fails, holds, nothingToVerify, notShown } from './answer.ts';
import { type Growth, growthSince } from './growth.ts';
import { isOfLog, logOf, refusedGrowth, TAKE_ANEW, unsignedOf } from './inclusion.ts';
import { NOBODY_SIGNED, type Signed, signerOf, type Trust } from './signer.ts';
import { STATED, timeOf } from './time.ts';

/** @param proof the text of its proof file; null: none was given */
export async function answersOfReceipt(receipt: Uint8Array, proof: string | null, trust: Trust = {}): Promise<Answers> {
  if (receipt.every((byte) => byte === 0x0a || byte === 0x20)) return nothingToVerify();
  const { verdict, bytes, integrity } = integrityOf(receipt);
  const about = 'receipt' as const;
  if (proof === null) {
    const inclusion_and_completeness = notShown(
      'no_proof',
      'A receipt alone does not show that it stands in its ledger.',
      'Take its proof from the share link, and the key of the ledger.',
    );
    return { about, integrity, inclusion_and_completeness, time: STATED, identity: NOBODY_SIGNED };
  }
  const parsed = proofIn(proof);
  if (parsed === null) {
    const inclusion_and_completeness = fails('not_a_proof', 'What was given as the proof is no proof file.', TAKE_ANEW);
    return { about, integrity, inclusion_and_completeness, time: STATED, identity: NOBODY_SIGNED };
  }
  const signed = await signerOf(parsed.checkpoint, trust);
  const inclusion_and_completeness = inclusionOf({ verdict, bytes, parsed, signed, trust });
  return {
    about,
    integrity,
    inclusion_and_completeness,
    time: timeOf(signed, trust.policy),
    identity: signed.identity,
  };
}

/** Formatting is forgiven here, in a file people handle, and said; the leaf is the sealed bytes. */
function integrityOf(receipt: Uint8Array): { verdict: ReceiptVerdict; bytes: Uint8Array; integrity: Answer } {
  const verdict = verifyReceipt(receipt);
  if (verdict.ok)
    return {
      verdict,
      bytes: receipt,
      integrity: holds('unchanged', 'The receipt is byte for byte what was hashed when it was sealed.'),
    };
  if (verdict.payload) {
    const canonical = canonicalize(verdict.payload);
    const reformatted = verifyReceipt(canonical);
    const said =
      'The file is formatted differently from the sealed bytes; its content is what was hashed when it was sealed.';
    if (reformatted.ok)
      return {
        verdict: reformatted,
        bytes: new TextEncoder().encode(canonical),
        integrity: holds('reformatted', said),
      };
  }
  const text = `The receipt does not hold: ${oneLine(verdict.fault!.detail)}.`;
  const advice = 'Rely on nothing in it. Take it anew from its share link.';
  return { verdict, bytes: receipt, integrity: fails('altered', text, advice) };
}

function proofIn(text: string): ProofFile | null {
  try {
    return parseProofFile(text);
  } catch (error) {
    if (error instanceof ProofError) return null;
    throw error;
  }
}

interface Given {
  verdict: ReceiptVerdict;
  bytes: Uint8Array;
  parsed: ProofFile;
  signed: Signed;
  trust: Trust;
}

/** Chain and tree are bound over the same bytes: the leaf is the receipt, and its place in the tree is its `org_seq`. */
function inclusionOf({ verdict, bytes, parsed, signed, trust }: Given): Answer {
  const { checkpoint } = signed;
  if (checkpoint === null) return fails('not_a_checkpoint', 'The proof file holds no checkpoint.', TAKE_ANEW);
  const { index, hashes } = parsed;
  if (verdict.org_seq !== index)
    return fails('another_place', `The proof is of receipt ${index}, this is ${verdict.org_seq ?? 'none'}.`, TAKE_ANEW);
  if (!isOfLog(checkpoint, logOf(verdict.payload)))
    return fails(
      'another_organization',
      `The proof is of ${oneLine(checkpoint.origin)}, which is the ledger of another organization.`,
      TAKE_ANEW,
    );
  const { size, root } = checkpoint;
  if (!includes({ index, size, leaf: leafHash(bytes), root }, hashes))
    return fails(
      'not_included',
      `The tree of the checkpoint does not hold this receipt at ${index}: receipt, proof or checkpoint was changed.`,
      `${TAKE_ANEW} If it fails again, this receipt is not the one that the ledger holds at ${index}.`,
    );
  const unsigned = unsignedOf(signed, trust);
  if (unsigned !== null) return unsigned;
  const growth = growthSince(trust.remembered, checkpoint, trust.consistency);
  const refused = refusedGrowth(growth, checkpoint, trust.remembered);
  if (refused !== null) return refused;
  const place = `The receipt stands at ${index} among the ${size} of the signed checkpoint of ${oneLine(checkpoint.origin)}`;
  const { text, advice } = grown(growth, checkpoint, trust.remembered);
  return holds('included', `${place}${text}. Only an export of the ledger shows that none was left out.`, advice);
}

function grown(growth: Growth, now: Checkpoint, seen: Checkpoint | null | undefined): { text: string; advice: string } {
  if (growth === 'same') return { text: ', the same that you saw last', advice: '' };
  if (growth === 'shown' && seen!.size < now.size)
    return { text: `, which extends the one of ${seen!.size} that you saw last`, advice: '' };
  if (growth === 'shown') return { text: `, which the one of ${seen!.size} that you saw last extends`, advice: '' };
  if (growth === 'nothing_seen') return { text: '', advice: '' };
  const [from, to] = [Math.min(seen!.size, now.size), Math.max(seen!.size, now.size)];
  return {
    text: `; that it and the one of ${seen!.size} that you saw last are of one history is not shown`,
    advice: `Take the consistency proof from ${from} to ${to}, or verify an export of the ledger.`,
  };
}
