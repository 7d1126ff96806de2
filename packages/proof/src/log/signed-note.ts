/** Signed notes (C2SP signed-note): a text, an empty line, and a line per signature. */
import { ProofError } from '../error.ts';
import { concat, fromBase64, toBase64 } from './bytes.ts';
import { isKeyName, isOfKey, isSigned, type VerifierKey } from './verifier-key.ts';

export interface NoteSignature {
  name: string;
  /** 4 bytes. */
  id: Uint8Array;
  /** What follows the id: 64 bytes of Ed25519, before them 8 of time in a cosignature. */
  bytes: Uint8Array;
}

export interface Note {
  /** With its final line feed: what is signed. */
  text: string;
  signatures: NoteSignature[];
}

/** Witnesses are few; a note with more is refused before anything is verified. */
const MOST_SIGNATURES = 64;
const MOST_CHARACTERS = 1_000_000;
const ID_BYTES = 4;

/** Throws `not_a_note`. */
export function parseNote(note: string): Note {
  if (note.length > MOST_CHARACTERS || !note.isWellFormed() || /[\u0000-\u0009\u000b-\u001f\u007f]/.test(note))
    throw notANote('it is too long or holds a control character');
  const blank = note.lastIndexOf('\n\n');
  if (blank === -1 || !note.endsWith('\n')) throw notANote('it has no signatures after an empty line');
  const lines = note.slice(blank + 2, -1).split('\n');
  if (lines.length > MOST_SIGNATURES) throw notANote(`it has more than ${MOST_SIGNATURES} signatures`);
  return { text: note.slice(0, blank + 1), signatures: lines.map(parseSignature) };
}

export function formatNote({ text, signatures }: Note): string {
  return `${text}\n${signatures.map(formatSignature).join('')}`;
}

export function formatSignature({ name, id, bytes }: NoteSignature): string {
  return `\u2014 ${name} ${toBase64(concat(id, bytes))}\n`;
}

/**
 * The signatures of these keys, all of which hold; others are ignored. `signed` says what a key signed: of a log the text, of a witness more.
 * Throws `bad_signature` where one of them does not hold, or none is there.
 */
export async function verifyNote(
  note: Note,
  keys: readonly VerifierKey[],
  signed: (key: VerifierKey, bytes: Uint8Array) => { message: Uint8Array; signature: Uint8Array } = ofText(note.text),
): Promise<{ key: VerifierKey; bytes: Uint8Array }[]> {
  const verified: { key: VerifierKey; bytes: Uint8Array }[] = [];
  for (const signature of note.signatures) {
    const key = keys.find((known) => isOfKey(signature, known));
    if (key === undefined || verified.some((before) => before.key === key)) continue;
    const { message, signature: ed25519 } = signed(key, signature.bytes);
    if (!(await isSigned(key, message, ed25519)))
      throw new ProofError('bad_signature', `the signature of ${key.name} does not hold`);
    verified.push({ key, bytes: signature.bytes });
  }
  if (verified.length === 0) throw new ProofError('bad_signature', 'no known key has signed it');
  return verified;
}

function ofText(text: string) {
  const message = new TextEncoder().encode(text);
  return (_: VerifierKey, bytes: Uint8Array) => ({ message, signature: bytes });
}

function parseSignature(line: string): NoteSignature {
  const [, name, encoded] = /^\u2014 (\S+) (\S+)$/u.exec(line) ?? [];
  const bytes = encoded === undefined ? null : fromBase64(encoded);
  if (name === undefined || !isKeyName(name) || bytes === null || bytes.length <= ID_BYTES)
    throw notANote('a line of its signatures is none');
  return { name, id: bytes.subarray(0, ID_BYTES), bytes: bytes.subarray(ID_BYTES) };
}

function notANote(reason: string): ProofError {
  return new ProofError('not_a_note', `this is no signed note: ${reason}`);
}
