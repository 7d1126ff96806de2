/** An authenticator in software: it enrols and signs as Web Authentication says, and does wrong where it is told to. */
import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';

export type Algorithm = 'ES256' | 'EdDSA' | 'RS256';

const COSE = { ES256: -7, EdDSA: -8, RS256: -257 };

export interface SignChange {
  type?: string;
  challenge?: string;
  origin?: string;
  cross_origin?: boolean;
  rp_id?: string;
  /** Of the authenticator data; user present and verified without it. */
  flags?: number;
  sign_count?: number;
}

export interface SoftPasskey {
  algorithm: Algorithm;
  credential_id: string;
  public_key_pem: string;
  private_key: KeyObject;
  /** What `navigator.credentials.create` answers, in its JSON form. */
  enrol(options: { challenge: string }, change?: SignChange): Record<string, unknown>;
  /** What `navigator.credentials.get` answers, in its JSON form. */
  assert(challenge: string, change?: SignChange): SoftAssertion;
}

export interface SoftAssertion {
  id: string;
  rawId: string;
  type: string;
  clientExtensionResults: object;
  response: { clientDataJSON: string; authenticatorData: string; signature: string; userHandle?: string };
}

const UP_UV = 0x05;
const ATTESTED = 0x40;

/** @param origin of the page, e.g. `http://localhost:8080` */
export function softPasskey(origin: string, algorithm: Algorithm = 'ES256', counts = false): SoftPasskey {
  const { publicKey, privateKey } = pairOf(algorithm);
  const id = randomBytes(20);
  const credential_id = id.toString('base64url');
  let count = 0;
  const dataOf = (
    { rp_id = new URL(origin).hostname, flags = UP_UV, sign_count }: SignChange,
    more = Buffer.alloc(0),
  ) => {
    if (counts) count++;
    const counter = Buffer.alloc(4);
    counter.writeUInt32BE(sign_count ?? count);
    return Buffer.concat([sha256(Buffer.from(rp_id)), Buffer.from([flags]), counter, more]);
  };
  const clientData = (type: string, challenge: string, change: SignChange) =>
    Buffer.from(
      JSON.stringify({
        type: change.type ?? type,
        challenge: change.challenge ?? challenge,
        origin: change.origin ?? origin,
        crossOrigin: change.cross_origin ?? false,
      }),
    );
  const credential = { id: credential_id, rawId: credential_id, type: 'public-key', clientExtensionResults: {} };
  return {
    algorithm,
    credential_id,
    public_key_pem: publicKey.export({ type: 'spki', format: 'pem' }) as string,
    private_key: privateKey,
    enrol({ challenge }, change = {}) {
      const client_data = clientData('webauthn.create', challenge, change);
      const length = Buffer.alloc(2);
      length.writeUInt16BE(id.length);
      const attested = Buffer.concat([Buffer.alloc(16), length, id, cbor(coseOf(algorithm, publicKey))]);
      const data = dataOf({ ...change, flags: (change.flags ?? UP_UV) | ATTESTED }, attested);
      const object = cbor(
        new Map<unknown, unknown>([
          ['fmt', 'none'],
          ['attStmt', new Map()],
          ['authData', data],
        ]),
      );
      return {
        ...credential,
        response: {
          clientDataJSON: client_data.toString('base64url'),
          attestationObject: object.toString('base64url'),
          transports: ['internal'],
        },
      };
    },
    assert(challenge, change = {}) {
      const client_data = clientData('webauthn.get', challenge, change);
      const data = dataOf(change);
      const signature = sign(
        algorithm === 'EdDSA' ? null : 'sha256',
        Buffer.concat([data, sha256(client_data)]),
        privateKey,
      );
      return {
        ...credential,
        response: {
          clientDataJSON: client_data.toString('base64url'),
          authenticatorData: data.toString('base64url'),
          signature: signature.toString('base64url'),
        },
      };
    },
  };
}

function pairOf(algorithm: Algorithm) {
  if (algorithm === 'ES256') return generateKeyPairSync('ec', { namedCurve: 'P-256' });
  if (algorithm === 'EdDSA') return generateKeyPairSync('ed25519');
  return generateKeyPairSync('rsa', { modulusLength: 2048 });
}

function coseOf(algorithm: Algorithm, key: KeyObject): Map<unknown, unknown> {
  const { x = '', y = '', n = '', e = '' } = key.export({ format: 'jwk' }) as Record<string, string>;
  const bytes = (text: string) => Buffer.from(text, 'base64url');
  const head: [unknown, unknown][] = [[3, COSE[algorithm]]];
  if (algorithm === 'ES256') return new Map([[1, 2], ...head, [-1, 1], [-2, bytes(x)], [-3, bytes(y)]]);
  if (algorithm === 'EdDSA') return new Map([[1, 1], ...head, [-1, 6], [-2, bytes(x)]]);
  return new Map([[1, 3], ...head, [-1, bytes(n)], [-2, bytes(e)]]);
}

/** What an attestation is written in: integers, bytes, texts, maps. */
function cbor(value: unknown): Buffer {
  if (typeof value === 'number') return value < 0 ? headOf(1, -1 - value) : headOf(0, value);
  if (typeof value === 'string') return Buffer.concat([headOf(3, Buffer.byteLength(value)), Buffer.from(value)]);
  if (Buffer.isBuffer(value)) return Buffer.concat([headOf(2, value.length), value]);
  const entries = [...(value as Map<unknown, unknown>)];
  return Buffer.concat([headOf(5, entries.length), ...entries.flatMap(([key, one]) => [cbor(key), cbor(one)])]);
}

function headOf(major: number, length: number): Buffer {
  if (length < 24) return Buffer.from([(major << 5) | length]);
  if (length < 256) return Buffer.from([(major << 5) | 24, length]);
  return Buffer.from([(major << 5) | 25, length >> 8, length & 255]);
}

function sha256(bytes: Buffer): Buffer {
  return createHash('sha256').update(bytes).digest();
}
