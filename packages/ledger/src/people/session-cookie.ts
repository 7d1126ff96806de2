/** The cookie of a session. Its value is the session's token: 256 random bits, of which the database has only the hash. */
import { SESSION_SECONDS } from './sessions.ts';

/** As `newSecret` makes it. No API key has this shape: neither is ever taken for the other. */
const SESSION_TOKEN = /^[\w-]{43}$/;

export interface SessionCookie {
  name: string;
  /** The cookie of a `Cookie` header; null when it brings none. It may be anything: `isSessionToken` says what to look up. */
  valueIn(header: string | undefined): string | null;
  /** The `Set-Cookie` line that gives a browser its session. */
  give(token: string): string;
  /** The `Set-Cookie` line that makes a browser forget its session. */
  takeBack: string;
}

/** @param secure the ledger is reached over https: the cookie travels over nothing else */
export function sessionCookie(secure: boolean): SessionCookie {
  // RFC 6265bis: no page of a neighbouring subdomain can set a `__Host-` cookie for this host.
  const name = `${secure ? '__Host-' : ''}rcpt_session`;
  const line = (value: string, max_age: number) =>
    `${name}=${value}; Max-Age=${max_age}; Path=/; HttpOnly;${secure ? ' Secure;' : ''} SameSite=Lax`;
  return {
    name,
    valueIn(header = '') {
      const pairs = header.split(';').map(withoutBlanks);
      return pairs.find((pair) => pair.startsWith(`${name}=`))?.slice(name.length + 1) ?? null;
    },
    give: (token) => line(token, SESSION_SECONDS),
    takeBack: line('', 0),
  };
}

export function isSessionToken(value: string): boolean {
  return SESSION_TOKEN.test(value);
}

/**
 * RFC 6265: blanks are space and tab. `trim` takes off more: a neighbouring subdomain could set a cookie whose name is a
 * no-break space and ours, which no browser takes for a `__Host-` cookie, and it would be read as ours.
 */
function withoutBlanks(pair: string): string {
  return pair.replace(/^[ \t]+|[ \t]+$/g, '');
}
