/** A Run from Inputs to Approval over HTTP (docs/spec.md §13): seven stages, seven calls, and what is refused. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Stage } from '@rcpt/contract/vocabulary.ts';
import { STAGES } from '@rcpt/contract/words.ts';
import { type Answer, eachLedger, type Tenant } from '../kit/running.ts';
import { runAt, WORK } from '../kit/story.ts';

/** Every call of a stage: where it may be made, and how. */
const CALLS: { path: string; needs: Stage[]; body?: unknown }[] = [
  { path: 'evidence', needs: ['Inputs', 'Evidence'], body: { kind: 'note', label: 'seen', content: 'seen' } },
  { path: 'execution', needs: ['Inputs', 'Evidence'], body: WORK.generic.execution },
  { path: 'checks', needs: ['Execution'] },
  { path: 'verdict', needs: ['Checks'] },
  { path: 'approval', needs: ['Verdict'], body: { decision: 'approved' } },
];

const RUN_MEMBERS = [
  'id',
  'organization_id',
  'lane',
  'title',
  'stage',
  'stages',
  'inputs',
  'agent_profile',
  'evidence',
  'execution',
  'checks',
  'verdict',
  'approval',
  'receipt_id',
  'created_at',
  'updated_at',
];

function assertRefused({ status, json }: Answer, expected: number, code: string): void {
  assert.deepEqual([status, json?.code], [expected, code], JSON.stringify(json));
}

async function opened(tenant: Tenant, body: object): Promise<Answer> {
  return tenant.ask('agent', 'POST', '/runs', { body });
}

eachLedger('runs', (ledger) => {
  test('a Run passes seven stages in order, and shows who reached each and when', async () => {
    const tenant = await ledger.tenant();
    for (const [i, stage] of STAGES.entries()) {
      const run = await tenant.as('auditor')('GET', `/runs/${await runAt(tenant, stage)}`);
      assert.equal(run.stage, stage);
      assert.deepEqual(
        run.stages.map((mark: { stage: Stage }) => mark.stage),
        STAGES.slice(0, i + 1),
      );
      for (const mark of run.stages) {
        assert.match(mark.by, /^key_[0-9a-f]{32}$/);
        assert.equal(new Date(mark.at).toISOString(), mark.at);
      }
      assert.deepEqual(Object.keys(run).sort(), [...RUN_MEMBERS].sort());
    }
  });

  test('opening a Run answers 201 with its address, at Inputs', async () => {
    const tenant = await ledger.tenant();
    const {
      status,
      headers,
      json: run,
    } = await opened(tenant, { lane: 'generic', title: ' Roof ', inputs: { task: 'Look', colour: 'red' } });
    assert.equal(status, 201);
    assert.equal(headers.get('location'), `/runs/${run.id}`);
    assert.match(run.id, /^run_[0-9a-f]{32}$/);
    assert.deepEqual(
      {
        stage: run.stage,
        title: run.title,
        inputs: run.inputs,
        organization_id: run.organization_id,
        evidence: run.evidence,
        execution: run.execution,
        checks: run.checks,
        verdict: run.verdict,
        approval: run.approval,
        receipt_id: run.receipt_id,
      },
      {
        stage: 'Inputs',
        title: 'Roof',
        inputs: { task: 'Look', colour: 'red' },
        organization_id: tenant.organization_id,
        evidence: [],
        execution: null,
        checks: [],
        verdict: null,
        approval: null,
        receipt_id: null,
      },
    );
    assert.deepEqual(run.agent_profile, {
      name: 'undeclared',
      capability_tier: 'undeclared',
      harness: 'undeclared',
      model: 'undeclared',
    });
    assert.deepEqual(await tenant.as('auditor')('GET', `/runs/${run.id}`), run);
  });

  test('a call out of order is 409 and names the stage the Run is at and the stage the call needs', async () => {
    const tenant = await ledger.tenant();
    for (const stage of STAGES) {
      const id = await runAt(tenant, stage);
      for (const { path, needs, body } of CALLS) {
        if (needs.includes(stage)) continue;
        const answer = await tenant.ask('owner', 'POST', `/runs/${id}/${path}`, { body });
        assertRefused(answer, 409, 'run_stage_conflict');
        assert.equal(answer.json.stage, stage);
        assert.equal(answer.json.needed_stage, needs.at(-1));
        assert.ok(answer.json.detail.includes(stage) && answer.json.detail.includes(needs.at(-1)!), answer.json.detail);
      }
      if (stage === 'Approval' || stage === 'Receipt') continue;
      const mint = await tenant.ask('owner', 'POST', `/runs/${id}/receipt`);
      assertRefused(mint, 409, 'run_not_approved');
      assert.ok(mint.json.detail.includes(stage), mint.json.detail);
      assert.equal((await tenant.as('auditor')('GET', `/runs/${id}`)).stage, stage, 'a refused call changes nothing');
    }
  });

  test('an execution posted from Inputs passes Evidence with none attached, and the checks say so', async () => {
    const tenant = await ledger.tenant();
    const id = await runAt(tenant, 'Inputs');
    const run = await tenant.as('agent')('POST', `/runs/${id}/execution`, WORK.generic.execution);
    assert.deepEqual(
      run.stages.map((mark: { stage: Stage }) => mark.stage),
      ['Inputs', 'Evidence', 'Execution'],
    );
    const { checks } = await tenant.as('agent')('POST', `/runs/${id}/checks`);
    const said = checks.find((check: { key: string }) => check.key === 'evidence_attached');
    assert.equal(said.status, 'flag');
    assert.match(said.detail, /no evidence/i);
  });

  test('inputs that the lane does not take are 422 and named member by member', async () => {
    const tenant = await ledger.tenant();
    const bad: [object, string][] = [
      [{ lane: 'nonsense', title: 'x', inputs: {} }, 'lane'],
      [{ lane: 'generic', title: '', inputs: { task: 'x' } }, 'title'],
      [{ lane: 'generic', title: 'x' }, 'inputs'],
      [{ lane: 'generic', title: 'x', inputs: [] }, 'inputs'],
      [{ lane: 'generic', title: 'x', inputs: {} }, 'inputs.task'],
      [{ lane: 'generic', title: 'x', inputs: { task: 'x', kind: 'other-kind' } }, 'inputs.kind'],
      [{ lane: 'cook', title: 'x', inputs: { ...WORK.cook.inputs, pairs: 1.5 } }, 'inputs.pairs'],
      [{ lane: 'cook', title: 'x', inputs: { ...WORK.cook.inputs, eval_before: '0.5' } }, 'inputs.eval_before'],
      [
        { lane: 'dataset-download', title: 'x', inputs: { ...WORK['dataset-download'].inputs, sha256: 'abc' } },
        'inputs.sha256',
      ],
      [
        { lane: 'model-pin', title: 'x', inputs: { ...WORK['model-pin'].inputs, card_sha256: undefined } },
        'inputs.card',
      ],
      [
        { lane: 'incident', title: 'x', inputs: { ...WORK.incident.inputs, response: 'lane_locked' } },
        'inputs.response',
      ],
      [{ lane: 'eval', title: 'x', inputs: {} }, 'inputs.flight_sheet'],
    ];
    for (const [body, path] of bad) {
      const answer = await opened(tenant, body);
      assertRefused(answer, 422, 'invalid');
      assert.ok(
        answer.json.errors.some((error: { path: string; message: string }) => error.path === path && error.message),
        answer.text,
      );
    }
    assert.deepEqual((await tenant.as('auditor')('GET', '/runs')).runs, []);
  });

  test('an execution that the lane does not take is 422 and leaves the Run where it was', async () => {
    const tenant = await ledger.tenant();
    const cook = await runAt(tenant, 'Evidence', 'cook');
    for (const body of [
      {},
      { eval_after: 1 },
      { eval_after: '1', runner: 'x' },
      { eval_after: 1, runner: 'x', compute_usd: -1 },
      [],
    ])
      assertRefused(await tenant.ask('agent', 'POST', `/runs/${cook}/execution`, { body }), 422, 'invalid');
    assert.equal((await tenant.as('auditor')('GET', `/runs/${cook}`)).stage, 'Evidence');
  });

  test('what canonical JSON cannot represent is 422 before anything is written', async () => {
    const tenant = await ledger.tenant();
    const json = { 'content-type': 'application/json' };
    for (const value of ['9007199254740993', '1e400', '"\\ud800"', '{"a":1,"a":2}', '{"\\udc00":1}']) {
      const raw = `{"lane":"generic","title":"x","inputs":{"task":"x","value":${value}}}`;
      const { status, json: problem } = await tenant.ask('agent', 'POST', '/runs', { raw, headers: json });
      assert.equal(status, 422, `${value}: ${JSON.stringify(problem)}`);
    }
    const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
    const answer = await tenant.ask('agent', 'POST', '/runs', {
      raw: `{"lane":"generic","title":"x","inputs":{"task":"x","v":${deep}}}`,
      headers: json,
    });
    assert.equal(answer.status, 422, answer.text);
    assert.deepEqual((await tenant.as('auditor')('GET', '/runs')).runs, []);
  });

  test('numbers and texts keep their value from the request to the Run', async () => {
    const tenant = await ledger.tenant();
    const inputs = {
      task: 'Zahlen — 数字 🧾',
      n: [0.1, -0, 1.5e-9, 9007199254740991, 123456789.123],
      t: 'a\u2028"\\/\t',
      nested: { z: null, a: [true, {}] },
    };
    const { json: run } = await opened(tenant, { lane: 'generic', title: 'Überblick', inputs });
    assert.deepEqual((await tenant.as('auditor')('GET', `/runs/${run.id}`)).inputs, JSON.parse(JSON.stringify(inputs)));
  });

  test('unknown members of a request are ignored, never rejected', async () => {
    const tenant = await ledger.tenant();
    const { status, json: run } = await opened(tenant, {
      lane: 'cook',
      title: 'x',
      stage: 'Approval',
      receipt_id: 'mine',
      organization_id: 'org_other',
      inputs: { ...WORK.cook.inputs, rate: 0.01 },
    });
    assert.equal(status, 201);
    assert.equal(run.stage, 'Inputs');
    assert.equal(run.receipt_id, null);
    assert.equal(run.organization_id, tenant.organization_id);
    assert.ok(!('rate' in run.inputs));
  });

  test('a stored agent profile is named by its id, and an unknown one is 422', async () => {
    const tenant = await ledger.tenant();
    const profile = await tenant.as('owner')('POST', '/agent-profiles', {
      name: 'Scribe',
      capability_tier: 'B',
      harness: 'cli',
      model: 'small-1',
    });
    const { json: run } = await opened(tenant, {
      lane: 'generic',
      title: 'x',
      inputs: { task: 'x' },
      agent_profile_id: profile.id,
    });
    assert.deepEqual(run.agent_profile, { name: 'Scribe', capability_tier: 'B', harness: 'cli', model: 'small-1' });
    assertRefused(
      await opened(tenant, { lane: 'generic', title: 'x', inputs: { task: 'x' }, agent_profile_id: 'ap_none' }),
      422,
      'agent_profile_unknown',
    );
  });

  test('without a profile the execution names the agent, and the rest is undeclared', async () => {
    const tenant = await ledger.tenant();
    const { agent_profile } = await tenant.as('auditor')('GET', `/runs/${await runAt(tenant, 'Execution')}`);
    assert.deepEqual(agent_profile, {
      name: 'scribe',
      model: 'small-1',
      capability_tier: 'undeclared',
      harness: 'undeclared',
    });
  });

  test('the verdict has exactly its members (docs/spec.md §6.1) and no grade of the model', async () => {
    const tenant = await ledger.tenant();
    const id = await runAt(tenant, 'Checks');
    const { json: verdict } = await tenant.ask('agent', 'POST', `/runs/${id}/verdict`);
    assert.deepEqual(Object.keys(verdict).sort(), [
      'client_ready',
      'outcome',
      'recommended_action',
      'score_100',
      'severity',
      'summary',
    ]);
    assert.ok(Number.isInteger(verdict.score_100) && verdict.score_100 >= 0 && verdict.score_100 <= 100);
    assert.deepEqual((await tenant.as('auditor')('GET', `/runs/${id}`)).verdict, verdict);
  });

  test('the same work has the same checks, byte for byte', async () => {
    const tenant = await ledger.tenant();
    const texts = [];
    for (let i = 0; i < 2; i++)
      texts.push((await tenant.ask('agent', 'POST', `/runs/${await runAt(tenant, 'Execution')}/checks`)).text);
    assert.equal(texts[0], texts[1]);
  });

  test('an approval shows who decided, when and with which note', async () => {
    const tenant = await ledger.tenant();
    const id = await runAt(tenant, 'Verdict');
    const { status, json } = await tenant.ask('approver', 'POST', `/runs/${id}/approval`, {
      body: { decision: 'approved', note: 'Fine.' },
    });
    assert.equal(status, 200);
    assert.deepEqual(
      { ...json, approver_id: '', approved_at: '' },
      { decision: 'approved', approved_by: 'test approver', approver_id: '', note: 'Fine.', approved_at: '' },
    );
    assert.match(json.approver_id, /^key_[0-9a-f]{32}$/);
    assert.deepEqual((await tenant.as('auditor')('GET', `/runs/${id}`)).approval, json);
  });

  test('a rejected Run is final: it cannot be approved, worked on or minted', async () => {
    const tenant = await ledger.tenant();
    const id = await runAt(tenant, 'Verdict');
    const rejected = await tenant.as('approver')('POST', `/runs/${id}/approval`, { decision: 'rejected', note: 'No.' });
    assert.equal(rejected.decision, 'rejected');
    assertRefused(await tenant.ask('owner', 'POST', `/runs/${id}/receipt`), 409, 'run_not_approved');
    for (const { path, body } of CALLS)
      assertRefused(await tenant.ask('owner', 'POST', `/runs/${id}/${path}`, { body }), 409, 'run_stage_conflict');
    const run = await tenant.as('auditor')('GET', `/runs/${id}`);
    assert.deepEqual([run.stage, run.approval.decision, run.receipt_id], ['Approval', 'rejected', null]);
  });

  test('a decision is approved or rejected and nothing else', async () => {
    const tenant = await ledger.tenant();
    const id = await runAt(tenant, 'Verdict');
    for (const body of [{}, { decision: 'maybe' }, { decision: true }])
      assertRefused(await tenant.ask('approver', 'POST', `/runs/${id}/approval`, { body }), 422, 'invalid');
  });

  test('two approvals at once: one decides, the other is 409', async () => {
    const tenant = await ledger.tenant();
    const id = await runAt(tenant, 'Verdict');
    const answers = await Promise.all(
      (['approved', 'rejected', 'approved', 'rejected'] as const).map((decision) =>
        tenant.ask('approver', 'POST', `/runs/${id}/approval`, { body: { decision } }),
      ),
    );
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 409, 409, 409]);
  });

  test('Runs are listed newest first, page by page, each once', async () => {
    const tenant = await ledger.tenant();
    const ids: string[] = [];
    for (let i = 0; i < 5; i++) ids.unshift(await runAt(tenant, 'Inputs', i % 2 ? 'incident' : 'generic'));
    const seen: string[] = [];
    let after = '';
    do {
      const page = await tenant.as('auditor')('GET', `/runs?limit=2${after && `&after=${after}`}`);
      seen.push(...page.runs.map((run: { id: string }) => run.id));
      after = page.next_after ?? '';
    } while (after);
    assert.deepEqual(seen, ids);
  });

  test('the list filters by lane and stage', async () => {
    const tenant = await ledger.tenant();
    const incident = await runAt(tenant, 'Execution', 'incident');
    const generic = await runAt(tenant, 'Execution');
    await runAt(tenant, 'Inputs');
    const list = async (query: string) =>
      (await tenant.as('auditor')('GET', `/runs?${query}`)).runs.map((run: { id: string }) => run.id);
    assert.deepEqual(await list('lane=incident'), [incident]);
    assert.deepEqual(await list('stage=Execution'), [generic, incident]);
    assert.deepEqual(await list('stage=Execution&lane=generic'), [generic]);
    assert.deepEqual(await list('stage=Receipt'), []);
  });

  test('a filter, cursor or page size that cannot be is 422', async () => {
    const tenant = await ledger.tenant();
    for (const query of ['lane=x', 'stage=checks', 'limit=0', 'limit=501', 'limit=x', 'after=1', 'after=run_x'])
      assertRefused(await tenant.ask('auditor', 'GET', `/runs?${query}`), 422, 'invalid');
    assert.equal((await tenant.ask('auditor', 'GET', '/runs?limit=500&unknown=1')).status, 200);
  });
});
