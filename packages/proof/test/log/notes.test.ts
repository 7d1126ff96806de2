import assert from 'node:assert/strict';
import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import type { ProofErrorCode } from '../../src/error.ts';
import { toBase64 } from '../../src/log/bytes.ts';
import {
  checkpointText,
  cosignatureBytes,
  cosignedMessage,
  openCheckpoint,
  parseCheckpointText,
} from '../../src/log/checkpoint.ts';
import { inclusionProof, leafHash } from '../../src/log/merkle.ts';
import { formatProofFile, parseProofFile, verifyProofFile } from '../../src/log/proof-file.ts';
import { formatNote, parseNote, verifyNote } from '../../src/log/signed-note.ts';
import { parseTilePath, tilePath, tileWidth } from '../../src/log/tiles.ts';
import { formatVerifierKey, type KeyType, parseVerifierKey, verifierKey } from '../../src/log/verifier-key.ts';
import { subtreesOf, treeOf } from './tree.ts';

const ORIGIN = 'ledger.example/org/org_1';
const TIME = 1_790_000_000;

const EXAMPLE_KEY = 'example.com/foo+530d903a+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k';
const EXAMPLE_NOTE =
  'This is an example message.\n\n\u2014 example.com/foo Uw2QOkn8srV1yJGh2VYRlL1Tnagv1YEq6TfXppzi2ONncAlTgK7Ztg1ERYNZXsYjOBH3mFXmRKuwHjG1Yu72IneyaQM=\n';

function signer(name: string, type: KeyType) {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const raw = publicKey.export({ type: 'spki', format: 'der' }).subarray(-32);
  return { key: verifierKey(name, type, new Uint8Array(raw)), privateKey };
}

const ed25519 = (key: KeyObject, message: Uint8Array) => new Uint8Array(sign(null, message, key));
const log = signer(ORIGIN, 1);
const witness = signer('witness.example', 4);

const RECEIPTS = ['{"org_seq":0}', '{"org_seq":1}', '{"org_seq":2}'].map((text) => new TextEncoder().encode(text));
const LEAVES = RECEIPTS.map(leafHash);

async function signedCheckpoint(size = 3): Promise<string> {
  const text = checkpointText({ origin: ORIGIN, ...(await treeOf(LEAVES, size)) });
  const cosigned = ed25519(witness.privateKey, cosignedMessage(TIME, text));
  return formatNote({
    text,
    signatures: [
      { name: ORIGIN, id: log.key.id, bytes: ed25519(log.privateKey, new TextEncoder().encode(text)) },
      { name: witness.key.name, id: witness.key.id, bytes: cosignatureBytes(TIME, cosigned) },
    ],
  });
}

async function proofFile(index: number): Promise<string> {
  const hashes = await inclusionProof(index, 3, subtreesOf(LEAVES));
  return formatProofFile({ index, hashes, checkpoint: await signedCheckpoint() });
}

const rejectsAs = (code: ProofErrorCode) => (error: { code?: string }) => error.code === code;

describe('a signed note', () => {
  test('is the published example, to the byte', async () => {
    const key = parseVerifierKey(EXAMPLE_KEY);
    const note = parseNote(EXAMPLE_NOTE);
    assert.equal(formatVerifierKey(key), EXAMPLE_KEY);
    assert.equal(formatNote(note), EXAMPLE_NOTE);
    assert.equal((await verifyNote(note, [key])).length, 1);
  });

  test('is refused with a changed text, an unknown key, a second key of another type', async () => {
    const key = parseVerifierKey(EXAMPLE_KEY);
    const changed = parseNote(EXAMPLE_NOTE.replace('example message', 'exampla message'));
    await assert.rejects(verifyNote(changed, [key]), rejectsAs('bad_signature'));
    await assert.rejects(verifyNote(parseNote(EXAMPLE_NOTE), [log.key]), rejectsAs('bad_signature'));
    const as_witness = verifierKey(key.name, 4, key.key);
    await assert.rejects(verifyNote(parseNote(EXAMPLE_NOTE), [as_witness]), rejectsAs('bad_signature'));
  });

  test('ends its text at the last empty line', () => {
    const { text } = parseNote(`one\n\ntwo\n\n${EXAMPLE_NOTE.split('\n\n')[1]}`);
    assert.equal(text, 'one\n\ntwo\n');
  });

  for (const [what, note] of [
    ['without signatures', 'text\n'],
    ['without a final line feed', EXAMPLE_NOTE.slice(0, -1)],
    ['with a carriage return', EXAMPLE_NOTE.replace('message.\n', 'message.\r\n')],
    ['with a hyphen for the dash', EXAMPLE_NOTE.replace('\u2014', '-')],
    ['with base64 in another form', EXAMPLE_NOTE.replace('aQM=', 'aQN=')],
    ['with a name that holds a plus sign', EXAMPLE_NOTE.replace('example.com/foo', 'a+b')],
    ['with a thousand signatures', EXAMPLE_NOTE + EXAMPLE_NOTE.split('\n\n')[1]!.repeat(1_000)],
  ] as const)
    test(`is none ${what}`, () => assert.throws(() => parseNote(note), rejectsAs('not_a_note')));

  test('has keys whose id is theirs', () => {
    for (const key of [EXAMPLE_KEY.replace('530d903a', '530d903b'), EXAMPLE_KEY.replace('+A', '+B'), 'a+b', '', '+'])
      assert.throws(() => parseVerifierKey(key), rejectsAs('invalid_key'), key);
  });
});

describe('a checkpoint', () => {
  test('is read back, with who witnessed it and when', async () => {
    const { root } = await treeOf(LEAVES, 3);
    assert.deepEqual(await openCheckpoint(await signedCheckpoint(), log.key, [witness.key]), {
      origin: ORIGIN,
      size: 3,
      root,
      witnesses: [{ name: 'witness.example', time: TIME }],
    });
  });

  test('is refused where any one character is another', async () => {
    const note = await signedCheckpoint();
    await fc.assert(
      fc.asyncProperty(fc.nat(note.length - 1), fc.constantFrom('A', 'b', '7', '\n', ' '), async (at, letter) => {
        if (note[at] === letter) return;
        const changed = note.slice(0, at) + letter + note.slice(at + 1);
        const opened = openCheckpoint(changed, log.key, [witness.key]);
        // A witness whose name or id was changed is not known, and is not counted.
        const left = await opened.then(
          ({ witnesses }) => witnesses.length,
          (error: { code: string }) => error.code,
        );
        assert.ok(left === 0 || typeof left === 'string', changed);
        if (at < note.indexOf('witness.example')) assert.ok(typeof left === 'string', changed);
      }),
      { numRuns: 300 },
    );
  });

  test('of another log is refused, signed by this key or not', async () => {
    const other = signer('ledger.example/org/org_2', 1);
    await assert.rejects(openCheckpoint(await signedCheckpoint(), other.key), rejectsAs('not_a_checkpoint'));
    const stranger = signer(ORIGIN, 1);
    await assert.rejects(openCheckpoint(await signedCheckpoint(), stranger.key), rejectsAs('bad_signature'));
  });

  test('has three lines and nothing else', () => {
    const hash = toBase64(LEAVES[0]!);
    assert.equal(parseCheckpointText(`a\n0\n${hash}\n`).size, 0);
    for (const text of [
      `a\n01\n${hash}\n`,
      `a\n-1\n${hash}\n`,
      `a\n1\n${hash.slice(4)}\n`,
      `a\n1\n${hash}\nextension\n`,
      `a\n1\n${hash}`,
      `\n1\n${hash}\n`,
      `a\n9007199254740993\n${hash}\n`,
    ])
      assert.throws(() => parseCheckpointText(text), rejectsAs('not_a_checkpoint'), text);
  });
});

describe('a proof file', () => {
  test('shows the receipt to be in the tree of the checkpoint', async () => {
    for (const [index, receipt] of RECEIPTS.entries()) {
      const shown = await verifyProofFile(await proofFile(index), receipt, log.key, [witness.key]);
      assert.deepEqual([shown.index, shown.checkpoint.size, shown.checkpoint.witnesses.length], [index, 3, 1]);
    }
  });

  test('shows nothing of another receipt, or of another place', async () => {
    const file = await proofFile(1);
    await assert.rejects(verifyProofFile(file, RECEIPTS[0]!, log.key), rejectsAs('not_included'));
    const moved = file.replace('index 1', 'index 2');
    await assert.rejects(verifyProofFile(moved, RECEIPTS[1]!, log.key), rejectsAs('not_included'));
  });

  test('is what was written', async () => {
    const file = await proofFile(2);
    assert.equal(formatProofFile(parseProofFile(file)), file);
  });

  test('is none with another first line, index or hash', async () => {
    const file = await proofFile(0);
    for (const other of [
      file.replace('@v1', '@v2'),
      file.replace('index 0', 'index 00'),
      file.replace('index 0', 'index -1'),
      file.replace('\nindex 0', ''),
      file.replace(/\n[^\n]{44}\n/, '\nAAAA\n'),
      '',
    ])
      assert.throws(() => parseProofFile(other), rejectsAs('not_a_proof'), other);
  });
});

describe('a tile', () => {
  test('has one path, in groups of three digits', () => {
    assert.equal(tilePath({ level: 0, index: 5, width: 256 }), 'tile/0/005');
    assert.equal(tilePath({ level: 0, index: 1_234_067, width: 256 }), 'tile/0/x001/x234/067');
    assert.equal(tilePath({ level: null, index: 273, width: 112 }), 'tile/entries/273.p/112');
    assert.deepEqual(parseTilePath('0/x001/x234/067'), { level: 0, index: 1_234_067, width: 256 });
    for (const path of ['0/5', '0/x000/005', '0/000.p/0', '0/000.p/256', '64/000', '0/000/', '00/000', 'entries/1234'])
      assert.equal(parseTilePath(path), null, path);
  });

  test('is as wide as the tree is large: 70,000 leaves', () => {
    const widths = (level: number | null, indices: number[]) => indices.map((index) => tileWidth(70_000, level, index));
    assert.deepEqual(widths(0, [0, 272, 273, 274]), [256, 256, 112, 0]);
    assert.deepEqual(widths(1, [0, 1, 2]), [256, 17, 0]);
    assert.deepEqual(widths(2, [0, 1]), [1, 0]);
    assert.deepEqual(widths(null, [273]), [112]);
  });
});
