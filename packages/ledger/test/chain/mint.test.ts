/** Minting over HTTP: what a receipt is, that it is minted once, and that many at once make one chain (docs/spec.md §13.4). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LANE_NAMES } from '@rcpt/contract/words.ts';
import { assertChain, assertReceipt, wholeChain } from '../kit/independent.ts';
import { eachLedger, type Tenant } from '../kit/running.ts';
import { approvedRun, mintedReceipt, runAt } from '../kit/story.ts';

const mint = (tenant: Tenant, id: string) => tenant.ask('approver', 'POST', `/runs/${id}/receipt`);

async function approvedRuns(tenant: Tenant, count: number): Promise<string[]> {
  return Promise.all(Array.from({ length: count }, (_, i) => approvedRun(tenant, LANE_NAMES[i % LANE_NAMES.length])));
}

eachLedger('minting', (ledger) => {
  test('the first receipt stands at 0 on a parent of 64 zeros, the next on the hash of the first', async () => {
    const tenant = await ledger.tenant('Acme & Söhne');
    const first = await mintedReceipt(tenant);
    const second = await mintedReceipt(tenant);
    assert.deepEqual([first.org_seq, first.parent_hash], [0, '0'.repeat(64)]);
    assert.deepEqual([second.org_seq, second.parent_hash], [1, first.receipt_sha256]);
    assert.match(first.receipt_id, /^RCPT-000000-[0-9a-f]{8}$/);
    assert.deepEqual(first.organization, { id: tenant.organization_id, name: 'Acme & Söhne' });
    assert.ok(first.share_url.startsWith(`${ledger.url}/share/`));
  });

  test('a mint is 201 with the address of the receipt, a repeat 200 with the same bytes', async () => {
    const tenant = await ledger.tenant();
    const id = await approvedRun(tenant);
    const first = await mint(tenant, id);
    const receipt = assertReceipt(first.text);
    assert.equal(first.status, 201);
    assert.equal(first.headers.get('location'), `/receipts/${receipt.receipt_id}`);
    const again = await mint(tenant, id);
    assert.deepEqual([again.status, again.text], [200, first.text]);
    assert.equal((await tenant.ask('auditor', 'GET', `/receipts/${receipt.receipt_id}`)).text, first.text);
    const run = await tenant.as('auditor')('GET', `/runs/${id}`);
    assert.deepEqual([run.stage, run.receipt_id], ['Receipt', receipt.receipt_id]);
    assert.equal(run.stages.at(-1).at, receipt.created_at, 'created_at is the instant of minting');
  });

  test('there is no other /runs/{id}/receipt, and receipts are never posted', async () => {
    const tenant = await ledger.tenant();
    const id = await runAt(tenant, 'Receipt');
    for (const [method, path] of [
      ['GET', `/runs/${id}/receipt`],
      ['PUT', `/runs/${id}/receipt`],
      ['DELETE', `/runs/${id}/receipt`],
      ['POST', '/receipts'],
      ['POST', '/ledger'],
      ['DELETE', `/runs/${id}`],
    ] as const)
      assert.equal((await tenant.ask('owner', method, path)).status, 404, `${method} ${path}`);
  });

  test('each organization has a chain of its own', async () => {
    const [one, other] = [await ledger.tenant(), await ledger.tenant()];
    for (let i = 0; i < 3; i++)
      for (const tenant of [one, other]) assert.equal((await mintedReceipt(tenant)).org_seq, i);
    assert.equal((await wholeChain(one)).length, 3);
  });

  test('thirty mints at once leave one chain, no gap, no fork', async () => {
    const tenant = await ledger.tenant();
    const answers = await Promise.all((await approvedRuns(tenant, 30)).map((id) => mint(tenant, id)));
    for (const { status, text } of answers) assert.equal(status, 201, text);
    const chain = await wholeChain(tenant);
    assert.equal(chain.length, 30);
    assert.deepEqual(
      new Set(answers.map(({ json }) => json.receipt_sha256)),
      new Set(chain.map((receipt) => receipt.receipt_sha256)),
    );
  });

  test('one Run minted fifty times at once has one receipt', async () => {
    const tenant = await ledger.tenant();
    const id = await approvedRun(tenant);
    const answers = await Promise.all(Array.from({ length: 50 }, () => mint(tenant, id)));
    assert.equal(new Set(answers.map(({ text }) => text)).size, 1);
    assert.deepEqual(answers.map(({ status }) => status).sort(), [...Array(49).fill(200), 201]);
    assert.equal((await wholeChain(tenant)).length, 1);
  });

  test('mints of several organizations at once, with Runs that cannot be minted among them, do not disturb each other', async () => {
    const tenants = await Promise.all([1, 2, 3, 4].map(() => ledger.tenant()));
    const asked = await Promise.all(
      tenants.map(async (tenant) => ({
        tenant,
        approved: await approvedRuns(tenant, 6),
        unapproved: await runAt(tenant, 'Verdict'),
      })),
    );
    const answers = await Promise.all(
      asked.flatMap(({ tenant, approved, unapproved }) =>
        [...approved, unapproved, 'run_unknown', ...approved].map((id) => mint(tenant, id)),
      ),
    );
    const count = (status: number) => answers.filter((answer) => answer.status === status).length;
    assert.deepEqual([count(201), count(200), count(409), count(404)], [24, 24, 4, 4]);
    for (const tenant of tenants) assert.equal((await wholeChain(tenant)).length, 6);
  });

  test('mints and reads at once: every list that is seen is a chain', async () => {
    const tenant = await ledger.tenant();
    const ids = await approvedRuns(tenant, 12);
    const minting = Promise.all(
      ids.map(async (id, i) => {
        for (let turn = 0; turn < i % 4; turn++) await tenant.ask('auditor', 'GET', '/ledger');
        return mint(tenant, id);
      }),
    );
    let settled = false;
    void minting.finally(() => {
      settled = true;
    });
    while (!settled) {
      const { text } = await tenant.ask('auditor', 'GET', '/ledger', { headers: { accept: 'application/x-ndjson' } });
      assertChain(text.split('\n').slice(0, -1));
      assert.equal((await tenant.as('auditor')('GET', '/ledger/verify')).ok, true);
    }
    await minting;
    assert.equal((await wholeChain(tenant)).length, 12);
  });

  test('a chain whose head was tampered with does not keep another organization from minting', async () => {
    const [honest, broken] = [await ledger.tenant(), await ledger.doomedTenant()];
    await mintedReceipt(broken);
    await ledger.db.run('update chains set org_seq = -1, receipt_sha256 = $2 where organization_id = $1', [
      broken.organization_id,
      '0'.repeat(64),
    ]);
    const [good, bad] = [await approvedRuns(honest, 3), await approvedRun(broken)];
    const answers = await Promise.all([...good.map((id) => mint(honest, id)), mint(broken, bad)]);
    assert.deepEqual(
      answers.map(({ status }) => status),
      [201, 201, 201, 500],
    );
    assert.equal((await wholeChain(honest)).length, 3);
  });

  test('a Run whose approved blocks were damaged in the database does not keep others from minting', async () => {
    const tenant = await ledger.tenant();
    const [good, bad] = await approvedRuns(tenant, 2);
    await ledger.db.run(`update run_documents set approved_block = '{"run":' where id = $1`, [bad!]);
    const answers = await Promise.all([mint(tenant, bad!), mint(tenant, good!)]);
    assert.deepEqual(
      answers.map(({ status }) => status),
      [409, 201],
    );
    assert.equal((await wholeChain(tenant)).length, 1);
  });

  test('renaming the organization changes what is minted afterwards and nothing before', async () => {
    const tenant = await ledger.tenant('Before');
    const first = await mintedReceipt(tenant);
    await tenant.as('owner')('PATCH', '/organization', { name: 'After' });
    assert.equal((await mintedReceipt(tenant)).organization.name, 'After');
    assert.equal((await tenant.as('auditor')('GET', `/receipts/${first.receipt_id}`)).organization.name, 'Before');
  });
});

eachLedger(
  'minting while storage and mail are away',
  (ledger) => {
    test('the receipt is minted, shared and verified all the same', async () => {
      const tenant = await ledger.tenant();
      const id = await approvedRun(tenant, 'generic', { inputs: { notify: ['someone@example.org'] } });
      const { status, json } = await mint(tenant, id);
      assert.equal(status, 201);
      const share = new URL(json.share_url).pathname;
      assert.equal((await ledger.call('GET', share)).json.receipt_id, json.receipt_id);
      assert.equal((await ledger.call('GET', `${share}/pdf`)).status, 200);
    });
  },
  // A file is where the folder would be, and nobody listens.
  { LEDGER_STORAGE_URL: 'file:/dev/null/objects', LEDGER_SMTP_URL: 'smtp://127.0.0.1:1' },
);
