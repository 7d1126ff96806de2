import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { verifyPaths } from '../src/bin.ts';
import { LineSplitter } from '../src/lines.ts';
import { sealRouterReceipt } from '../src/router-ledger.ts';
import { altered, chainOf } from './kit/receipts.ts';

const BIN = fileURLToPath(new URL('../src/bin.ts', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'verify-'));
after(() => rmSync(folder, { recursive: true }));

function run(args: string[], input = '') {
  const { status, stdout, stderr } = spawnSync(process.execPath, [BIN, 'verify', ...args], { input, encoding: 'utf8' });
  return { status, stdout, stderr };
}

function file(name: string, content: string): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

const rows = chainOf(6);
const lines = (texts: { text: string }[]) => texts.map(({ text }) => `${text}\n`).join('');
const head = rows[5]!.record.receipt_sha256;
const routerLine = (receipt_id: string) =>
  sealRouterReceipt({
    receipt_id,
    receipt_type: 'membership',
    member_id: 'mem_1',
    job_id: null,
    dataset_ids: [],
    amount_usd: '100.00',
    metadata: {},
    created_at: '2026-05-29T20:00:00.000+00:00',
  });

const whole = file('whole.ndjson', lines(rows));

test('an export that holds is OK, and the answer says what was and was not shown', () => {
  const { status, stdout, stderr } = run([whole]);
  assert.equal(status, 0, stderr);
  assert.match(stdout, /OK, 6 receipts in one chain from 0 to 5\n {2}head 5:[0-9a-f]{64}/);
  assert.match(stdout, /^Integrity {19}holds {6}Each of the receipts 0 to 5 is what was sealed/m);
  assert.match(
    stdout,
    /^Inclusion and completeness {2}not shown {2}An export alone does not show that nothing was cut off/m,
  );
  assert.match(stdout, /^Time {24}not shown {2}The time stated is the clock of the service/m);
  assert.match(stdout, /^Identity {20}not shown {2}Nothing that was given is signed/m);
  assert.equal(stderr, '');
});

test('one receipt that holds says what it seals of the work; one that does not says nothing of it', () => {
  const generic = fileURLToPath(new URL('../../../vectors/valid/receipt--generic.json', import.meta.url));
  const { status, stdout } = run([generic]);
  assert.equal(status, 0);
  assert.match(stdout, /^ {2}work by {2}translator, small-7b$/m);
  assert.match(stdout, /^ {2}output, SHA-256 {2}fb0158531a07[0-9a-f]{52}, 31 bytes$/m);
  assert.match(stdout, /^ {2}approved by {2}Ada Lovelace \(user_[0-9a-f]{32}\)$/m);
  const { work } = JSON.parse(run(['--json', generic]).stdout).files[0];
  assert.deepEqual(
    [work.agent_name, work.model_name, work.output.byte_size, work.approved_by],
    ['translator', 'small-7b', 31, 'Ada Lovelace'],
  );
  const forged = file('forged.json', readFileSync(generic, 'utf8').replace('translator', 'somebody'));
  assert.equal(run([forged]).status, 1);
  assert.doesNotMatch(run([forged]).stdout, /work by|somebody/);
});

test('an altered receipt in an export fails, with what, where, expected and actual', () => {
  const path = file('altered.ndjson', lines(rows.with(3, altered(rows[3]!, { schema: 'service.cook-receipt/v1' }))));
  const { status, stdout } = run([path]);
  assert.equal(status, 1);
  assert.match(stdout, /altered\.ndjson: FAILED, 6 receipts checked/);
  assert.match(stdout, /what {6}payload_altered: receipt_sha256 is not the hash of the payload/);
  assert.match(stdout, /where {5}line 4, receipt RCPT-000003-[0-9a-f]{8}, org_seq 3/);
  assert.match(stdout, new RegExp(`expected {2}${rows[3]!.record.receipt_sha256}`));
  assert.doesNotMatch(stdout, /^shown/m);
});

test('a missing receipt, a missing start and a doubled line fail', () => {
  for (const stored of [rows.toSpliced(2, 1), rows.slice(1), rows.toSpliced(2, 0, rows[2]!)]) {
    const { status, stdout } = run([file('gap.ndjson', lines(stored))]);
    assert.equal(status, 1);
    assert.match(stdout, /what {6}sequence_gap/);
  }
});

test('a cut-off tail is only told by the head', () => {
  const path = file('cut.ndjson', lines(rows.slice(0, 4)));
  assert.equal(run([path]).status, 0);
  const { status, stdout } = run([path, '--head', `5:${head}`]);
  assert.equal(status, 1);
  assert.match(stdout, /what {6}head_mismatch/);
  assert.equal(run([whole, '--head', `5:${head}`]).status, 0);
  assert.equal(run([whole, `--head=${head}`]).status, 0);
  assert.equal(run([whole, '--head', `4:${head}`]).status, 1);
});

test('one receipt verifies by itself, wherever in its chain; formatting is forgiven and said', () => {
  const { text } = rows[3]!;
  const stored = run([file('one.json', text)]);
  assert.equal(stored.status, 0);
  assert.match(stored.stdout, /OK, one receipt as it was sealed/);
  assert.match(stored.stdout, /not shown {2}A receipt alone does not show that it stands in its ledger/);
  for (const pretty of [
    JSON.stringify(JSON.parse(text), null, 2),
    JSON.stringify(JSON.parse(text), null, 1).replaceAll('\n', ''),
  ]) {
    const { status, stdout } = run([file('pretty.json', `${pretty}\n`)]);
    assert.equal(status, 0);
    assert.match(stdout, /note: the file is formatted differently/);
    assert.equal(run([file('pretty.json', pretty.replace('A title', 'B title'))]).status, 1);
  }
  assert.equal(run([file('one.json', text), '--head', rows[3]!.record.receipt_sha256]).status, 0);
  assert.equal(run([file('one.json', text), '--head', head]).status, 1);
});

test('what is no receipt fails, however it is broken', () => {
  const { text } = rows[0]!;
  const invalid = Buffer.from(text.replace('Example', 'Ex\ufffdmple'), 'utf8');
  const broken = [
    '# notes\n',
    '{}',
    '[]',
    'null',
    text.slice(0, 20),
    `{\n${text}`,
    '\n\n{',
    invalid.toString('latin1'),
  ];
  for (const content of broken) assert.equal(run([file('broken.json', content)]).status, 1, content);
});

test('nothing to verify is never valid', () => {
  const empty = join(folder, 'empty');
  mkdirSync(empty);
  for (const path of [file('empty.ndjson', ''), empty]) {
    const { status, stdout } = run([path]);
    assert.equal(status, 1);
    assert.match(stdout, /nothing to verify/);
  }
  assert.equal(run(['-']).status, 1);
});

test('a router file, by its name or by its content, and a folder of them', () => {
  const router = join(folder, 'receipts');
  mkdirSync(router);
  const content = `${routerLine('rcpt_1')}\n${routerLine('rcpt_2')}\n`;
  writeFileSync(join(router, '2026-05-29.receipts.jsonl'), content);
  writeFileSync(join(router, '2026-05-30.receipts.jsonl'), content);
  writeFileSync(join(router, 'notes.txt'), 'not looked at');
  const good = run([router]);
  assert.equal(good.status, 0);
  assert.match(good.stdout, /2026-05-30\.receipts\.jsonl: OK, 2 receipts, each as its checksum says/);
  assert.equal(run(['-'], content).status, 0);
  assert.equal(run([router, '--head', head]).status, 2);
  assert.equal(run([join(router, '2026-05-29.receipts.jsonl'), '--head', head]).status, 2);

  writeFileSync(join(router, '2026-05-30.receipts.jsonl'), content.replace('100.00', '999.00').slice(0, -9));
  const { status, stdout } = run([router, '--json']);
  assert.equal(status, 1);
  const { ok, receipts_checked, violation, files } = JSON.parse(stdout);
  assert.deepEqual([ok, receipts_checked, files.length], [false, 4, 2]);
  assert.deepEqual([violation.kind, violation.line, violation.receipt_id], ['payload_altered', 1, 'rcpt_1']);
  assert.deepEqual([files[1].violations[1].kind, files[1].violations[1].line], ['torn_line', 2]);
});

test('--json is one document with the violation, its line and what was shown', () => {
  const { status, stdout } = run(['--json', whole, file('gap.ndjson', lines(rows.toSpliced(2, 1)))]);
  assert.equal(status, 1);
  const { ok, receipts_checked, violation, files, not_shown } = JSON.parse(stdout);
  assert.deepEqual([ok, receipts_checked, files[0].ok, files[0].head.org_seq], [false, 11, true, 5]);
  const { kind, line, org_seq, expected, actual } = violation;
  assert.deepEqual(
    { kind, line, org_seq, expected, actual },
    { kind: 'sequence_gap', line: 3, org_seq: 3, expected: 2, actual: 3 },
  );
  assert(not_shown.length > 0);
});

test('standard input is read as a file is', () => {
  assert.equal(run(['-'], lines(rows)).status, 0);
  assert.equal(run(['-'], lines(rows.toSpliced(1, 1))).status, 1);
});

test('wrong use exits 2 and says why on standard error', () => {
  for (const args of [
    [],
    ['--nonsense', whole],
    [join(folder, 'absent.json')],
    [whole, '--head', 'abc'],
    [whole, whole, '--head', head],
  ]) {
    const { status, stdout, stderr } = run(args);
    assert.equal(status, 2, args.join(' '));
    assert.match(stderr, /^verify: /);
    assert.equal(stdout, '');
  }
  const help = run(['--help']);
  assert.equal(help.status, 0);
  assert.match(help.stdout, /^Usage: \.\/rcpt verify/);
});

test('what a file says never reaches the terminal as control characters', async () => {
  const path = file(
    'hostile.ndjson',
    `${rows[0]!.text}\n{"receipt_id":"\\u001b[2J\\u202e\\u200b\\u00ad\\u2028\\udb40\\udc41","receipt_sha256":"x"}\n`,
  );
  let out = '';
  const sink = { write: (text: string) => (out += text) };
  assert.equal(await verifyPaths([path], { stdout: sink, stderr: sink }), 1);
  assert.match(out, /\ufffd\[2J\ufffd{5}/);
  assert.doesNotMatch(out, /[\u001b\u202e\u200b\u00ad\u2028]|\u{e0041}/u);
});

test('on a terminal progress is drawn on standard error and wiped away', async () => {
  let progress = '';
  let out = '';
  const stderr = { isTTY: true, write: (text: string) => (progress += text) };
  assert.equal(await verifyPaths([whole], { stdout: { write: (text: string) => (out += text) }, stderr }), 0);
  assert.match(progress, /^\r\u001b\[K\[#{30}\] 100 % {2}6 receipts\r\u001b\[K$/);
  assert.match(out, /OK/);
});

test('lines are the same however the bytes arrive', () => {
  const bytes = new TextEncoder().encode('a\n\nbé\ncd');
  for (let size = 1; size <= bytes.length; size++) {
    const seen: [string, boolean][] = [];
    const splitter = new LineSplitter((line, terminated) => seen.push([new TextDecoder().decode(line), terminated]));
    for (let at = 0; at < bytes.length; at += size) splitter.write(bytes.subarray(at, at + size));
    splitter.end();
    assert.deepEqual(seen, [
      ['a', true],
      ['', true],
      ['bé', true],
      ['cd', false],
    ]);
  }
});

test('in a folder, what holds no receipts is skipped and counted; named itself, it is said to be none', () => {
  const data = join(folder, 'data');
  mkdirSync(join(data, 'objects'), { recursive: true });
  writeFileSync(join(data, 'objects', 'RCPT-000003.json'), rows[3]!.text);
  writeFileSync(join(data, 'demo.json'), '{\n  "receipt_id": "RCPT-000003-00000000",\n  "owner_key": "rk_x"\n}\n');
  writeFileSync(join(data, 'log.jsonl'), '{"level":"info"}\n{"level":"warn"}\n');
  writeFileSync(join(data, 'empty.ndjson'), '');
  const good = run([data]);
  assert.equal(good.status, 0, good.stdout);
  assert.match(good.stdout, /OK, one receipt as it was sealed/);
  assert.match(good.stdout, /^skipped {4}3 other files, without receipts/m);
  const { files, skipped } = JSON.parse(run(['--json', data]).stdout);
  assert.equal(files.length, 1);
  assert.deepEqual(
    skipped,
    ['demo.json', 'empty.ndjson', 'log.jsonl'].map((name) => join(data, name)),
  );
  const itself = run([join(data, 'demo.json')]);
  assert.equal(itself.status, 1);
  assert.match(itself.stdout, /demo\.json: nothing to verify: it holds no receipt/);
});

test('in a folder, a damaged receipt is never taken for something else', () => {
  const { text } = rows[3]!;
  const whole = lines(rows);
  for (const [name, content] of [
    ['one.json', text.replace('"receipt_sha256"', '"receipt_sha"')],
    ['one.json', text.slice(0, -30)],
    ['RCPT-000003-00000000.json', '{}'],
    ['2026-05-29.receipts.jsonl', '{}\n'],
    ['chain.ndjson', `{}\n${whole}`],
    ['chain.json', `[\n${whole}]`],
  ] as const) {
    const damaged = mkdtempSync(join(folder, 'damaged-'));
    writeFileSync(join(damaged, name), content);
    const { status, stdout } = run([damaged]);
    assert.equal(status, 1, name);
    assert.match(stdout, /FAILED/, name);
  }
});

test('a word that is not taken is answered with the nearest that is', () => {
  const { status, stderr } = run(['--jsn', whole]);
  assert.equal(status, 2);
  assert.match(stderr, /^verify: there is no --jsn; did you mean --json\?\n/);
  assert.match(run([join(folder, 'absent.json')]).stderr, /absent\.json: there is no such file or folder\n/);
});
