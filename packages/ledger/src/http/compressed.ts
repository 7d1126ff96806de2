/**
 * Files that are in memory, each compressed once, when it is first asked for: not at start-up, and not per request. The encoding is chosen by the library that chooses it for the
 * console's files (`@fastify/static`).
 */
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import negotiate from '@fastify/accept-negotiator';
import type { FastifyReply, FastifyRequest } from 'fastify';

type Encoding = 'br' | 'gzip';

export interface Compressed {
  content_type: string;
  /** Of the content as it is. */
  etag: string;
  plain: Buffer;
  /** Only what is smaller than `plain`, the preferred first. */
  smaller(): Promise<Map<Encoding, Buffer>>;
}

/** Types that are compressed already are left as they are. */
const COMPRESSIBLE = /^text\/|\bjson\b|\bsvg\b/;

export function compressed(plain: Buffer, content_type: string, etag: string): Compressed {
  let made: Promise<Map<Encoding, Buffer>> | null = null;
  return { content_type, etag, plain, smaller: () => (made ??= smallerOf(plain, content_type)) };
}

async function smallerOf(plain: Buffer, content_type: string): Promise<Map<Encoding, Buffer>> {
  if (!COMPRESSIBLE.test(content_type)) return new Map();
  const size = { [constants.BROTLI_PARAM_SIZE_HINT]: plain.length };
  const [br, gzipped] = await Promise.all([
    promisify(brotliCompress)(plain, { params: size }),
    promisify(gzip)(plain, { level: 9 }),
  ]);
  const made: [Encoding, Buffer][] = [
    ['br', br],
    ['gzip', gzipped],
  ];
  return new Map(made.filter(([, bytes]) => bytes.length < plain.length));
}

/** An encoding has an ETag of its own: they are other bytes (RFC 9110, 8.8.3). 304 where `If-None-Match` names the one that would be sent. */
export async function sendCompressed(
  { headers }: FastifyRequest,
  reply: FastifyReply,
  file: Compressed,
): Promise<FastifyReply> {
  const { plain, content_type } = file;
  const smaller = await file.smaller();
  const encoding = negotiate((headers['accept-encoding'] ?? '').toLowerCase(), [...smaller.keys()]);
  const etag = encoding === null ? file.etag : file.etag.replace(/"$/, `-${encoding}"`);
  if (smaller.size > 0) reply.header('vary', 'accept-encoding');
  reply.header('etag', etag);
  if (names(headers['if-none-match'], etag)) return reply.code(304).send();
  if (encoding !== null) reply.header('content-encoding', encoding);
  return reply.type(content_type).send(encoding === null ? plain : smaller.get(encoding));
}

/** Weakly, as `If-None-Match` compares (RFC 9110, 13.1.2). */
function names(if_none_match: string | undefined, etag: string): boolean {
  const named = if_none_match?.split(',').map((one) => one.trim().replace(/^W\//, ''));
  return named?.some((one) => one === etag || one === '*') ?? false;
}
