import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import fc from 'fast-check';
import { canonicalize } from '../src/canonical.ts';
import { FileHasher, type FileHashes, MAX_TEXT_BYTES } from '../src/file-hashes.ts';
import { PortableSha256, startSha256 } from '../src/sha256.ts';

// The same values every time; TEST_SEED=<number> tries others.
fc.configureGlobal({ seed: Number(process.env.TEST_SEED ?? 1) });

const sha256 = (bytes: string | Uint8Array) => createHash('sha256').update(bytes).digest('hex');
const bytes = (text: string) => new TextEncoder().encode(text);

/** The bytes in parts that end at the given places. */
function parts(whole: Uint8Array, cuts: number[]): Uint8Array[] {
  const ends = [...cuts.map((cut) => cut % (whole.length + 1)).sort((a, b) => a - b), whole.length];
  return ends.map((end, i) => whole.subarray(ends[i - 1] ?? 0, end));
}

function hashes(whole: Uint8Array, cuts: number[] = []): FileHashes {
  const hasher = new FileHasher();
  for (const part of parts(whole, cuts)) hasher.push(part);
  return hasher.finish();
}

const cuts = fc.array(fc.nat(2000), { maxLength: 12 });

test('bytes in any parts have the hash of the whole, in plain TypeScript as on the platform', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 1500 }), cuts, (whole, at) => {
      for (const hash of [new PortableSha256(), startSha256()]) {
        for (const part of parts(whole, at)) hash.update(part);
        assert.equal(hash.hex(), sha256(whole));
      }
    }),
    { numRuns: 400 },
  );
});

test('a copy goes on by itself', () => {
  for (const first of [new PortableSha256(), startSha256()]) {
    first.update(bytes('a'.repeat(100)));
    const second = first.copy();
    second.update(bytes('b'));
    first.update(bytes('c'));
    assert.equal(first.hex(), sha256(`${'a'.repeat(100)}c`));
    assert.equal(second.hex(), sha256(`${'a'.repeat(100)}b`));
  }
});

test('a file in any parts: its bytes, and its bytes without a final LF or CRLF', () => {
  const body = fc.string({ unit: fc.constantFrom('a', '\r', '\n', 'é'), maxLength: 40 });
  const stripped = (text: string) => (/\n$/.test(text) ? sha256(text.replace(/\r?\n$/, '')) : null);
  fc.assert(
    fc.property(body, cuts, (text, at) => {
      const found = hashes(bytes(text), at);
      assert.equal(found.sha256, sha256(text));
      assert.equal(found.byte_size, bytes(text).length);
      assert.equal(found.without_newline_sha256, stripped(text));
    }),
    { numRuns: 600 },
  );
});

test('JSON is known by its canonical form however it is formatted, and a text by itself as a JSON string', () => {
  fc.assert(
    fc.property(fc.jsonValue({ noUnicodeString: false, maxDepth: 3 }), fc.nat(4), cuts, (value, indent, at) => {
      let canonical: string;
      try {
        canonical = canonicalize(value);
      } catch {
        return;
      }
      const text = `${JSON.stringify(value, null, indent)}\n`;
      const found = hashes(bytes(text), at);
      assert.equal(found.canonical_sha256, sha256(canonical));
      assert.equal(found.not_canonical, null);
      assert.equal(found.json_string_sha256, sha256(JSON.stringify(text)));
    }),
    { numRuns: 200 },
  );
});

test('what two readers could read differently has no canonical form', () => {
  for (const [content, code] of [
    ['{"a":1,"a":2}', 'duplicate_key'],
    ['{"a":9007199254740993}', 'integer_too_large'],
    ['two lines\n', 'not_json'],
    ['\ufeff{}', 'not_json'],
    ['', 'not_json'],
  ] as const) {
    const found = hashes(bytes(content));
    assert.equal(found.canonical_sha256, null);
    assert.equal(found.not_canonical, code);
    assert.notEqual(found.json_string_sha256, null);
  }
  const binary = hashes(Uint8Array.of(0xff, 0xfe, 0x00));
  assert.deepEqual([binary.not_canonical, binary.json_string_sha256], ['not_utf8', null]);
});

test('beyond what is held in memory a file is known by its bytes alone, and says so', () => {
  const mebibyte = bytes(`"${' '.repeat((1 << 20) - 2)}"`);
  const hasher = new FileHasher();
  for (let i = 0; i < MAX_TEXT_BYTES / mebibyte.length; i++) hasher.push(mebibyte);
  hasher.push(bytes('\n'));
  const found = hasher.finish();
  assert.equal(found.byte_size, MAX_TEXT_BYTES + 1);
  assert.deepEqual([found.canonical_sha256, found.not_canonical], [null, 'too_large']);
  const whole = createHash('sha256');
  for (let i = 0; i < 64; i++) whole.update(mebibyte);
  assert.equal(found.without_newline_sha256, whole.copy().digest('hex'));
  assert.equal(found.sha256, whole.update('\n').digest('hex'));
});
