/** The pack of a period, taken over HTTP, opened with a reader that others wrote, and every file of it checked from its bytes. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { openCheckpoint } from '@rcpt/proof/log/checkpoint.ts';
import { parseConsistency } from '@rcpt/proof/log/consistency-file.ts';
import { extendsTree } from '@rcpt/proof/log/merkle.ts';
import { verifyProofFile } from '@rcpt/proof/log/proof-file.ts';
import { parseVerifierKey } from '@rcpt/proof/log/verifier-key.ts';
import { verifyReceipt } from '@rcpt/proof/receipt.ts';
import { eachLedger, type SuiteLedger, type Tenant } from '../kit/running.ts';
import { mintedReceipt as mint } from '../kit/story.ts';
import { readChain, resealed, writeChain } from '../kit/tampering.ts';
import { type Unzipped, unzip, writeFiles } from '../kit/unzip.ts';

interface Pack {
  entries: Unzipped[];
  paths: string[];
  text(path: string): string;
  headers: Headers;
}

async function taken(ledger: SuiteLedger, tenant: Tenant, query = ''): Promise<Pack> {
  const answer = await fetch(`${ledger.url}/ledger/pack${query}`, {
    headers: { authorization: `Bearer ${tenant.keys.auditor}` },
  });
  assert.equal(answer.status, 200);
  assert.equal(answer.headers.get('content-type'), 'application/zip');
  const entries = await unzip(Buffer.from(await answer.arrayBuffer()));
  const paths = entries.map(({ path }) => path);
  const text = (path: string) => {
    const found = entries.find((entry) => entry.path === path);
    assert.ok(found, `${path} among ${paths.join(' ')}`);
    return found.bytes.toString('utf8');
  };
  return { entries, paths, text, headers: answer.headers };
}

const under = ({ paths }: Pack, folder: string) => paths.filter((path) => path.startsWith(folder));
const linesOf = (text: string) =>
  text
    .replace(/^\ufeff/, '')
    .trimEnd()
    .split('\n');
const at = (instant: string, ms = 0) => new Date(Date.parse(instant) + ms).toISOString();
const apart = () => new Promise((resolve) => setTimeout(resolve, 3));

/** Each alone in its millisecond, so that a period can end between two. */
async function mintedApart(tenant: Tenant, count: number) {
  const receipts = [];
  for (let i = 0; i < count; i++) {
    receipts.push(await mint(tenant));
    await apart();
  }
  return receipts;
}

function checked(pack: Pack, ...args: string[]): { status: number; said: string } {
  const folder = mkdtempSync(join(tmpdir(), 'pack-'));
  try {
    writeFiles(folder, pack.entries);
    const said = execFileSync('sh', [join(folder, 'check.sh'), ...args], { encoding: 'utf8', stdio: 'pipe' });
    return { status: 0, said };
  } catch (error) {
    const { status, stdout, stderr } = error as { status: number; stdout: string; stderr: string };
    return { status, said: stdout + stderr };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

eachLedger('the pack', (ledger) => {
  test('of a whole organization holds what its README names, and every file of it verifies', async () => {
    const tenant = await ledger.tenant();
    const receipts = [
      await mint(tenant),
      await mint(tenant, 'incident'),
      await mint(tenant, 'generic', { title: '=1+1,"a"' }),
    ];
    const key = parseVerifierKey((await tenant.ask('auditor', 'GET', '/ledger/key')).text.trimEnd());
    const pack = await taken(ledger, tenant);
    assert.match(
      pack.headers.get('content-disposition')!,
      /^attachment; filename="org_\w+-1970-01-01-to-\d{4}-\d\d-\d\d\.zip"$/,
    );

    const ids = receipts.map(({ receipt_id }) => receipt_id);
    assert.deepEqual(
      under(pack, 'receipts/'),
      ids.map((id) => `receipts/${id}.json`),
    );
    assert.deepEqual(
      under(pack, 'pdf/'),
      ids.map((id) => `pdf/${id}.pdf`),
    );
    assert.equal(pack.paths[0], 'receipts.csv');
    assert.equal(pack.paths.at(-1), 'README.txt');
    assert.ok(!pack.paths.includes('PROBLEMS.txt'));
    const end = await openCheckpoint(pack.text('checkpoints/end.txt'), key);
    assert.equal(end.size, 3);
    assert.ok(!pack.paths.includes('checkpoints/before.txt'));
    const list = linesOf(pack.text('receipts.csv'));
    assert.equal(list.length, 4);
    assert.match(list[3]!, /,"'=1\+1,""a""",/);
    for (const [i, receipt] of receipts.entries()) {
      const stored = pack.entries.find(({ path }) => path === `receipts/${receipt.receipt_id}.json`)!;
      const { ok, receipt_sha256 } = verifyReceipt(stored.bytes);
      assert.ok(ok);
      assert.equal(receipt_sha256, receipt.receipt_sha256);
      assert.equal(stored.at.getTime(), Math.floor(Date.parse(receipt.created_at) / 1000) * 1000);
      const proof = await verifyProofFile(pack.text(`proofs/${receipt.receipt_id}.tlog-proof`), stored.bytes, key);
      assert.equal(proof.index, i);
      const row = list[i + 1]!;
      const file_sha256 = createHash('sha256').update(stored.bytes).digest('hex');
      for (const cell of [`${i},${receipt.receipt_id},${receipt.created_at}`, receipt_sha256, file_sha256, 'intact'])
        assert.ok(row.includes(cell!), `${cell} in ${row}`);
      assert.equal(
        pack.entries.find(({ path }) => path === `pdf/${receipt.receipt_id}.pdf`)!.bytes.toString('latin1', 0, 5),
        '%PDF-',
      );
    }
    const activity = linesOf(pack.text('activity/activity.ndjson'));
    const activity_key = parseVerifierKey(linesOf(pack.text('keys/activity.txt'))[0]!);
    const activity_end = await openCheckpoint(pack.text('activity/checkpoint.txt'), activity_key);
    assert.equal(activity_end.size, activity.length);
    assert.equal(JSON.parse(activity.at(-1)!).activity.kind, 'pack_taken');
    const readme = pack.text('README.txt');
    assert.match(readme, /Receipts {7}3, numbered 0 to 2/);
    for (const named of readme.matchAll(/^([a-z.]+(?:\/[a-z.-]*)?)$/gm))
      assert.ok(
        pack.paths.some((path) => path.startsWith(named[1]!)),
        named[1],
      );
    assert.match(readme, /verify --checkpoint checkpoints\/end\.txt --key KEY chain\.ndjson/);
    const { status, said } = checked(pack);
    assert.equal(status, 0, said);
    assert.match(said, /^3 receipts: each hashes/);
  });

  test('of a part of the chain has the trees before and at its end, and its neighbours', async () => {
    const tenant = await ledger.tenant();
    const receipts = await mintedApart(tenant, 5);
    const key = parseVerifierKey((await tenant.ask('auditor', 'GET', '/ledger/key')).text.trimEnd());
    const pack = await taken(ledger, tenant, `?from=${receipts[1].created_at}&to=${receipts[3].created_at}&pdfs=false`);
    assert.deepEqual(
      under(pack, 'receipts/'),
      [1, 2].map((i) => `receipts/${receipts[i].receipt_id}.json`),
    );
    assert.deepEqual(under(pack, 'pdf/'), []);
    assert.match(pack.text('README.txt'), /There are no PDFs in this pack/);
    const [before, end, newest] = await Promise.all(
      ['before', 'end', 'newest'].map((name) => openCheckpoint(pack.text(`checkpoints/${name}.txt`), key)),
    );
    assert.deepEqual([before!.size, end!.size, newest!.size], [1, 3, 5]);
    assert.ok(extendsTree(before!, end!, parseConsistency(pack.text('checkpoints/before-to-end.txt'))));
    assert.ok(extendsTree(end!, newest!, parseConsistency(pack.text('checkpoints/end-to-newest.txt'))));
    for (const [name, receipt] of [
      ['before', receipts[0]],
      ['after', receipts[3]],
    ] as const) {
      const path = `neighbours/${name}-${receipt.receipt_id}`;
      await verifyProofFile(pack.text(`${path}.tlog-proof`), Buffer.from(pack.text(`${path}.json`)), key);
    }
    const { status, said } = checked(pack);
    assert.equal(status, 0, said);
  });

  test('ends where its period does: one receipt, none, none yet', async () => {
    const tenant = await ledger.tenant();
    const nothing = await taken(ledger, tenant);
    assert.deepEqual(under(nothing, 'checkpoints/'), []);
    assert.equal(linesOf(nothing.text('receipts.csv')).length, 1);
    assert.equal(checked(nothing).status, 0);
    const [first, second] = await mintedApart(tenant, 3);
    const of = async (from: string, to: string) => taken(ledger, tenant, `?from=${from}&to=${to}&pdfs=false`);
    const one = await of(first.created_at, at(first.created_at, 1));
    assert.deepEqual(under(one, 'receipts/'), [`receipts/${first.receipt_id}.json`]);
    const none = await of(at(first.created_at, 1), second.created_at);
    assert.deepEqual(under(none, 'receipts/'), []);
    assert.equal(none.text('checkpoints/before.txt'), none.text('checkpoints/end.txt'));
    assert.equal(none.text('checkpoints/before-to-end.txt'), '');
    const early = await of('2001-01-01', '2001-12-31');
    assert.deepEqual(under(early, 'checkpoints/'), ['checkpoints/newest.txt']);
    assert.deepEqual(under(early, 'neighbours/').length, 2);
    const late = await taken(ledger, tenant, '?from=2999-01-01&to=2999-12-31');
    assert.deepEqual(under(late, 'receipts/'), []);
    const today = first.created_at.slice(0, 10);
    if (today === new Date().toISOString().slice(0, 10))
      assert.equal(under(await of(today, today), 'receipts/').length, 3);
    for (const pack of [one, none, early, late]) {
      const { status, said } = checked(pack);
      assert.equal(status, 0, said);
    }
  });

  test('is refused where it is none, and to whom it is not for', async () => {
    const tenant = await ledger.tenant();
    const other = await ledger.tenant();
    await mint(tenant);
    for (const query of [
      '?from=2026-05-02&to=2026-05-01',
      '?from=yesterday',
      '?to=2026-13-01',
      '?pdfs=maybe',
      '?from=2999-01-01',
    ])
      assert.equal((await tenant.ask('owner', 'GET', `/ledger/pack${query}`)).status, 422, query);
    for (const role of ['agent', 'approver'] as const)
      assert.equal((await tenant.ask(role, 'GET', '/ledger/pack')).status, 403, role);
    assert.equal((await ledger.call('GET', '/ledger/pack')).status, 401);
    assert.deepEqual(under(await taken(ledger, other), 'receipts/'), []);
    const before = (await tenant.ask('owner', 'GET', '/activity?limit=100')).json.receipts.length;
    const head = await fetch(`${ledger.url}/ledger/pack`, {
      method: 'HEAD',
      headers: { authorization: `Bearer ${tenant.keys.owner}` },
    });
    assert.equal(head.status, 200);
    assert.equal((await tenant.ask('owner', 'GET', '/activity?limit=100')).json.receipts.length, before);
  });

  test('holds an altered and a missing receipt as they are, and names them', async () => {
    const tenant = await ledger.doomedTenant();
    const receipts = [await mint(tenant), await mint(tenant), await mint(tenant), await mint(tenant)];
    await tenant.ask('auditor', 'GET', '/ledger/checkpoint');
    const chain = await readChain(ledger.db, tenant.organization_id);
    const changed = { ...chain.rows[0]!, payload: chain.rows[0]!.payload.replace('"title":"', '"title":"Not ') };
    const forged = resealed(chain.rows[3]!, (payload) => ({ ...payload, created_at: at(payload.created_at, 1) }));
    await writeChain(ledger.db, tenant.organization_id, {
      ...chain,
      rows: [changed, chain.rows[1]!, forged],
    });
    const pack = await taken(ledger, tenant, '?pdfs=true');
    const problems = pack.text('PROBLEMS.txt');
    assert.match(problems, new RegExp(`^${receipts[0].receipt_id}: it is not what was sealed`, 'm'));
    assert.match(problems, /^Receipt 2 is missing/m);
    assert.match(
      problems,
      new RegExp(`^${receipts[3].receipt_id}: it is not the one that was signed at its place`, 'm'),
    );
    assert.match(pack.text('README.txt'), /PROBLEMS: \d/);
    assert.equal(pack.text(`receipts/${receipts[0].receipt_id}.json`), changed.payload);
    assert.deepEqual(
      linesOf(pack.text('receipts.csv'))
        .slice(1)
        .map((line) => /,(intact|altered|missing),/.exec(line)?.[1]),
      ['altered', 'intact', 'missing', 'altered'],
    );
    const key = parseVerifierKey(linesOf(pack.text('keys/receipts.txt'))[0]!);
    const proven = (i: number) =>
      verifyProofFile(
        pack.text(`proofs/${receipts[i].receipt_id}.tlog-proof`),
        Buffer.from(pack.text(`receipts/${receipts[i].receipt_id}.json`)),
        key,
      );
    await proven(1);
    for (const i of [0, 3]) await assert.rejects(proven(i), { code: 'not_included' });
    // Where the end was put far out, the pack ends where it was signed.
    await ledger.db.run('update chains set org_seq = 9007199254740000 where organization_id = $1', [
      tenant.organization_id,
    ]);
    assert.equal(linesOf((await taken(ledger, tenant, '?pdfs=false')).text('receipts.csv')).length, 5);
    const { status, said } = checked(pack);
    assert.equal(status, 1);
    assert.match(said, /the checkpoints count 4 receipts in the period, the pack has 3/);
    assert.match(said, new RegExp(`${receipts[3].receipt_id} does not stand at 3`));
  });
});
