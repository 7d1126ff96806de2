/** The vectors of approvals that a passkey signed (docs/spec.md §5.3): receipt, approval, activity, and what a verifier answers. */
import { createHash, createPrivateKey, createPublicKey, sign } from 'node:crypto';
import { approvedSha256 } from '../packages/proof/src/approval/approved-block.ts';
import type { ApprovalFile } from '../packages/proof/src/approval/approval.ts';
import { formatPublicKey, publicKeySha256 } from '../packages/proof/src/approval/public-key.ts';
import { GENESIS_HASH, type JsonObject, seal } from '../packages/proof/src/index.ts';
import { fromBase64, toBase64 } from '../packages/proof/src/log/bytes.ts';

export interface ApprovalVector {
  story: string;
  receipt: string;
  approval: string;
  /** An export of the organization's activity. */
  activity?: string;
  /** Where the reader says that it was signed. */
  origin?: string;
  algorithm?: string;
  /** The code with which it is refused. */
  refused?: string;
}

const ORIGIN = 'https://ledger.example';
const ADA = { approver_id: 'user_0190a1b2c3d40190a1b2c3d40190a1b2', approver_name: 'Ada Lovelace' };
/** User present and verified, a passkey that may be copied and was. */
const FLAGS = 0x1d;

// ECDSA and RSA keys that signed once: what they signed is written down here, since ECDSA signs differently each time.
const P256 = 'MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE7+AX96Kg4iYPFSUezSHvbg4gClACHID3JUlDVLs3BmmWCYKvBv+rEemgSojn2htDQfsGHCBfdC8cktLKI/BxhQ==';
const P256_SIGNED = 'MEUCID7pLnMA/BwNM0W2maYUcrZB/kHLKmyc/axw06P7L3vuAiEAt6hiVEZVSVnq4l7HvQLTPF/WPBb6821raXxoxX2Ieco=';
const RSA =
  'MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEApUxa7YN1AFA8Hnn41XUanIYbU8lXulaFIxW7MPUIueEF3lfdqs3S/cTEZuyynzraNweKpxvO7gsp3Ok+VdNboA7Bvrl1waZgDtTbj+z5liTJeYnTN6Q+ZzKntLrzUhVlRHlHgdEA1lhyhzCn4hI5wIergRYZOcq5DJTAClcH+s5PjrLtU80N8OU7xLPXgtqO3F5vL6BqLV1RSHbK3JCuj0TJB/NyVkOQUIIgublIa2cC0LsuLRYmFNQKaaAI5+YdYJ+/sn4oDKeRaT6CLUdPKQsUOzvWJS/uigKskSKzbH92n/QmWTl+2YlX+qnRaeHBCVTon9hyT+4fHKmftM7VqwIDAQAB';
const RSA_SIGNED =
  'fCTM3khWrByKiPFX6P+2qVfp+1CnhjFjMwLL3caAwO5cw8KPqsF6cCnp6um9Mek2Sc/+BKF3jLbQjWcEuxk0Id7CjsAguftEjvGt0ThpQg7/pCFthMpwukVwLvWkISbxLFUy3qiHLevdFEKtaS/ZPXplgNLl8jDZgPhIfg1wAPG5oWvAEOgvzsuf9TnaCSqDtPhvT3T64KoPuB7TAN20SmRlwSPOl0yfmEndaeD8Hj0b0vPDR1KKIcg1ykpLW0w3tG/Agtbze9BE2/hWPWvr6LUB7cf7vVx5NDLzbYqRulZLQ9wi14VlEqeCQUW1Vs9gnGlLAoI0UeTkP9ucSgI+uw==';

interface Change {
  type?: string;
  challenge?: string;
  origin?: string;
  crossOrigin?: boolean;
  host?: string;
  flags?: number;
  more?: string;
}

/** Of a seed: Ed25519 signs the same bytes always the same way. */
function passkey(seed: number) {
  const der = Buffer.concat([Buffer.from('302e020100300506032b657004220420', 'hex'), Buffer.alloc(32, seed)]);
  const key = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
  const public_key_pem = createPublicKey(key).export({ type: 'spki', format: 'pem' }) as string;
  return { key, public_key_pem, credential_id: Buffer.alloc(16, seed).toString('base64url') };
}
const own = passkey(1);
const another = passkey(2);

function signed(receipt: string, change: Change = {}, by = own): ApprovalFile {
  const approved_sha256 = approvedSha256(JSON.parse(receipt));
  const client_data = Buffer.from(
    JSON.stringify({
      type: change.type ?? 'webauthn.get',
      challenge: Buffer.from(change.challenge ?? approved_sha256, 'hex').toString('base64url'),
      origin: change.origin ?? ORIGIN,
      crossOrigin: change.crossOrigin ?? false,
    }),
  );
  const host = change.host ?? new URL(ORIGIN).hostname;
  const data = Buffer.concat([sha256(host), Buffer.from([change.flags ?? FLAGS, 0, 0, 0, 0]), Buffer.from(change.more ?? '', 'hex')]);
  const { public_key_pem, credential_id } = by;
  return {
    approved_sha256,
    client_data_json: client_data.toString('base64'),
    authenticator_data: data.toString('base64'),
    signature: sign(null, Buffer.concat([data, sha256(client_data)]), by.key).toString('base64'),
    public_key_pem,
    credential_id,
    ...ADA,
  };
}

function sha256(data: string | Buffer): Buffer {
  return createHash('sha256').update(data).digest();
}

type Line = [kind: string, at: string, who: string, by: typeof own, credential_id?: string];

/** A chain of the organization's activity. */
function activityOf(...lines: Line[]): string {
  let parent_hash = GENESIS_HASH;
  return lines
    .map(([kind, created_at, id, by, credential_id = by.credential_id], org_seq) => {
      const member = { id, name: ADA.approver_name };
      const details = { member, passkey: { id: credential_id, name: 'Laptop' }, public_key_sha256: publicKeySha256(by.public_key_pem) };
      const { canonical, receipt_sha256 } = seal({
        schema: 'service.activity-receipt/v1',
        receipt_id: `ACT-${String(org_seq).padStart(6, '0')}`,
        org_seq,
        parent_hash,
        created_at,
        organization: { id: 'org_1', name: 'Example Laboratories' },
        activity: { kind, by: member, details },
        share_url: '',
      });
      parent_hash = receipt_sha256;
      return `${canonical}\n`;
    })
    .join('');
}

/** @param texts the chain of six */
export function approvalVectors(texts: string[]): ApprovalVector[] {
  const receipt = texts.find((text) => text.includes('"schema":"service.receipt/v1"'))!;
  const file = signed(receipt);
  const vectors: ApprovalVector[] = [];
  const add = (story: string, approval: object | string, more: Partial<ApprovalVector> = {}) =>
    vectors.push({ story, receipt, approval: typeof approval === 'string' ? approval : JSON.stringify(approval), ...more });
  const refuse = (refused: string, story: string, approval: object | string, more: Partial<ApprovalVector> = {}) =>
    add(story, approval, { refused, ...more });
  const flip = (base64: string, at: number) => {
    const bytes = fromBase64(base64)!;
    bytes[at] = bytes[at]! ^ 1;
    return toBase64(bytes);
  };
  const pemOf = (spki: string) => formatPublicKey({ spki: fromBase64(spki)! });

  add('Ed25519', file, { algorithm: 'EdDSA' });
  add('P-256', { ...file, public_key_pem: pemOf(P256), signature: P256_SIGNED }, { algorithm: 'ES256' });
  add('RSA', { ...file, public_key_pem: pemOf(RSA), signature: RSA_SIGNED }, { algorithm: 'RS256' });
  add('with members that the reader does not know', { ...file, later: 1 }, { algorithm: 'EdDSA' });
  add('with extensions', signed(receipt, { flags: FLAGS | 0x80, more: 'a0' }), { algorithm: 'EdDSA' });
  for (const text of texts) {
    const { schema } = JSON.parse(text) as { schema: string };
    if (text !== receipt) add(schema, signed(text), { receipt: text, algorithm: 'EdDSA' });
  }
  const moved = signed(receipt, { origin: 'https://before.example', host: 'before.example' });
  add('signed at another address, which the reader names', moved, { origin: 'https://before.example', algorithm: 'EdDSA' });

  refuse('receipt_altered', 'beside an altered receipt', file, { receipt: receipt.replace('"score_100":100', '"score_100":99') });
  refuse('not_an_approval', 'not JSON', 'approval');
  refuse('not_an_approval', 'without a member', { ...file, signature: undefined });
  refuse('not_an_approval', 'base64url in the place of base64', { ...file, signature: file.signature.replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '') });
  refuse('wrong_approved_sha256', 'of another receipt', signed(texts.find((text) => text !== receipt)!));
  refuse('wrong_approved_sha256', 'the note exchanged after the passkey signed', file, { receipt: resealed(receipt, { note: 'Not compared.' }) });
  refuse('wrong_approver', 'another approver', { ...file, approver_id: 'user_1' });
  refuse('wrong_approver', 'another name', { ...file, approver_name: 'Eve' });
  refuse('invalid_key', 'a key that is none', { ...file, public_key_pem: file.public_key_pem.replace('MCow', 'MCox') });
  refuse('not_an_assertion', 'made to enrol', signed(receipt, { type: 'webauthn.create' }));
  refuse('not_an_assertion', 'with a key in it', signed(receipt, { flags: FLAGS | 0x40 }));
  refuse('not_an_assertion', 'too long', signed(receipt, { more: 'a0' }));
  refuse('not_an_assertion', 'client data that is no JSON', { ...file, client_data_json: 'e30x' });
  refuse('wrong_challenge', 'over other bytes', signed(receipt, { challenge: 'ab'.repeat(32) }));
  refuse('wrong_origin', 'asked by another page', signed(receipt, { origin: 'https://ledger.example.evil.test' }));
  refuse('wrong_origin', 'asked from a frame of another site', signed(receipt, { crossOrigin: true }));
  refuse('wrong_origin', 'signed at another address', moved);
  refuse('wrong_relying_party', 'for another host', signed(receipt, { host: 'example' }));
  refuse('user_not_verified', 'without verification of the person', signed(receipt, { flags: 0x01 }));
  refuse('user_not_verified', 'without the person', signed(receipt, { flags: 0x04 }));
  refuse('bad_signature', 'a bit of the signature', { ...file, signature: flip(file.signature, 9) });
  refuse('bad_signature', 'the counter', { ...file, authenticator_data: flip(file.authenticator_data, 36) });
  refuse('bad_signature', 'by another key', { ...file, public_key_pem: another.public_key_pem });
  refuse('bad_signature', 'P-256 with a byte after it', { ...file, public_key_pem: pemOf(P256), signature: toBase64(Uint8Array.from([...fromBase64(P256_SIGNED)!, 0])) });

  const [early, late] = ['2026-05-29T20:00:00.000Z', '2026-05-29T20:02:00.000Z'];
  const enrolled: Line = ['passkey_enrolled', early, ADA.approver_id, own];
  add('enrolled before', file, { activity: activityOf(enrolled), algorithm: 'EdDSA' });
  add('removed afterwards', file, { activity: activityOf(enrolled, ['passkey_removed', late, ADA.approver_id, own]), algorithm: 'EdDSA' });
  refuse('key_not_enrolled', 'never enrolled', file, { activity: activityOf(['passkey_enrolled', early, ADA.approver_id, another]) });
  refuse('key_not_enrolled', 'enrolled afterwards', file, { activity: activityOf(['passkey_enrolled', late, ADA.approver_id, own]) });
  refuse('key_replaced', 'another key under its id', file, { activity: activityOf(['passkey_enrolled', early, ADA.approver_id, another, own.credential_id]) });
  refuse('key_of_another', 'enrolled by somebody else', file, { activity: activityOf(['passkey_enrolled', early, 'user_1', own]) });
  refuse('key_removed', 'removed before', file, { activity: activityOf(enrolled, ['passkey_removed', early, ADA.approver_id, own]) });
  refuse('activity_broken', 'an activity that was altered', file, { activity: activityOf(enrolled).replace('Laptop', 'Tablet') });
  refuse('activity_broken', 'an empty activity', file, { activity: '' });
  return vectors;
}

/** The receipt with another approval, sealed anew. */
function resealed(receipt: string, change: object): string {
  const { receipt_sha256: _, ...payload } = JSON.parse(receipt) as JsonObject;
  return seal({ ...payload, approval: { ...(payload.approval as object), ...change } }).canonical;
}
