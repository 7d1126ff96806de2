import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { canonicalize, type Json, type JsonObject } from '../src/canonical.ts';
import { type ChainReport, ChainVerifier, type Head, MAX_VIOLATIONS, type RecordedHead } from '../src/chain.ts';
import { seal } from '../src/receipt.ts';
import type { ReceiptRecord } from '../src/record.ts';
import { sha256Hex } from '../src/sha256.ts';
import { altered, chainOf, payloadOf, type Row, rowOf } from './kit/receipts.ts';

// The same values every time; TEST_SEED=<number> tries others.
fc.configureGlobal({ seed: Number(process.env.TEST_SEED ?? 1) });

type Stored = { text: string | Uint8Array; record?: ReceiptRecord };

function verify(rows: Stored[], head?: RecordedHead | null): ChainReport {
  const verifier = new ChainVerifier();
  for (const { text, record } of rows) verifier.push(text, record);
  return verifier.finish(head);
}

const headOf = (rows: Row[]): Head => {
  const { org_seq, receipt_sha256 } = rows.at(-1)!.record;
  return { org_seq, receipt_sha256 };
};

/** Kind, org_seq and receipt_id of every violation. */
const found = ({ violations }: ChainReport) =>
  violations.map(({ kind, org_seq, receipt_id }) => [kind, org_seq, receipt_id?.slice(0, 11) ?? null]);

/** Without columns, as an export holds them. */
const exported = (rows: Row[]): Stored[] => rows.map(({ text }) => ({ text }));

test('an honest chain verifies, with and without its columns and its head', () => {
  const rows = chainOf(20);
  const expected = { ok: true, receipts_checked: 20, head: headOf(rows), violation: null, violations: [] };
  assert.deepEqual(verify(rows, headOf(rows)), expected);
  assert.deepEqual(verify(exported(rows)), expected);
  assert.deepEqual(
    verify(rows.map(({ text, record }) => ({ text: new TextEncoder().encode(text), record }))),
    expected,
  );
  assert.deepEqual(verify([], null), { ok: true, receipts_checked: 0, head: null, violation: null, violations: [] });
});

test('an altered receipt is named, and nothing else, whichever member was altered', () => {
  const rows = chainOf(6);
  const changes = [
    { created_at: '2020-01-01T00:00:00.000Z' },
    { org_seq: 9 },
    { org_seq: 2 },
    { org_seq: null },
    { parent_hash: 'f'.repeat(64) },
    { parent_hash: 7 },
    { organization: { id: 'org_2', name: 'Other' } },
    { run: { id: 'run_9' } },
    { share_url: 'https://ledger.example/share/other' },
  ];
  for (const at of [0, 3, 5]) {
    for (const change of changes) {
      const stored: Row[] = rows.with(at, altered(rows[at]!, change));
      for (const report of [verify(stored, headOf(rows)), verify(exported(stored), headOf(rows))]) {
        assert.deepEqual(
          found(report).map(([kind]) => kind),
          ['payload_altered'],
          JSON.stringify(change),
        );
        assert.equal(report.violation?.receipt_id, rows[at]!.record.receipt_id);
      }
    }
  }
});

test('an altered hash member is named, and nothing else', () => {
  const rows = chainOf(4);
  const { text, record } = rows[1]!;
  const stored = rows.with(1, { text: text.replace(record.receipt_sha256, 'e'.repeat(64)), record });
  const report = verify(stored, headOf(rows));
  assert.deepEqual(found(report), [['payload_altered', 1, 'RCPT-000001']]);
  const { expected, actual } = report.violation!;
  assert.deepEqual({ expected, actual }, { expected: 'e'.repeat(64), actual: record.receipt_sha256 });
});

test('a receipt that cannot be read is named by its record, and the rest is still verified', () => {
  const rows = chainOf(5);
  for (const text of ['', '{', '[1]', 'null', new Uint8Array([0xff, 0xfe]), '\ud800', '['.repeat(5000)]) {
    const stored: Stored[] = rows.with(2, { text: text as string, record: rows[2]!.record });
    assert.deepEqual(found(verify(stored, headOf(rows))), [['payload_altered', 2, 'RCPT-000002']]);
    assert.deepEqual(found(verify([...exported(rows.slice(0, 2)), { text }])), [['payload_altered', 2, null]]);
  }
});

test('a deleted receipt is a gap, named at the receipt found in its place', () => {
  const rows = chainOf(6);
  for (const stored of [rows.toSpliced(2, 1), exported(rows.toSpliced(2, 1))]) {
    const report = verify(stored, headOf(rows));
    assert.deepEqual(found(report), [['sequence_gap', 3, 'RCPT-000003']]);
    assert.deepEqual([report.violation?.expected, report.violation?.actual], [2, 3]);
  }
  assert.deepEqual(found(verify(rows.slice(2))), [['sequence_gap', 2, 'RCPT-000002']]);
});

test('a duplicated receipt is a gap, named at its second appearance', () => {
  const rows = chainOf(6);
  assert.deepEqual(found(verify(rows.toSpliced(3, 0, rows[2]!), headOf(rows))), [['sequence_gap', 2, 'RCPT-000002']]);
});

test('swapped receipts are named from the first that is out of place', () => {
  const rows = chainOf(6);
  const report = verify(rows.with(2, rows[3]!).with(3, rows[2]!), headOf(rows));
  assert.deepEqual(found(report)[0], ['sequence_gap', 3, 'RCPT-000003']);
  assert(report.violations.length <= 2);
});

test('an export whose later part comes first is named where it starts', () => {
  const rows = chainOf(8);
  const report = verify([...rows.slice(5), ...rows.slice(0, 5)]);
  assert.deepEqual(found(report)[0], ['sequence_gap', 5, 'RCPT-000005']);
});

test('an inserted receipt with a later org_seq does not put the honest ones after it in the wrong', () => {
  const rows = chainOf(6);
  const forged = rowOf(payloadOf(99, 'a'.repeat(64)));
  assert.deepEqual(found(verify(rows.toSpliced(3, 0, forged), headOf(rows))), [['sequence_gap', 99, 'RCPT-000099']]);
});

test('a receipt altered and sealed anew is told by the link of its successor', () => {
  const rows = chainOf(6);
  const forged = rowOf(payloadOf(2, rows[1]!.record.receipt_sha256, { lane: 'another' }));
  const report = verify(rows.with(2, forged), headOf(rows));
  assert.deepEqual(found(report), [['broken_parent_link', 3, 'RCPT-000003']]);
  const { expected, actual } = report.violation!;
  assert.deepEqual([expected, actual], [forged.record.receipt_sha256, rows[2]!.record.receipt_sha256]);
});

test('the last receipt altered and sealed anew is told by the recorded head', () => {
  const rows = chainOf(4);
  const forged = rowOf(payloadOf(3, rows[2]!.record.receipt_sha256, { lane: 'another' }));
  const report = verify(rows.with(3, forged), headOf(rows));
  assert.deepEqual(found(report), [['head_mismatch', 3, 'RCPT-000003']]);
  assert.equal(report.violation?.expected, `3:${rows[3]!.record.receipt_sha256}`);
});

test('a cut-off tail is named by the last receipt that the head knows', () => {
  const rows = chainOf(6);
  const head = { ...headOf(rows), receipt_id: 'RCPT-000005-deadbeef' };
  for (const left of [5, 3, 0])
    assert.deepEqual(found(verify(rows.slice(0, left), head)), [['head_mismatch', 5, 'RCPT-000005']]);
  assert.match(verify(rows.slice(0, 5), head).violation!.detail, /: receipt 5 is missing$/);
  assert.match(verify(rows.slice(0, 3), head).violation!.detail, /: receipts 3 to 5 are missing$/);
  assert.deepEqual(found(verify(rows.slice(0, 3), headOf(rows))), [['head_mismatch', 5, null]]);
});

test('a receipt altered and sealed anew is blamed itself where its record still holds what was sealed', () => {
  const rows = chainOf(6);
  const forged = rowOf(payloadOf(2, rows[1]!.record.receipt_sha256, { lane: 'another' }));
  const underOldColumns = { text: forged.text, record: rows[2]!.record };
  assert.deepEqual(found(verify(rows.with(2, underOldColumns), headOf(rows))), [['record_mismatch', 2, 'RCPT-000002']]);
  const { blocks } = rows[2]!.record;
  const report = verify(rows.with(2, { text: forged.text, record: { ...forged.record, blocks } }), headOf(rows));
  assert.deepEqual(found(report), [
    ['record_mismatch', 2, 'RCPT-000002'],
    ['broken_parent_link', 3, 'RCPT-000003'],
  ]);
  assert.match(report.violation!.detail, /not as sealed: lane$/);
  assert.deepEqual([report.violation!.expected, report.violation!.actual], ['another', '(absent)']);
});

test('blocks that differ from the records of the Run are named member by member', () => {
  const rows = chainOf(3);
  const of = (change: (blocks: JsonObject) => Json) => {
    const blocks = structuredClone(rows[1]!.record.blocks) as JsonObject;
    change(blocks);
    return verify(rows.with(1, { ...rows[1]!, record: { ...rows[1]!.record, blocks } }), headOf(rows)).violation!;
  };
  const run = rows[1]!.record.blocks!.run as JsonObject;
  const changes: [string, (blocks: JsonObject) => Json][] = [
    ['run.title', (blocks) => (blocks.run = { ...run, title: 'Another' })],
    ['run.inputs.task', (blocks) => (blocks.run = { ...run, inputs: {} })],
    ['run.more', (blocks) => (blocks.run = { ...run, more: 1 })],
    ['run', (blocks) => (blocks.run = [])],
    ['approval', (blocks) => (blocks.approval = { note: '' })],
  ];
  for (const [path, change] of changes) {
    const { kind, org_seq, detail } = of(change);
    assert.deepEqual([kind, org_seq], ['record_mismatch', 1]);
    assert.ok(detail.endsWith(`: ${path}`), `${detail} does not name ${path}`);
  }
  const none = rows.with(1, { ...rows[1]!, record: { ...rows[1]!.record, blocks: null } });
  assert.deepEqual(found(verify(none, headOf(rows))), [['record_mismatch', 1, 'RCPT-000001']]);
});

test('receipts beyond the recorded head, or where none is recorded, are named', () => {
  const rows = chainOf(6);
  assert.deepEqual(found(verify(rows, headOf(rows.slice(0, 4)))), [['head_mismatch', 5, 'RCPT-000005']]);
  assert.deepEqual(found(verify(rows, null)), [['head_mismatch', 5, 'RCPT-000005']]);
});

test('the first receipt must have sixty-four zeros for a parent', () => {
  const row = rowOf(payloadOf(0, 'a'.repeat(64)));
  assert.deepEqual(found(verify([row])), [['broken_parent_link', 0, 'RCPT-000000']]);
});

test('one chain is one organization', () => {
  const rows = chainOf(6, (org_seq) => (org_seq === 3 ? { organization: { id: 'org_2', name: 'Other' } } : {}));
  const report = verify(rows, headOf(rows));
  assert.deepEqual(found(report), [['broken_parent_link', 3, 'RCPT-000003']]);
  assert.deepEqual([report.violation?.expected, report.violation?.actual], ['org_1', 'org_2']);
});

test('every column beside the payload must agree with it', () => {
  const rows = chainOf(4);
  const columns: ReceiptRecord = {
    org_seq: 7,
    receipt_id: 'RCPT-000002-00000000',
    parent_hash: 'a'.repeat(64),
    receipt_sha256: 'b'.repeat(64),
    schema: 'service.cook-receipt/v1',
    created_at: '2026-05-29T20:14:33.124Z',
    share_token: 'oken_2',
    run_id: 'run_3',
  };
  for (const [name, value] of Object.entries(columns)) {
    const { text, record } = rows[2]!;
    const report = verify(rows.with(2, { text, record: { ...record, [name]: value } }), headOf(rows));
    assert.deepEqual(found(report), [['record_mismatch', 2, 'RCPT-000002']]);
    assert.equal(report.violation?.actual, value);
    assert.match(report.violation!.detail, new RegExp(`: ${name}\\b`));
  }
});

test('the list of violations is bounded and says how many it left out', () => {
  const rows = chainOf(MAX_VIOLATIONS + 30).map((row) => altered(row, { created_at: 'x' }));
  const report = verify(rows);
  assert.equal(report.violations.length, MAX_VIOLATIONS);
  assert.match(report.violations.at(-1)!.detail, /30 more violations are not listed/);
  assert.equal(report.receipts_checked, MAX_VIOLATIONS + 30);
});

/** Seals bytes as they are, canonical or not: what a forger could store. */
function sealedAsIs(text: string): string {
  const body = text.replace(/,"receipt_sha256":"[0-9a-f]{64}"/, '');
  return body.replace(/,"(run|schema|share_url)":/, (next) => `,"receipt_sha256":"${sha256Hex(body)}"${next}`);
}

/** Ways to say the same, or nearly the same, in other bytes. */
const REWRITES: ((text: string) => string)[] = [
  (text) => text.replace(',', ', '),
  (text) => text.replace(':', ' :'),
  (text) => ` ${text}`,
  (text) => `${text}\n`,
  (text) => text.replace('{', '{"a":1,"a":1,'),
  (text) => text.replace('{', '{"b":1,"a":1,'),
  (text) => text.replace('{', '{"zz":{"receipt_sha256":"x"},'),
  (text) => text.replace('"run":{', '"run":{"a":{"receipt_sha256":"x","id":"y"},'),
  (text) => text.replace('"run":{', '"run":{"a":[{"id":"y"}],'),
  (text) => text.replace(/"run":\{"id":"/, '"run":{"id":"\\u0072'),
  (text) => text.replace(/"run":\{.*?"title":"[^"]*"\}/, '"run":"run_1"'),
  (text) => text.replace(/"run":\{.*?"title":"[^"]*"\}/, '"run":[1]'),
  (text) => text.replace(/"run":\{.*?"title":"[^"]*"\}/, '"run":{"id":5}'),
  (text) => text.replace(/"schema":"[^"]*"/, '"schema":{"id":"service.receipt/v1"}'),
  (text) => text.replace(/"schema":"[^"]*"/, '"schema":null'),
  (text) => text.replace(/"organization":\{.*?\}/, '"organization":"org_1"'),
  (text) => text.replace(/"organization":\{.*?\}/, '"organization":{"a":{"id":"org_1"}}'),
  (text) => text.replace(/"org_seq":(\d+)/, '"org_seq":$1.0'),
  (text) => text.replace(/"org_seq":(\d+)/, '"org_seq":"$1"'),
  (text) => text.replace(/"org_seq":(\d+)/, '"org_seq":-$1'),
  (text) => text.replace(/"receipt_sha256":"/, '"receipt_sha256":"\\u0061'),
  (text) => text.replace(/"receipt_sha256"/, '"receipt_sha25\\u0036"'),
  (text) => text.replace(/("receipt_sha256":"[0-9a-f]{64}")/, '$1,$1'),
  (text) => text.replace('org_1', 'org\\u005f1'),
  (text) => text.replace('https://', 'https:\\/\\/'),
  (text) => text.replace('Example', '\ufffdxample'),
  (text) => text.replace('Example', '\ud83dxample'),
  (text) => text.replace(/.$/, ''),
  (text) => text.replace(/.$/, ',"\ufb33":1,"\u{1f600}":1}'),
  (text) => text.replace(/"run":\{"id":"\w+"/, '"run":{"a":{"b":1},"id":"run_9"'),
  (text) => text.replace(/,"share_url":"[^"]*"/, ''),
  (text) => text.replace(/"created_at":"[^"]*",/, ''),
  (text) => text.replace('org_1', '\u00c3\u00a9'),
  (text) => text.replace('"organization":{', '"organization":{"a":{"id":"x"},'),
  (text) => text.replace(/.$/, ',}'),
  (text) => text.replace(/.$/, ',"zz":tru}'),
  (text) => text.replace(/.$/, ',"z\u0301":1,"z\u0300":1}'),
  (text) => text.replace(/.$/, ',"zz":"a\\/b"}'),
  (text) => text.replace('"run":{', '"run":{"a":1,"id":"y",'),
];

test('bytes sealed as they are hold only when they are canonical, whichever way they are written', () => {
  const [first, row] = chainOf(2) as [Row, Row];
  const figures = [
    '-0',
    '01',
    '1.0',
    '1e5',
    '0.0000001',
    '0.30000000000000001',
    '1234567890123456.7',
    '8.1234567890123456',
    '9007199254740992',
    'tru',
  ];
  const withFigure = figures.map((figure) => (text: string) => text.replace('"inputs":{', `"inputs":{"a":${figure},`));
  for (const rewrite of [...REWRITES, ...withFigure]) {
    const text = sealedAsIs(rewrite(row.text));
    assert.notEqual(text, row.text, String(rewrite));
    sameVerdict([{ text: first.text }, { text }], false);
    sameVerdict([{ text: first.text }, { text, record: { run_id: 'run_1' } }], false);
  }
  for (const rewrite of withFigure) {
    const report = verify([{ text: first.text }, { text: sealedAsIs(rewrite(row.text)) }]);
    assert.equal(report.violation?.kind, 'payload_altered');
  }
});

test('a column that only looks like the bytes of the sealed text is a mismatch', () => {
  const looks: [sealed: string, column: string][] = [
    ['a\nb', 'a\\nb'],
    ['\u00e9', '\u00c3\u00a9'],
    ['\u00e9', '\u00e9'],
  ];
  for (const [created_at, column] of looks) {
    const rows = chainOf(3, () => ({ created_at }));
    const stored = rows.map(({ text, record }) => ({ text, record: { ...record, created_at: column } }));
    assert.equal(verify(stored).violation?.kind, created_at === column ? undefined : 'record_mismatch');
    sameVerdict(stored, true);
  }
});

test('an org_seq with a decimal point is no place in a chain', () => {
  const rows = chainOf(86);
  const text = sealedAsIs(rows[85]!.text.replace('"org_seq":85', '"org_seq":1.5'));
  assert.equal(verify(exported(rows.with(85, { ...rows[85]!, text }))).violation?.kind, 'payload_altered');
});

test('what the shortcut is unsure of is decided by the slow way, for and against', () => {
  const members = { é: 1, 'a"b': 2, control: '\u0001', tiny: 1e-7, exact: 0.30000000000000004, deep: [[[{}]], []] };
  const rows = chainOf(3, (i) => (i === 1 ? members : {}));
  assert(verify(rows, headOf(rows)).ok);
});

const extra = fc.dictionary(fc.string({ unit: 'binary', maxLength: 5 }), fc.jsonValue({ maxDepth: 3 }), { maxKeys: 4 });
const number = fc.oneof(
  fc.double({ noNaN: true, min: -1e9, max: 1e9 }),
  fc.constantFrom(
    '0.1',
    '1.0',
    '-0',
    '0.0000001',
    '0.000001',
    '1e5',
    '123456789012345.6',
    '12345678901234.5',
    '01',
    '-',
  ),
);
const step = fc.record({ at: fc.nat(5), rewrite: fc.nat(REWRITES.length - 1), reseal: fc.boolean() });
const edit = fc.record({ at: fc.nat(5), offset: fc.nat(2000), byte: fc.constantFrom(...'"\\{}[]:,0a\n\u0000é') });
const order = fc.array(fc.nat(5), { minLength: 4, maxLength: 8 });

test('property: the shortcut decides every chain exactly as the slow way does', () => {
  fc.assert(
    fc.property(
      fc.option(extra),
      number,
      fc.array(step, { maxLength: 2 }),
      fc.option(edit, { freq: 3 }),
      fc.option(order, { freq: 5 }),
      fc.boolean(),
      (members, figure, steps, change, sequence, asBytes) => {
        const rows = storyOf(members ?? {}, figure);
        for (const { at, rewrite, reseal } of steps) {
          const text = REWRITES[rewrite]!(rows[at]!.text);
          rows[at] = { ...rows[at]!, text: reseal ? sealedAsIs(text) : text };
        }
        if (change) {
          const { text, record } = rows[change.at]!;
          const offset = change.offset % text.length;
          rows[change.at] = { text: text.slice(0, offset) + change.byte + text.slice(offset + 1), record };
        }
        const stored = sequence ? sequence.map((i) => rows[i]!) : rows;
        sameVerdict(stored, asBytes);
      },
    ),
    { numRuns: 6000 },
  );
});

/** Six receipts that hold together, whatever their lane's block carries; a figure given as text stands there as it is. */
function storyOf(members: object, figure: number | string): Row[] {
  const block = (i: number) => ({ block: i % 2 ? members : {}, figure: typeof figure === 'number' ? figure : 0.5 });
  let rows: Row[];
  try {
    canonicalize(members);
    rows = chainOf(6, block);
  } catch {
    rows = chainOf(6);
  }
  if (typeof figure === 'number') return rows;
  const { text, record } = rows[4]!;
  const forged = sealedAsIs(text.replace(/"figure":[^,]*/, `"figure":${figure}`));
  return rows.with(4, {
    text: forged,
    record: { ...record, receipt_sha256: /[0-9a-f]{64}(?=","run")/.exec(forged)![0] },
  });
}

/** Every third receipt comes without its columns. */
function sameVerdict(rows: Stored[], asBytes: boolean): void {
  const quick = new ChainVerifier();
  const slow = new ChainVerifier();
  for (const [i, { text, record }] of rows.entries()) {
    const receipt = asBytes && typeof text === 'string' ? new TextEncoder().encode(text) : text;
    const columns = i % 3 === 0 ? undefined : record;
    quick.push(receipt, columns);
    slow.examine(receipt, columns);
  }
  const record = rows.at(-1)?.record;
  const head = record && { org_seq: record.org_seq!, receipt_sha256: record.receipt_sha256! };
  const [left, right] = [quick.finish(head), slow.finish(head)];
  assert.deepEqual(left, right);
}

test('property: a number in a receipt is taken by the shortcut only in its one form', () => {
  const written = fc.oneof(
    fc.double({ noNaN: true, noDefaultInfinity: true }).map(String),
    fc.stringMatching(/^-?[0-9]{1,9}(\.[0-9]{1,12})?(e[+-]?[0-9])?$/),
  );
  fc.assert(
    fc.property(written, (figure) => {
      const first = rowOf(payloadOf(0, '0'.repeat(64)));
      const { text, record } = rowOf(payloadOf(1, first.record.receipt_sha256, { figure: 0 }));
      sameVerdict(
        [first, { text: sealedAsIs(text.replace('"figure":0', `"figure":${figure}`)), record }, first],
        false,
      );
    }),
    { numRuns: 3000 },
  );
});

test('receipts larger than the buffer verify like small ones', () => {
  const rows = chainOf(4, (i) => ({ block: 'é"\n'.repeat(i * 20_000) }));
  assert(verify(rows, headOf(rows)).ok);
});

test('a sealed receipt keeps its bytes: sealing what was parsed gives the same text', () => {
  const { text } = chainOf(1)[0]!;
  const { receipt_sha256: _, ...payload } = JSON.parse(text);
  assert.equal(seal(payload).canonical, text);
});

test('a chain is broken also by what is not listed any more', () => {
  const rows = chainOf(MAX_VIOLATIONS + 2);
  const verifier = new ChainVerifier();
  for (const { text, record } of rows.slice(0, -1)) verifier.push(text, { ...record, share_token: 'another' });
  assert.equal(verifier.isUnbroken, true);
  verifier.push('{}');
  assert.deepEqual([verifier.isUnbroken, verifier.violations.length], [false, MAX_VIOLATIONS]);
});
