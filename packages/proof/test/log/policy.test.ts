import assert from 'node:assert/strict';
import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { checkpointText, cosignatureBytes, cosignedMessage, openCheckpoint } from '../../src/log/checkpoint.ts';
import { openByPolicy } from '../../src/log/open-by-policy.ts';
import { isQuorum, parsePolicy, quorumInWords } from '../../src/log/policy.ts';
import { formatNote, type NoteSignature } from '../../src/log/signed-note.ts';
import { formatVerifierKey, type KeyType, type VerifierKey, verifierKey } from '../../src/log/verifier-key.ts';
import { numberedLeaves, treeOf } from './tree.ts';

const ORIGIN = 'ledger.example/org/org_1';
const TIME = 1_790_000_000;

function signer(name: string, type: KeyType): { key: VerifierKey; vkey: string; privateKey: KeyObject } {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const raw = publicKey.export({ type: 'spki', format: 'der' }).subarray(-32);
  const key = verifierKey(name, type, new Uint8Array(raw));
  return { key, vkey: formatVerifierKey(key), privateKey };
}

const log = signer(ORIGIN, 1);
const rotated = signer(ORIGIN, 1);
const [x1, x2, x3, y1] = ['x1', 'x2', 'x3', 'y1'].map((name) => signer(`${name}.example`, 4)) as [
  ReturnType<typeof signer>,
  ReturnType<typeof signer>,
  ReturnType<typeof signer>,
  ReturnType<typeof signer>,
];
const WITNESSES = [x1, x2, x3, y1];
const TEXT = checkpointText({ origin: ORIGIN, ...(await treeOf(numberedLeaves(5), 5)) });

const POLICY = `# two of three, and the other
log ${log.vkey} https://ledger.example

witness X1 ${x1.vkey}
witness X2\t${x2.vkey}  https://x2.example/witness
  witness X3 ${x3.vkey}
group X 2 X1 X2 X3
witness Y1 ${y1.vkey}
group both all X Y1
quorum both
`;

const bySigner = ({ key, privateKey }: typeof log): NoteSignature => ({
  name: key.name,
  id: key.id,
  bytes: new Uint8Array(sign(null, Buffer.from(TEXT), privateKey)),
});

const byWitness = ({ key, privateKey }: typeof log): NoteSignature => ({
  name: key.name,
  id: key.id,
  bytes: cosignatureBytes(TIME, new Uint8Array(sign(null, cosignedMessage(TIME, TEXT), privateKey))),
});

const noteOf = (...signatures: NoteSignature[]) => formatNote({ text: TEXT, signatures });

describe('a policy', () => {
  test('says which logs, which witnesses, and how many of them', () => {
    const policy = parsePolicy(POLICY);
    assert.deepEqual(
      policy.logs.map(({ key, url }) => [formatVerifierKey(key), url]),
      [[log.vkey, 'https://ledger.example']],
    );
    assert.deepEqual(
      policy.witnesses.map(({ name, url }) => [name, url]),
      [
        ['X1', null],
        ['X2', 'https://x2.example/witness'],
        ['X3', null],
        ['Y1', null],
      ],
    );
    assert.equal(quorumInWords(policy.quorum), '2 of (2 of X1, X2, X3), Y1');
  });

  test('is met by those subsets of the witnesses that its groups say, and by no other', () => {
    const { quorum, witnesses } = parsePolicy(POLICY);
    for (let subset = 0; subset < 16; subset++) {
      const keys = witnesses.filter((_, i) => (subset >> i) & 1).map(({ key }) => key);
      const of_x = keys.filter((key) => key.name.startsWith('x')).length;
      assert.equal(isQuorum(quorum, keys), of_x >= 2 && keys.some(({ name }) => name === 'y1.example'), `${subset}`);
    }
  });

  test('may ask for no witness, for one, for any, and name no log', () => {
    assert.deepEqual(parsePolicy('quorum none'), { logs: [], witnesses: [], quorum: null });
    assert.equal(isQuorum(null, []), true);
    const one = parsePolicy(`witness none-of-ours ${x1.vkey}\nquorum none-of-ours\n`);
    assert.equal(quorumInWords(one.quorum), 'none-of-ours');
    const any = parsePolicy(`witness a ${x1.vkey}\nwitness b ${x2.vkey}\ngroup g any a b\nquorum g\n`);
    assert.equal(isQuorum(any.quorum, [any.witnesses[1]!.key]), true);
    assert.equal(isQuorum(any.quorum, []), false);
  });

  test('accepts one key under the two origins of an organization, and names that are not ASCII', () => {
    const activity = formatVerifierKey(verifierKey(`${ORIGIN}/activity`, 1, log.key.key));
    const policy = parsePolicy(`log ${log.vkey}\nlog ${activity}\nwitness Zürich ${x1.vkey}\nquorum Zürich\n`);
    assert.deepEqual([policy.logs.length, policy.witnesses[0]!.name], [2, 'Zürich']);
  });

  for (const [what, text] of [
    ['without a quorum', `log ${log.vkey}\n`],
    ['with two quorums', 'quorum none\nquorum none\n'],
    ['with a quorum that is named later', `quorum a\nwitness a ${x1.vkey}\n`],
    ['with a quorum that nothing names', 'quorum a\n'],
    ['with a group of members that come later', `group g any a\nwitness a ${x1.vkey}\nquorum g\n`],
    ['with a group of itself', 'group g any g\nquorum g\n'],
    ['with a group of none', `group g any none\nquorum g\n`],
    ['with an empty group', 'group g any\nquorum g\n'],
    ['with a threshold of 0', `witness a ${x1.vkey}\ngroup g 0 a\nquorum g\n`],
    ['with a threshold beyond its members', `witness a ${x1.vkey}\ngroup g 2 a\nquorum g\n`],
    ['with a threshold of another form', `witness a ${x1.vkey}\ngroup g 01 a\nquorum g\n`],
    ['with a member twice', `witness a ${x1.vkey}\ngroup g 2 a a\nquorum g\n`],
    ['with a member of two groups', `witness a ${x1.vkey}\ngroup g 1 a\ngroup h 1 a\ngroup i 2 g h\nquorum i\n`],
    ['with a witness under two names', `witness a ${x1.vkey}\nwitness b ${x1.vkey}\nquorum a\n`],
    [
      'with a witness under two key names',
      `witness a ${x1.vkey}\nwitness b ${formatVerifierKey(verifierKey('other', 4, x1.key.key))}\nquorum a\n`,
    ],
    ['with a name twice', `witness a ${x1.vkey}\nwitness a ${x2.vkey}\nquorum a\n`],
    ['with a witness called none', `witness none ${x1.vkey}\nquorum none\n`],
    ['with a log twice', `log ${log.vkey}\nlog ${log.vkey}\nquorum none\n`],
    ['with a witness in place of a log', `log ${x1.vkey}\nquorum none\n`],
    ['with a log in place of a witness', `witness a ${log.vkey}\nquorum a\n`],
    ['with a damaged key', `log ${log.vkey.slice(0, -4)}AAA=\nquorum none\n`],
    ['with a word too many', `log ${log.vkey} https://a.example b\nquorum none\n`],
    ['with an unknown line', 'policy 1\nquorum none\n'],
    ['with carriage returns', 'quorum none\r\n'],
    ['with bytes that are no UTF-8', 'quorum none # \ufffd\n'],
  ] as const)
    test(`is refused ${what}`, () =>
      assert.throws(
        () => parsePolicy(text),
        (error: { code: string; message: string }) =>
          error.code === 'invalid_policy' && (what === 'without a quorum' || /: line \d+: /.test(error.message)),
      ));

  test('of any text is read, or refused with its code', () => {
    const word = fc.oneof(
      fc.constantFrom('log', 'witness', 'group', 'quorum', 'none', 'any', 'all', '1', 'a', 'b', log.vkey, x1.vkey),
      fc.string(),
    );
    const line = fc.array(word, { maxLength: 5 }).map((words) => words.join(' '));
    fc.assert(
      fc.property(fc.array(line, { maxLength: 6 }), (lines) => {
        try {
          parsePolicy(lines.join('\n'));
        } catch (error) {
          assert.equal((error as { code: string }).code, 'invalid_policy');
        }
      }),
    );
  });
});

describe('a checkpoint held against a policy', () => {
  const policy = parsePolicy(POLICY);

  test('names its log, its witnesses and their times, and whether they are enough', async () => {
    const all = await openByPolicy(noteOf(bySigner(log), ...WITNESSES.map(byWitness)), policy);
    assert.deepEqual([all.origin, all.size, all.log, all.quorum_met], [ORIGIN, 5, policy.logs[0]!.key, true]);
    assert.deepEqual(
      all.cosigned.map(({ witness, time }) => [witness.name, time]),
      ['X1', 'X2', 'X3', 'Y1'].map((name) => [name, TIME]),
    );
    for (const [cosigners, met] of [
      [[x1, y1, x3], true],
      [[x1, y1], false],
      [[x1, x2, x3], false],
      [[], false],
    ] as const) {
      const { quorum_met, cosigned } = await openByPolicy(noteOf(bySigner(log), ...cosigners.map(byWitness)), policy);
      assert.deepEqual([quorum_met, cosigned.length], [met, cosigners.length]);
    }
  });

  test('counts no witness twice, and none that the policy does not name', async () => {
    const stranger = signer('x2.example', 4);
    const note = noteOf(bySigner(log), byWitness(x1), byWitness(x1), byWitness(stranger), byWitness(y1));
    const { quorum_met, cosigned } = await openByPolicy(note, policy);
    assert.deepEqual([quorum_met, cosigned.map(({ witness }) => witness.name)], [false, ['X1', 'Y1']]);
    // Without a policy, too: another key of the same name is another witness.
    assert.deepEqual(
      (await openCheckpoint(noteOf(bySigner(log), byWitness(stranger)), log.key, [x2.key])).witnesses,
      [],
    );
  });

  test('is refused without the signature of its log, and with a line of a known key that does not hold', async () => {
    const code = (expected: string) => (error: { code: string }) => error.code === expected;
    await assert.rejects(openByPolicy(noteOf(bySigner(rotated), byWitness(x1)), policy), code('bad_signature'));
    await assert.rejects(openByPolicy(noteOf(byWitness(x1)), policy), code('bad_signature'));
    const late = { ...byWitness(x1), bytes: byWitness(x1).bytes.map((byte, i) => (i === 7 ? byte ^ 1 : byte)) };
    await assert.rejects(openByPolicy(noteOf(bySigner(log), late), policy), code('bad_signature'));
    const swapped = { ...byWitness(x1), bytes: byWitness(x2).bytes };
    await assert.rejects(openByPolicy(noteOf(bySigner(log), swapped), policy), code('bad_signature'));
    await assert.rejects(openByPolicy(noteOf(bySigner(log)), parsePolicy('quorum none')), code('unknown_log'));
  });

  test('is accepted by either key of a log that changed its key', async () => {
    const both = parsePolicy(`log ${log.vkey}\nlog ${rotated.vkey}\nquorum none\n`);
    const opened = await openByPolicy(noteOf(bySigner(rotated)), both);
    assert.deepEqual([opened.log, opened.quorum_met], [both.logs[1]!.key, true]);
  });
});
