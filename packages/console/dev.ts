/**
 * The development server's view of a ledger: what a browser opens is the console's page, everything else is the API.
 * `LEDGER_URL` says where the ledger is; `RCPT_DEV_KEY` is sent as its credential by those who have no session.
 */
import type { IncomingMessage } from 'node:http';
import type { ProxyOptions } from 'vite';

/** Not ours: Vite's own addresses, and the files it serves. */
const PROXIED = '^/(?!@|src/|node_modules/|index.html|packages/)';

export function ledgerBehind(
  { LEDGER_URL, RCPT_DEV_KEY }: NodeJS.ProcessEnv = process.env,
): Record<string, ProxyOptions> {
  return {
    [PROXIED]: {
      target: LEDGER_URL ?? 'http://127.0.0.1:8080',
      ...(RCPT_DEV_KEY ? { headers: { authorization: `Bearer ${RCPT_DEV_KEY}` } } : {}),
      bypass: (request) => (isPage(request) ? '/index.html' : undefined),
    },
  };
}

/** A page of the console: shared receipts and the API's own description are the ledger's pages. */
function isPage({ headers, url = '' }: IncomingMessage): boolean {
  return headers.accept?.includes('text/html') === true && !/^\/(share|docs)\b/.test(url);
}
