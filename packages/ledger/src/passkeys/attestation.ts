/**
 * What an authenticator answers when a passkey is made, read by `@simplewebauthn/server`. It is loaded with the first passkey: most ledgers
 * never need it. Attestation is not asked for: a statement with certificates is refused before it is read, for the library
 * would fetch revocation lists from addresses that stand in them.
 */
import { createPublicKey, type JsonWebKey } from 'node:crypto';
import type { NewPasskey } from '@rcpt/contract/ledger/passkeys.ts';
import { formatPublicKey, type PasskeyKey, publicKeyOf } from '@rcpt/proof/approval/public-key.ts';
import { ProofError } from '@rcpt/proof/error.ts';
import { refuse } from '../problems.ts';
import type { RelyingParty } from './relying-party.ts';

/** ES256, EdDSA, RS256. */
export const ALGORITHM_IDS = [-7, -8, -257];
const LONGEST_RSA_BITS = 4096;

export interface EnrolledKey {
  credential_id: string;
  algorithm: PasskeyKey['algorithm'];
  public_key_pem: string;
  sign_count: number;
}

/** Throws `passkey_invalid`. */
export async function readAttestation(
  { id, rawId, type, response }: NewPasskey,
  expected: RelyingParty & { challenge: string },
): Promise<EnrolledKey> {
  const { verifyRegistrationResponse } = await import('@simplewebauthn/server');
  const { decodeAttestationObject, decodeCredentialPublicKey } = await import('@simplewebauthn/server/helpers');
  try {
    const statement = decodeAttestationObject(bytesOf(response.attestationObject));
    if (!['none', 'packed'].includes(statement.get('fmt')) || statement.get('attStmt').get('x5c') !== undefined)
      throw invalid('it names its maker, which was not asked for');
    const { verified, registrationInfo } = await verifyRegistrationResponse({
      response: {
        id,
        rawId,
        type,
        response: { clientDataJSON: response.clientDataJSON, attestationObject: response.attestationObject },
        clientExtensionResults: {},
      },
      expectedChallenge: expected.challenge,
      expectedOrigin: expected.origin,
      expectedRPID: expected.id,
      requireUserVerification: true,
      supportedAlgorithmIDs: ALGORITHM_IDS,
    });
    if (!verified) throw invalid('its own signature does not hold');
    const { credential } = registrationInfo;
    if (credential.id !== id) throw invalid('it has two ids');
    const cose = decodeCredentialPublicKey(credential.publicKey) as unknown as Map<number, Uint8Array | number>;
    const key = spkiOf(cose);
    return {
      credential_id: credential.id,
      algorithm: key.algorithm,
      public_key_pem: formatPublicKey(key),
      sign_count: credential.counter,
    };
  } catch (error) {
    // What the library finds wrong it throws as a plain Error: all that it read came from the caller.
    if (error instanceof ProofError) throw invalid(error.reason);
    if (error instanceof Error && error.name !== 'Refusal') throw invalid(error.message);
    throw error;
  }
}

/** COSE_Key (RFC 9052, §7) → SubjectPublicKeyInfo. */
function spkiOf(cose: Map<number, Uint8Array | number>): PasskeyKey {
  const text = (label: number) => Buffer.from(cose.get(label) as Uint8Array).toString('base64url');
  const kinds: Record<number, (() => JsonWebKey) | undefined> = {
    1: () => ({ kty: 'OKP', crv: 'Ed25519', x: text(-2) }),
    2: () => ({ kty: 'EC', crv: 'P-256', x: text(-2), y: text(-3) }),
    3: () => ({ kty: 'RSA', n: text(-1), e: text(-2) }),
  };
  const jwk = kinds[cose.get(1) as number]?.();
  if (jwk === undefined) throw invalid('its public key is of another kind');
  const key = createPublicKey({ key: jwk, format: 'jwk' });
  const bits = key.asymmetricKeyDetails?.modulusLength;
  if (bits !== undefined && (bits < 2048 || bits > LONGEST_RSA_BITS))
    throw invalid(`an RSA key has 2048 to ${LONGEST_RSA_BITS} bits`);
  return publicKeyOf(new Uint8Array(key.export({ type: 'spki', format: 'der' })));
}

function bytesOf(base64url: string) {
  return new Uint8Array(Buffer.from(base64url, 'base64url'));
}

function invalid(reason: string) {
  return refuse('passkey_invalid', `The passkey was not enrolled: ${reason.slice(0, 300)}.`);
}
