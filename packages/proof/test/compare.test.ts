/** `verify RECEIPT --output FILE --evidence FILE`, as typed. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { canonicalize } from '../src/canonical.ts';
import { GENESIS_HASH } from '../src/chain.ts';
import { sealRouterReceipt } from '../src/router-ledger.ts';
import { sha256Hex } from '../src/sha256.ts';
import { altered, chainOf, payloadOf, rowOf } from './kit/receipts.ts';

const BIN = fileURLToPath(new URL('../src/bin.ts', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'compare-'));
after(() => rmSync(folder, { recursive: true }));

function run(args: string[], input = '') {
  const { status, stdout, stderr } = spawnSync(process.execPath, [BIN, 'verify', ...args], { input, encoding: 'utf8' });
  return { status, stdout, stderr };
}

function file(name: string, content: string | Uint8Array): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

const TEXT = 'Two tiles to replace, the gutter can stay: é.';
const NOTES = 'Two tiles are broken.';
const VALUE = { total: 10.3, items: [{ amount: 10.1 }, { amount: 0.2 }], é: 'ü' };
const of = (content: string) => ({ output_sha256: sha256Hex(content), output_bytes: Buffer.byteLength(content) });
const evidence = (label: string, content: string, byte_size = Buffer.byteLength(content)) => ({
  kind: 'file',
  label,
  sha256: sha256Hex(content),
  content_type: 'text/plain',
  byte_size,
});
const generic = (output: object, pieces: object[] = []) =>
  rowOf(payloadOf(0, GENESIS_HASH, { execution: { agent_name: '', ...output }, evidence: pieces })).text;
const lane = (schema: string, blocks: object) => rowOf(payloadOf(0, GENESIS_HASH, { schema, ...blocks })).text;

const receipt = file(
  'receipt.json',
  generic(of(TEXT), [evidence('Visit notes', NOTES), evidence('roof.jpg', 'photo'), evidence('notes again', NOTES)]),
);
const output = file('deliverable.txt', TEXT);
const notes = file('notes.txt', NOTES);
const other = file('other.txt', 'Something else.');

test('the sealed output and its evidence are named, and the exit code is 0', () => {
  const { status, stdout, stderr } = run([receipt, '--output', output, '--evidence', notes]);
  assert.equal(status, 0, stdout + stderr);
  assert.match(stdout, /receipt\.json: OK, one receipt as it was sealed/);
  assert.match(stdout, /deliverable\.txt: OK\. This file is the sealed output\.\n {2}sha256 {4}[0-9a-f]{64}, 46 bytes/);
  assert.match(stdout, /notes\.txt: OK\. This file is evidence "Visit notes"\. This file is evidence "notes again"\./);
  assert.match(stdout, /^shown {6}each file you named is the one whose hash the receipt seals$/m);
  assert.match(stdout, /^not shown {2}who made the file, and whether what stands in it is right$/m);
});

test('another file fails, with what was sealed and what it has', () => {
  const { status, stdout } = run([receipt, '--output', other]);
  assert.equal(status, 1);
  assert.match(stdout, /other\.txt: FAILED\. This file is not the sealed output\.\n/);
  assert.match(stdout, new RegExp(`expected {2}${sha256Hex(TEXT)}, 46 bytes\n {2}actual {4}[0-9a-f]{64}, 15 bytes`));
  assert.doesNotMatch(stdout, /^shown/m);
  const none = run([receipt, '--evidence', other]);
  assert.equal(none.status, 1);
  assert.match(none.stdout, /not one of the 3 pieces of sealed evidence/);
});

test('one file that does not match is enough to fail', () => {
  assert.equal(run([receipt, '--output', output, '--evidence', notes, '--evidence', other]).status, 1);
  assert.equal(run([receipt, '--output', output, '--evidence', notes, '--evidence', notes]).status, 0);
});

test('asked for in the wrong role, the right one is said, and it fails all the same', () => {
  const swapped = run([receipt, '--output', notes]);
  assert.equal(swapped.status, 1);
  assert.match(swapped.stdout, /not the sealed output\. This file is evidence "Visit notes"/);
  assert.match(run([receipt, '--evidence', output]).stdout, /FAILED.*This file is the sealed output\./);
});

test('a final newline that was not sealed fails, and is named as the reason', () => {
  for (const newline of ['\n', '\r\n']) {
    const { status, stdout } = run([receipt, '--output', file('echoed.txt', TEXT + newline)]);
    assert.equal(status, 1);
    assert.match(
      stdout,
      /It ends in a newline that was not sealed: without that newline it would be the sealed output/,
    );
  }
  assert.doesNotMatch(run([receipt, '--output', file('two.txt', `${TEXT}\n\n`)]).stdout, /newline/);
  assert.match(
    run([receipt, '--evidence', file('echoed.txt', `${NOTES}\n`)]).stdout,
    /would be evidence "Visit notes"/,
  );
});

test('a JSON output matches by its content, and the other formatting is said', () => {
  const sealed = file('json.json', generic(of(canonicalize(VALUE))));
  const exact = run([sealed, '--output', file('value.json', canonicalize(VALUE))]);
  assert.match(exact.stdout, /OK\. This file is the sealed output\./);
  const pretty = run([sealed, '--output', file('value.json', `${JSON.stringify(VALUE, null, 2)}\n`)]);
  assert.equal(pretty.status, 0);
  assert.match(pretty.stdout, /OK\. Its JSON content is the sealed output; the file is formatted differently\./);
  const changed = file('value.json', JSON.stringify({ ...VALUE, total: 10.31 }));
  assert.equal(run([sealed, '--output', changed]).status, 1);
  const doubled = file('value.json', JSON.stringify(VALUE).replace('{', '{"total":99,'));
  assert.equal(run([sealed, '--output', doubled]).status, 1, 'a member twice is another content to another reader');
});

test('evidence is bytes: the same JSON in another formatting is not it', () => {
  const sealed = file('json.json', generic(of(TEXT), [evidence('value.json', canonicalize(VALUE))]));
  const { status, stdout } = run([sealed, '--evidence', file('value.json', JSON.stringify(VALUE, null, 2))]);
  assert.equal(status, 1);
  assert.match(stdout, /Its JSON content is that of evidence "value\.json"; its bytes are others/);
});

test('each lane is compared by what it seals', () => {
  const submission = { agent_name: '', model_name: '', provider: '', sha256: sha256Hex(canonicalize(VALUE)) };
  const value = file('value.json', JSON.stringify(VALUE));
  const evaluated = file(
    'eval.json',
    lane('service.eval-receipt/v1', { submission, evidence: [evidence('raw', 'x')] }),
  );
  assert.match(run([evaluated, '--output', value]).stdout, /OK\. Its JSON content is the sealed submission/);
  assert.equal(run([evaluated, '--evidence', file('raw', 'x')]).status, 0);

  const csv = 'a,b\n1,2\n';
  const sealed_package = { slug: 'd', sha256: sha256Hex(csv), size_bytes: 9 };
  const download = file('package.json', lane('service.dataset-download-receipt/v1', { package: sealed_package }));
  const taken = run([download, '--output', file('d.csv', csv)]);
  assert.equal(taken.status, 0);
  assert.match(taken.stdout, /is the sealed dataset package\. It has 8 bytes; the receipt states 9\./);

  const pin = (card: unknown) =>
    file('pin.json', lane('service.model-pin-receipt/v1', { model: { card_sha256: sha256Hex(canonicalize(card)) } }));
  assert.match(run([pin(VALUE), '--output', value]).stdout, /OK\. Its JSON content is the sealed model card/);
  const markdown = '# Example 8B\n';
  const card = run([pin(markdown), '--output', file('card.md', markdown)]);
  assert.equal(card.status, 0);
  assert.match(card.stdout, /OK\. Its text is the sealed model card, which was sealed as a JSON string/);
});

test('where a receipt seals no such file, that is said, and it is no match', () => {
  for (const [content, flag, said] of [
    [lane('service.cook-receipt/v1', { cook: {} }), '--output', 'is of a lane that seals no output'],
    [lane('service.incident-receipt/v1', { incident: {} }), '--evidence', 'is of a lane that seals no evidence'],
    [lane('service.model-pin-receipt/v1', { model: {} }), '--evidence', 'is of a lane that seals no evidence'],
    [generic({ output_sha256: '', output_bytes: 0 }), '--output', 'names no output'],
    [generic(of(TEXT)), '--evidence', 'names no evidence'],
    [lane('service.other-receipt/v1', { execution: of(TEXT) }), '--output', 'whose sealed files are not known here'],
  ] as const) {
    const { status, stdout } = run([file('none.json', content), flag, output]);
    assert.equal(status, 1, said);
    assert.match(stdout, /none\.json: OK/);
    assert.ok(stdout.includes(said), stdout);
  }
});

test('a file is never called a match against a receipt that does not verify', () => {
  const row = rowOf(payloadOf(0, GENESIS_HASH, { execution: of('the original') }));
  const forged = altered(row, { execution: of(TEXT) }).text;
  for (const content of [forged, `${forged}\n\n`, `{\n${forged.slice(1)}`, forged.slice(0, -1), '']) {
    const { status, stdout } = run([file('forged.json', content), '--output', output]);
    assert.equal(status, 1);
    assert.match(stdout, /deliverable\.txt: FAILED\. Not compared: the receipt does not verify\./);
    assert.doesNotMatch(stdout, /OK/);
  }
  const json = JSON.parse(run([file('forged.json', forged), '--output', output, '--json']).stdout);
  assert.equal(json.ok, false);
  assert.deepEqual([json.matches[0].ok, json.matches[0].sha256, json.matches[0].is], [false, null, []]);
  assert.equal(
    run([receipt, '--output', output, '--head', '0'.repeat(64)]).status,
    1,
    'not the receipt that was meant',
  );
});

test('--json says per file what it is, by which form, and what would have been it', () => {
  const { status, stdout } = run([receipt, '--json', '--output', other, '--evidence', notes]);
  assert.equal(status, 1);
  const { ok, files, matches } = JSON.parse(stdout);
  assert.deepEqual([ok, files[0].ok, matches.length], [false, true, 2]);
  assert.deepEqual(matches[0].expected, { sha256: sha256Hex(TEXT), byte_size: 46 });
  const named = (label: string) => ({ name: 'evidence', label, sha256: sha256Hex(NOTES), form: 'bytes' });
  assert.deepEqual(matches[1], {
    asked: 'evidence',
    file: notes,
    ok: true,
    byte_size: 21,
    sha256: sha256Hex(NOTES),
    is: [named('Visit notes'), named('notes again')],
    detail: 'This file is evidence "Visit notes". This file is evidence "notes again".',
    expected: null,
  });
  assert.deepEqual(JSON.parse(run([receipt, '--json']).stdout).matches, []);
});

test('one of the two may come from standard input', () => {
  assert.equal(run([receipt, '--output', '-'], TEXT).status, 0);
  assert.equal(run([receipt, '--output', '-'], `${TEXT}\n`).status, 1);
  assert.equal(run(['-', '--output', output], generic(of(TEXT))).status, 0);
});

test('wrong use exits 2, says why, and compares nothing', () => {
  const chain = file(
    'chain.ndjson',
    chainOf(2)
      .map(({ text }) => `${text}\n`)
      .join(''),
  );
  const member = { receipt_id: 'rcpt_1', receipt_type: 'membership', member_id: 'm', job_id: null } as const;
  const more = { dataset_ids: [], amount_usd: '0.00', metadata: {}, created_at: '2026-05-29T20:00:00.000+00:00' };
  const router = file('2026-05-29.receipts.jsonl', `${sealRouterReceipt({ ...member, ...more })}\n`);
  for (const [args, why] of [
    [[receipt, receipt, '--output', output], /give one PATH/],
    [[folder, '--output', output], /is a folder: name one file/],
    [[receipt, '--output', folder], /is a folder: name one file/],
    [[chain, '--output', output], /compare with one receipt, which .*chain\.ndjson is not/],
    [[router, '--evidence', output], /compare with one receipt, which .*receipts\.jsonl is not/],
    [[receipt, '--output', join(folder, 'absent')], /absent: there is no such file/],
    [[receipt, '--output', output, '--output', output], /--output is given once/],
    [['-', '--output', '-'], /can be read once/],
    [['--output', output], /got no PATH/],
    [[receipt, '--output'], /--output takes a value/],
  ] as const) {
    const { status, stdout, stderr } = run([...args]);
    assert.equal(status, 2, args.join(' '));
    assert.match(stderr, why);
    assert.equal(stdout, '');
  }
});

test('what somebody wrote as a label cannot put a line into the answer', () => {
  const label = 'x"\nother.txt: OK. This file is the sealed output.\u001b[2J\u202e';
  const hostile = file('hostile.json', generic(of(TEXT), [evidence(label, NOTES)]));
  const { status, stdout } = run([hostile, '--evidence', notes]);
  assert.equal(status, 0);
  assert.doesNotMatch(stdout, /^other\.txt/m);
  assert.doesNotMatch(stdout, /[\u001b\u202e]/);
  const id = 'RCPT-000000-00000000\nother.txt: OK';
  const unsealed = file('id.json', JSON.stringify({ ...payloadOf(0, GENESIS_HASH), receipt_id: id }));
  assert.doesNotMatch(run([unsealed, '--output', output]).stdout, /^other\.txt/m);
});
