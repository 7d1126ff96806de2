import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { canonicalize } from '../src/canonical.ts';
import { type ChainReport, ChainVerifier, type RecordedHead } from '../src/chain.ts';
import { FileJudge } from '../src/judge.ts';
import { LineSplitter } from '../src/lines.ts';
import { parseStrict } from '../src/parse.ts';
import { verifyReceipt } from '../src/receipt.ts';
import type { ReceiptRecord } from '../src/record.ts';
import { sha256Hex } from '../src/sha256.ts';

const folder = new URL('../../../vectors/', import.meta.url);
const read = (path: string) => readFileSync(new URL(path, folder));
const names = (path: string) => readdirSync(new URL(path, folder)).sort();

/** What the offline verifier makes of a file. */
function judged(path: string) {
  const judge = new FileJudge(path);
  const splitter = new LineSplitter((line, terminated) => judge.push(line, terminated));
  splitter.write(read(path));
  splitter.end();
  return judge.finish();
}

/** Receipts with the columns beside them and the recorded head; decided with the shortcut and without it. */
function verified(path: string): ChainReport {
  const given = JSON.parse(read(path).toString()) as {
    receipts: string[];
    records: ReceiptRecord[];
    head: RecordedHead | null;
  };
  const [quick, slow] = [new ChainVerifier(), new ChainVerifier()];
  for (const [i, receipt] of given.receipts.entries()) {
    quick.push(receipt, given.records[i]);
    slow.examine(receipt, given.records[i]);
  }
  const report = quick.finish(given.head);
  assert.deepEqual(report, slow.finish(given.head));
  return report;
}

for (const name of names('valid/')) {
  const path = `valid/${name}`;
  const [kind] = name.split('--');
  test(`vector ${path} holds`, () => {
    if (kind === 'canonical') {
      for (const { input, canonical, sha256, story } of JSON.parse(read(path).toString())) {
        assert.equal(canonicalize(parseStrict(input)), canonical, story);
        assert.equal(sha256Hex(canonical), sha256, story);
      }
    } else if (name.endsWith('-with-columns.json')) {
      assert.deepEqual(verified(path).violations, []);
    } else {
      assert.deepEqual(judged(path).violations, []);
      if (kind === 'receipt') assert(verifyReceipt(read(path)).ok, 'byte for byte');
    }
  });
}

for (const name of names('invalid/')) {
  const path = `invalid/${name}`;
  const [code] = name.split('--');
  test(`vector ${path} is told for what it is`, () => {
    if (name.endsWith('.jsonl')) assert.equal(judged(path).violation?.kind, code);
    else if (/^(?:record|head)_mismatch--|-with-columns/.test(name)) assert.equal(verified(path).violation?.kind, code);
    else assert.throws(() => parseStrict(read(path)), { name: 'ProofError', code });
  });
}

/** docs/spec.md §10: what any conforming verifier answers. */
interface Expected {
  read_as: string;
  ok?: boolean;
  receipts_checked?: number;
  violations?: { kind: string; org_seq?: number; receipt_id: string | null; line?: number | null }[];
  refused?: string;
}

test('the answers of expected.json are those of the offline verifier, for every vector', () => {
  const expected = JSON.parse(read('expected.json').toString()) as Record<string, Expected>;
  const all = ['valid', 'invalid', 'proofs'].flatMap((kind) => names(`${kind}/`).map((name) => `${kind}/${name}`));
  assert.deepEqual(Object.keys(expected).sort(), all.sort());
  for (const [path, { read_as, ok, receipts_checked, violations = [], refused }] of Object.entries(expected)) {
    // Those of the signed log: test/answers.test.ts and log/vectors.test.ts.
    if (path.startsWith('proofs/')) continue;
    assert.equal(refused ?? violations[0]?.kind, path.startsWith('invalid/') ? path.split(/[/-]/)[1] : undefined, path);
    if (read_as === 'json' || read_as === 'pairs') continue;
    const report = read_as === 'records' ? verified(path) : judged(path);
    assert.equal(report.ok, ok, path);
    assert.equal(report.receipts_checked, receipts_checked ?? 1, path);
    assert.equal(report.violations.length, violations.length, path);
    for (const [i, violation] of violations.entries())
      assert.partialDeepStrictEqual(report.violations[i], violation, path);
  }
});

test('three hashes of the vectors, computed elsewhere', () => {
  const receipt = (lane: string) => JSON.parse(read(`valid/receipt--${lane}.json`).toString()).receipt_sha256;
  assert.equal(receipt('model-pin'), 'dc51a305ccc75f7eb441916a57c13c528dd8ba54c13ce8d5991647b63601571f');
  assert.equal(receipt('generic'), '0c1b93495a19cf51c9fce277fb232563de95ae6b41705aad0e6a2ea557afd517');
  const [line] = read('valid/router--one-of-each-type.jsonl').toString().split('\n');
  assert.equal(JSON.parse(line!).checksum_sha256, 'daa64a4ab70d4a470bba694991be2005c046affaba026af6138b9a9eab9fbabd');
});
