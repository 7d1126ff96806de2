/** Checkpoints (C2SP tlog-checkpoint) and cosignatures of witnesses (C2SP tlog-cosignature). */
import { ProofError } from '../error.ts';
import { concat, fromBase64, toBase64 } from './bytes.ts';
import { HASH_BYTES, type Tree } from './merkle.ts';
import { type Note, parseNote, verifyNote } from './signed-note.ts';
import { isOfKey, type VerifierKey } from './verifier-key.ts';

/** A tree of a log: `origin` is the log's name and the name of its key, `<host>/org/<organization id>`. */
export interface Checkpoint extends Tree {
  origin: string;
}

export interface VerifiedCheckpoint extends Checkpoint {
  /** Who saw it and when they say so, in whole seconds since 1970. */
  witnesses: { name: string; time: number }[];
}

/** A witness's signature that holds, with the time in it: whole seconds since 1970. */
export interface Cosigned {
  key: VerifierKey;
  time: number;
}

const TIME_BYTES = 8;

/** What is signed. */
export function checkpointText({ origin, size, root }: Checkpoint): string {
  return `${origin}\n${size}\n${toBase64(root)}\n`;
}

/** Throws `not_a_checkpoint`. Lines after the third are extensions, which this log does not have. */
export function parseCheckpointText(text: string): Checkpoint {
  const [, origin, digits, encoded] = /^([^\n]+)\n(0|[1-9]\d{0,15})\n([^\n]+)\n$/.exec(text) ?? [];
  const root = encoded === undefined ? null : fromBase64(encoded);
  const size = Number(digits);
  if (origin === undefined || root?.length !== HASH_BYTES || !Number.isSafeInteger(size))
    throw new ProofError('not_a_checkpoint', 'a checkpoint is an origin, a size and a root hash, a line each');
  return { origin, size, root };
}

/**
 * A checkpoint signed by this log's key, with the cosignatures of these witnesses that it carries. Throws `not_a_note`, `not_a_checkpoint`,
 * `bad_signature`: also where a known witness's line does not hold.
 */
export async function openCheckpoint(
  note: string,
  log: VerifierKey,
  witnesses: readonly VerifierKey[] = [],
): Promise<VerifiedCheckpoint> {
  const parsed = parseNote(note);
  const checkpoint = parseCheckpointText(parsed.text);
  if (checkpoint.origin !== log.name)
    throw new ProofError('not_a_checkpoint', `its origin is ${checkpoint.origin}, the key is of ${log.name}`);
  await verifyNote(parsed, [log]);
  return { ...checkpoint, witnesses: await cosignersOf(parsed, witnesses) };
}

async function cosignersOf(note: Note, witnesses: readonly VerifierKey[]): Promise<{ name: string; time: number }[]> {
  return (await verifyCosignatures(note, witnesses)).map(({ key, time }) => ({ name: key.name, time }));
}

/** Witnesses who have not signed are left out. Throws `bad_signature` where one of them has, and it does not hold. */
export async function verifyCosignatures(note: Note, witnesses: readonly VerifierKey[]): Promise<Cosigned[]> {
  const signed = witnesses.filter((witness) => note.signatures.some((signature) => isOfKey(signature, witness)));
  if (signed.length === 0) return [];
  const verified = await verifyNote(note, signed, (_, bytes) => ({
    message: cosignedMessage(timeOf(bytes), note.text),
    signature: bytes.subarray(TIME_BYTES),
  }));
  return verified.map(({ key, bytes }) => ({ key, time: timeOf(bytes) }));
}

/** What a witness signs. @param time whole seconds since 1970 */
export function cosignedMessage(time: number, checkpoint_text: string): Uint8Array {
  return new TextEncoder().encode(`cosignature/v1\ntime ${time}\n${checkpoint_text}`);
}

/** The bytes of a cosignature after the key's id. */
export function cosignatureBytes(time: number, ed25519: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(TIME_BYTES);
  new DataView(bytes.buffer).setBigUint64(0, BigInt(time));
  return concat(bytes, ed25519);
}

function timeOf(bytes: Uint8Array): number {
  if (bytes.length !== TIME_BYTES + 64) throw new ProofError('bad_signature', 'a cosignature has a time and 64 bytes');
  const time = Number(new DataView(bytes.buffer, bytes.byteOffset, TIME_BYTES).getBigUint64(0));
  if (!Number.isSafeInteger(time)) throw new ProofError('bad_signature', 'the time of a cosignature is too large');
  return time;
}
