/** A public link can be switched off and on again; the receipt, its bytes and its chain stay as they are. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eachLedger } from '../kit/running.ts';
import { mintedReceipt } from '../kit/story.ts';

const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';
const FORMS = ['', '/pdf', '/card.png', '/download'];
const LINK_OFF = 'This link has been switched off';

eachLedger('a share link', (ledger) => {
  const storedAt = async (organization_id: string) =>
    JSON.stringify(await ledger.db.all('select * from receipts where organization_id = $1', [organization_id]));

  test('is switched off for programs and people, and on again with the same bytes', async () => {
    const tenant = await ledger.tenant();
    const receipt = await mintedReceipt(tenant);
    const share = `/receipts/${receipt.receipt_id}/share`;
    const path = new URL(receipt.share_url).pathname;
    const owner = tenant.as('owner');
    const before = await storedAt(tenant.organization_id);
    const shared = (await ledger.call('GET', path)).text;
    const untouched = {
      receipt_id: receipt.receipt_id,
      share_url: receipt.share_url,
      changed_at: null,
      changed_by: null,
    };
    assert.deepEqual(await tenant.as('auditor')('GET', share), { ...untouched, enabled: true });
    assert.deepEqual(await owner('PUT', share, { enabled: true }), { ...untouched, enabled: true });

    const off = await owner('PUT', share, { enabled: false });
    assert.equal(off.enabled, false);
    assert.equal(off.changed_by, 'first owner');
    assert.match(off.changed_at, /^\d{4}-.*Z$/);
    assert.deepEqual(await owner('PUT', share, { enabled: false }), off, 'a repeat changes nothing');
    for (const form of FORMS) {
      const program = await ledger.call('GET', `${path}${form}`);
      assert.deepEqual([program.status, program.json.code], [410, 'share_revoked'], form);
      const person = await ledger.call('GET', `${path}${form}`, { headers: { accept: BROWSER } });
      assert.equal(person.status, 410, form);
      assert.match(person.headers.get('content-type')!, /^text\/html/);
      assert.match(person.headers.get('content-security-policy')!, /default-src 'none'/);
      assert.ok(person.text.includes(LINK_OFF));
      const root = form === '' ? '../' : '../../';
      assert.ok(person.text.includes(`href="${root}assets/page/page.css"`));
      for (const answer of [program, person]) {
        assert.equal(answer.headers.get('cache-control'), 'no-store');
        assert.equal(answer.headers.get('receipt-verified'), null);
        for (const secret of [receipt.receipt_id, receipt.receipt_sha256, receipt.run.title, 'Test Workshop'])
          assert.ok(!answer.text.includes(secret), `${form} says ${secret}`);
      }
    }
    assert.equal(await storedAt(tenant.organization_id), before);
    assert.equal((await owner('GET', '/ledger/verify')).ok, true);
    assert.deepEqual(await owner('GET', `/receipts/${receipt.receipt_id}`), receipt);

    assert.equal((await owner('PUT', share, { enabled: true })).enabled, true);
    const again = await ledger.call('GET', path);
    assert.deepEqual([again.status, again.text], [200, shared]);
    assert.equal(again.headers.get('receipt-verified'), 'true');
    assert.equal(await storedAt(tenant.organization_id), before);
  });

  test('is switched by the owner of its organization alone', async () => {
    const [tenant, stranger] = [await ledger.tenant(), await ledger.tenant()];
    const receipt = await mintedReceipt(tenant);
    const share = `/receipts/${receipt.receipt_id}/share`;
    for (const role of ['agent', 'approver', 'auditor'] as const)
      assert.equal((await tenant.ask(role, 'PUT', share, { body: { enabled: false } })).status, 403);
    for (const method of ['GET', 'PUT'])
      for (const path of [share, '/receipts/RCPT-000001-00000000/share', '/receipts/none/share']) {
        const body = method === 'PUT' ? { enabled: false } : undefined;
        assert.equal((await stranger.ask('owner', method, path, { body })).status, 404);
      }
    assert.equal((await ledger.call('GET', new URL(receipt.share_url).pathname)).status, 200);
  });

  test('of an altered receipt can be switched off, too', async () => {
    const doomed = await ledger.doomedTenant();
    const receipt = await mintedReceipt(doomed);
    await ledger.db.run("update receipts set payload = 'gone' where organization_id = $1", [doomed.organization_id]);
    const share = `/receipts/${receipt.receipt_id}/share`;
    assert.equal((await doomed.as('owner')('PUT', share, { enabled: false })).enabled, false);
    assert.equal((await ledger.call('GET', new URL(receipt.share_url).pathname)).status, 410);
  });
});
