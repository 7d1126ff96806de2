/**
 * Names an open router answers to. Without it, a web page whose own name was pointed at this address (DNS rebinding) could
 * call the router from the browser of its visitor. Addresses are allowed, because no one can point them elsewhere; so are names
 * without a dot (localhost, router), because only the own machine and network can assign them.
 */
import { isIP } from 'node:net';
import { refuse } from '../problems.ts';

/** Throws `misdirected_request`. A request without a Host does not come from a browser. */
export function requireOwnName(header: string | undefined, names: ReadonlySet<string>): void {
  if (header === undefined) return;
  const name = nameIn(header);
  if (isIP(name) > 0 || /^[\w-]+$/.test(name) || name.endsWith('.localhost') || names.has(name)) return;
  throw refuse(
    'misdirected_request',
    'This router is open to this machine and does not answer to the host name of this request. Call it by its address or as localhost, or name the host in ROUTER_ALLOWED_HOSTS.',
  );
}

/**
 * A page of another site can make the browser send a request without a body (a form that cancels a job), although it cannot read the answer.
 * Browsers mark such requests. Throws `cross_site`.
 */
export function refuseOtherSites(method: string, site: string | string[] | undefined): void {
  if (site !== 'cross-site' || method === 'GET' || method === 'HEAD') return;
  throw refuse('cross_site', 'This router is open to this machine, not to the pages of other sites.');
}

/** Lower case, without port and brackets, an address in its usual form; empty when it is no host at all. */
function nameIn(header: string): string {
  const url = `http://${header}`;
  return URL.canParse(url) ? new URL(url).hostname.replace(/^\[|\]$|\.$/g, '') : '';
}
