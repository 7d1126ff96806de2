/** Where passkeys of this ledger are good: the host of `LEDGER_BASE_URL` (Web Authentication, §4, relying party identifier). */
import { refuse } from '../problems.ts';

export interface RelyingParty {
  /** A host name. */
  id: string;
  /** Of the pages on which people sign. */
  origin: string;
}

const IN_DIGITS = /^\[|^\d+\.\d+\.\d+\.\d+$/;
const ON_THIS_MACHINE = /^(?:.+\.)?localhost$/;

/** Throws `passkey_address`: browsers give passkeys to names alone, over TLS or on the machine itself. */
export function relyingPartyAt(base_url: string): RelyingParty {
  const { origin, hostname, protocol, port } = new URL(base_url);
  if (IN_DIGITS.test(hostname)) {
    const name = hostname === '127.0.0.1' || hostname === '[::1]' ? 'localhost' : 'a-name-of-this-machine';
    const instead = `${protocol}//${name}${port === '' ? '' : `:${port}`}`;
    throw refuse(
      'passkey_address',
      `Browsers give passkeys to host names alone, and this ledger’s address is ${origin}. The operator starts it with LEDGER_BASE_URL=${instead}, and people open that.`,
      { open_at: instead },
    );
  }
  if (protocol !== 'https:' && !ON_THIS_MACHINE.test(hostname))
    throw refuse(
      'passkey_address',
      `Browsers give passkeys to pages over HTTPS alone, and this ledger’s address is ${origin}. The operator puts TLS in front of it and sets LEDGER_BASE_URL to the https:// address.`,
      { open_at: origin.replace(/^http:/, 'https:') },
    );
  return { id: hostname, origin };
}
