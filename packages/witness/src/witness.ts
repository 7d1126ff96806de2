/** The decision of a witness (C2SP tlog-witness, add-checkpoint): what extends what it cosigned last is cosigned, and nothing else. */
import { ProofError } from '@rcpt/proof/error.ts';
import { equal } from '@rcpt/proof/log/bytes.ts';
import { cosignatureBytes, cosignedMessage } from '@rcpt/proof/log/checkpoint.ts';
import { emptyRoot, extendsTree } from '@rcpt/proof/log/merkle.ts';
import { formatNote, formatSignature, type NoteSignature, verifyNote } from '@rcpt/proof/log/signed-note.ts';
import { isOfKey, type VerifierKey } from '@rcpt/proof/log/verifier-key.ts';
import type { WitnessKey } from './key.ts';
import type { Cosigned, WitnessRecord } from './record.ts';
import { parseSubmission, type Submission } from './submission.ts';

export interface Witness {
  key: WitnessKey;
  /** Several keys of one origin are one log. */
  logs: readonly VerifierKey[];
  record: WitnessRecord;
  /** Whole seconds since 1970. */
  now(): number;
}

export interface Answer {
  status: 200 | 400 | 403 | 404 | 409 | 422;
  /** The body, whose lines end in a line feed. */
  text: string;
  /** Null where the submission could not be read. */
  checkpoint: { origin: string; size: number } | null;
}

export async function addCheckpoint(witness: Witness, body: Uint8Array): Promise<Answer> {
  let submission: Submission;
  try {
    submission = parseSubmission(body);
  } catch (error) {
    if (error instanceof ProofError) return { status: 400, text: `${error.reason}\n`, checkpoint: null };
    throw error;
  }
  const { origin, size } = submission.checkpoint;
  const answered = (status: Answer['status'], text: string) => ({ status, text, checkpoint: { origin, size } });

  const keys = witness.logs.filter(({ name }) => name === origin);
  if (keys.length === 0) return answered(404, 'this witness does not watch a log of that origin\n');
  if (!(await isSignedByLog(submission, keys)))
    return answered(403, 'no key that this witness knows of the log has signed this, or one that has does not hold\n');
  if (submission.old_size > size) return answered(400, 'the old size is larger than the checkpoint’s\n');

  const decided = witness.record.advance<Answer>(origin, (latest) => {
    const known = latest?.size ?? 0;
    if (submission.old_size !== known) return answered(409, `${known}\n`);
    const refusal = whyNot(latest, submission);
    return refusal === null ? cosign(witness, submission, keys) : answered(422, `${refusal}\n`);
  });
  if ('status' in decided) return decided;
  return answered(200, decided.note.slice(decided.note.lastIndexOf('\n', decided.note.length - 2) + 1));
}

async function isSignedByLog({ note }: Submission, keys: readonly VerifierKey[]): Promise<boolean> {
  try {
    await verifyNote(note, keys);
    return true;
  } catch (error) {
    if (error instanceof ProofError) return false;
    throw error;
  }
}

/** Null: it extends what was cosigned last. */
function whyNot(latest: Cosigned | null, { checkpoint, proof }: Submission): string | null {
  if (checkpoint.size === 0 && !equal(checkpoint.root, emptyRoot())) return 'the root of an empty tree is another';
  if (latest === null || latest.size === 0) return proof.length === 0 ? null : 'from size 0 there is no proof';
  if (extendsTree(latest, checkpoint, proof)) return null;
  return latest.size === checkpoint.size
    ? `of size ${latest.size} this witness has cosigned another root`
    : `it is not shown that the tree of size ${checkpoint.size} begins with the one of size ${latest.size} that this witness cosigned`;
}

/** The log's own signatures are kept with it, ours last. */
function cosign({ key, now }: Witness, { checkpoint, note }: Submission, keys: readonly VerifierKey[]): Cosigned {
  const time = now();
  const signature: NoteSignature = {
    name: key.public.name,
    id: key.public.id,
    bytes: cosignatureBytes(time, key.sign(cosignedMessage(time, note.text))),
  };
  const logs = note.signatures.filter((line) => keys.some((known) => isOfKey(line, known)));
  const signed = formatNote({ text: note.text, signatures: logs });
  return { size: checkpoint.size, root: checkpoint.root, note: signed + formatSignature(signature) };
}
