/** Salted disclosures (RFC 9901), held against what a receipt sealed. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { DisclosureVector } from '../../../vectors/make-disclosures.ts';
import { fromBase64Url, toBase64Url } from '../src/base64url.ts';
import { canonicalize, type Json, type JsonObject } from '../src/canonical.ts';
import { disclosureText, withDigests } from '../src/committing.ts';
import {
  checkDisclosure,
  committedIn,
  digestOf,
  readDisclosure,
  sealedFileAt,
  sealedPlace,
  valueAt,
} from '../src/disclosures.ts';
import { pointerOf, tokensOf } from '../src/pointer.ts';
import { verifyReceipt } from '../src/receipt.ts';

/** RFC 9901 §4.2.1 and §5.1, with spaces behind the commas: the digest is over the text, however its JSON is formatted. */
const PUBLISHED = [
  {
    text: 'WyJfMjZiYzRMVC1hYzZxMktJNmNCVzVlcyIsICJmYW1pbHlfbmFtZSIsICJNw7ZiaXVzIl0',
    digest: 'X9yH0Ajrdm1Oij4tWso9UzzKJvPoDxwmuEcO3XAdRC0',
    says: { salt: '_26bc4LT-ac6q2KI6cBW5es', name: 'family_name', value: 'Möbius' },
  },
  {
    text: 'WyIyR0xDNDJzS1F2ZUNmR2ZyeU5STjl3IiwgImdpdmVuX25hbWUiLCAiSm9obiJd',
    digest: 'jsu9yVulwQQlhFlM_3JlzMaSFzglhQG0DpfayQwLUK4',
    says: { salt: '2GLC42sKQveCfGfryNRN9w', name: 'given_name', value: 'John' },
  },
];

const SALT = 'AAAAAAAAAAAAAAAAAAAAAA';
const generic = (inputs: JsonObject): JsonObject => ({
  schema: 'service.receipt/v1',
  run: { id: 'run_1', lane: 'generic', title: 'A title', inputs },
  approval: { note: '' },
});

function sealing(
  path: string,
  name: string,
  value: Json,
  inputs: JsonObject = {},
): { receipt: JsonObject; text: string } {
  const text = disclosureText({ salt: SALT, name, value });
  const place = sealedPlace('service.receipt/v1', path)!;
  return { receipt: withDigests(generic(inputs), [{ place, digest: digestOf(text) }]), text };
}

const faultIn = (checked: ReturnType<typeof checkDisclosure>) => (checked.ok ? null : checked.fault);

function findsCanonical(value: Json): boolean {
  try {
    return canonicalize(value) !== '';
  } catch {
    return false;
  }
}

describe('a disclosure', () => {
  it('has the digest that RFC 9901 publishes', () => {
    for (const { text, digest, says } of PUBLISHED) {
      assert.equal(digestOf(text), digest);
      assert.deepEqual(readDisclosure(text), says);
    }
  });

  it('is made in one form, whatever the order of the members of its value', () => {
    const text = disclosureText({ salt: SALT, name: 'patient', value: { b: 1, a: 'ä' } });
    assert.equal(new TextDecoder().decode(fromBase64Url(text)!), `["${SALT}","patient",{"a":"ä","b":1}]`);
    assert.equal(text, disclosureText({ salt: SALT, name: 'patient', value: { a: 'ä', b: 1 } }));
  });

  it('is no other text: not padded, not spread, not of two or four parts, with no reserved name, in strict JSON', () => {
    const written = (json: string) => toBase64Url(new TextEncoder().encode(json));
    for (const text of [
      '',
      '.',
      `${PUBLISHED[0]!.text}=`,
      `${PUBLISHED[0]!.text} `,
      written('["salt","name"]'),
      written('["salt","name",1,2]'),
      written('{"0":"salt","1":"name","2":1}'),
      written('["salt","_sd",1]'),
      written('["salt","...",1]'),
      written('[1,"name",1]'),
      written('["salt","name",{"a":1,"a":2}]'),
      written('["salt","name",9007199254740993]'),
      written('["salt","name",1] x'),
      toBase64Url(Uint8Array.of(0x5b, 0xff, 0x5d)),
    ])
      assert.equal(readDisclosure(text), null, text);
  });

  it('matches at the place that sealed it, and at no other', () => {
    const { receipt, text } = sealing('/inputs/patient/name', 'name', 'Ada', { patient: { age: 7 } });
    assert.deepEqual(checkDisclosure(receipt, '/inputs/patient/name', text), { ok: true, name: 'name', value: 'Ada' });
    for (const path of ['/inputs/name', '/inputs/patient', '/title', '/output', '', 'inputs', '/inputs/patient/name/'])
      assert.equal(checkDisclosure(receipt, path, text).ok, false, path);
    assert.equal(
      checkDisclosure({ ...receipt, schema: 'service.cook-receipt/v1' }, '/inputs/patient/name', text).ok,
      false,
    );
    assert.equal(checkDisclosure({ ...receipt, schema: 'toString' }, '/inputs/patient/name', text).ok, false);
  });

  it('matches in an object of a list, as every pointer', () => {
    const { receipt, text } = sealing('/inputs/people/1/a~1b', 'a/b', true, { people: [{}, { c: 1 }] });
    assert.deepEqual(valueAt(receipt, ['run', 'inputs', 'people', '1']), { c: 1, _sd: [digestOf(text)] });
    assert.equal(checkDisclosure(receipt, '/inputs/people/1/a~1b', text).ok, true);
    assert.equal(checkDisclosure(receipt, '/inputs/people/01/a~1b', text).ok, false);
  });

  it('says why it does not match', () => {
    const { receipt, text } = sealing('/title', 'title', 'A secret');
    const faultOf = (changed: JsonObject, other = text) => faultIn(checkDisclosure(changed, '/title', other));
    const run = receipt.run as JsonObject;
    const other = disclosureText({ salt: SALT, name: 'title', value: 'Another' });
    const misnamed = disclosureText({ salt: SALT, name: 'id', value: 'A secret' });
    assert.equal(faultOf(receipt), null);
    assert.equal(faultOf({ ...receipt, run: 1 }), 'not_committed');
    assert.equal(faultOf(generic({})), 'not_committed');
    assert.equal(faultOf(receipt, other), 'digest_differs');
    assert.equal(faultOf({ ...receipt, run: { ...run, title: 'A secret' } }), 'member_in_clear');
    assert.equal(faultOf({ ...receipt, run: { ...run, _sd: [digestOf(misnamed)] } }, misnamed), 'another_name');
    assert.equal(faultOf({ ...receipt, run: { ...run, _sd: [digestOf('no')] } }, 'no'), 'not_a_disclosure');
    const mine = digestOf(text);
    for (const digests of [
      [],
      'x',
      [mine, mine],
      [mine, 1],
      ['x'],
      [`${mine}=`],
      [mine, digestOf(other)].sort().reverse(),
    ])
      assert.equal(
        faultOf({ ...receipt, run: { ...run, _sd: digests as Json } }),
        'digests_malformed',
        String(digests),
      );
    assert.equal(faultOf({ ...receipt, approval: { _sd: [mine] } }), 'digests_malformed', 'twice in one receipt');
  });

  it('of any value in any object matches; every single bit of it that changes makes it fail', () => {
    const anyName = fc
      .string({ minLength: 1, unit: 'grapheme' })
      .filter((name) => name !== '_sd' && name !== '...' && name !== '__proto__');
    const json = fc.jsonValue({ maxDepth: 3 }).filter((value) => findsCanonical(value as Json));
    fc.assert(
      fc.property(anyName, json, fc.uint8Array({ minLength: 16, maxLength: 16 }), fc.nat(), (name, value, salt, at) => {
        const text = disclosureText({ salt: toBase64Url(salt), name, value: value as Json });
        const path = pointerOf(['inputs', name]);
        const place = sealedPlace('service.receipt/v1', path)!;
        const others = ['a', 'b'].map((other) => ({
          place: [...place.slice(0, -1), `${name}${other}`],
          digest: digestOf(other),
        }));
        const receipt = withDigests(generic({}), [...others, { place, digest: digestOf(text) }]);
        assert.equal(checkDisclosure(receipt, path, text).ok, true);
        const bit = at % (text.length * 8);
        const code = text.charCodeAt(bit >> 3) ^ (1 << (bit & 7));
        const changed = `${text.slice(0, bit >> 3)}${String.fromCharCode(code)}${text.slice((bit >> 3) + 1)}`;
        assert.equal(checkDisclosure(receipt, path, changed).ok, false);
      }),
      { numRuns: 300 },
    );
    const { receipt, text } = sealing('/inputs/patient', 'patient', 'Ada Okafor');
    for (let bit = 0; bit < text.length * 8; bit++) {
      const code = text.charCodeAt(bit >> 3) ^ (1 << (bit & 7));
      const changed = `${text.slice(0, bit >> 3)}${String.fromCharCode(code)}${text.slice((bit >> 3) + 1)}`;
      assert.equal(checkDisclosure(receipt, '/inputs/patient', changed).ok, false, `bit ${bit}`);
    }
  });

  it('of low entropy is not found without its salt: two of one value have nothing in common', () => {
    const digests = Array.from({ length: 100 }, (_, i) =>
      digestOf(disclosureText({ salt: `${SALT}${i}`, name: 'sex', value: 'f' })),
    );
    assert.equal(new Set(digests).size, 100);
  });
});

describe('digests in a receipt', () => {
  it('stand in ascending order, in the object that would have held the members', () => {
    const places = ['z', 'a', 'm'].map((name) => ['run', 'inputs', name]);
    const committed = places.map((place, i) => ({ place, digest: digestOf(String(i)) }));
    const block = generic({ z: 1, a: 2, m: 3, stays: 4 });
    const made = withDigests(block, committed);
    assert.deepEqual(made, withDigests(block, committed.toReversed()));
    assert.deepEqual(valueAt(made, ['run', 'inputs']), { stays: 4, _sd: committed.map(({ digest }) => digest).sort() });
    assert.deepEqual(
      committedIn(made).map(({ holder }) => holder),
      ['/run/inputs'],
    );
    assert.deepEqual(block, generic({ z: 1, a: 2, m: 3, stays: 4 }), 'changed nothing in place');
  });
});

describe('a pointer', () => {
  it('is read as RFC 6901 says', () => {
    assert.deepEqual(tokensOf('/a~1b/~0~01/'), ['a/b', '~~1', '']);
    for (const none of ['', 'a', '#/a', '/~', '/~2', '/a\ud800']) assert.equal(tokensOf(none), null, none);
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'grapheme' }), { minLength: 1 }), (tokens) =>
        assert.deepEqual(tokensOf(pointerOf(tokens)), tokens),
      ),
    );
  });
});

describe('a file beside a receipt', () => {
  it('is named by its place: the output, evidence by its number from 0', () => {
    const hash = 'ab'.repeat(32);
    const receipt = {
      schema: 'service.receipt/v1',
      execution: { output_sha256: hash, output_bytes: 3 },
      evidence: [{ label: 'one', sha256: hash, byte_size: 1 }],
    };
    assert.equal(sealedFileAt(receipt, '/output')?.sha256, hash);
    assert.equal(sealedFileAt(receipt, '/evidence/0')?.label, 'one');
    for (const path of [
      '/evidence/1',
      '/evidence/00',
      '/evidence/-1',
      '/evidence',
      '/evidence/0/',
      '/inputs/a',
      'output',
    ])
      assert.equal(sealedFileAt(receipt, path), null, path);
  });
});

it('every published disclosure is decided as it is published', () => {
  const path = new URL('../../../vectors/proofs/disclosure--committed-members.json', import.meta.url);
  const vectors = JSON.parse(readFileSync(path, 'utf8')) as DisclosureVector[];
  assert.ok(vectors.length > 20);
  for (const { story, receipt, path, disclosure, fault } of vectors) {
    const { ok, payload } = verifyReceipt(receipt);
    assert.ok(ok, story);
    assert.equal(faultIn(checkDisclosure(payload!, path, disclosure)), fault, story);
  }
});
