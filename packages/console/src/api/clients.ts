/** The services as this page calls them: the ledger that it came from, and the router behind it. The session's cookie goes along by itself. */
import { ledgerClient } from '@rcpt/contract/client/ledger.ts';
import { routerClient } from '@rcpt/contract/client/router.ts';

export const OWN = { base_url: '' };
export const ledger = ledgerClient(OWN);
export const router = routerClient({ base_url: '/router' });

/** Printable and unguessable; `crypto.randomUUID` would want HTTPS. */
export function newKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');
}
