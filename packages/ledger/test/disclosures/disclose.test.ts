/** What stands beside a receipt is withheld until its organization shows it, and is shown in the bytes that were sealed. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkDisclosure } from '@rcpt/proof/disclosures.ts';
import { disclosing, erasing, listed, mintedWith, statesOf } from '../kit/beside.ts';
import { sha256 } from '../kit/independent.ts';
import { eachLedger } from '../kit/running.ts';

const PATIENT = { name: 'Ada', ward: 7 };
const TOLD = {
  inputs: { patient: PATIENT },
  private: ['/inputs/patient', '/title'],
  evidence: [
    { label: 'scan.html', content: '<script>alert(1)</script>', content_type: 'text/html' },
    { label: 'elsewhere', sha256: 'ab'.repeat(32) },
  ],
};
const ALL = ['/inputs/patient', '/title', '/output', '/evidence/0', '/evidence/1'];

eachLedger('what stands beside a receipt', (ledger) => {
  test('is listed and withheld; what is withheld is told no one', async () => {
    const tenant = await ledger.tenant();
    const minted = await mintedWith(tenant, TOLD);
    const list = await listed(ledger, minted);
    assert.deepEqual(
      list.map(({ path, state }) => [path, state]),
      ALL.map((path) => [path, 'withheld']),
    );
    const { execution, evidence } = minted.receipt;
    assert.deepEqual(list.slice(2), [
      { path: '/output', state: 'withheld', sha256: execution.output_sha256, byte_size: execution.output_bytes },
      { path: '/evidence/0', state: 'withheld', sha256: evidence[0].sha256, byte_size: 25 },
      { path: '/evidence/1', state: 'withheld', sha256: evidence[1].sha256 },
    ]);
    for (const path of ALL) {
      const { status, json } = await ledger.call('GET', `${minted.link}/disclosures${path}`);
      assert.deepEqual([status, json.code], [403, 'disclosure_withheld'], path);
    }
    for (const suffix of ['', '/pdf', '/download', '/disclosures'])
      assert.ok(!(await ledger.call('GET', `${minted.link}${suffix}`)).text.includes('Ada'), suffix);
  });

  test('is shown where its organization says so, in bytes that match, and withheld again', async () => {
    const tenant = await ledger.tenant();
    const minted = await mintedWith(tenant, TOLD);
    const { status, json } = await disclosing(tenant, minted, ['/inputs/patient', '/output', '/evidence/0']);
    assert.equal(status, 200, JSON.stringify(json));
    assert.deepEqual(json.disclosures, await listed(ledger, minted));
    assert.deepEqual(await statesOf(ledger, minted), {
      '/inputs/patient': 'disclosed',
      '/title': 'withheld',
      '/output': 'disclosed',
      '/evidence/0': 'disclosed',
      '/evidence/1': 'withheld',
    });
    const [{ disclosure }] = (await listed(ledger, minted)) as unknown as [{ disclosure: string }];
    assert.deepEqual(checkDisclosure(minted.receipt, '/inputs/patient', disclosure), {
      ok: true,
      name: 'patient',
      value: PATIENT,
    });

    const at = (path: string) => ledger.call('GET', `${minted.link}/disclosures${path}`);
    const output = await at('/output');
    assert.deepEqual(
      [output.text, output.headers.get('content-type')],
      ['The roof needs two new tiles.', 'text/plain; charset=utf-8'],
    );
    assert.equal(sha256(output.text), minted.receipt.execution.output_sha256);
    const scan = await at('/evidence/0');
    assert.equal(sha256(scan.text), minted.receipt.evidence[0].sha256);
    assert.equal(scan.headers.get('content-type'), 'application/octet-stream', 'a browser is not told that it is HTML');
    assert.equal((await at('/inputs/patient')).text, disclosure);
    for (const answer of [output, scan, await at('/inputs/patient')]) {
      assert.match(answer.headers.get('content-disposition')!, /^attachment; filename="RCPT-[\w.-]+"$/);
      assert.equal(answer.headers.get('x-content-type-options'), 'nosniff');
      assert.equal(answer.headers.get('cache-control'), 'no-store');
      assert.match(answer.headers.get('content-security-policy')!, /^sandbox/);
    }
    assert.equal((await at('/title')).status, 403);

    assert.equal((await disclosing(tenant, minted, [])).status, 200);
    assert.equal((await at('/output')).status, 403);
    assert.ok(Object.values(await statesOf(ledger, minted)).every((state) => state === 'withheld'));
    const acts = await ledger.db.all<{ payload: string }>(
      "select payload from activity where organization_id = $1 and kind = 'disclosures_changed' order by org_seq",
      [tenant.organization_id],
    );
    const changed = acts.map(({ payload }) => JSON.parse(payload).activity.details);
    const shown = ['/evidence/0', '/inputs/patient', '/output'];
    const { receipt_id } = minted;
    assert.deepEqual(changed, [
      { receipt_id, before: [], after: shown },
      { receipt_id, before: shown, after: [] },
    ]);
    assert.ok(!JSON.stringify(acts).includes('Ada'));
  });

  test('follows the receipt’s own lane: a card, a package, a cook', async () => {
    const tenant = await ledger.tenant();
    const card = { name: 'Acme Tiny', license: 'any' };
    const pin = await mintedWith(tenant, {
      lane: 'model-pin',
      inputs: { card, card_sha256: null },
      private: ['/inputs/declaration'],
    });
    assert.equal((await disclosing(tenant, pin, ['/output', '/inputs/declaration'])).status, 200);
    const { text, headers } = await ledger.call('GET', `${pin.link}/disclosures/output`);
    assert.deepEqual(
      [JSON.parse(text), sha256(text), headers.get('content-type')],
      [card, pin.receipt.model.card_sha256, 'application/json'],
    );
    const grant = await mintedWith(tenant, { lane: 'dataset-download' });
    assert.deepEqual(await statesOf(ledger, grant), { '/output': 'withheld' });
    assert.deepEqual((await disclosing(tenant, grant, ['/output'])).json.code, 'disclosure_not_stored');
    assert.deepEqual(await statesOf(ledger, await mintedWith(tenant, { lane: 'cook' })), {});
  });

  test('is not found under hostile paths, and not decided by them', async () => {
    const tenant = await ledger.tenant();
    const minted = await mintedWith(tenant, TOLD);
    await disclosing(tenant, minted, ['/output', '/inputs/patient', '/evidence/0']);
    for (const path of [
      '',
      '..%2fdownload',
      'evidence/1e0',
      'evidence/00',
      'evidence/-1',
      'evidence/0/',
      'evidence/9',
      'inputs',
      'inputs/patient/name',
      'inputs/PATIENT',
      'output/',
      'output%00',
      'constructor',
      '__proto__',
      'inputs/~2',
      '%ff',
    ]) {
      const { status } = await ledger.call('GET', `${minted.link}/disclosures/${path}`);
      assert.ok([400, 403, 404].includes(status), `${path}: ${status}`);
    }
    assert.equal((await ledger.call('GET', `${minted.link}/disclosures/%2Foutput`)).status, 200, 'as one part, too');
    for (const [disclosed, status, code] of [
      [['/nothing'], 422, 'disclosure_unknown'],
      [['/output', '/evidence/7'], 422, 'disclosure_unknown'],
      [['/evidence/1'], 409, 'disclosure_not_stored'],
      [['/__proto__'], 422, 'disclosure_unknown'],
      ['/output', 422, 'invalid'],
      [[1], 422, 'invalid'],
      [null, 422, 'invalid'],
    ] as const) {
      const { json, ...answer } = await disclosing(tenant, minted, disclosed as unknown as string[]);
      assert.deepEqual([answer.status, json.code], [status, code], JSON.stringify(disclosed));
    }
    assert.equal((await statesOf(ledger, minted))['/output'], 'disclosed', 'nothing was changed');
  });

  test('is decided by approvers and owners, erased by owners, and is another’s to nobody else', async () => {
    const [tenant, stranger] = [await ledger.tenant(), await ledger.tenant()];
    const minted = await mintedWith(tenant, TOLD);
    const path = `/receipts/${minted.receipt_id}`;
    for (const role of ['agent', 'auditor'] as const)
      assert.equal((await tenant.ask(role, 'PUT', `${path}/disclosures`, { body: { disclosed: [] } })).status, 403);
    for (const role of ['agent', 'auditor', 'approver'] as const)
      assert.equal(
        (await tenant.ask(role, 'POST', `${path}/erasures`, { body: { path: '/output', reason: 'x' } })).status,
        403,
      );
    assert.equal((await tenant.ask('auditor', 'GET', `${path}/disclosures`)).status, 200);
    for (const its of [path, '/receipts/none', `/receipts/${minted.receipt_id.replace(/.$/, 'x')}`]) {
      assert.equal((await stranger.ask('owner', 'GET', `${its}/disclosures`)).status, 404);
      assert.equal(
        (await stranger.ask('owner', 'PUT', `${its}/disclosures`, { body: { disclosed: ['/output'] } })).status,
        404,
      );
      assert.equal(
        (await stranger.ask('owner', 'POST', `${its}/erasures`, { body: { path: '/output', reason: 'x' } })).status,
        404,
      );
    }
    assert.equal((await ledger.call('GET', '/share/AAAAAAAAAAAAAAAAAAAAAA/disclosures')).status, 404);
    await tenant.as('owner')('PUT', `${path}/share`, { enabled: false });
    for (const suffix of ['', '/output']) {
      const { status, json } = await ledger.call('GET', `${minted.link}/disclosures${suffix}`);
      assert.deepEqual([status, json.code], [410, 'share_revoked']);
    }
  });

  test('is never shown altered: in the Run, in storage, or behind another receipt', async () => {
    const tenant = await ledger.doomedTenant();
    const minted = await mintedWith(tenant, TOLD);
    await disclosing(tenant, minted, ['/output', '/inputs/patient']);
    await ledger.db.run(
      "update run_documents set execution = replace(execution, 'two new', 'no new'), inputs = replace(inputs, 'Ada', 'Eda') where id = $1",
      [minted.id],
    );
    for (const path of ['/output', '/inputs/patient']) {
      const { status, json } = await ledger.call('GET', `${minted.link}/disclosures${path}`);
      assert.deepEqual([status, json.code], [409, 'evidence_altered'], path);
    }
    const [{ disclosure }] = (await listed(ledger, minted)) as unknown as [{ disclosure: string }];
    assert.equal(checkDisclosure(minted.receipt, '/inputs/patient', disclosure).ok, false, 'whoever checks it sees');
  });

  test('races: what is erased while it is shown is erased', async () => {
    const tenant = await ledger.tenant();
    for (let i = 0; i < 3; i++) {
      const minted = await mintedWith(tenant, { ...TOLD, title: `Race ${i}` });
      const answers = await Promise.all([
        disclosing(tenant, minted, ['/output', '/evidence/0']),
        ledger.call('GET', `${minted.link}/disclosures/output`),
        erasing(tenant, minted, '/output'),
        disclosing(tenant, minted, ['/output']),
        erasing(tenant, minted, '/evidence/0'),
        erasing(tenant, minted, '/output', 'Another reason.'),
        ledger.call('GET', `${minted.link}/disclosures/evidence/0`),
      ]);
      for (const { status, text } of answers) assert.ok([200, 201, 403, 410].includes(status), `${status} ${text}`);
      const states = await statesOf(ledger, minted);
      assert.deepEqual([states['/output'], states['/evidence/0']], ['erased', 'erased']);
      assert.equal((await ledger.call('GET', `${minted.link}/disclosures/output`)).status, 410);
    }
    assert.equal((await tenant.as('auditor')('GET', '/ledger/verify')).ok, true);
  });
});
