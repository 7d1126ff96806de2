/** The time-stamp authority, over HTTP (RFC 3161, section 3.4). */
import { createHash, randomBytes } from 'node:crypto';
import { LARGEST_ANSWER, NotATimestamp, timestampedAt, timestampRequest } from './rfc3161.ts';

const TIMEOUT_MS = 20_000;
const REPLY = 'application/timestamp-reply';

export interface Timestamp {
  /** TimeStampResp, as it came. */
  answer: Uint8Array;
  /** The time in it. */
  stamped_at: string;
}

/** Throws `NotATimestamp`, and what `fetch` throws. */
export async function askAuthority(url: string, stamped: Uint8Array, signal?: AbortSignal): Promise<Timestamp> {
  const question = { digest: createHash('sha256').update(stamped).digest(), nonce: randomBytes(16) };
  const timeout = AbortSignal.timeout(TIMEOUT_MS);
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/timestamp-query', accept: REPLY },
    body: timestampRequest(question) as Uint8Array<ArrayBuffer>,
    redirect: 'manual',
    signal: signal === undefined ? timeout : AbortSignal.any([signal, timeout]),
  });
  const type = response.headers.get('content-type')?.split(';')[0]?.trim().toLowerCase();
  if (response.status !== 200 || type !== REPLY) {
    await response.body?.cancel();
    throw new NotATimestamp(`the authority answered ${response.status} with ${type ?? 'no type'}`);
  }
  const answer = await atMost(response, LARGEST_ANSWER);
  return { answer, stamped_at: timestampedAt(answer, question) };
}

async function atMost(response: Response, most: number): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const part of response.body ?? []) {
    length += part.length;
    if (length > most) throw new NotATimestamp(`the answer has more than ${most} bytes`);
    parts.push(part);
  }
  return Buffer.concat(parts);
}
