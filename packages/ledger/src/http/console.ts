/**
 * The web console, built by `npm run build`. One address is a page to a person and JSON to a program: what names
 * text/html first gets the console, which then asks the API as everybody does. Nothing here needs a credential.
 */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Refusal } from '@rcpt/service/error.ts';
import type { App } from '@rcpt/service/http/app.ts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { wantsPage } from './wants-page.ts';

const DIST = fileURLToPath(new URL('../../../console/dist/', import.meta.url));
const PAGES = /^\/(sign-in|ledger|runs(\/[^/]+)?|receipts(\/(?!recent$)[^/]+)?|(compute|settings)(\/.*)?)?$/;
/** Pages of the service itself, and what browsers and search engines ask for unasked. */
const NOT_OURS = /^\/(share|docs|assets|console|openapi\.json|favicon\.ico|robots\.txt|\.well-known)(\/|$)/;

export const CONSOLE_CSP = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
].join('; ');

const TYPES: Record<string, string> = {
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
  png: 'image/png',
  woff2: 'font/woff2',
};
const ENCODINGS = { br: '.br', gzip: '.gz' } as const;

const NOT_BUILT = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Receipt ledger</title>
<body><h1>The console is not built</h1><p>Run <code>npm run build</code> and start the ledger again. The API is <a href="/docs">described here</a>.</p></body></html>`;

interface File {
  bytes: Buffer;
  content_type: string;
  etag: string;
  /** The same file as a browser may take it, made at build time. */
  compressed: Partial<Record<keyof typeof ENCODINGS, Buffer>>;
}

export function isPage(path: string): boolean {
  return PAGES.test(path);
}

/** Before `authenticate`: a page is sent to whoever asks, signed in or not. */
export function serveConsole(app: App, dist = DIST): void {
  const files = filesIn(dist);
  const index = files.get('/index.html');

  app.addHook('onRequest', async (request, reply) => {
    if (request.method !== 'GET' && request.method !== 'HEAD') return;
    const path = request.url.split('?')[0]!;
    const ours = isPage(path);
    if (!(ours || request.is404) || NOT_OURS.test(path) || !wantsPage(request.headers.accept)) return;
    reply
      .code(ours ? 200 : 404)
      .header('content-security-policy', CONSOLE_CSP)
      .header('referrer-policy', 'same-origin')
      .header('cross-origin-opener-policy', 'same-origin')
      .header('vary', 'accept, accept-encoding');
    if (index === undefined) return reply.code(503).type(TYPES.html!).send(NOT_BUILT);
    return sendFile(request, reply, index, 'no-cache');
  });

  app.get('/console/assets/*', { config: { may: 'public' }, schema: { hide: true } }, async (request, reply) => {
    const file = files.get(request.url.split('?')[0]!);
    if (file === undefined) throw new Refusal('not_found', 'There is no such file.');
    reply.header('vary', 'accept-encoding');
    return sendFile(request, reply, file, 'public, max-age=31536000, immutable');
  });
}

function sendFile({ headers }: FastifyRequest, reply: FastifyReply, file: File, cache: string) {
  reply.header('etag', file.etag).header('cache-control', cache);
  if (headers['if-none-match'] === file.etag && reply.statusCode === 200) return reply.code(304).send();
  reply.type(file.content_type);
  const accepted = String(headers['accept-encoding'] ?? '');
  for (const encoding of Object.keys(ENCODINGS) as (keyof typeof ENCODINGS)[]) {
    const bytes = file.compressed[encoding];
    if (bytes !== undefined && new RegExp(`\\b${encoding}\\b(?!;q=0(\\.0*)?(,|$))`).test(accepted))
      return reply.header('content-encoding', encoding).send(bytes);
  }
  return reply.send(file.bytes);
}

/** Address → file. Read once: a build that comes later is served after the next start. */
function filesIn(dist: string): Map<string, File> {
  const files = new Map<string, File>();
  for (const name of namesIn(dist)) {
    const content_type = TYPES[name.split('.').at(-1)!];
    if (content_type === undefined) continue;
    const bytes = readFileSync(join(dist, name));
    const etag = `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"`;
    files.set(`/${name}`, { bytes, content_type, etag, compressed: compressedOf(join(dist, name)) });
  }
  return files;
}

function compressedOf(path: string): File['compressed'] {
  const found: File['compressed'] = {};
  for (const [encoding, suffix] of Object.entries(ENCODINGS))
    try {
      found[encoding as keyof typeof ENCODINGS] = readFileSync(`${path}${suffix}`);
    } catch {
      // This one is sent as it is.
    }
  return found;
}

function namesIn(dist: string): string[] {
  try {
    return readdirSync(dist, { recursive: true, encoding: 'utf8' });
  } catch {
    return [];
  }
}
