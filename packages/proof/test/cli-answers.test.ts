import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { deflateSync } from 'node:zlib';
import { logOf, signerNamed } from '../../../test/kit/signed-log.ts';
import { main } from '../src/bin.ts';
import { formatConsistency } from '../src/log/consistency-file.ts';
import { formatNote } from '../src/log/signed-note.ts';
import { altered, chainOf } from './kit/receipts.ts';

const folder = mkdtempSync(join(tmpdir(), 'verify-answers-'));
after(() => rmSync(folder, { recursive: true }));

const ORIGIN = 'ledger.example/org/org_1';
const rows = chainOf(9);
const texts = rows.map(({ text }) => text);
const log = logOf(texts, ORIGIN);
const anew = chainOf(9, (i) => (i === 4 ? { note: 'written later' } : {})).map(({ text }) => text);
const forged = logOf(anew, ORIGIN);
const key = log.signer.vkey;

function file(name: string, content: string): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

async function run(...args: string[]) {
  let [stdout, stderr] = ['', ''];
  const into = { write: (text: string) => (stdout += text) };
  const status = await main(['verify', ...args], into, { write: (text: string) => (stderr += text) });
  return { status, stdout, stderr };
}

const lines = (of: string[]) => of.map((text) => `${text}\n`).join('');
const receipt = file('receipt.json', texts[3]!);
const proof = file('proof', await log.proof(3));
const keys = file('keys', `${signerNamed('ledger.example/org/org_2').vkey}\n${key}\n`);
const whole = file('whole.ndjson', lines(texts));
const checkpoint = (size: number, of = log) => file(`${of === log ? '' : 'forged-'}${size}`, of.checkpoint(size));

describe('a receipt with its proof', () => {
  test('and a trusted key, on the command line or from a file: all is shown, exit 0', async () => {
    for (const trusted of [key, keys]) {
      const { status, stdout, stderr } = await run(receipt, '--proof', proof, '--key', trusted);
      assert.equal(status, 0, stdout + stderr);
      assert.match(stdout, /^Inclusion and completeness {2}holds {6}The receipt stands at 3 among the 9/m);
      assert.match(stdout, /^Identity {20}holds {6}The key [0-9a-f]{8} of ledger\.example\/org\/org_1/m);
    }
  });

  test('without a key, or with one beside it: not shown, exit 1, and what to do', async () => {
    const without = await run(receipt, '--proof', proof);
    assert.equal(without.status, 1);
    assert.match(without.stdout, /^Identity {20}not shown {2}The key of .* was not given.*\n {39}Give the key/m);
    const beside = await run(receipt, '--proof', proof, '--key-beside', key);
    assert.equal(beside.status, 0);
    assert.match(beside.stdout, /^Identity {20}not shown {2}.*came with what was checked/m);
  });

  test('of another receipt, or with another key, fails', async () => {
    const other = file('other.json', texts[4]!);
    assert.equal((await run(other, '--proof', proof, '--key', key)).status, 1);
    const { status, stdout } = await run(receipt, '--proof', proof, '--key', signerNamed(ORIGIN, 1, 'new').vkey);
    assert.equal(status, 1);
    assert.match(stdout, /^Identity {20}FAILS {6}Another key than the one that was given/m);
  });

  test('--json holds the answers with their codes', async () => {
    const { stdout } = await run('--json', receipt, '--proof', proof, '--key', key);
    const { ok, answers } = JSON.parse(stdout);
    assert.equal(ok, true);
    assert.deepEqual(
      [answers.about, answers.integrity.code, answers.inclusion_and_completeness.code, answers.identity.code],
      ['receipt', 'unchanged', 'included', 'expected_key'],
    );
  });

  test('--json lists nothing as not shown that the answers show', async () => {
    const listed = async (...args: string[]) => JSON.parse((await run('--json', ...args)).stdout);
    const shown = await listed(receipt, '--proof', proof, '--key', key);
    assert.deepEqual(shown.not_shown, [
      'when it happened and who the people named in it are: only the operator vouches for times and names',
    ]);
    assert.deepEqual(shown.shown.slice(1), ['that the ledger whose key you named holds it', 'its place in its chain']);
    assert.match(
      (await listed(receipt, '--proof', proof, '--key-beside', key)).not_shown[0],
      /^that a ledger sealed it/,
    );
    assert.equal((await listed(receipt)).not_shown.length, 3);
    const complete = await listed(whole, '--checkpoint', checkpoint(9), '--key', key);
    assert.equal(complete.not_shown.length, 1);
    assert.match((await listed(whole)).not_shown[0], /nothing was cut off/);
  });
});

test('with the succession of the key that is trusted, a checkpoint that only newer keys signed is accepted', async () => {
  const [old, next] = [signerNamed(ORIGIN, 1, 'old'), log.signer];
  const text = `rcpt-key-succession/v1\n${ORIGIN}\nfrom ${old.vkey}\nto ${next.vkey}\ntime 2026-05-29T20:14:33.123Z\n`;
  const line = ({ key: { name, id }, sign }: typeof old) => ({ name, id, bytes: sign(new TextEncoder().encode(text)) });
  const handed = file('succession', formatNote({ text, signatures: [line(next), line(old)] }));
  const half = file('half', formatNote({ text, signatures: [line(next)] }));
  assert.equal((await run(receipt, '--proof', proof, '--key', old.vkey)).status, 1);
  const { status, stdout } = await run(receipt, '--proof', proof, '--key', old.vkey, '--succession', handed);
  assert.equal(status, 0, stdout);
  assert.match(stdout, /^Identity {20}holds {6}.*the one that you trust has handed on to it, and both signed that/m);
  for (const [words, reason] of [
    [['--key', old.vkey, '--succession', half], /half: bad_signature/],
    [['--key', signerNamed(ORIGIN, 1, 'third').vkey, '--succession', handed], /succession: wrong_succession/],
    [['--succession', handed], /give it with --key/],
  ] as const) {
    const refused = await run(receipt, '--proof', proof, ...words);
    assert.equal(refused.status, 2);
    assert.match(refused.stderr, reason);
  }
});

describe('an export with a checkpoint', () => {
  test('that counts all of it: none is left out, exit 0', async () => {
    const { status, stdout } = await run(whole, '--checkpoint', checkpoint(9), '--key', key);
    assert.equal(status, 0, stdout);
    assert.match(stdout, /holds {6}The 9 receipts are exactly those of the signed checkpoint .* none cut off\./);
  });

  test('that counts more or fewer, or another history, is refused, exit 1', async () => {
    const cut = file('cut.ndjson', lines(texts.slice(0, 6)));
    const missing = await run(cut, '--checkpoint', checkpoint(9), '--key', key);
    assert.deepEqual([missing.status, /FAILS {6}The tail is missing/.test(missing.stdout)], [1, true]);
    assert.equal((await run(whole, '--checkpoint', checkpoint(7), '--key', key)).status, 1);
    const rewritten = file('rewritten.ndjson', lines(anew));
    const other = await run(rewritten, '--checkpoint', checkpoint(9), '--key', key);
    assert.deepEqual([other.status, /FAILS {6}The first 9 receipts are not those/.test(other.stdout)], [1, true]);
  });

  test('and an altered receipt: the chain and the tree both say so', async () => {
    const stored = texts.with(2, altered(rows[2]!, { schema: 'service.cook-receipt/v1' }).text);
    const { status, stdout } = await run(
      file('altered.ndjson', lines(stored)),
      '--checkpoint',
      checkpoint(9),
      '--key',
      key,
    );
    assert.equal(status, 1);
    assert.match(stdout, /^Integrity {19}FAILS {6}The chain does not hold: payload_altered at RCPT-000002-/m);
  });
});

describe('what was seen is remembered', () => {
  const remembering = () => mkdtempSync(join(folder, 'state-'));
  const args = (size: number, of = log) => ['--checkpoint', checkpoint(size, of), '--key', key];

  test('in one file for each log, verbatim, that only the owner reads', async () => {
    const state = remembering();
    const { stdout } = await run(whole, ...args(9), '--state', state);
    const [name] = readdirSync(state);
    assert.match(
      stdout,
      /^remembered {2}the checkpoint of 9, in .*ledger\.example_org_org_1\.[0-9a-f]{16}\.checkpoint$/m,
    );
    assert.equal(readFileSync(join(state, name!), 'utf8'), log.checkpoint(9));
    assert.equal(statSync(join(state, name!)).mode & 0o777, 0o600);
    const again = await run(whole, ...args(9), '--state', state);
    assert.match(again.stdout, /it is the checkpoint that you saw last/);
    assert.doesNotMatch(again.stdout, /^remembered/m);
    assert.equal(readdirSync(state).length, 1);
  });

  test('and the next export has to extend it: a cut tail and a rewritten history are caught, and stay caught', async () => {
    const state = remembering();
    const [before, after] = [
      file('before.ndjson', lines(texts.slice(0, 7))),
      file('cut-6.ndjson', lines(texts.slice(0, 6))),
    ];
    assert.equal((await run(before, ...args(7), '--state', state)).status, 0);
    const cut = await run(after, ...args(6), '--state', state);
    assert.equal(cut.status, 1);
    assert.match(
      cut.stdout,
      /FAILS {6}The tail was cut off: you have seen a checkpoint of 7 receipts, this one counts 6/,
    );
    for (const again of [1, 2]) {
      const rewritten = await run(file('anew.ndjson', lines(anew)), ...args(9, forged), '--state', state);
      assert.equal(rewritten.status, 1, `${again}`);
      assert.match(rewritten.stdout, /FAILS {6}History was rewritten: the 7 receipts of the checkpoint that you saw/);
      assert.match(rewritten.stdout, /Keep both checkpoints/);
    }
    const grown = await run(whole, ...args(9), '--state', state);
    assert.equal(grown.status, 0, grown.stdout);
    assert.match(grown.stdout, /it extends the one of 7 that you saw last/);
    assert.match(grown.stdout, /^remembered {2}the checkpoint of 9/m);
    assert.equal((await run(after, ...args(6), '--no-state')).status, 0);
  });

  test('one receipt needs a consistency proof to move it on', async () => {
    const state = remembering();
    const older = file('older-proof', await log.proof(3, 5));
    await run(receipt, '--proof', older, '--key', key, '--state', state);
    const newer = ['--proof', proof, '--key', key, '--state', state];
    const open = await run(receipt, ...newer);
    assert.equal(open.status, 0);
    assert.match(open.stdout, /of one history is not shown/);
    assert.match(open.stdout, /consistency proof from 5 to 9/);
    const leads = file('consistency', formatConsistency(await log.consistency(5)));
    const shown = await run(receipt, ...newer, '--consistency', leads);
    assert.match(shown.stdout, /which extends the one of 5 that you saw last/);
    assert.match(shown.stdout, /^remembered {2}the checkpoint of 9/m);
    const other = file('other-consistency', formatConsistency(await forged.consistency(5)));
    const again = remembering();
    await run(receipt, '--proof', older, '--key', key, '--state', again);
    const wrong = await run(receipt, '--proof', proof, '--key', key, '--state', again, '--consistency', other);
    assert.deepEqual([wrong.status, /FAILS .*does not lead from 5 to 9/.test(wrong.stdout)], [1, true]);
  });

  test('what an untrusted key signed is not remembered, nor what failed', async () => {
    const state = remembering();
    await run(receipt, '--proof', proof, '--key-beside', key, '--state', state);
    await run(file('short.ndjson', lines(texts.slice(0, 6))), ...args(9), '--state', state);
    assert.deepEqual(readdirSync(state), []);
  });

  test('a file that is no checkpoint any more is not passed over', async () => {
    const state = remembering();
    await run(whole, ...args(9), '--state', state);
    writeFileSync(join(state, readdirSync(state)[0]!), 'torn');
    const { status, stderr } = await run(whole, ...args(9), '--state', state);
    assert.equal(status, 2);
    assert.match(stderr, /is no checkpoint of ledger\.example\/org\/org_1 any more/);
  });
});

describe('a PDF', () => {
  const witness = signerNamed('witness.example', 4);
  const stream = (text: string) => {
    const packed = deflateSync(text);
    const head = `1 0 obj\n<<\n/Type /EmbeddedFile\n/Length ${packed.length}\n/Filter /FlateDecode\n>>\nstream\n`;
    return Buffer.concat([Buffer.from(head), packed, Buffer.from('\nendstream\nendobj\n')]);
  };
  function pdf(name: string, ...attached: string[]): string {
    const path = join(folder, name);
    writeFileSync(path, Buffer.concat([Buffer.from('%PDF-1.7\n'), ...attached.map(stream)]));
    return path;
  }

  test('is what is attached inside it; the key that came with it shows no identity, a trusted one does', async () => {
    const printed = pdf('printed.pdf', texts[3]!, await log.proof(3), key);
    const alone = await run(printed);
    assert.equal(alone.status, 0, alone.stdout + alone.stderr);
    assert.match(alone.stdout, /^Inclusion and completeness {2}holds/m);
    assert.match(alone.stdout, /^Identity {20}not shown {2}.*came with what was checked/m);
    const trusted = await run(printed, '--key', key);
    assert.equal(trusted.status, 0);
    assert.match(trusted.stdout, /^Identity {20}holds/m);
    assert.equal((await run(printed, '--key', signerNamed(ORIGIN, 1, 'new').vkey)).status, 1);
    const policy = file('pdf-policy', `log ${key}\nwitness w ${witness.vkey}\nquorum w\n`);
    assert.equal((await run(printed, '--policy', policy)).status, 1);
  });

  test('without a receipt, with two, or damaged, is wrong use', async () => {
    for (const [path, why] of [
      [pdf('none.pdf'), /has 0 receipts attached/],
      [pdf('two.pdf', texts[2]!, texts[3]!), /has 2 receipts attached/],
      [file('damaged.pdf', '%PDF-1.7\n1 0 obj <</Type /EmbeddedFile /Length 5>>\nstream\n'), /cannot be read/],
    ] as const) {
      const { status, stderr } = await run(path);
      assert.equal(status, 2);
      assert.match(stderr, why);
    }
  });
});

describe('a policy file', () => {
  test('says which witnesses must have signed, and which log is trusted', async () => {
    const witness = signerNamed('witness.example', 4);
    const policy = file('policy', `log ${key}\nwitness w ${witness.vkey}\nquorum w\n`);
    const cosigned = file('cosigned', await log.proof(3, 9, [{ signer: witness, time: 1_790_000_000 }]));
    const good = await run(receipt, '--proof', cosigned, '--policy', policy);
    assert.equal(good.status, 0, good.stdout + good.stderr);
    assert.match(good.stdout, /^Time {24}holds {6}It existed by 2026-09-21T14:13:20Z at the latest: 1 of 1 witnesses/m);
    const bad = await run(receipt, '--proof', proof, '--policy', policy);
    assert.equal(bad.status, 1);
    assert.match(bad.stdout, /FAILS {6}0 of the 1 witnesses of your policy signed the checkpoint; it asks for w/);
  });
});

test('wrong use exits 2 and says why', async () => {
  for (const [args, why] of [
    [[receipt, '--key', key], /give one/],
    [[receipt, '--proof', proof, '--checkpoint', proof], /give one of them/],
    [[receipt, whole, '--proof', proof], /give one PATH/],
    [[folder, '--proof', proof], /give one PATH/],
    [[whole, '--proof', proof, '--key', key], /is an export/],
    [[receipt, '--checkpoint', checkpoint(9), '--key', key], /is one receipt/],
    [[receipt, '--proof', proof, '--key', receipt], /a verifier key is/],
    [[receipt, '--proof', proof, '--consistency', receipt], /no consistency proof/],
    [[receipt, '--proof', proof, '--policy', receipt], /no policy/],
    [[receipt, '--proof', join(folder, 'absent')], /there is no such file/],
  ] as const) {
    const { status, stdout, stderr } = await run(...args);
    assert.equal(status, 2, `${args.join(' ')}\n${stdout}`);
    assert.match(stderr, why);
    assert.equal(stdout, '');
  }
});
