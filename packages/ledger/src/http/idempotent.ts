/**
 * Runs a verb once per `Idempotency-Key` and sends its answer. Two requests are the same when their bodies say the same; of a body
 * whose bytes are left to a thread, when its bytes are the same.
 */
import { sha256Hex } from '@rcpt/proof/sha256.ts';
import type { Queries } from '@rcpt/service/db/db.ts';
import { Refusal } from '@rcpt/service/error.ts';
import { type Created, createOnce, keyId } from '@rcpt/service/http/idempotency.ts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { Ledger } from '../ledger.ts';
import { nameAnswer } from '../store/disclosures.ts';
import { sendText } from './stored.ts';

export const IdempotencyHeader = z.object({ 'idempotency-key': z.string().optional() });

/** The `location` of an answer that brought nothing new. */
export const NOTHING_CREATED = '';

/**
 * 201 with `Location`; 200 where nothing was created.
 * @param prepare what no transaction should wait for; not asked when the answer is there already
 * @param committed what is done before the answer is sent; must not throw
 */
export async function createAndSend<Prepared = undefined>(
  { db }: Ledger,
  request: FastifyRequest,
  reply: FastifyReply,
  create: (tx: Queries, prepared: Prepared) => Promise<Created>,
  prepare?: () => Promise<Prepared>,
  committed?: () => Promise<void>,
) {
  const answer = await once(db, request, create, prepare);
  await committed?.();
  if (answer.location !== NOTHING_CREATED) reply.code(201).header('location', answer.location);
  return send(reply, answer);
}

/** 200: the next stage of something that exists. */
export async function changeAndSend<T, Prepared = undefined>(
  { db }: Ledger,
  request: FastifyRequest,
  reply: FastifyReply,
  change: (tx: Queries, prepared: Prepared) => Promise<T>,
  prepare?: () => Promise<Prepared>,
) {
  const answer = async (tx: Queries, prepared: Prepared) => ({
    body: await change(tx, prepared),
    location: NOTHING_CREATED,
  });
  return send(reply, await once(db, request, answer, prepare));
}

function send(reply: FastifyReply, { body, is_text }: Created) {
  return is_text ? sendText(reply, body as string) : reply.send(body);
}

function once<Prepared>(
  db: Ledger['db'],
  request: FastifyRequest,
  create: (tx: Queries, prepared: Prepared) => Promise<Created>,
  prepare?: () => Promise<Prepared>,
): Promise<Created> {
  const key = keyOf(request);
  const organization_id = request.principal?.organization_id ?? '';
  const named = async (tx: Queries, prepared: Prepared) => {
    const answer = await create(tx, prepared);
    const run_id = key && RUN.exec(`${request.url}${answer.location}`)?.[0];
    if (run_id) await nameAnswer(tx, organization_id, keyId(request.credential, key), run_id);
    return answer;
  };
  return createOnce(
    db,
    {
      organization_id,
      key,
      credential: request.credential,
      request: key === undefined ? null : whatMakesItTheSame(request),
    },
    named,
    prepare,
  );
}

/** In an address. */
const RUN = /run_[0-9a-f]{32}/;

function whatMakesItTheSame({ method, url, body = null, upload }: FastifyRequest) {
  const common = { method, url, upload: upload?.sha256 ?? null };
  return body instanceof Uint8Array ? { ...common, bytes: sha256Hex(body) } : { ...common, body };
}

/** Throws `invalid`. */
export function keyOf({ headers }: FastifyRequest): string | undefined {
  const key = headers['idempotency-key'];
  if (key === undefined) return undefined;
  if (typeof key === 'string' && /^[\x21-\x7e]{1,255}$/.test(key)) return key;
  throw new Refusal('invalid', 'Idempotency-Key takes 1 to 255 printable ASCII characters without spaces.');
}
