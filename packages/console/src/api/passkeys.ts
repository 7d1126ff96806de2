/** Passkeys as the browser makes and uses them, by its own calls and their JSON forms (Web Authentication Level 3). */
import { ProblemError } from '@rcpt/contract/client/call.ts';
import type { AssertionOptions, CreationOptions } from '@rcpt/contract/ledger/passkeys.ts';

/** In the form that the ledger takes. Throws `ProblemError` with words for a person. */
export async function makePasskey(options: CreationOptions): Promise<object> {
  requirePasskeys(options.rp.id);
  try {
    const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(
      options as PublicKeyCredentialCreationOptionsJSON,
    );
    return answerOf(await navigator.credentials.create({ publicKey }));
  } catch (error) {
    throw inWords(error, options.rp.id);
  }
}

/** As `makePasskey`. */
export async function signWithPasskey(options: AssertionOptions): Promise<object> {
  requirePasskeys(options.rpId);
  try {
    const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options as PublicKeyCredentialRequestOptionsJSON);
    return answerOf(await navigator.credentials.get({ publicKey }));
  } catch (error) {
    throw inWords(error, options.rpId);
  }
}

function answerOf(credential: Credential | null): object {
  if (credential === null) throw new DOMException('nothing was answered', 'NotAllowedError');
  return (credential as PublicKeyCredential).toJSON() as object;
}

/** Where passkeys of this host work: the same page under its name. */
export function addressFor(host: string, { protocol, port }: Pick<Location, 'protocol' | 'port'> = location): string {
  return `${protocol}//${host}${port === '' ? '' : `:${port}`}`;
}

/** Why none work at this address, known without asking: browsers give none to a bare IP address. Null: they may. */
export function whyNoPasskeysHere({ hostname, protocol, port } = location): string | null {
  if (!/^\d+\.\d+\.\d+\.\d+$|^\[/.test(hostname)) return null;
  const name = /^127\.|^\[::1\]$/.test(hostname) ? 'localhost' : 'a-name-of-this-machine';
  return `Passkeys do not work at this address: browsers give them to host names alone. Open the ledger by its name; if it has none yet, its operator starts it with LEDGER_BASE_URL=${addressFor(name, { protocol, port })}, and people open that.`;
}

function requirePasskeys(host: string): void {
  if (location.hostname !== host && !location.hostname.endsWith(`.${host}`)) throw wrongAddress(host);
  if (!isSecureContext)
    throw refused('Passkeys need HTTPS', `This page came over plain HTTP. Open the ledger at its https:// address.`);
  if (typeof PublicKeyCredential === 'undefined' || !('parseCreationOptionsFromJSON' in PublicKeyCredential))
    throw refused('This browser has no passkeys', 'Use a current version of Chrome, Edge, Firefox or Safari.');
}

function wrongAddress(host: string): ProblemError {
  return refused(
    'Passkeys do not work at this address',
    `This ledger’s passkeys belong to ${host}. Open ${addressFor(host)} and sign in there.`,
  );
}

/** What browsers throw, by its name; they do not tell a person who said no from a time that ran out. */
function inWords(error: unknown, host: string): unknown {
  if (!(error instanceof DOMException)) return error;
  switch (error.name) {
    case 'NotAllowedError':
    case 'AbortError':
      return refused(
        'Nothing was signed',
        'It was cancelled, took too long, or no passkey of yours was at hand. Nothing was changed. Try again when you have it.',
      );
    case 'InvalidStateError':
      return refused(
        'This device has your passkey already',
        'It holds a passkey of yours for this organization. Use that one, or another device or security key.',
      );
    case 'NotSupportedError':
    case 'ConstraintError':
      return refused(
        'No authenticator here can do this',
        'It takes one that verifies you, by fingerprint, face or PIN: a phone, a computer with a screen lock, or a security key with a PIN.',
      );
    case 'SecurityError':
      return wrongAddress(host);
    default:
      return refused('The passkey was not used', `The browser says: ${error.message}`);
  }
}

function refused(title: string, detail: string): ProblemError {
  return new ProblemError({ type: 'urn:problem:passkey', title, status: 0, detail, code: 'passkey', request_id: '' });
}
