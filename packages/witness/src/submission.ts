/** What is posted to add-checkpoint (C2SP tlog-witness): the size the log believes we know, the proof from there, the checkpoint. */
import { ProofError } from '@rcpt/proof/error.ts';
import { fromBase64 } from '@rcpt/proof/log/bytes.ts';
import { type Checkpoint, parseCheckpointText } from '@rcpt/proof/log/checkpoint.ts';
import { HASH_BYTES } from '@rcpt/proof/log/merkle.ts';
import { type Note, parseNote } from '@rcpt/proof/log/signed-note.ts';

export interface Submission {
  old_size: number;
  proof: Uint8Array[];
  checkpoint: Checkpoint;
  note: Note;
}

const MOST_HASHES = 63;
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Throws `ProofError`. */
export function parseSubmission(body: Uint8Array): Submission {
  const text = decode(body);
  const blank = text.indexOf('\n\n');
  if (blank === -1) throw malformed('it has no empty line before a checkpoint');
  const [first = '', ...encoded] = text.slice(0, blank).split('\n');
  const digits = /^old (0|[1-9]\d{0,15})$/.exec(first)?.[1];
  if (digits === undefined || !Number.isSafeInteger(Number(digits))) throw malformed('its first line is no old size');
  if (encoded.length > MOST_HASHES) throw malformed(`it has more than ${MOST_HASHES} hashes`);
  const proof = encoded.map((line) => {
    const hash = fromBase64(line);
    if (hash?.length !== HASH_BYTES) throw malformed('a line of its proof is no hash');
    return hash;
  });
  const note = parseNote(text.slice(blank + 2));
  return { old_size: Number(digits), proof, checkpoint: parseExtended(note.text), note };
}

/** Other logs have lines after the third. They are cosigned as they stand, and say nothing here. */
function parseExtended(text: string): Checkpoint {
  const [, three = '', extension = ''] = /^((?:[^\n]*\n){3})(.*)$/s.exec(text) ?? [];
  if (!/^(?:[^\n]+\n)*$/.test(extension)) throw malformed('its checkpoint has an empty line');
  return parseCheckpointText(three);
}

function decode(body: Uint8Array): string {
  try {
    return utf8.decode(body);
  } catch {
    throw malformed('it is not UTF-8');
  }
}

function malformed(reason: string): ProofError {
  return new ProofError('not_a_checkpoint', `this is no submission: ${reason}`);
}
