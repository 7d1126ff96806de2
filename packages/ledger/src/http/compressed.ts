/**
 * Files that are in memory, each compressed once and not per request. The encoding is chosen by the library that chooses it for the
 * console's files (`@fastify/static`).
 */
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import negotiate from '@fastify/accept-negotiator';
import type { FastifyReply, FastifyRequest } from 'fastify';

type Encoding = 'br' | 'gzip';

export interface Compressed {
  content_type: string;
  /** Of the content as it is. */
  etag: string;
  plain: Buffer;
  /** Only what is smaller than `plain`, the preferred first. */
  smaller: Map<Encoding, Buffer>;
}

/** Types that are compressed already are left as they are. */
const COMPRESSIBLE = /^text\/|\bjson\b|\bsvg\b/;

export function compressed(plain: Buffer, content_type: string, etag: string): Compressed {
  const smaller = new Map<Encoding, Buffer>();
  if (COMPRESSIBLE.test(content_type)) {
    const size = { [constants.BROTLI_PARAM_SIZE_HINT]: plain.length };
    const made = [
      ['br', brotliCompressSync(plain, { params: size })],
      ['gzip', gzipSync(plain, { level: 9 })],
    ] as const;
    for (const [encoding, bytes] of made) if (bytes.length < plain.length) smaller.set(encoding, bytes);
  }
  return { content_type, etag, plain, smaller };
}

/** An encoding has an ETag of its own: they are other bytes (RFC 9110, 8.8.3). 304 where `If-None-Match` names the one that would be sent. */
export function sendCompressed({ headers }: FastifyRequest, reply: FastifyReply, file: Compressed): FastifyReply {
  const { plain, smaller, content_type } = file;
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
