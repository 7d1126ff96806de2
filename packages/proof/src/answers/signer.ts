/** Who signed a checkpoint: held against the keys that the reader trusts, else those that came with it; and which witnesses saw it. */
import { ProofError } from '../error.ts';
import { toHex } from '../log/bytes.ts';
import { type Checkpoint, type Cosigned, parseCheckpointText, verifyCosignatures } from '../log/checkpoint.ts';
import { type Note, parseNote, verifyNote } from '../log/signed-note.ts';
import { formatVerifierKey, isOfKey, type VerifierKey } from '../log/verifier-key.ts';
import { oneLine } from '../one-line.ts';
import { type Answer, fails, holds, notShown } from './answer.ts';

/** What the reader brings along. */
export interface Trust {
  /** Keys the reader had before, or by another way than the receipt. Those of witnesses say when they saw it. */
  expected?: readonly VerifierKey[];
  /** Keys that the expected ones have handed on to, each shown by its succession. */
  successors?: readonly VerifierKey[];
  /** Keys that came with what is verified: they tie it together, and show no identity. */
  beside?: readonly VerifierKey[];
  /** The witnesses that the reader relies on, and which of them must have signed: in words, and as a rule. */
  policy?: {
    witnesses: readonly VerifierKey[];
    quorum: string;
    isMet(cosigned: readonly VerifierKey[]): boolean;
  };
  /** The last checkpoint of this log that the reader has seen and kept. */
  remembered?: Checkpoint | null;
  /** A consistency proof between the remembered checkpoint and this one. */
  consistency?: readonly Uint8Array[] | null;
}

export interface Signed {
  /** What it says; null where it is no checkpoint. */
  checkpoint: Checkpoint | null;
  /** Whether a key, trusted or beside it, has signed it. */
  is_signed: boolean;
  identity: Answer;
  /** Of the policy's witnesses; `broken`: a line of one of them does not hold. */
  seen: { by: Cosigned[]; broken: boolean };
  /** Of the witnesses whose keys were given without a policy, or came along; a line that does not hold counts for nothing. */
  known: { by: Cosigned[]; among: number };
}

const NAMES = 'Names in receipts are stated by the operator.';
const UNSEEN = { by: [], broken: false };
const UNKNOWN = { by: [], among: 0 };

export const NOBODY_SIGNED = notShown(
  'nobody_signed',
  `Nothing that was given is signed. ${NAMES}`,
  'Take a proof or a checkpoint, and the key of the ledger.',
);

export async function signerOf(text: string, trust: Trust): Promise<Signed> {
  const nothing = { is_signed: false, identity: NOBODY_SIGNED, seen: UNSEEN, known: UNKNOWN };
  try {
    const note = parseNote(text);
    const checkpoint = parseCheckpointText(note.text);
    return { checkpoint, ...(await signedBy(note, checkpoint, trust)) };
  } catch (error) {
    if (error instanceof ProofError) return { checkpoint: null, ...nothing };
    throw error;
  }
}

async function signedBy(
  note: Note,
  checkpoint: Checkpoint,
  { expected = [], successors = [], beside = [], policy }: Trust,
): Promise<Omit<Signed, 'checkpoint'>> {
  const origin = oneLine(checkpoint.origin);
  const logs = (keys: readonly VerifierKey[]) => keys.filter(({ type }) => type === 1);
  const given = logs(expected).length > 0 ? [...logs(expected), ...successors] : logs(beside);
  const keys = given.filter(({ name }) => name === checkpoint.origin);
  const unsigned = (identity: Answer) => ({ is_signed: false, identity, seen: UNSEEN, known: UNKNOWN });
  if (given.length === 0)
    return unsigned(
      notShown(
        'no_key',
        `The key of ${origin} was not given. ${NAMES}`,
        'Give the key that the organization tells you.',
      ),
    );
  if (keys.length === 0)
    return unsigned(
      fails(
        'another_log',
        `The checkpoint is of ${origin}, the key that was given is of ${oneLine(given[0]!.name)}.`,
        'Take the proof and the key of one ledger.',
      ),
    );
  // Of several, as after a change of keys, every one that has a line has to hold.
  const signing = keys.filter((one) => note.signatures.some((signature) => isOfKey(signature, one)));
  const [key] = signing;
  if (key === undefined)
    return unsigned(
      fails(
        'another_key',
        `Another key than the one that was given signed this checkpoint of ${origin}.`,
        'Ask the organization whether its key was changed: both keys have to sign the change.',
      ),
    );
  try {
    await verifyNote(note, signing);
  } catch (error) {
    return unsigned(unsignedBy(error, origin));
  }
  return {
    is_signed: true,
    identity: successors.includes(key) ? succeeded(key) : identityOf(key, logs(expected).length > 0),
    seen: await seenBy(note, policy),
    known: policy === undefined ? await knownBy(note, [...expected, ...beside]) : UNKNOWN,
  };
}

function unsignedBy(error: unknown, origin: string): Answer {
  if (error instanceof ProofError)
    return fails(
      'bad_signature',
      `The signature of ${origin} does not hold: checkpoint or signature was changed.`,
      'Take the proof or the checkpoint anew from where you have it.',
    );
  return notShown(
    'cannot_check_signatures',
    'This browser cannot check Ed25519 signatures here.',
    'Take another browser, an https address, or the command line.',
  );
}

function identityOf(key: VerifierKey, is_expected: boolean): Answer {
  const signed = `key ${toHex(key.id)} of ${oneLine(key.name)}`;
  if (is_expected)
    return holds('expected_key', `The ${signed}, which you gave as the one you trust, signed the checkpoint. ${NAMES}`);
  return notShown(
    'key_beside',
    `The ${signed} signed the checkpoint; it came with what was checked, so it does not show whose ledger this is. ${NAMES}`,
    'Compare the key with one that the organization gave you by another way.',
  );
}

function succeeded(key: VerifierKey): Answer {
  const text = `The key ${toHex(key.id)} of ${oneLine(key.name)} signed the checkpoint; the one that you trust has handed on to it, and both signed that.`;
  return holds('expected_key', `${text} ${NAMES}`);
}

async function seenBy(note: Note, policy: Trust['policy']): Promise<Signed['seen']> {
  if (policy === undefined) return UNSEEN;
  try {
    return { by: await verifyCosignatures(note, policy.witnesses), broken: false };
  } catch (error) {
    if (error instanceof ProofError) return { by: [], broken: true };
    throw error;
  }
}

async function knownBy(note: Note, keys: readonly VerifierKey[]): Promise<Signed['known']> {
  const witnesses = new Map(keys.filter(({ type }) => type === 4).map((key) => [formatVerifierKey(key), key]));
  const by = await Promise.all([...witnesses.values()].map((key) => verifyCosignatures(note, [key]).catch(ofNone)));
  return { by: by.flat(), among: witnesses.size };
}

function ofNone(error: unknown): Cosigned[] {
  if (error instanceof ProofError) return [];
  throw error;
}
