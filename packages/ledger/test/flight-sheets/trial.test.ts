/** A flight sheet tried before it is published, and the pages of the list of sheets. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { storedIn } from '../kit/bad-input.ts';
import { eachLedger, type Tenant } from '../kit/running.ts';
import { SHEET } from '../kit/story.ts';

const CHECKLIST = { id: 'reads-well', label: 'It reads well', category: 'policy', severity: 'medium', checklist: true };
const rule = (id: string, expr: string) => ({ id, label: `Rule ${id}`, category: 'evidence', severity: 'high', expr });
/** Rules that look at all a submission brings, one that fails and one that costs more than a rule may. */
const WIDE = {
  ...SHEET,
  name: 'wide',
  rules: [
    ...SHEET.rules,
    rule('has-client', "inputs.client == 'Acme' && inputs.flight_sheet.name == 'wide' && !has(inputs.notify)"),
    rule('has-note', "evidence.exists(item, item.kind == 'note' && item.byte_size > 3)"),
    rule('no-such-member', 'submission.missing > 1.0'),
    rule('too-dear', 'inputs.many.all(a, inputs.many.all(b, inputs.many.all(c, a + b + c >= 0)))'),
  ],
};
const WIDE_INPUTS = { client: 'Acme', notify: ['client@example.org'], many: Array.from({ length: 120 }, (_, i) => i) };

eachLedger('a flight sheet tried', (ledger) => {
  const trial = (tenant: Tenant, body: object) => tenant.ask('agent', 'POST', '/flight-sheets/try', { body });

  test('a trial finds to the byte what the checks of a Run find, and gives its verdict', async () => {
    const tenant = await ledger.tenant();
    const output = { a: 2, b: 3, sum: 5 };
    await tenant.as('owner')('POST', '/flight-sheets', WIDE);
    const agent = tenant.as('agent');
    const { name, version } = WIDE;
    const inputs = { flight_sheet: { name, version }, ...WIDE_INPUTS };
    const { id } = await agent('POST', '/runs', { lane: 'eval', title: 'Compared', inputs });
    await agent('POST', `/runs/${id}/evidence`, { kind: 'note', label: 'A note', content: 'seen with own eyes' });
    await agent('POST', `/runs/${id}/execution`, { agent_name: 'adder', output });
    const { checks } = await agent('POST', `/runs/${id}/checks`);
    const verdict = await agent('POST', `/runs/${id}/verdict`);
    const { evidence } = await agent('GET', `/runs/${id}`);

    const facts = evidence.map(({ id: _, stored: __, ...fact }: Record<string, unknown>) => fact);
    const tried = await trial(tenant, { flight_sheet: WIDE, output, inputs: WIDE_INPUTS, evidence: facts });
    assert.equal(tried.status, 200, tried.text);
    assert.equal(JSON.stringify(tried.json.checks), JSON.stringify(checks));
    assert.deepEqual(tried.json.verdict, verdict);
    const found = Object.fromEntries(
      tried.json.checks.map((check: { key: string; status: string }) => [check.key, check.status]),
    );
    assert.deepEqual([found['has-client'], found['has-note'], found['no-such-member']], ['pass', 'pass', 'flag']);
    const dear = tried.json.checks.find((check: { key: string }) => check.key === 'too-dear');
    assert.match(dear.detail, /exceeds the cost limit/);
  });

  test('nothing is stored, and a trial under a published name decides no Run', async () => {
    const tenant = await ledger.tenant();
    await tenant.as('owner')('POST', '/flight-sheets', SHEET);
    const before = await storedIn(ledger);
    const lax = { ...SHEET, rules: [{ ...SHEET.rules[0], expr: 'true' }] };
    const { json } = await trial(tenant, { flight_sheet: lax, output: { a: 2, b: 3, sum: 6 } });
    assert.equal(json.verdict.outcome, 'pass');
    await trial(tenant, { flight_sheet: { ...SHEET, name: 'unpublished' }, output: 'text' });
    assert.deepEqual(await storedIn(ledger), before);

    const agent = tenant.as('agent');
    const inputs = { flight_sheet: { name: SHEET.name, version: SHEET.version } };
    const { id } = await agent('POST', '/runs', { lane: 'eval', title: 'After the trial', inputs });
    await agent('POST', `/runs/${id}/execution`, { agent_name: 'adder', output: { a: 2, b: 3, sum: 6 } });
    await agent('POST', `/runs/${id}/checks`);
    assert.equal((await agent('POST', `/runs/${id}/verdict`)).outcome, 'fail');
  });

  test('there is no verdict while a rule waits for a person', async () => {
    const tenant = await ledger.tenant();
    const flight_sheet = { ...SHEET, rules: [...SHEET.rules, CHECKLIST] };
    const { json } = await trial(tenant, { flight_sheet, output: { a: 2, b: 3, sum: 5 } });
    assert.equal(json.verdict, null);
    assert.equal(json.checks.at(-1).status, 'open');
  });

  test('a sheet that does not compile is refused as it is on publishing, with the position', async () => {
    const tenant = await ledger.tenant();
    const flight_sheet = {
      ...SHEET,
      rules: [
        { ...SHEET.rules[0], expr: 'submission.a +\n  submission.b === 3' },
        { ...SHEET.rules[1], expr: 'no_such(submission)' },
      ],
      output_schema: { type: 'nonsense' },
      fail_threshold: 90,
    };
    const published = await tenant.ask('owner', 'POST', '/flight-sheets', { body: flight_sheet });
    const tried = await trial(tenant, { flight_sheet, output: {} });
    assert.deepEqual([tried.status, tried.json.code], [422, 'flight_sheet_invalid']);
    const { request_id: _, ...problem } = tried.json;
    const { request_id: __, ...same } = published.json;
    assert.deepEqual(problem, same);
    const paths = tried.json.errors.map(({ path }: { path: string }) => path);
    assert.deepEqual(paths, ['fail_threshold', 'output_schema.type', 'rules.0.expr', 'rules.1.expr']);
    assert.deepEqual(tried.json.errors[2].position.line, 2);
  });

  test('inputs that no evaluation takes are refused', async () => {
    const tenant = await ledger.tenant();
    const { status, json } = await trial(tenant, { flight_sheet: SHEET, output: {}, inputs: { notify: 'everybody' } });
    assert.deepEqual([status, json.code, json.errors[0].path], [422, 'invalid', 'inputs.notify']);
  });
});

eachLedger('pages of flight sheets', (ledger) => {
  test('sheets come by name, their versions as they were published, each once', async () => {
    const tenant = await ledger.tenant();
    const published = ['b@2.0.0', 'a@1.9.0', 'b@10.0.0', 'a@1.10.0', 'c@1', 'a@0.1.0'];
    for (const each of published) {
      const [name, version] = each.split('@');
      await tenant.as('owner')('POST', '/flight-sheets', { ...SHEET, name, version });
    }
    const inOrder = ['a@1.9.0', 'a@1.10.0', 'a@0.1.0', 'b@2.0.0', 'b@10.0.0', 'c@1'];
    for (const limit of [1, 2, 3, 6, 500]) {
      const seen: string[] = [];
      let after: string | null = null;
      do {
        const query: string = `?limit=${limit}${after === null ? '' : `&after=${encodeURIComponent(after)}`}`;
        const page = await tenant.as('auditor')('GET', `/flight-sheets${query}`);
        assert.ok(page.flight_sheets.length > 0 && page.flight_sheets.length <= limit);
        seen.push(
          ...page.flight_sheets.map((sheet: { name: string; version: string }) => `${sheet.name}@${sheet.version}`),
        );
        after = page.next_after;
      } while (after !== null);
      assert.deepEqual(seen, inOrder, `in pages of ${limit}`);
    }
  });

  test('large sheets come in several answers, whatever the limit', async () => {
    const tenant = await ledger.tenant();
    const instructions = 'x'.repeat(20_000);
    const output_schema = { description: 'y'.repeat(850_000) };
    for (let i = 0; i < 6; i++)
      await tenant.as('owner')('POST', '/flight-sheets', {
        ...SHEET,
        version: `1.${i}`,
        output_schema,
        assignment: { title: 'Large', instructions },
      });
    const first = await tenant.as('auditor')('GET', '/flight-sheets?limit=500');
    assert.equal(first.flight_sheets.length, 4);
    const rest = await tenant.as('auditor')('GET', `/flight-sheets?limit=500&after=${first.next_after}`);
    assert.deepEqual([rest.flight_sheets.length, rest.next_after], [2, null]);
  });

  test('a place that no sheet of this organization has is refused', async () => {
    const tenant = await ledger.tenant();
    await (await ledger.tenant()).as('owner')('POST', '/flight-sheets', SHEET);
    for (const after of ['arithmetic@1.0.0', 'nothing@9', 'arithmetic', '@', 'A@1']) {
      const { status, json } = await tenant.ask('auditor', 'GET', `/flight-sheets?after=${after}`);
      assert.deepEqual([status, json.code, json.errors[0].path], [422, 'invalid', 'after'], after);
    }
  });
});
