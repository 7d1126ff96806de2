import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { deflateSync } from 'node:zlib';
import { logOf, signerNamed } from '../../../../test/kit/signed-log.ts';
import { check, type GivenFile } from '../../src/given/check.ts';
import { kindOf } from '../../src/given/kind.ts';
import { attachmentsOf } from '../../src/given/pdf-attachments.ts';
import { formatConsistency } from '../../src/log/consistency-file.ts';
import { formatVerifierKey, verifierKey } from '../../src/log/verifier-key.ts';
import { inShort } from '../kit/answers.ts';
import { chainOf } from '../kit/receipts.ts';

const texts = chainOf(6).map(({ text }) => text);
const log = logOf(texts, 'ledger.example/org/org_1');
const proof = await log.proof(2);
const { key, vkey } = log.signer;
const exported = texts.map((text) => `${text}\n`).join('');

const bytes = (text: string) => new TextEncoder().encode(text);
function file(name: string, content: string | Uint8Array): GivenFile {
  const blob = new Blob([content as string]);
  return { name, size: blob.size, slice: (from, to) => blob.slice(from, to) };
}

/** As a PDF holds them, and no more of one. */
function pdf(...attached: string[]): Uint8Array {
  const objects = attached.map((text, i) => {
    const packed = deflateSync(text);
    const dictionary = `<<\n/Type /EmbeddedFile\n/Length ${packed.length}\n/Filter /FlateDecode\n>>\nstream\n`;
    return Buffer.concat([Buffer.from(`${i + 1} 0 obj\n${dictionary}`), packed, Buffer.from('\nendstream\nendobj\n')]);
  });
  return Buffer.concat([Buffer.from('%PDF-1.7\n'), ...objects, Buffer.from('<< /EmbeddedFiles 9 0 R >>\n')]);
}

describe('what a file is', () => {
  test('its content says, whatever it is called', async () => {
    const witness = signerNamed('witness.example', 4);
    for (const [kind, text] of [
      ['proof', proof],
      ['checkpoint', log.checkpoint()],
      ['keys', `${vkey}\n`],
      ['keys', `${vkey}\n${witness.vkey}\n`],
      ['consistency', formatConsistency(await log.consistency(3))],
      ['policy', `witness w ${witness.vkey}\nquorum w\n`],
      ['receipts', texts[0]!],
      ['receipts', exported],
      ['receipts', 'anything else'],
      ['receipts', ''],
    ] as const)
      assert.equal(kindOf(bytes(text)), kind, text.slice(0, 40));
    assert.equal(kindOf(pdf()), 'pdf');
  });
});

describe('files laid down together', () => {
  test('receipt, proof and key, in any order, give the four answers', async () => {
    const files = [file('k', vkey), file('p', proof), file('r', texts[2]!)];
    for (const order of [files, files.toReversed()]) {
      const { answers, keys } = await check(order, []);
      assert.deepEqual(inShort(answers), [
        'holds unchanged',
        'holds included',
        'not_shown stated',
        'not_shown key_beside',
      ]);
      assert.deepEqual(keys, [key]);
    }
    assert.equal((await check(files, [key])).answers.identity.code, 'expected_key');
  });

  test('an export and its checkpoint are read slice by slice', async () => {
    const read: number[] = [];
    const given = [file('checkpoint', log.checkpoint()), file('export.ndjson', exported)];
    const { answers } = await check(given, [key], (at) => void read.push(at));
    assert.equal(answers.inclusion_and_completeness.code, 'complete');
    assert.deepEqual(read, [exported.length]);
  });

  test('a PDF is what is attached inside it', async () => {
    const { answers, files } = await check([file('receipt.pdf', pdf(texts[2]!, proof, vkey))], []);
    assert.deepEqual(inShort(answers).slice(0, 2), ['holds unchanged', 'holds included']);
    assert.deepEqual(
      files.map(({ kind }) => kind),
      ['pdf', 'receipts', 'proof', 'keys'],
    );
    const beside = await check([file('receipt.json', texts[2]!), file('receipt.pdf', pdf(texts[2]!, proof))], [key]);
    assert.equal(beside.answers.inclusion_and_completeness.code, 'included');
  });

  test('a PDF brings neither what a reader trusts nor another PDF', async () => {
    const policy = `log ${vkey}\nwitness w1 ${formatVerifierKey(verifierKey('w.example', 4, new Uint8Array(32).fill(9)))}\nquorum w1\n`;
    const inner = Buffer.from(pdf('inner')).toString('latin1');
    const { files, answers } = await check([file('receipt.pdf', pdf(texts[2]!, proof, policy, inner))], [key]);
    assert.deepEqual(
      files.map(({ kind }) => kind),
      ['pdf', 'receipts', 'proof', 'unused', 'unused'],
    );
    assert.equal(answers.time.state, 'not_shown');
    const given = await check([file('receipt.json', texts[2]!), file('proof', proof), file('policy', policy)], [key]);
    assert.equal(given.files[2]!.kind, 'policy', 'from the reader it is taken');
  });

  test('one receipt is verified at a time, what does not go with it is said to be unused', async () => {
    const two = await check([file('a.json', texts[2]!), file('b.json', texts[3]!)], []);
    assert.deepEqual(
      two.files.map(({ kind }) => kind),
      ['receipts', 'unused'],
    );
    const mixed = await check([file('r', texts[2]!), file('c', log.checkpoint())], [key]);
    assert.deepEqual(mixed.files[1], {
      name: 'c',
      kind: 'unused',
      detail: 'A checkpoint is for an export: a receipt has a proof.',
    });
  });

  test('without a receipt there is nothing to verify', async () => {
    for (const files of [[], [file('p', proof)], [file('empty.json', '')], [file('notes.txt', 'notes')]])
      assert.equal((await check(files, [key])).answers.about, 'nothing');
  });
});

describe('attachments of a PDF', () => {
  test('come out as they went in', async () => {
    const [one, two] = await attachmentsOf(pdf('first', 'second'));
    assert.deepEqual([new TextDecoder().decode(one), new TextDecoder().decode(two)], ['first', 'second']);
    assert.deepEqual(await attachmentsOf(pdf()), []);
  });

  test('that are damaged, cut off, packed too tightly or too many are refused', async () => {
    const whole = Buffer.from(pdf('first'));
    const damaged = Buffer.from(whole);
    damaged[whole.indexOf('stream\n') + 9]! ^= 0xff;
    const bomb = pdf('\0'.repeat(65 * 1024 * 1024));
    for (const hostile of [
      damaged,
      whole.subarray(0, whole.indexOf('endstream') - 2),
      Buffer.from(whole.toString('latin1').replace(/\/Length \d+/, '/Length 999999999'), 'latin1'),
      Buffer.from(whole.toString('latin1').replace(/\/Length \d+/, '/Length 5 0 R'), 'latin1'),
      Buffer.from(whole.toString('latin1').replace('FlateDecode', 'LZWDecode'), 'latin1'),
      bomb,
      pdf(...Array(17).fill('many')),
    ])
      await assert.rejects(attachmentsOf(hostile), { code: 'not_a_pdf' });
  });
});
