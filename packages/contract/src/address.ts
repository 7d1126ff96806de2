/** Addresses to listen on that cannot be opened: "every address of this machine" (RFC 1122 §3.2.1.3, RFC 4291 §2.5.2). */

/** As URLs spell them; the second and third differ in the bits before the IPv4 address. */
const UNSPECIFIED = new Set(['0.0.0.0', '[::]', '[::ffff:0:0]']);

/** @param host as in a setting or in a URL: `0.0.0.0`, `0`, `0x0`, `::`, `[::0]`, `::ffff:0.0.0.0` … */
export function isUnspecified(host: string): boolean {
  const bracketed = host.includes(':') && !host.startsWith('[') ? `[${host}]` : host;
  const url = `http://${bracketed}`;
  // A URL's own parser knows every spelling of an address.
  return URL.canParse(url) && UNSPECIFIED.has(new URL(url).hostname);
}

/** Where this machine reaches what listens there: loopback instead of an unspecified address. */
export function fromHere(url: string): string {
  if (!URL.canParse(url)) return url;
  const { protocol, hostname, port } = new URL(url);
  if (!UNSPECIFIED.has(hostname)) return url;
  return `${protocol}//${hostname === '[::]' ? '[::1]' : '127.0.0.1'}${port && `:${port}`}`;
}
