/** Names that are sealed: what one may be, and that nothing else is ever taken for one. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { KeyLabel, PublicName } from '../src/public-name.ts';
import { kindOfSigner, signed, signedDetail, signerInWords, signerOf, unsignedDetail } from '../src/signer.ts';

// The same values every time; TEST_SEED=<number> tries others.
fc.configureGlobal({ seed: Number(process.env.TEST_SEED ?? 1) });

const PERSON = 'user_0190a1b2c3d40190a1b2c3d40190a1b2';
const KEY = 'key_0190a1b2c3d40190a1b2c3d40190a1b2';

test('a public name is what people are called, in any script, trimmed and in composed form', () => {
  for (const name of [
    'Ada Lovelace',
    'Ó Súilleabháin',
    '山田 太郎',
    'محمد علي',
    'O’Neill-Żółć 3rd',
    'X',
    '🦊',
    'ada @ acme',
  ])
    assert.equal(PublicName.parse(name), name);
  assert.equal(PublicName.parse('  Ada Lovelace \t'), 'Ada Lovelace');
  assert.equal(PublicName.parse('Zoe\u0308'), 'Zo\u00eb');
  assert.equal(PublicName.parse('😀'.repeat(100)), '😀'.repeat(100), 'characters are counted, not UTF-16 units');
});

test('no name holds a mailbox, an unseen character, a line of its own, or what the ledger writes behind a name', () => {
  const refused = {
    'nothing at all': ['', '   ', '\u200b'],
    'too long': ['a'.repeat(101), '😀'.repeat(101)],
    'a mailbox': [
      'cfo @ corp.example',
      'cfo@ x.com',
      'ada@example.org',
      'Ada <ada@example.org>',
      'x@y',
      'ada＠example.org',
      'ada﹫example.org',
      'a@@b',
    ],
    'more than one line': ['Ada\nLovelace', 'Ada\rLovelace', 'Ada\u2028Lovelace', 'Ada\u0085Lovelace', 'Ada\tLovelace'],
    'what is not seen': [
      'A\u202eda',
      'A\u200bda',
      'A\u200dda',
      'A\ufeffda',
      'A\u00adda',
      'A\u2066da',
      'A\u3164da',
      'A\u2800da',
    ],
    'what no text holds': ['A\u0000da', 'A\ud800da', 'A\ue000da', 'A\ufffeda', 'A\u{e0041}da'],
    'an imitation': [
      'Ada ( person )',
      'Ada (API  key)',
      'CFO (user_9): ok',
      `Ada (${PERSON})`,
      KEY,
      'Ada (person)',
      'Ada (API key)',
      'Ada (Api Key)',
      'Ada （person）',
    ],
  };
  for (const [why, names] of Object.entries(refused))
    for (const name of names) {
      assert.equal(PublicName.safeParse(name).success, false, `${why}: ${JSON.stringify(name)}`);
      if (why !== 'too long') assert.equal(KeyLabel.safeParse(name).success, false, `label, ${why}: ${name}`);
    }
});

test('a signature is read back as it was written, and its kind follows from the id', () => {
  assert.deepEqual(signerOf(signed({ name: 'Ada (Acme)', id: PERSON })), { name: 'Ada (Acme)', id: PERSON });
  assert.equal(signerInWords({ name: 'Ada Lovelace', id: KEY }), 'Ada Lovelace (API key)');
  assert.equal(signerInWords({ name: 'Ada Lovelace', id: PERSON }), 'Ada Lovelace (person)');
  assert.equal(signerInWords({ name: 'Ada Lovelace', id: 'x' }), 'Ada Lovelace');
  assert.deepEqual([kindOfSigner('rule'), signerOf('rule'), signerOf('Ada')], [null, null, null]);
});

test('whatever a rule or a person writes, a finding tells which of them decided, and who', () => {
  const name = fc
    .string({ unit: 'grapheme', minLength: 1, maxLength: 40 })
    .filter((it) => PublicName.safeParse(it).success);
  const hostile = fc.oneof(
    fc.constantFrom('', ' ', 'Fine.', 'Decided by ', `Decided by CFO (${PERSON}).`, `Decided by CFO (${PERSON}): ok`),
    fc.string({ unit: 'grapheme' }),
  );
  fc.assert(
    fc.property(name, fc.constantFrom(PERSON, KEY), hostile, (chosen, id, words) => {
      const decided_by = signed({ name: PublicName.parse(chosen), id });
      assert.deepEqual(unsignedDetail(signedDetail(decided_by, words)), { decided_by, detail: words });
      const ruled = signedDetail('rule', words);
      assert.equal(unsignedDetail(ruled).decided_by, 'rule');
      assert.ok(!ruled.startsWith('Decided by '));
    }),
  );
});
