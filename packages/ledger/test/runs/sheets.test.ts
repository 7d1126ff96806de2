/** Flight sheets and the eval lane over HTTP (docs/spec.md §34). The executor's own rules are tested beside it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eachLedger, type Tenant } from '../kit/running.ts';
import { runAt, SHEET, WORK } from '../kit/story.ts';

const publish = (tenant: Tenant, sheet: object) => tenant.ask('owner', 'POST', '/flight-sheets', { body: sheet });
const CHECKLIST = { id: 'reads-well', label: 'It reads well', category: 'policy', severity: 'medium', checklist: true };

/** A Run of the eval lane against `sheet`, at Execution. */
async function submitted(tenant: Tenant, sheet: { name: string; version: string }, output: unknown): Promise<string> {
  const { id } = await tenant.as('agent')('POST', '/runs', {
    lane: 'eval',
    title: 'An evaluation',
    inputs: { flight_sheet: { name: sheet.name, version: sheet.version } },
  });
  await tenant.as('agent')('POST', `/runs/${id}/execution`, { ...WORK.eval.execution, output });
  return id;
}

eachLedger('flight sheets', (ledger) => {
  test('a published sheet is shown as it was published', async () => {
    const tenant = await ledger.tenant();
    const { status, headers, json } = await publish(tenant, SHEET);
    assert.equal(status, 201);
    assert.equal(headers.get('location'), '/flight-sheets/arithmetic/1.0.0');
    assert.deepEqual(json, SHEET);
    assert.deepEqual(await tenant.as('auditor')('GET', '/flight-sheets/arithmetic/1.0.0'), SHEET);
    assert.deepEqual(await tenant.as('auditor')('GET', '/flight-sheets'), { flight_sheets: [SHEET], next_after: null });
    assert.equal((await tenant.ask('auditor', 'GET', '/flight-sheets/arithmetic/9')).status, 404);
  });

  test('a published version never changes: another sheet under it is 409', async () => {
    const tenant = await ledger.tenant();
    await publish(tenant, SHEET);
    const changed = { ...SHEET, pass_threshold: 60 };
    const { status, json } = await publish(tenant, changed);
    assert.deepEqual([status, json.code], [409, 'flight_sheet_exists']);
    assert.deepEqual(await tenant.as('auditor')('GET', '/flight-sheets/arithmetic/1.0.0'), SHEET);
    assert.equal((await publish(tenant, { ...changed, version: '1.0.1' })).status, 201);
    assert.equal((await publish(await ledger.tenant(), changed)).status, 201, 'another organization has its own');
  });

  test('the same sheet again is 200, and nothing is created', async () => {
    const tenant = await ledger.tenant();
    const request = { body: SHEET, headers: { 'idempotency-key': 'publish' } };
    const first = await tenant.ask('owner', 'POST', '/flight-sheets', request);
    assert.equal((await tenant.ask('owner', 'POST', '/flight-sheets', request)).status, 201, 'the first answer again');
    const again = await publish(tenant, SHEET);
    assert.deepEqual([again.status, again.headers.get('location')], [200, null]);
    assert.deepEqual(again.json, first.json);
    assert.equal((await tenant.as('auditor')('GET', '/flight-sheets')).flight_sheets.length, 1);
  });

  test('of many that publish one version at once, one wins', async () => {
    const tenant = await ledger.tenant();
    const answers = await Promise.all([1, 2, 3, 4].map((n) => publish(tenant, { ...SHEET, pass_threshold: 90 + n })));
    assert.deepEqual(answers.map(({ status }) => status).sort(), [201, 409, 409, 409]);
  });

  test('a rule that does not compile is 422 and says where', async () => {
    const tenant = await ledger.tenant();
    const bad = ['submission.a +', 'submission.a == ', ')', 'no_such_function(submission)'];
    for (const expr of bad) {
      const { status, json } = await publish(tenant, { ...SHEET, rules: [{ ...SHEET.rules[0], expr }] });
      assert.deepEqual([status, json.code], [422, 'flight_sheet_invalid'], `${expr}: ${JSON.stringify(json)}`);
      assert.match(json.detail, /rules\.0\.expr/, 'the rule is named');
      assert.match(JSON.stringify(json), /\b(line|column|position|character)\b|\d+:\d+/i, 'and the position');
    }
    assert.deepEqual((await tenant.as('auditor')('GET', '/flight-sheets')).flight_sheets, []);
  });

  test('an output schema that is no JSON Schema is 422', async () => {
    const tenant = await ledger.tenant();
    const { status } = await publish(tenant, { ...SHEET, output_schema: { type: 'nonsense' } });
    assert.equal(status, 422);
  });

  test('a sheet that lacks a member is 422 and names it', async () => {
    const tenant = await ledger.tenant();
    const { rules: _, ...without } = SHEET;
    for (const [sheet, path] of [
      [without, 'rules'],
      [{ ...SHEET, rules: [] }, 'rules'],
      [{ ...SHEET, pass_threshold: 101 }, 'pass_threshold'],
      [{ ...SHEET, name: 'A b' }, 'name'],
    ] as const) {
      const { status, json } = await publish(tenant, sheet);
      assert.equal(status, 422);
      assert.ok(
        json.errors.some((error: { path: string }) => error.path.startsWith(path)),
        JSON.stringify(json),
      );
    }
  });

  test('a Run against a sheet that is not published is 422', async () => {
    const tenant = await ledger.tenant();
    await publish(await ledger.tenant(), SHEET);
    const { status, json } = await tenant.ask('agent', 'POST', '/runs', {
      body: { lane: 'eval', title: 'x', inputs: WORK.eval.inputs },
    });
    assert.deepEqual([status, json.code], [422, 'flight_sheet_unknown']);
  });

  test('every rule of the sheet is decided, in the order of the sheet', async () => {
    const tenant = await ledger.tenant();
    const id = await runAt(tenant, 'Execution', 'eval');
    const { checks } = await tenant.as('agent')('POST', `/runs/${id}/checks`);
    const decided = checks.filter((check: { key: string }) => SHEET.rules.some((rule) => rule.id === check.key));
    assert.deepEqual(
      decided.map((check: { key: string; status: string }) => [check.key, check.status]),
      [
        ['sum-holds', 'pass'],
        ['not-negative', 'pass'],
      ],
    );
    const verdict = await tenant.as('agent')('POST', `/runs/${id}/verdict`);
    assert.deepEqual(
      [verdict.outcome, verdict.client_ready, verdict.severity, verdict.score_100],
      ['pass', 'yes', 'none', 100],
    );
  });

  test('any high flag is a fail that is not ready for a client', async () => {
    const tenant = await ledger.tenant();
    await publish(tenant, SHEET);
    const id = await submitted(tenant, SHEET, { a: 2, b: 3, sum: 6 });
    await tenant.as('agent')('POST', `/runs/${id}/checks`);
    const verdict = await tenant.as('agent')('POST', `/runs/${id}/verdict`);
    assert.deepEqual([verdict.outcome, verdict.client_ready, verdict.severity], ['fail', 'no', 'high']);
  });

  test('a checklist rule is open until a person decides it; the verdict waits for that', async () => {
    const tenant = await ledger.tenant();
    const sheet = { ...SHEET, version: '2.0.0', rules: [...SHEET.rules, CHECKLIST] };
    await publish(tenant, sheet);
    const agent = tenant.as('agent');
    const id = await submitted(tenant, sheet, { a: 2, b: 3, sum: 5 });
    const { checks } = await agent('POST', `/runs/${id}/checks`);
    assert.equal(checks.find((check: { key: string }) => check.key === 'reads-well').status, 'open');

    const early = await tenant.ask('agent', 'POST', `/runs/${id}/verdict`);
    assert.deepEqual([early.status, early.json.code, early.json.open], [409, 'checks_open', ['reads-well']]);

    const path = `/runs/${id}/checks/reads-well`;
    for (const status of ['open', 'skip', 'fine'])
      assert.equal((await tenant.ask('approver', 'PATCH', path, { body: { status } })).status, 422);
    const decided = await tenant.as('approver')('PATCH', path, { status: 'flag', detail: 'It stumbles.' });
    const { id: key } = await tenant.as('approver')('GET', '/session');
    assert.deepEqual(decided, {
      key: 'reads-well',
      label: 'It reads well',
      category: 'policy',
      status: 'flag',
      severity: 'medium',
      detail: 'It stumbles.',
      decided_by: `test approver (${key})`,
    });
    const twice = await tenant.ask('approver', 'PATCH', path, { body: { status: 'pass' } });
    assert.deepEqual([twice.status, twice.json.code], [409, 'check_decided']);

    const verdict = await agent('POST', `/runs/${id}/verdict`);
    assert.deepEqual([verdict.outcome, verdict.client_ready, verdict.severity], ['review', 'after_edits', 'medium']);
    assert.equal(
      (await tenant.ask('approver', 'PATCH', path, { body: { status: 'pass' } })).status,
      409,
      'the verdict is given',
    );
  });

  test('a check that the machine decided cannot be decided again, and an unknown one is 404', async () => {
    const tenant = await ledger.tenant();
    const id = await runAt(tenant, 'Checks', 'eval');
    const decide = (key: string) =>
      tenant.ask('approver', 'PATCH', `/runs/${id}/checks/${key}`, { body: { status: 'pass' } });
    const { status, json } = await decide('sum-holds');
    assert.deepEqual([status, json.code], [409, 'check_decided']);
    assert.equal((await decide('no-such-rule')).status, 404);
  });

  test('a submission that a rule cannot be evaluated on is flagged and the flag says why', async () => {
    const tenant = await ledger.tenant();
    await publish(tenant, SHEET);
    const id = await submitted(tenant, SHEET, { a: 2, b: 3 });
    const { checks } = await tenant.as('agent')('POST', `/runs/${id}/checks`);
    const sum = checks.find((check: { key: string }) => check.key === 'sum-holds');
    assert.equal(sum.status, 'flag');
    assert.ok(sum.detail.length > 0);
  });

  test('the same submission and sheet have byte-identical findings', async () => {
    const tenant = await ledger.tenant();
    await publish(tenant, SHEET);
    const found = [];
    for (let i = 0; i < 3; i++) {
      const id = await submitted(tenant, SHEET, { a: 0.1, b: 0.2, sum: 0.3 });
      found.push((await tenant.ask('agent', 'POST', `/runs/${id}/checks`)).text);
    }
    assert.equal(new Set(found).size, 1);
  });
});
