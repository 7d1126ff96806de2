import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import fc from 'fast-check';
import { canonicalize, type JsonObject, membersOfText, valueInText } from '../src/canonical.ts';
import { envelopeOf, isSealedAs, receiptIdSuffix, seal, sealWith, verifyReceipt } from '../src/receipt.ts';
import { sha256Hex, sha256HexPortable } from '../src/sha256.ts';
import { altered, chainOf } from './kit/receipts.ts';

// The same values every time; TEST_SEED=<number> tries others.
fc.configureGlobal({ seed: Number(process.env.TEST_SEED ?? 1) });

const hash = (text: string) => createHash('sha256').update(text).digest('hex');

test('the portable SHA-256 is the platform one, at every length around its block', () => {
  for (let length = 0; length < 200; length++) {
    const bytes = Uint8Array.from({ length }, (_, i) => (i * 131 + length) & 255);
    assert.equal(sha256HexPortable(bytes), sha256Hex(bytes));
    assert.equal(sha256HexPortable(bytes.subarray(length >> 1)), sha256Hex(bytes.subarray(length >> 1)));
  }
  assert.equal(sha256HexPortable('é\u{1f600}'.repeat(500)), sha256Hex('é\u{1f600}'.repeat(500)));
  assert.equal(sha256HexPortable('abc'), 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
});

test('a seal is the hash of the canonical payload, put in its sorted place', () => {
  const { receipt_sha256, canonical } = seal({ z: 1, a: 'x' });
  assert.equal(receipt_sha256, hash('{"a":"x","z":1}'));
  assert.equal(canonical, `{"a":"x","receipt_sha256":"${receipt_sha256}","z":1}`);
});

test('property: sealing inserts one member and nothing else', () => {
  const payload = fc.dictionary(fc.string(), fc.oneof(fc.string(), fc.nat(), fc.boolean(), fc.constant(null)));
  fc.assert(
    fc.property(payload, (given) => {
      const { receipt_sha256: _, ...value } = { ...given };
      const sealed = seal(value);
      assert.equal(sealed.receipt_sha256, hash(canonicalize(value)));
      assert.equal(sealed.canonical, canonicalize({ ...value, receipt_sha256: sealed.receipt_sha256 }));
    }),
  );
});

/** Keys and texts that a scan could trip over, and any others. */
const tricky = fc.oneof(
  fc.string({
    unit: fc.constantFrom('"', '\\', '{', '}', '[', ']', ',', ':', '\n', 'é', '\u{1f600}', '\ue000', 'r', 'a'),
  }),
  fc.string({ unit: 'binary' }).filter((text) => text.isWellFormed()),
);
const { value } = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    tricky,
    fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e15, max: 1e15 }),
    fc.constantFrom(true, false, null, {}, []),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(tricky, tie('value'), { maxKeys: 4, noNullPrototype: true }),
  ),
}));
const object = fc
  .dictionary(fc.oneof(tricky, fc.constantFrom('receipt_id', 'receipt_sha', 'receipt_sha257', 'run')), value, {
    noNullPrototype: true,
  })
  .filter((it) => !('receipt_sha256' in it)) as fc.Arbitrary<JsonObject>;

test('property: a block that is canonical text is sealed to the bytes that its value is sealed to', () => {
  fc.assert(
    fc.property(object, object, (block, own) => {
      assert.deepEqual(sealWith(canonicalize(block), own), seal({ ...block, ...own }));
    }),
    { numRuns: 2_000 },
  );
});

test('property: the members of a canonical text are those of its value, as they stand', () => {
  fc.assert(
    fc.property(object, (given) => {
      const text = canonicalize(given);
      const members = membersOfText(text);
      assert.deepEqual(
        members.map(({ key }) => key),
        Object.keys(given).sort(),
      );
      assert.equal(`{${members.map((member) => member.text).join(',')}}`, text);
      for (const { key } of members) assert.equal(canonicalize(valueInText(text, [key])), canonicalize(given[key]));
      assert.equal(canonicalize(valueInText(canonicalize({ a: given, b: 1 }), ['a'])), text);
      assert.equal(valueInText(text, ['no such member']), undefined);
    }),
  );
});

test('what is not the canonical text of an object is refused, and so is a second seal', () => {
  const texts = [
    '',
    'x',
    '1',
    '[]',
    '{',
    '}',
    '{}x',
    '{"a":1',
    '{"a":1,}',
    '{"a":1}}',
    '{"a":1}{"b":1}',
    '{"b":1,"a":1}',
  ];
  for (const text of [...texts, '{"a":1,"a":2}', '{"a" :1}', '{"a":"}', '{"a":"\\"}', '{a:1}', ' {"a":1}'])
    assert.throws(() => membersOfText(text), { code: 'not_json' }, text);
  assert.throws(() => valueInText('{"a":1}', ['a', 'b']), { code: 'not_json' });
  assert.equal(valueInText('{"a":{"b":"c"}}', ['a', 'b']), 'c');
  for (const [block, own] of [
    ['{"receipt_sha256":"x"}', {}],
    ['{}', { receipt_sha256: 'x' }],
  ] as const)
    assert.throws(() => sealWith(block, own), { code: 'already_sealed' });
});

test('a receipt has the hash it was sealed under, and no other bytes have it', () => {
  const { text, record } = chainOf(1)[0]!;
  assert.ok(isSealedAs(text, record.receipt_sha256));
  const { run: _, ...envelope } = JSON.parse(text);
  assert.deepEqual(envelopeOf(text), envelope);
  assert.ok(!isSealedAs(text, 'f'.repeat(64)));
  for (let i = 0; i < text.length; i++)
    assert.ok(!isSealedAs(`${text.slice(0, i)}#${text.slice(i + 1)}`, record.receipt_sha256), `at ${i}`);
  assert.ok(!isSealedAs(text.replace(/"receipt_sha256":"\w+",/, ''), record.receipt_sha256));
});

test('what carries a seal already cannot be sealed', () => {
  assert.throws(() => seal({ a: 1, receipt_sha256: 'x' }), { code: 'already_sealed' });
});

test('the suffix of a receipt id is the start of the hash of its Run id', () => {
  assert.equal(receiptIdSuffix('run_1'), hash('run_1').slice(0, 8));
});

test('an honest receipt verifies, as text and as bytes', () => {
  const row = chainOf(1)[0]!;
  for (const receipt of [row.text, new TextEncoder().encode(row.text)]) {
    const { ok, org_seq, receipt_id, parent_hash, receipt_sha256 } = verifyReceipt(receipt);
    assert(ok);
    const { record } = row;
    assert.deepEqual(
      { org_seq, receipt_id, parent_hash, receipt_sha256 },
      { org_seq: 0, receipt_id: record.receipt_id, parent_hash: '0'.repeat(64), receipt_sha256: record.receipt_sha256 },
    );
  }
});

test('an altered, reformatted, doubled, incomplete or unreadable receipt does not verify', () => {
  const row = chainOf(1)[0]!;
  const { text } = row;
  const without = (member: string) => {
    const { [member]: _, receipt_sha256: __, ...rest } = JSON.parse(text);
    return seal(rest).canonical;
  };
  const stories: [string, RegExp][] = [
    [altered(row, { created_at: '2026-05-29T20:14:33.124Z' }).text, /not the hash of the payload/],
    [JSON.stringify(JSON.parse(text), null, 1), /not canonical JSON/],
    [`${text}\n`, /not canonical JSON: they part from it at character/],
    [text.replace('{', '{"created_at":"x",'), /duplicate_key/],
    [text.replace(/"receipt_sha256":"\w+",/, ''), /missing or is not a SHA-256/],
    [text.replace(/"receipt_sha256":"\w+"/, '"receipt_sha256":null'), /missing or is not a SHA-256/],
    [text.slice(0, -1), /not_json/],
    ['[]', /not a JSON object/],
    ['', /not_json/],
    [without('share_url'), /envelope's share_url is missing/],
    [without('org_seq'), /envelope's org_seq is missing/],
    [without('organization'), /envelope's organization is missing/],
  ];
  for (const [receipt, detail] of stories) {
    const verdict = verifyReceipt(receipt);
    assert.equal(verdict.ok, false);
    assert.match(verdict.fault!.detail, detail);
  }
});
