/** The log over HTTP: what is minted is signed, proved and served, and what was altered is not. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fromBase64, toHex } from '@rcpt/proof/log/bytes.ts';
import { openCheckpoint } from '@rcpt/proof/log/checkpoint.ts';
import { emptyRoot, extendsTree, leafHash } from '@rcpt/proof/log/merkle.ts';
import { verifyProofFile } from '@rcpt/proof/log/proof-file.ts';
import { parseVerifierKey, type VerifierKey } from '@rcpt/proof/log/verifier-key.ts';
import { rcpt } from '../kit/process.ts';
import { eachLedger, MASTER_KEY, type Tenant } from '../kit/running.ts';
import { approvedRun, mintedReceipt as mint } from '../kit/story.ts';
import { readChain, resealed, writeChain } from '../kit/tampering.ts';

async function text(tenant: Tenant, path: string): Promise<string> {
  const answer = await tenant.ask('auditor', 'GET', path);
  assert.equal(answer.status, 200, answer.text);
  assert.match(answer.headers.get('content-type')!, /^text\/plain; charset=utf-8/);
  return answer.text;
}

async function keyOf(tenant: Tenant): Promise<VerifierKey> {
  return parseVerifierKey((await text(tenant, '/ledger/key')).trimEnd());
}

const pathOf = ({ share_url }: { share_url: string }) => new URL(share_url).pathname;
const hashesIn = (lines: string) =>
  lines
    .split('\n')
    .slice(0, -1)
    .map((line) => fromBase64(line)!);

eachLedger('the log', (ledger) => {
  test('proves each receipt in public, from the link that the mint answers with', async () => {
    const tenant = await ledger.tenant();
    const key = await keyOf(tenant);
    assert.equal(key.name, `${new URL(ledger.url).host}/org/${tenant.organization_id}`);
    for (let i = 0; i < 3; i++) {
      const run_id = await approvedRun(tenant);
      const receipt = (await tenant.ask('approver', 'POST', `/runs/${run_id}/receipt`)).json;
      const again = await tenant.ask('approver', 'POST', `/runs/${run_id}/receipt`);
      assert.equal(again.headers.get('link'), `<${receipt.share_url}/proof>; rel="receipt-proof"`);
      const proof = await ledger.call('GET', `${pathOf(receipt)}/proof`);
      assert.equal(proof.status, 200);
      const stored = await ledger.call('GET', `${pathOf(receipt)}/download`);
      const { index, checkpoint } = await verifyProofFile(proof.text, Buffer.from(stored.text), key);
      assert.equal(index, receipt.org_seq);
      assert.equal(checkpoint.origin, key.name);
      assert.equal((await ledger.call('GET', `${pathOf(receipt)}/key`)).text, await text(tenant, '/ledger/key'));
    }
  });

  test('signs all that is minted, and proves that each size continues the one before', async () => {
    const tenant = await ledger.tenant();
    const key = await keyOf(tenant);
    const empty = await openCheckpoint(await text(tenant, '/ledger/checkpoint'), key);
    assert.deepEqual([empty.size, toHex(empty.root)], [0, toHex(emptyRoot())]);
    const seen = [];
    for (let size = 1; size <= 4; size++) {
      await mint(tenant);
      const tree = await openCheckpoint(await text(tenant, '/ledger/checkpoint'), key);
      assert.equal(tree.size, size);
      for (const older of seen) {
        const proof = hashesIn(await text(tenant, `/ledger/consistency?from=${older.size}&to=${size}`));
        assert.ok(extendsTree(older, tree, proof));
      }
      seen.push(tree);
    }
    for (const query of ['from=0&to=2', 'from=3&to=2', 'from=1&to=5', 'from=a&to=2', 'from=1'])
      assert.match(
        String((await tenant.ask('auditor', 'GET', `/ledger/consistency?${query}`)).status),
        /^40[04]$|^422$/,
      );
  });

  test('serves tiles and bundles of entries, and no path that is not exactly one', async () => {
    const tenant = await ledger.tenant();
    const payloads = [];
    for (let i = 0; i < 3; i++)
      payloads.push((await ledger.call('GET', `${pathOf(await mint(tenant))}/download`)).text);
    const get = async (path: string) => {
      const headers = { authorization: `Bearer ${tenant.keys.auditor}` };
      const response = await fetch(`${ledger.url}/ledger/tile/${path}`, { headers });
      const cache = response.headers.get('cache-control');
      return { status: response.status, cache, bytes: Buffer.from(await response.arrayBuffer()) };
    };
    // On a slow machine one was signed before the last of them.
    await tenant.ask('auditor', 'GET', '/ledger/checkpoint');
    const leaves = payloads.map((payload) => leafHash(Buffer.from(payload)));
    assert.deepEqual((await get('0/000.p/3')).bytes, Buffer.concat(leaves));
    assert.match((await get('0/000.p/3')).cache!, /immutable/);
    assert.deepEqual((await get('0/000.p/2')).bytes, Buffer.concat(leaves.slice(0, 2)));
    const bundle = (await get('entries/000.p/3')).bytes;
    const entries = [];
    for (let at = 0; at < bundle.length; at += 2 + bundle.readUInt16BE(at))
      entries.push(bundle.toString('utf8', at + 2, at + 2 + bundle.readUInt16BE(at)));
    assert.deepEqual(entries, payloads);
    for (const path of ['0/000', '0/000.p/4', '1/000.p/1', '0/001.p/1', '0/000.p/0', '0/0', '64/000', 'x/000', '..'])
      assert.equal((await get(path)).status, 404, path);
  });

  test('refuses a bundle that holds a receipt of more than 65,535 bytes', async () => {
    const tenant = await ledger.tenant();
    await mint(tenant, 'generic', { inputs: { notes: 'n'.repeat(70_000) } });
    const bundle = await tenant.ask('auditor', 'GET', '/ledger/tile/entries/000.p/1');
    assert.equal(bundle.status, 409);
    assert.equal(bundle.json.code, 'entry_too_large');
    assert.equal((await tenant.ask('auditor', 'GET', '/ledger/tile/0/000.p/1')).status, 200);
  });

  test('is of its own organization, and closed with its link', async () => {
    const [tenant, other] = [await ledger.tenant(), await ledger.tenant()];
    const receipt = await mint(tenant);
    assert.equal((await openCheckpoint(await text(other, '/ledger/checkpoint'), await keyOf(other))).size, 0);
    assert.notEqual(await text(other, '/ledger/key'), await text(tenant, '/ledger/key'));
    assert.equal((await ledger.call('GET', '/ledger/checkpoint')).status, 401);
    await tenant.as('owner')('PUT', `/receipts/${receipt.receipt_id}/share`, { enabled: false });
    for (const what of ['proof', 'key']) {
      assert.equal((await ledger.call('GET', `${pathOf(receipt)}/${what}`)).status, 410);
      assert.equal((await ledger.call('GET', `/share/${'a'.repeat(22)}/${what}`)).status, 404);
    }
  });

  test('is signed by the next key at once when keys were rotated, also what was signed before', async () => {
    const tenant = await ledger.tenant();
    const receipt = await mint(tenant);
    const old = await keyOf(tenant);
    await text(tenant, '/ledger/checkpoint');
    const settings = { LEDGER_DATABASE_URL: ledger.database_url, LEDGER_MASTER_KEY: MASTER_KEY };
    const { code, stderr } = await rcpt(['key', 'rotate', '--org', tenant.organization_id], settings);
    assert.equal(code, 0, stderr.join('\n'));
    const [next, before] = (await text(tenant, '/ledger/key')).trimEnd().split('\n').map(parseVerifierKey);
    assert.equal(toHex(before!.key), toHex(old.key));
    const proof = (await ledger.call('GET', `${pathOf(receipt)}/proof`)).text;
    const bytes = Buffer.from((await ledger.call('GET', `${pathOf(receipt)}/download`)).text);
    for (const key of [next!, old]) {
      assert.equal((await openCheckpoint(await text(tenant, '/ledger/checkpoint'), key)).size, 1);
      assert.equal((await verifyProofFile(proof, bytes, key)).index, 0);
    }
  });

  test('mints on where the peaks were damaged, and takes the chain in anew', async () => {
    const tenant = await ledger.tenant();
    for (let size = 1; size <= 3; size++) {
      await mint(tenant);
      await ledger.db.run("update chains set peaks = '' where organization_id = $1", [tenant.organization_id]);
    }
    await mint(tenant);
    const tree = await openCheckpoint(await text(tenant, '/ledger/checkpoint'), await keyOf(tenant));
    assert.equal(tree.size, 4);
  });

  test('signs and proves nothing that does not continue what was signed', async () => {
    const tenant = await ledger.doomedTenant();
    const receipts = [await mint(tenant), await mint(tenant), await mint(tenant)];
    const before = await text(tenant, '/ledger/checkpoint');
    const chain = await readChain(ledger.db, tenant.organization_id);
    const get = (path: string) => tenant.ask('auditor', 'GET', path);

    await writeChain(ledger.db, tenant.organization_id, {
      rows: chain.rows.slice(0, 2),
      head: { org_seq: 1, receipt_sha256: chain.rows[1]!.receipt_sha256 },
    });
    const cut = await get('/ledger/checkpoint');
    assert.equal(cut.json.code, 'log_inconsistent');
    assert.match(cut.json.detail, /3 entries was signed, and 2 are stored/);

    const forged = resealed(chain.rows[2]!, (payload) => ({ ...payload, title: 'Another title' }));
    await writeChain(ledger.db, tenant.organization_id, {
      rows: [...chain.rows.slice(0, 2), forged],
      head: { org_seq: 2, receipt_sha256: forged.receipt_sha256 },
    });
    // The proof is of what was signed: what is served now does not fit it, as every reader sees.
    const proof = (await ledger.call('GET', `${pathOf(receipts[2])}/proof`)).text;
    const key = await keyOf(tenant);
    const served = Buffer.from((await ledger.call('GET', `${pathOf(receipts[2])}/download`)).text);
    await assert.rejects(verifyProofFile(proof, served, key), { code: 'not_included' });
    assert.equal((await verifyProofFile(proof, Buffer.from(chain.rows[2]!.payload), key)).index, 2);
    assert.equal((await get('/ledger/checkpoint')).text, before);
  });
});
