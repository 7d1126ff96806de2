/** `./rcpt verify` and the offline check on what a running ledger serves, and on what an operator with the whole database makes of it. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { main } from '@rcpt/proof/bin.ts';
import { check } from '@rcpt/proof/given/check.ts';
import { temporaryFolder } from '../../../../test/kit/folders.ts';
import { forgetSigned } from '../kit/activity-forgery.ts';
import { eachLedger, type Tenant } from '../kit/running.ts';
import { mintedReceipt as mint } from '../kit/story.ts';
import { type Row, readChain, resealed, writeChain } from '../kit/tampering.ts';

const pathOf = ({ share_url }: { share_url: string }) => new URL(share_url).pathname;

eachLedger('what the ledger serves, verified offline', (ledger) => {
  function reader() {
    const folder = temporaryFolder('reader');
    return {
      file(name: string, content: string) {
        writeFileSync(join(folder, name), content);
        return join(folder, name);
      },
      async verify(...words: string[]) {
        let text = '';
        const out = { write: (more: string) => (text += more) };
        const code = await main(['verify', ...words, '--state', join(folder, 'state')], out, out);
        return { code, text };
      },
    };
  }

  /** An auditor takes export and checkpoint, and holds them against what they saw last. */
  async function look(tenant: Tenant, { file, verify }: ReturnType<typeof reader>) {
    const get = async (path: string) => (await tenant.ask('auditor', 'GET', path)).text;
    const lines = file('export.ndjson', await get('/ledger/export'));
    const checkpoint = file('checkpoint', await get('/ledger/checkpoint'));
    return verify(lines, '--checkpoint', checkpoint, '--key', file('key', await get('/ledger/key')));
  }

  test('a receipt with its proof, its PDF alone, and an export with a checkpoint', async () => {
    const tenant = await ledger.tenant();
    const { file, verify } = reader();
    const receipt = [await mint(tenant), await mint(tenant), await mint(tenant)][1]!;
    // A proof is made against the last checkpoint, which may have been signed between two mints.
    await tenant.ask('auditor', 'GET', '/ledger/checkpoint');
    const get = async (what: string) => (await ledger.call('GET', `${pathOf(receipt)}/${what}`)).text;
    const key = file('key', await get('key'));
    const stored = file('receipt.json', await get('download'));
    const proof = file('proof', await get('proof'));
    const proven = await verify(stored, '--proof', proof, '--key', key);
    assert.equal(proven.code, 0, proven.text);
    assert.match(proven.text, /holds {6}The receipt stands at 1 among the 3/);

    const pdf = await (await fetch(`${ledger.url}${pathOf(receipt)}/pdf`)).blob();
    const slice = (from: number, to: number) => pdf.slice(from, to);
    const { answers } = await check([{ name: 'receipt.pdf', size: pdf.size, slice }], []);
    assert.deepEqual([answers.inclusion_and_completeness.code, answers.identity.code], ['included', 'key_beside']);

    const whole = await look(tenant, { file, verify });
    assert.equal(whole.code, 0, whole.text);
    assert.match(whole.text, /The 3 receipts are exactly those of the signed checkpoint/);
    await mint(tenant);
    const grown = await look(tenant, { file, verify });
    assert.equal(grown.code, 0, grown.text);
    assert.match(grown.text, /it extends the one of 3 that you saw last/);
  });

  const cut = (rows: Row[]) => rows.slice(0, 2);
  function rewritten(rows: Row[]): Row[] {
    let parent_hash = '0'.repeat(64);
    return rows.map((row, i) => {
      const made = resealed(row, (payload) => ({ ...payload, parent_hash, ...(i === 1 ? { title: 'Another' } : {}) }));
      parent_hash = made.receipt_sha256;
      return made;
    });
  }

  for (const [done, change, said] of [
    [
      'whose tail was cut off',
      cut,
      /The tail was cut off: you have seen a checkpoint of 4 receipts, this one counts 2/,
    ],
    ['that was written anew', rewritten, /History was rewritten: the 4 receipts of the checkpoint that you saw/],
  ] as const)
    test(`a chain ${done} and signed again is named by who has seen it before`, async () => {
      const tenant = await ledger.doomedTenant();
      const auditor = reader();
      for (let i = 0; i < 4; i++) await mint(tenant);
      assert.equal((await look(tenant, auditor)).code, 0);
      const { rows } = await readChain(ledger.db, tenant.organization_id);
      const forged = change(rows);
      const last = forged.at(-1)!;
      const head = { org_seq: forged.length - 1, receipt_sha256: last.receipt_sha256 };
      await writeChain(ledger.db, tenant.organization_id, { rows: forged, head });
      await forgetSigned(ledger.db, tenant, 'receipts');
      const stranger = await look(tenant, reader());
      assert.equal(stranger.code, 0, stranger.text);
      const { code, text } = await look(tenant, auditor);
      assert.equal(code, 1, text);
      assert.match(text, /^Integrity {19}holds/m);
      assert.match(text, said);
    });
});
