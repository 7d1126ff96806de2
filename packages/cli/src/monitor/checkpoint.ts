/**
 * The organization's signed checkpoint: by the key that is expected, and an extension of the one that was seen last. Two that
 * contradict each other are both signed, and so show to everybody that the log was rewritten.
 */
import { ProofError } from '@rcpt/proof/error.ts';
import { fromBase64, toBase64 } from '@rcpt/proof/log/bytes.ts';
import { openCheckpoint, type VerifiedCheckpoint } from '@rcpt/proof/log/checkpoint.ts';
import { extendsTree } from '@rcpt/proof/log/merkle.ts';
import { formatVerifierKey, parseVerifierKey, type VerifierKey } from '@rcpt/proof/log/verifier-key.ts';
import { ChainFault, NotVerified } from './found.ts';
import { type Question, textAnswer } from './question.ts';

export interface SignedCheckpoint extends VerifiedCheckpoint {
  note: string;
}

/** Those that were given, else those that were seen first, else the newest that the ledger names now. */
export async function expectedKeys(question: Question, path: string): Promise<VerifierKey[]> {
  if (question.keys.length > 0) return [...question.keys];
  const known = question.seen?.keys ?? [];
  const texts = known.length > 0 ? known : ((await textAnswer(question, path)) ?? '').split('\n', 1);
  try {
    return texts.map(parseVerifierKey);
  } catch (error) {
    throw new NotVerified(`GET ${path}: ${(error as Error).message}`);
  }
}

/** Signed by one of these keys. Throws `ChainFault`. */
export async function opened(
  note: string,
  keys: readonly VerifierKey[],
  witnesses: readonly VerifierKey[],
): Promise<SignedCheckpoint> {
  let refusal = 'no key is known';
  for (const key of keys)
    try {
      return { ...(await openCheckpoint(note, key, witnesses)), note };
    } catch (error) {
      if (!(error instanceof ProofError)) throw error;
      refusal = error.message;
    }
  throw new ChainFault(
    `THE CHECKPOINT IS NOT SIGNED BY THE KEY THAT IS EXPECTED: ${refusal}. Expected ${keys.map(formatVerifierKey).join(' or ')}. ` +
      'Ask the organization, not over the ledger, whether its key was changed; if it was, give the new one with --key',
    note,
  );
}

/** Throws `ChainFault`. @param proof asks for the hashes between two sizes; null: there is nobody to ask */
export async function requireExtension(
  older: SignedCheckpoint,
  newer: SignedCheckpoint,
  proof: ((from: number, to: number) => Promise<Uint8Array[]>) | null,
): Promise<void> {
  const keep = 'Keep both checkpoints: each is signed, and together they show it to everybody';
  if (newer.origin !== older.origin)
    throw new ChainFault(
      `IT IS ANOTHER LOG: ${older.origin} was seen before, and this is ${newer.origin}. ${keep}`,
      newer.note,
    );
  if (newer.size < older.size)
    throw new ChainFault(
      `THE LOG WAS CUT: a signed checkpoint of ${older.size} receipts was seen before, and now one of ${newer.size} is served (or an older backup was restored). ${keep}`,
      newer.note,
    );
  if (newer.size === older.size) {
    if (toBase64(newer.root) === toBase64(older.root)) return;
    throw rewritten(`two checkpoints of ${newer.size} receipts are signed, and their roots differ`);
  }
  // Every tree continues the empty one.
  if (proof === null || older.size === 0) return;
  if (!extendsTree(older, newer, await proof(older.size, newer.size)))
    throw rewritten(
      `the checkpoint of ${newer.size} receipts does not continue the one of ${older.size} that was seen before`,
    );

  function rewritten(how: string): ChainFault {
    return new ChainFault(
      `THE LOG WAS REWRITTEN: ${how} (${toBase64(older.root)} before, ${toBase64(newer.root)} now). ${keep}`,
      newer.note,
    );
  }
}

/** Throws `NotVerified`. */
export async function consistencyHashes(question: Question, from: number, to: number): Promise<Uint8Array[]> {
  const path = `${question.root}/consistency?from=${from}&to=${to}`;
  const text = await textAnswer(question, path);
  const hashes = (text ?? '')
    .split('\n')
    .filter((line) => line !== '')
    .map(fromBase64);
  if (text === null || hashes.includes(null)) throw new NotVerified(`GET ${path}: the answer is no list of hashes`);
  return hashes as Uint8Array[];
}

/**
 * A checkpoint holds no time. The last that is known of it: when a witness cosigned it, and when this machine first saw a log of this size.
 * Throws `ChainFault` when that is too long ago.
 */
export function requireFresh(question: Question, { note, size, witnesses }: SignedCheckpoint, grown_at: string): void {
  const { stale_hours, now } = question;
  if (stale_hours === null || size === 0) return;
  const last = Math.max(Date.parse(grown_at), ...witnesses.map(({ time }) => time * 1000));
  if (now() - last <= stale_hours * 3_600_000) return;
  throw new ChainFault(
    `THE CHECKPOINT IS STALE: the log has ended at ${size} receipts since ${new Date(last).toISOString()}, longer than ${stale_hours} hours. ` +
      'Mint a receipt and look again: where it stays as it is, receipts are kept from the log',
    note,
  );
}
