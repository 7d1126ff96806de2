import assert from 'node:assert/strict';
import { createHash, generateKeyPairSync } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { temporaryFolder } from '../../../../test/kit/folders.ts';
import { opensslHolds } from '../../../../test/kit/openssl.ts';
import { type Algorithm, type SignChange, softPasskey } from '../../../../test/kit/passkey.ts';
import { type ApprovalFile, verifyApproval } from '../../src/approval/approval.ts';
import { approvedBlock, approvedSha256 } from '../../src/approval/approved-block.ts';
import { rawOfDer } from '../../src/approval/public-key.ts';
import { canonicalize, type JsonObject } from '../../src/canonical.ts';
import type { ProofErrorCode } from '../../src/error.ts';
import { APPROVER, approvalOf, approvedPayload, challengeOf, fileOf, ORIGIN, receiptOf } from '../kit/approvals.ts';

const ALGORITHMS: Algorithm[] = ['ES256', 'EdDSA', 'RS256'];
const PASSKEYS = Object.fromEntries(ALGORITHMS.map((one) => [one, softPasskey(ORIGIN, one)]));
const passkey = PASSKEYS.ES256!;
const payload = approvedPayload();
const receipt = receiptOf(payload);

const check = (file: ApprovalFile, of = receipt, options = {}) => verifyApproval(of, JSON.stringify(file), options);
const refusedAs = (code: ProofErrorCode) => (error: { code?: string }) => {
  assert.equal(error.code, code, String(error));
  return true;
};

describe('an approval signed by a passkey', () => {
  for (const algorithm of ALGORITHMS)
    test(`holds, and openssl says so, too: ${algorithm}`, async () => {
      const file = approvalOf(PASSKEYS[algorithm]!, payload);
      const verified = await check(file);
      assert.equal(verified.algorithm, algorithm);
      assert.equal(verified.approver_id, APPROVER.approver_id);
      assert.equal(verified.is_named_in_receipt, true);
      assert.equal(verified.origin, ORIGIN);
      const folder = temporaryFolder('openssl');
      const openssl = (one: ApprovalFile) => opensslHolds(folder, JSON.stringify(one), algorithm === 'EdDSA');
      assert.equal(openssl(file).holds, true, openssl(file).said);
      const other = approvalOf(PASSKEYS[algorithm]!, payload, { challenge: challengeOf('ab'.repeat(32)) });
      for (const forged of [{ ...file, authenticator_data: flipped(file.authenticator_data, 35, 0) }, other])
        assert.equal(openssl(forged).holds, false);
    });

  test('holds for the receipt of every lane in the vectors, by the bytes that were there before the mint', () => {
    for (const lane of ['cook', 'dataset-download', 'eval', 'generic', 'incident', 'model-pin']) {
      const sealed = JSON.parse(readFileSync(`vectors/valid/receipt--${lane}.json`, 'utf8')) as JsonObject;
      const block = approvedBlock(sealed);
      assert.equal(approvedSha256(sealed), createHash('sha256').update(canonicalize(block)).digest('hex'));
      for (const envelope of ['schema', 'org_seq', 'parent_hash', 'created_at', 'share_url', 'receipt_sha256'])
        assert.ok(!(envelope in block), `${lane} ${envelope}`);
      assert.ok(!('pinned_model' in block), lane);
      if (lane === 'model-pin') assert.ok(!('pinned_at' in (block.model as JsonObject)));
    }
  });

  const WRONG: [string, SignChange, ProofErrorCode][] = [
    ['over another challenge', { challenge: challengeOf('ab'.repeat(32)) }, 'wrong_challenge'],
    ['that was made to enrol', { type: 'webauthn.create' }, 'not_an_assertion'],
    ['asked by another page', { origin: 'https://ledger.example.evil.test' }, 'wrong_origin'],
    ['asked over plain HTTP', { origin: 'http://ledger.example' }, 'wrong_origin'],
    ['asked from a frame of another site', { cross_origin: true }, 'wrong_origin'],
    ['for another relying party', { rp_id: 'example' }, 'wrong_relying_party'],
    ['without the person', { flags: 0x04 }, 'user_not_verified'],
    ['without verification of the person', { flags: 0x01 }, 'user_not_verified'],
    ['with a key in it', { flags: 0x45 }, 'not_an_assertion'],
    ['that claims extensions and has none', { flags: 0x85 }, 'not_an_assertion'],
  ];
  for (const [story, change, code] of WRONG)
    test(`is refused: ${story} (${code})`, () =>
      assert.rejects(check(approvalOf(passkey, payload, change)), refusedAs(code)));

  test('is refused where another passkey signed', () =>
    assert.rejects(
      check({ ...approvalOf(passkey, payload), public_key_pem: softPasskey(ORIGIN).public_key_pem }),
      refusedAs('bad_signature'),
    ));

  test('is refused beside another receipt, also where it is made to name that one', async () => {
    const other = approvedPayload({ run: { id: 'run_x', lane: 'generic', title: 'Another', inputs: { task: 'x' } } });
    const file = approvalOf(passkey, payload);
    await assert.rejects(check(file, receiptOf(other)), refusedAs('wrong_approved_sha256'));
    const renamed = { ...file, approved_sha256: approvedSha256(other as never) };
    await assert.rejects(check(renamed, receiptOf(other)), refusedAs('wrong_challenge'));
  });

  test('exchanged after the passkey signed, by somebody who seals the receipt anew, is refused', async () => {
    const file = approvalOf(passkey, payload);
    const approval = { ...(payload.approval as object), note: 'Not compared.' };
    await assert.rejects(check(file, receiptOf({ ...payload, approval })), refusedAs('wrong_approved_sha256'));
  });

  test('is refused beside a receipt that does not hold itself', () =>
    assert.rejects(
      check(approvalOf(passkey, payload), receipt.replace('A title', 'B title')),
      refusedAs('receipt_altered'),
    ));

  test('names the approver that the receipt names', async () => {
    const file = approvalOf(passkey, payload);
    await assert.rejects(check({ ...file, approver_id: 'user_2' }), refusedAs('wrong_approver'));
    await assert.rejects(check({ ...file, approver_name: 'Eve' }), refusedAs('wrong_approver'));
  });

  test('of a lane that does not seal its approver says so', async () => {
    const incident = approvedPayload({ approval: undefined, incident: { id: 'inc_1' } });
    delete incident.approval;
    const verified = await check(approvalOf(passkey, incident), receiptOf(incident));
    assert.equal(verified.is_named_in_receipt, false);
  });

  test('was given where the receipt’s link leads, unless its reader names another place', async () => {
    const elsewhere = 'https://before.example';
    const moved = softPasskey(elsewhere);
    const file = approvalOf(moved, payload);
    await assert.rejects(check(file), refusedAs('wrong_origin'));
    assert.equal((await check(file, receipt, { origin: elsewhere })).origin, elsewhere);
  });

  test('is refused with a key of a kind that no passkey has', async () => {
    const pem = (key: ReturnType<typeof generateKeyPairSync>['publicKey']) =>
      (key as unknown as { export(of: object): string }).export({ type: 'spki', format: 'pem' });
    for (const { publicKey } of [
      generateKeyPairSync('ec', { namedCurve: 'P-384' }),
      generateKeyPairSync('rsa', { modulusLength: 1024 }),
      generateKeyPairSync('x25519'),
    ])
      await assert.rejects(
        check({ ...approvalOf(passkey, payload), public_key_pem: pem(publicKey as never) }),
        refusedAs('invalid_key'),
      );
  });

  test('is refused where its file lacks a member, or is none', async () => {
    const file = approvalOf(passkey, payload);
    for (const member of Object.keys(file) as (keyof ApprovalFile)[]) {
      const { [member]: _, ...rest } = file;
      await assert.rejects(check(rest as ApprovalFile), refusedAs('not_an_approval'), member);
    }
    for (const text of ['', '[]', 'null', '{"a":1,"a":2}', '\u0000'])
      await assert.rejects(verifyApproval(receipt, text), refusedAs('not_an_approval'));
    await assert.rejects(check({ ...file, signature: 'a-b_' }), refusedAs('not_an_approval'));
  });

  test('every single changed bit of what was signed, of the signature and of the key is noticed', async () => {
    const members = ['client_data_json', 'authenticator_data', 'signature'] as const;
    const files = ALGORITHMS.map((algorithm) => approvalOf(PASSKEYS[algorithm]!, payload));
    await fc.assert(
      fc.asyncProperty(fc.nat(2), fc.constantFrom(...members), fc.nat(), fc.nat(7), async (which, member, at, bit) => {
        const file = files[which]!;
        await assert.rejects(check({ ...file, [member]: flipped(file[member], at, bit) }));
      }),
      { numRuns: 300 },
    );
  });

  test('every changed bit of the key is noticed', async () => {
    const files = ALGORITHMS.map((algorithm) => approvalOf(PASSKEYS[algorithm]!, payload));
    await fc.assert(
      fc.asyncProperty(fc.nat(2), fc.nat(), fc.nat(7), async (which, at, bit) => {
        const file = files[which]!;
        const [head, ...lines] = file.public_key_pem.trim().split('\n');
        const body = flipped(lines.slice(0, -1).join(''), at, bit).match(/.{1,64}/g)!;
        const public_key_pem = `${[head, ...body, lines.at(-1)].join('\n')}\n`;
        await assert.rejects(check({ ...file, public_key_pem }));
      }),
      { numRuns: 200 },
    );
  });

  test('a signature in DER has one spelling', () => {
    const der = Buffer.from(passkey.assert('x').response.signature, 'base64url');
    assert.equal(rawOfDer(der)?.length, 64);
    assert.equal(rawOfDer(Buffer.concat([der, Buffer.from([0])])), null);
    assert.equal(rawOfDer(der.subarray(0, -1)), null);
    assert.equal(rawOfDer(Buffer.from('300702020001020101', 'hex')), null, 'padded without need');
    assert.equal(rawOfDer(Buffer.from('3006020180020101', 'hex')), null, 'negative');
    assert.equal(rawOfDer(new Uint8Array()), null);
  });

  test('a file made of an assertion is what the ledger serves', () => {
    const approved = approvedSha256(payload as never);
    const file = fileOf(passkey, approved, passkey.assert(challengeOf(approved)));
    assert.deepEqual(Object.keys(file).sort(), Object.keys(approvalOf(passkey, payload)).sort());
  });
});

/** One bit of the bytes, which stand in base64. */
function flipped(base64: string, at: number, bit: number): string {
  const bytes = Buffer.from(base64, 'base64');
  bytes[at % bytes.length]! ^= 1 << bit;
  return bytes.toString('base64');
}
