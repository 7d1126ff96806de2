/** The statement of a shared receipt, as it is served, read by us and by `@sigstore/verify`. */
import assert from 'node:assert/strict';
import { createPublicKey } from 'node:crypto';
import { test } from 'node:test';
import { parseVerifierKey } from '@rcpt/proof/log/verifier-key.ts';
import { BUNDLE_TYPE, keyHint, publicKeyPem, verifyStatement } from '@rcpt/proof/statement.ts';
import { bundleFromJSON } from '@sigstore/bundle';
import { toSignedEntity, toTrustMaterial, Verifier } from '@sigstore/verify';
import { eachLedger } from '../kit/running.ts';
import { mintedReceipt } from '../kit/story.ts';
import { readChain, resealed, writeChain } from '../kit/tampering.ts';

const pathOf = ({ share_url }: { share_url: string }) => new URL(share_url).pathname;

eachLedger('the statement of a receipt', (ledger) => {
  test('is signed by the organization, about this receipt, and the same bytes each time', async () => {
    const tenant = await ledger.tenant();
    for (const inputs of [{}, { notes: 'n'.repeat(70_000) }]) {
      const receipt = await mintedReceipt(tenant, 'generic', { inputs });
      const link = pathOf(receipt);
      const served = await ledger.call('GET', `${link}/statement`);
      assert.equal(served.status, 200, served.text);
      assert.ok(served.headers.get('content-type')!.startsWith(BUNDLE_TYPE));
      await mintedReceipt(tenant);
      assert.equal((await ledger.call('GET', `${link}/statement`)).text, served.text);

      const { key } = parseVerifierKey((await ledger.call('GET', `${link}/key`)).text.trim());
      const stored = Buffer.from((await ledger.call('GET', `${link}/download`)).text);
      const { receipt_sha256, predicate } = await verifyStatement(served.text, stored, [key]);
      assert.deepEqual([receipt_sha256, predicate.org_seq], [receipt.receipt_sha256, receipt.org_seq]);

      const nobody = { tlogs: [], ctlogs: [], certificateAuthorities: [], timestampAuthorities: [] };
      const trusted = toTrustMaterial({ mediaType: '', ...nobody } as never, (hint) => {
        assert.equal(hint, keyHint(key));
        return { publicKey: createPublicKey(publicKeyPem(key)), validFor: () => true };
      });
      const verifier = new Verifier(trusted, { tlogThreshold: 0, ctlogThreshold: 0, timestampThreshold: 0 });
      assert.ok(verifier.verify(toSignedEntity(bundleFromJSON(served.json))));
    }
  });

  test('nothing is signed about a receipt that is not the one in the log', async () => {
    const tenant = await ledger.doomedTenant();
    const receipt = await mintedReceipt(tenant);
    await mintedReceipt(tenant);
    await tenant.ask('auditor', 'GET', '/ledger/checkpoint');
    const chain = await readChain(ledger.db, tenant.organization_id);
    const forged = resealed(chain.rows[0]!, (payload) => ({ ...payload, created_at: '2020-01-01T00:00:00.000Z' }));
    await writeChain(ledger.db, tenant.organization_id, { ...chain, rows: [forged, chain.rows[1]!] });
    const refused = await ledger.call('GET', `${pathOf(receipt)}/statement`);
    assert.deepEqual([refused.status, refused.json.code], [409, 'log_inconsistent']);
    assert.ok(!refused.text.includes('dsseEnvelope'));
  });

  test('is closed with its link', async () => {
    const tenant = await ledger.tenant();
    const receipt = await mintedReceipt(tenant);
    await tenant.as('owner')('PUT', `/receipts/${receipt.receipt_id}/share`, { enabled: false });
    assert.equal((await ledger.call('GET', `${pathOf(receipt)}/statement`)).status, 410);
    assert.equal((await ledger.call('GET', `/share/${'a'.repeat(22)}/statement`)).status, 404);
  });
});
