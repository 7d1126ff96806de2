/** An optional field sent as null is the same as one left out, on every call that takes a body (docs/spec.md §11). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eachLedger } from '../kit/running.ts';

eachLedger('optional fields as null', (ledger) => {
  test('take a Run from Inputs to a receipt that seals none of them', async () => {
    const tenant = await ledger.tenant();
    const [agent, approver] = [tenant.as('agent'), tenant.as('approver')];
    const inputs = { task: 'Summarize the visit report', kind: null, notify: null, free: null };
    const { id } = await agent('POST', '/runs', { lane: 'generic', title: 'A Run', agent_profile_id: null, inputs });
    const evidence = { kind: 'note', label: 'Notes', content: 'Two tiles.', sha256: null, content_type: null };
    assert.equal((await agent('POST', `/runs/${id}/evidence`, evidence)).byte_size, 10);
    await agent('POST', `/runs/${id}/execution`, {
      agent_name: 'scribe',
      model_name: null,
      provider: null,
      output: null,
    });
    await agent('POST', `/runs/${id}/checks`);
    await agent('POST', `/runs/${id}/verdict`);
    await approver('POST', `/runs/${id}/approval`, { decision: 'approved', note: null });
    const receipt = await approver('POST', `/runs/${id}/receipt`);
    // What a task describes of its own accord stays as it was sent, null or not.
    assert.deepEqual(receipt.run.inputs, { task: 'Summarize the visit report', free: null });
    assert.deepEqual(receipt.execution, {
      agent_name: 'scribe',
      model_name: '',
      provider: '',
      output_sha256: '',
      output_bytes: 0,
    });
    assert.equal(receipt.approval.note, '');
  });

  test('are left out in every lane', async () => {
    const tenant = await ledger.tenant();
    const bodies: Record<string, object> = {
      cook: { base_model: 'a', dataset: 'b', pairs: 1, eval_before: 0.1, notify: null },
      incident: { kind: 'a', tier: 'b', detail: 'c', lane: null, response: null, notify: null },
      'dataset-download': {
        slug: 'a',
        name: 'b',
        version: '1',
        sha256: '5e'.repeat(32),
        size_bytes: 1,
        row_count: 1,
        granted_to: 'c',
        purpose: null,
        expires_at: null,
      },
      'model-pin': {
        slug: 'a',
        name: 'b',
        base: null,
        params_b: 1,
        card: null,
        card_sha256: '5e'.repeat(32),
        declaration: null,
        client_ref: null,
      },
    };
    for (const [lane, inputs] of Object.entries(bodies)) {
      const { status, text } = await tenant.ask('agent', 'POST', '/runs', { body: { lane, title: 'A Run', inputs } });
      assert.equal(status, 201, `${lane}: ${text}`);
    }
  });

  test('leave an organization, a key and a profile as they are by default', async () => {
    const tenant = await ledger.tenant();
    const owner = tenant.as('owner');
    const before = await owner('GET', '/organization');
    assert.deepEqual(await owner('PATCH', '/organization', { name: null, four_eyes: null }), before);
    assert.equal((await tenant.ask('owner', 'POST', '/keys', { body: { role: 'agent', label: null } })).status, 201);
    const profile = { name: 'scribe', capability_tier: null, harness: null, model: null };
    assert.equal((await tenant.ask('owner', 'POST', '/agent-profiles', { body: profile })).status, 201);
  });

  test('that are needed are refused as null', async () => {
    const tenant = await ledger.tenant();
    const body = { lane: 'generic', title: null, inputs: { task: null } };
    const { status, json } = await tenant.ask('agent', 'POST', '/runs', { body });
    assert.deepEqual([status, json.code], [422, 'invalid']);
  });
});
