/**
 * The web console, built by `npm run build`. One address is a page to a person and JSON to a program: what names
 * text/html first gets the console, which then asks the API as every client does. Nothing here needs a credential.
 */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import fastifyStatic from '@fastify/static';
import { Refusal } from '@rcpt/service/error.ts';
import type { App } from '@rcpt/service/http/app.ts';
import { acceptsHtml } from './accepts-html.ts';

const DIST = fileURLToPath(new URL('../../../console/dist/', import.meta.url));
const PAGES = /^\/(sign-in|ledger|activity|runs(\/[^/]+)?|receipts(\/(?!recent$)[^/]+)?|(compute|settings)(\/.*)?)?$/;
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

/** What a build makes but its compressed copies, which are sent in place of these. Each name holds a hash of its content. */
const ASSET = /^[\w-]+(\.[\w-]+)*\.(js|css|svg|png|woff2)$/;
const A_YEAR_MS = 31_536_000_000;

const NOT_BUILT = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Receipt ledger</title>
<body><h1>The console is not built</h1><p>Run <code>npm run build</code> and start the ledger again. The API is <a href="/docs">described here</a>.</p></body></html>`;

export function isPage(path: string): boolean {
  return PAGES.test(path);
}

/** Before `authenticate`: a page is sent without asking for a credential. */
export function serveConsole(app: App, dist = DIST): void {
  // A build that comes later is served after the next start.
  const etag = etagOf(join(dist, 'index.html'));
  app.register(fastifyStatic, { root: dist, serve: false, preCompressed: true, acceptRanges: false });

  app.addHook('onRequest', async (request, reply) => {
    if (request.method !== 'GET' && request.method !== 'HEAD') return;
    const path = request.url.split('?')[0]!;
    const ours = isPage(path);
    if (!(ours || request.is404) || NOT_OURS.test(path) || !acceptsHtml(request.headers.accept)) return;
    reply
      .code(ours ? 200 : 404)
      .header('content-security-policy', CONSOLE_CSP)
      .header('referrer-policy', 'same-origin')
      .header('cross-origin-opener-policy', 'same-origin')
      .header('vary', 'accept, accept-encoding');
    if (etag === null) return reply.code(503).type('text/html; charset=utf-8').send(NOT_BUILT);
    reply.header('etag', etag).header('cache-control', 'no-cache');
    if (ours && request.headers['if-none-match'] === etag) return reply.code(304).send();
    return reply.sendFile('index.html', { cacheControl: false, etag: false, lastModified: false });
  });

  app.get('/console/assets/:name', { config: { may: 'public' }, schema: { hide: true } }, async (request, reply) => {
    const { name } = request.params as { name: string };
    if (!ASSET.test(name)) throw new Refusal('not_found', 'There is no such file.');
    return reply.sendFile(`console/assets/${name}`, { maxAge: A_YEAR_MS, immutable: true });
  });
}

/**
 * Of its content: two builds may have the same size and, out of an archive, the same time. Null where there is no such file.
 */
function etagOf(path: string): string | null {
  if (!existsSync(path)) return null;
  return `"${createHash('sha256').update(readFileSync(path)).digest('base64url').slice(0, 22)}"`;
}
