/**
 * The succession of a log's keys (docs/spec.md §34): a signed note in which the key before hands over to the next, and both have signed it. Who
 * trusts the older key may so trust the newer one, without asking anybody.
 */
import { ProofError } from '../error.ts';
import { equal } from './bytes.ts';
import { parseNote, verifyNote } from './signed-note.ts';
import { parseVerifierKey, type VerifierKey, verifierKey } from './verifier-key.ts';

export interface Succession {
  origin: string;
  from: VerifierKey;
  to: VerifierKey;
  /** When the ledger says that it was. */
  time: string;
}

const TEXT =
  /^rcpt-key-succession\/v1\n([^\n]+)\nfrom ([^\n]+)\nto ([^\n]+)\ntime (\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z)\n$/;

/** Signed by both keys. Throws `not_a_note`, `not_a_succession`, `invalid_key`, `bad_signature`. */
export async function openSuccession(text: string): Promise<Succession> {
  const note = parseNote(text);
  const [, origin, before, after, time] = TEXT.exec(note.text) ?? [];
  if (time === undefined) throw notASuccession('its text is another');
  const [from, to] = [parseVerifierKey(before!), parseVerifierKey(after!)];
  if (from.type !== 1 || to.type !== 1) throw notASuccession('it names a key that is none of a log');
  if (from.name !== origin || to.name !== origin) throw notASuccession('it names a key of another log');
  if (equal(from.key, to.key)) throw notASuccession('both keys are one');
  const signed = await verifyNote(note, [from, to]);
  if (signed.length !== 2)
    throw new ProofError('bad_signature', 'both keys have to sign a succession, and one has not');
  return { origin: origin!, from, to, time };
}

/**
 * The keys that follow, in order, from those that are trusted. An organization's logs have one key, under a name each: what is said of the
 * receipts' holds for the activity's, too. Throws as `openSuccession`, and `wrong_succession` where none of the keys so far is handed on.
 */
export async function successorsOf(trusted: readonly VerifierKey[], notes: readonly string[]): Promise<VerifierKey[]> {
  const successors: VerifierKey[] = [];
  for (const note of notes) {
    const { origin, from, to } = await openSuccession(note);
    const handed = [...trusted, ...successors].filter(
      ({ name, type, key }) => type === 1 && [origin, `${origin}/activity`].includes(name) && equal(key, from.key),
    );
    if (handed.length === 0)
      throw new ProofError('wrong_succession', 'it hands on from a key that is neither trusted nor the one before it');
    successors.push(...handed.map(({ name }) => verifierKey(name, 1, to.key)));
  }
  return successors;
}

function notASuccession(reason: string): ProofError {
  return new ProofError('not_a_succession', `this is no succession of keys: ${reason}`);
}
