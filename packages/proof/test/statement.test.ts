/** Statements, as we make and read them, and as `@sigstore/verify` does, which nobody here wrote. */
import assert from 'node:assert/strict';
import { createPublicKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { assertBundleLatest, bundleFromJSON } from '@sigstore/bundle';
import { toSignedEntity, toTrustMaterial, Verifier } from '@sigstore/verify';
import type { ProofErrorCode } from '../src/error.ts';
import { toBase64 } from '../src/log/bytes.ts';
import {
  BUNDLE_TYPE,
  bundleOf,
  keyHint,
  openStatement,
  PREDICATE_TYPE,
  preAuthEncoding,
  publicKeyPem,
  signedBytesOf,
  statementOf,
  verifyStatement,
} from '../src/statement.ts';
import { flipped } from './log/tree.ts';

const LOG = 'ledger.example/org/org_1';
const receipt = new Uint8Array(readFileSync('vectors/valid/receipt--generic.json'));
const { receipt_id, receipt_sha256 } = JSON.parse(new TextDecoder().decode(receipt));

function signer() {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  return { key: new Uint8Array(publicKey.export({ type: 'spki', format: 'der' }).subarray(-32)), privateKey };
}

const organization = signer();
const stranger = signer();
const signed = (statement: Uint8Array, by: { key: Uint8Array; privateKey: KeyObject } = organization) =>
  bundleOf(statement, by.key, new Uint8Array(sign(null, signedBytesOf(statement), by.privateKey)));
const statement = statementOf(receipt, LOG);
const bundle = signed(statement);

function refused(code: ProofErrorCode, attempt: () => Promise<unknown>): Promise<void> {
  return assert.rejects(attempt, { name: 'ProofError', code });
}

/** The payload of the bundle changed, signed again by the organization. */
function withPayload(change: (payload: Record<string, unknown>) => void): string {
  const payload = JSON.parse(new TextDecoder().decode(statement));
  change(payload);
  return signed(new TextEncoder().encode(JSON.stringify(payload)));
}

describe('a statement', () => {
  test('says which receipt, by its hash, and is the same bytes each time', () => {
    const { _type, subject, predicateType, predicate } = JSON.parse(new TextDecoder().decode(statement));
    assert.deepEqual([_type, predicateType], ['https://in-toto.io/Statement/v1', PREDICATE_TYPE]);
    assert.deepEqual(subject, [{ name: receipt_id, digest: { sha256: receipt_sha256 } }]);
    assert.deepEqual([predicate.log, predicate.org_seq], [LOG, JSON.parse(new TextDecoder().decode(receipt)).org_seq]);
    assert.deepEqual(statementOf(receipt, LOG), statement);
    assert.equal(signed(statement), bundle);
  });

  test('is not made of a receipt that does not verify', () => {
    const altered = new TextDecoder().decode(receipt).replace('"title":"', '"title":"Not ');
    assert.throws(() => statementOf(altered, LOG), { code: 'not_a_statement' });
  });

  test('is read back with the key that signed it, among others', async () => {
    const read = await verifyStatement(bundle, receipt, [stranger.key, organization.key]);
    assert.deepEqual([read.receipt_id, read.receipt_sha256, read.key], [receipt_id, receipt_sha256, organization.key]);
  });

  test('PAE is that of the DSSE specification', () => {
    const text = new TextDecoder().decode(
      preAuthEncoding('http://example.com/HelloWorld', new TextEncoder().encode('hello world')),
    );
    assert.equal(text, 'DSSEv1 29 http://example.com/HelloWorld 11 hello world');
  });

  test('of another key, of another receipt, or changed by a bit does not verify', async () => {
    await refused('bad_signature', () => openStatement(bundle, [stranger.key]));
    await refused('bad_signature', () => openStatement(bundle, []));
    const other = new Uint8Array(readFileSync('vectors/valid/receipt--eval.json'));
    await refused('not_a_statement', () => verifyStatement(bundle, other, [organization.key]));
    const envelope = JSON.parse(bundle);
    for (let bit = 0; bit < statement.length * 8; bit += 37) {
      envelope.dsseEnvelope.payload = toBase64(flipped(statement, bit));
      await refused('bad_signature', () => openStatement(JSON.stringify(envelope), [organization.key]));
    }
    const whole = JSON.parse(bundle);
    const sig = new Uint8Array(Buffer.from(whole.dsseEnvelope.signatures[0].sig, 'base64'));
    for (let bit = 0; bit < sig.length * 8; bit++) {
      whole.dsseEnvelope.signatures[0].sig = toBase64(flipped(sig, bit));
      await refused('bad_signature', () => openStatement(JSON.stringify(whole), [organization.key]));
    }
  });

  test('of another form is refused, also where the key has signed it', async () => {
    const hostile = [
      '',
      '[]',
      '{}',
      bundle.slice(0, -1),
      bundle.replace(BUNDLE_TYPE, 'application/vnd.dev.sigstore.bundle+json;version=0.1'),
      bundle.replace('"signatures":[', '"signatures":[{},'),
      bundle.replace(/"sig":"/, '"sig":"='),
      bundle.replace('{"mediaType"', '{"mediaType":"x","mediaType"'),
      `${' '.repeat(100_001)}${bundle}`,
      withPayload((payload) => Object.assign(payload, { _type: 'https://in-toto.io/Statement/v0.1' })),
      withPayload((payload) => Object.assign(payload, { predicateType: 'https://slsa.dev/provenance/v1' })),
      withPayload((payload) => Object.assign(payload, { subject: [] })),
      withPayload((payload) =>
        Object.assign(payload, { subject: [{ name: receipt_id, digest: { sha512: receipt_sha256 } }] }),
      ),
      withPayload((payload) => Object.assign(payload, { subject: [{ name: receipt_id, digest: { sha256: 'AB' } }] })),
      withPayload((payload) => Object.assign(payload, { predicate: null })),
      signed(new TextEncoder().encode('not JSON')),
    ];
    for (const text of hostile) await refused('not_a_statement', () => openStatement(text, [organization.key]));
  });
});

describe('@sigstore/verify', () => {
  const find = (known: Uint8Array[]) => (hint: string) => {
    const key = known.find((one) => keyHint(one) === hint);
    if (key === undefined) throw new Error('unknown key');
    return { publicKey: createPublicKey(publicKeyPem(key)), validFor: () => true };
  };
  /** No log of Sigstore's and no time stamp: the organization's own key is what is trusted. */
  const verify = (text: string, known: Uint8Array[]) => {
    const parsed = bundleFromJSON(JSON.parse(text));
    assertBundleLatest(parsed);
    const trusted = toTrustMaterial(
      { mediaType: '', tlogs: [], ctlogs: [], certificateAuthorities: [], timestampAuthorities: [] } as never,
      find(known),
    );
    const verifier = new Verifier(trusted, { tlogThreshold: 0, ctlogThreshold: 0, timestampThreshold: 0 });
    return verifier.verify(toSignedEntity(parsed));
  };

  test('accepts the bundle with the key of the organization', () => {
    const { key } = verify(bundle, [stranger.key, organization.key]);
    assert.deepEqual(key.export({ type: 'spki', format: 'pem' }), publicKeyPem(organization.key));
  });

  test('refuses another key, another statement and another signature', () => {
    assert.throws(() => verify(bundle, [stranger.key]), /unknown key/);
    const other = statementOf(new Uint8Array(readFileSync('vectors/valid/receipt--eval.json')), LOG);
    const { dsseEnvelope, ...rest } = JSON.parse(bundle);
    const exchanged = { ...rest, dsseEnvelope: { ...dsseEnvelope, payload: toBase64(other) } };
    assert.throws(() => verify(JSON.stringify(exchanged), [organization.key]), { code: 'SIGNATURE_ERROR' });
    const forged = JSON.parse(signed(statement, stranger));
    forged.verificationMaterial.publicKey.hint = keyHint(organization.key);
    assert.throws(() => verify(JSON.stringify(forged), [organization.key]), { code: 'SIGNATURE_ERROR' });
  });
});
