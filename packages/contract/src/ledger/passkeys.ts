/** Passkeys on the ledger's wire: in the JSON forms of Web Authentication Level 3, so that browsers read and write them by themselves. */
import { z } from 'zod';
import { Instant, Line, Sha256 } from '../wire.ts';
import { PASSKEY_APPROVALS } from '../words.ts';

/** Unpadded. */
const base64url = (most: number) =>
  z
    .string()
    .max(most)
    .regex(/^[A-Za-z0-9_-]*$/, 'must be base64url without padding');
const Bytes = base64url(32_768);
/** WebAuthn allows 1,023 bytes. */
const CredentialId = base64url(1_364).min(1);
const Transports = z.array(z.string().regex(/^[\w-]{1,32}$/)).max(16);
const Credential = z.object({ id: CredentialId, type: z.literal('public-key'), transports: Transports.optional() });

export const PasskeyApprovals = z.enum(PASSKEY_APPROVALS);
export type PasskeyApprovals = z.infer<typeof PasskeyApprovals>;

/** A person's own, in one organization. */
export const Passkey = z.object({
  id: z.string(),
  credential_id: CredentialId.describe('As WebAuthn writes it'),
  name: z.string(),
  algorithm: z.enum(['ES256', 'EdDSA', 'RS256']),
  created_at: Instant,
  last_used_at: Instant.nullable(),
});
export type Passkey = z.infer<typeof Passkey>;
export const PasskeyList = z.object({ passkeys: z.array(Passkey) });
export const PasskeyChange = z.object({ name: Line.max(100) });

/** `PublicKeyCredentialCreationOptionsJSON`. */
export const CreationOptions = z.object({
  challenge: Bytes,
  rp: z.object({ id: z.string(), name: z.string() }),
  user: z.object({ id: Bytes, name: z.string(), displayName: z.string() }),
  pubKeyCredParams: z.array(z.object({ type: z.literal('public-key'), alg: z.int() })),
  timeout: z.int().describe('Milliseconds'),
  excludeCredentials: z.array(Credential),
  authenticatorSelection: z.object({
    residentKey: z.literal('required'),
    requireResidentKey: z.literal(true),
    userVerification: z.literal('required'),
  }),
  attestation: z.literal('none'),
});
export type CreationOptions = z.infer<typeof CreationOptions>;

/** `RegistrationResponseJSON`, and a name of one's own choice. */
export const NewPasskey = z.object({
  id: CredentialId,
  rawId: CredentialId,
  type: z.literal('public-key'),
  response: z.object({ clientDataJSON: Bytes, attestationObject: Bytes, transports: Transports.optional() }),
  name: Line.max(100).optional(),
});
export type NewPasskey = z.infer<typeof NewPasskey>;

/** `PublicKeyCredentialRequestOptionsJSON`, and what is asked. */
export const AssertionOptions = z.object({
  challenge: Bytes.describe('`approved_sha256`, as base64url'),
  rpId: z.string(),
  allowCredentials: z.array(Credential),
  userVerification: z.literal('required'),
  timeout: z.int().describe('Milliseconds'),
  approved_sha256: Sha256.describe('Of the canonical bytes of the block that this approval would fix'),
  approved_at: Instant.describe('The instant that the block may hold; the approval takes it over'),
  expires_at: Instant,
});
export type AssertionOptions = z.infer<typeof AssertionOptions>;

/** `AuthenticationResponseJSON`. */
export const AssertionJson = z.object({
  id: CredentialId,
  response: z.object({ clientDataJSON: Bytes, authenticatorData: Bytes, signature: Bytes }),
});
export type AssertionJson = z.infer<typeof AssertionJson>;

/** Beside a shared receipt (docs/spec.md §5.3). */
export const SharedApproval = z.object({
  approved_sha256: Sha256,
  client_data_json: z.string(),
  authenticator_data: z.string(),
  signature: z.string(),
  public_key_pem: z.string(),
  credential_id: z.string(),
  approver_id: z.string(),
  approver_name: z.string(),
});
