/**
 * `Idempotency-Key`: same key, same request → the first answer again, for 24 hours; same key, other request → refused.
 * The key is claimed in the transaction that creates, so there is no instant at which one exists without the other.
 * Answers may hold secrets that are shown once, so they are stored encrypted under a key only the caller can name again.
 * A caller without a credential has no such key: a secret it was told is not kept, and a repeat is refused.
 */
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import { canonicalize } from '@rcpt/proof/canonical.ts';
import { sha256Hex } from '@rcpt/proof/sha256.ts';
import type { Db, Queries } from '../db/db.ts';
import { Refusal } from '../error.ts';
import { now } from '../ids.ts';

export const IDEMPOTENCY_HOURS = 24;

export interface Created {
  body: unknown;
  location: string;
  /** The body is JSON text, kept and sent as it is. */
  is_text?: true;
  /** The body holds a secret that only its first reader may have. */
  holds_secret?: true;
}

export interface IdempotentRequest {
  /** Whose keys these are: an organization, or the service itself. */
  organization_id: string;
  /** The header; undefined: nothing is remembered. */
  key: string | undefined;
  /** The checked credential; it keys the cipher together with `key` and is not stored. Empty: the call takes none. */
  credential: string;
  /** What makes two requests the same, e.g. the route, its parameters and the validated body, or the SHA-256 of its bytes. */
  request: unknown;
}

/** @param prepare what no transaction should wait for; not asked for a request that was answered before */
export async function createOnce<Prepared = undefined>(
  db: Db,
  request: IdempotentRequest,
  create: (tx: Queries, prepared: Prepared) => Promise<Created>,
  prepare?: () => Promise<Prepared>,
): Promise<Created> {
  const answered = prepare && (await findAnswer(db, request));
  if (answered) return answered;
  try {
    const prepared = (await prepare?.()) as Prepared;
    return await db.transaction((tx) => answerOnce(tx, request, (inner) => create(inner, prepared)));
  } catch (error) {
    // The same request may have been answered since it was looked for, and what it changed is what `prepare` refused.
    const first = prepare && error instanceof Refusal && (await findAnswer(db, request));
    if (first) return first;
    throw error;
  }
}

/** The first answer to this request; null where there is none. Throws as `answerOf`. */
async function findAnswer(db: Queries, request: IdempotentRequest): Promise<Created | null> {
  if (request.key === undefined) return null;
  const place = placeOf(request);
  const first = await db.get<Stored>(
    `select request_sha256, answer from idempotency_keys ${WHERE} and created_at >= $3`,
    [request.organization_id, place.id, hoursAgo(IDEMPOTENCY_HOURS)],
  );
  return first === undefined ? null : answerOf(first, place);
}

/** As `createOnce`, inside a transaction that may hold other work: a refusal leaves no claim behind. */
export async function answerOnce(
  tx: Queries,
  request: IdempotentRequest,
  create: (tx: Queries) => Promise<Created>,
): Promise<Created> {
  if (request.key === undefined) return create(tx);
  const { organization_id } = request;
  const place = placeOf(request);
  const { id, request_sha256, cipherKey } = place;
  await tx.run(`delete from idempotency_keys ${WHERE} and created_at < $3`, [
    organization_id,
    id,
    hoursAgo(IDEMPOTENCY_HOURS),
  ]);
  const claimed = await tx.run(
    `insert into idempotency_keys (organization_id, key_sha256, request_sha256, answer, created_at)
     values ($1, $2, $3, '', $4) on conflict do nothing`,
    [organization_id, id, request_sha256, now()],
  );
  if (claimed === 0) {
    const first = await tx.get<Stored>(`select request_sha256, answer from idempotency_keys ${WHERE}`, [
      organization_id,
      id,
    ]);
    return answerOf(first, place);
  }
  try {
    const answer = await create(tx);
    const kept = answer.holds_secret && request.credential === '' ? null : answer;
    const sealed = encrypt(cipherKey, written(kept));
    await tx.run(`update idempotency_keys set answer = $3 ${WHERE}`, [organization_id, id, sealed]);
    return answer;
  } catch (error) {
    if (error instanceof Refusal) await tx.run(`delete from idempotency_keys ${WHERE}`, [organization_id, id]);
    throw error;
  }
}

const WHERE = 'where organization_id = $1 and key_sha256 = $2';

interface Stored {
  request_sha256: string;
  answer: string;
}

/** By which the answer under a key is found. */
export function keyId(credential: string, key: string): string {
  return sha256Hex(`${credential}\n${key}`);
}

function placeOf({ key, credential, request }: IdempotentRequest) {
  const secret = `${credential}\n${key}`;
  return {
    id: keyId(credential, key!),
    request_sha256: sha256Hex(canonicalize(request)),
    cipherKey: Buffer.from(hkdfSync('sha256', secret, 'idempotent answer', '', 32)),
  };
}

/** Throws `answer_erased`, `idempotency_key_reused` and `secret_shown_once`. */
function answerOf(first: Stored | undefined, { request_sha256, cipherKey }: ReturnType<typeof placeOf>): Created {
  // Emptied by a service when what it told was erased; what the request said is not known any more.
  if (first?.answer === '')
    throw new Refusal(
      'answer_erased',
      'This Idempotency-Key came before, and what its answer told was erased since. Nothing was created now. Use a new key.',
    );
  if (first?.request_sha256 !== request_sha256)
    throw new Refusal(
      'idempotency_key_reused',
      'This Idempotency-Key came with another request before. Use a new key.',
    );
  const answer = readAnswer(decrypt(cipherKey, first.answer));
  if (answer !== null) return answer;
  throw new Refusal(
    'secret_shown_once',
    'This Idempotency-Key came before, and its answer held a secret that was shown once. Nothing was created now. Use a new key.',
  );
}

/** On one line; a body that is text stands on the next. */
function written(answer: Created | null): string {
  if (!answer?.is_text) return JSON.stringify(answer);
  const { body, ...rest } = answer;
  return `${JSON.stringify(rest)}\n${body}`;
}

function readAnswer(text: string): Created | null {
  const end = text.indexOf('\n');
  if (end === -1) return JSON.parse(text) as Created | null;
  return { ...(JSON.parse(text.slice(0, end)) as Omit<Created, 'body'>), body: text.slice(end + 1) };
}

/** Forgets what is older than the promise; run now and then. */
export function forgetOldKeys(db: Db): Promise<number> {
  return db.run('delete from idempotency_keys where created_at < $1', [hoursAgo(IDEMPOTENCY_HOURS)]);
}

function hoursAgo(hours: number): string {
  return new Date(Date.now() - hours * 3_600_000).toISOString();
}

function encrypt(key: Buffer, text: string): string {
  const iv = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', key, iv);
  const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
  return Buffer.concat([iv, cipher.getAuthTag(), body]).toString('base64');
}

function decrypt(key: Buffer, sealed: string): string {
  const bytes = Buffer.from(sealed, 'base64');
  const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, 12));
  decipher.setAuthTag(bytes.subarray(12, 28));
  return Buffer.concat([decipher.update(bytes.subarray(28)), decipher.final()]).toString('utf8');
}
