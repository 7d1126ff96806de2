/** Checks and flight sheets are decided in threads: what that may never change. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DEFAULT_PRICES } from '@rcpt/contract/prices.ts';
import { createOnce } from '@rcpt/service/http/idempotency.ts';
import { newId, now } from '@rcpt/service/ids.ts';
import { eachEngine } from '../../../../test/kit/engines.ts';
import { MIGRATIONS } from '../../src/migrations.ts';
import { foundOrganization } from '../../src/people/organizations.ts';
import type { Principal } from '../../src/people/principal.ts';
import { loadUndecided, recordChecks } from '../../src/runs/checks.ts';
import { decideChecks } from '../../src/runs/decide.ts';
import { openDeciders } from '../../src/runs/deciders.ts';
import { executionOf, inputsOf } from '../../src/runs/parse-body.ts';
import { openRun, postExecution } from '../../src/runs/stages.ts';
import { insertFlightSheet } from '../../src/store/flight-sheets.ts';
import { loadRun } from '../../src/store/runs.ts';
import { eachLedger } from '../kit/running.ts';
import { sheetOf } from '../kit/sheet.ts';
import { runAt, SHEET } from '../kit/story.ts';

/** As dear as a rule may be: more than a thread does in a few milliseconds. */
const DEAR = { ...sheetOf(Array(4).fill('submission.all(a, submission.all(b, a != b + 7))')), name: 'dear' };
const NUMBERS = Array.from({ length: 5_000 }, () => 1);

eachEngine('a Run whose checks are decided in a thread', MIGRATIONS, (fresh) => {
  async function executed() {
    const { db } = await fresh();
    const { organization_id } = await foundOrganization(db, { name: 'Any' }, now());
    const by: Principal = { organization_id, id: newId('key'), role: 'owner', name: 'Somebody' };
    await insertFlightSheet(db, organization_id, DEAR, now(), by.id);
    const { id } = await db.transaction((tx) => {
      const inputs = { flight_sheet: { name: DEAR.name, version: DEAR.version } };
      return openRun(tx, by, inputsOf({ lane: 'eval', title: 'A Run', inputs }), now());
    });
    await db.transaction((tx) =>
      postExecution(tx, by, id, (lane) => executionOf(lane, { agent_name: 'a', output: NUMBERS }), now()),
    );
    return { db, by, id, load: () => loadUndecided(db, by, id, DEFAULT_PRICES) };
  }

  test('of which the thread was ended by time keeps nothing, and can be checked again with the same key', async () => {
    const { db, by, id, load } = await executed();
    const faults: string[] = [];
    const impatient = openDeciders({ error: (it: { err: Error }) => faults.push(it.err.message) } as never, 5);
    const patient = openDeciders({ error: (it: { err: Error }) => assert.fail(it.err) } as never);
    const before = await loadRun(db, by.organization_id, id);
    const check = (deciders: typeof patient) =>
      createOnce(
        db,
        { organization_id: by.organization_id, key: 'one', credential: 'c', request: { id } },
        async (tx, decided) => ({ body: await recordChecks(tx, by, id, decided, now()), location: '' }),
        () => deciders.run('check', by.organization_id, load),
      );
    await assert.rejects(check(impatient), { code: 'overloaded' });
    assert.match(faults.join(), /^a job \(check\) took longer than 5 ms$/);
    assert.deepEqual(await loadRun(db, by.organization_id, id), before);
    assert.deepEqual(await db.all('select * from idempotency_keys'), []);

    const undecided = await load();
    const { body } = await check(patient);
    const after = await loadRun(db, by.organization_id, id);
    assert.deepEqual([after.stage, after.checks], ['Checks', body]);
    assert.deepEqual(body, decideChecks(undecided).checks, 'a thread finds what this process finds');
    assert.deepEqual((await check(patient)).body, body, 'a replay decides nothing');
    await Promise.all([impatient.close(), patient.close()]);
    assert.deepEqual((await check(patient)).body, body, 'not even where nothing can be decided any more');
  });

  test('is decided by one of two that decide at once', async () => {
    const { db, by, id, load } = await executed();
    const both = [decideChecks(await load()), decideChecks(await load())] as const;
    const record = (decided: (typeof both)[number]) => db.transaction((tx) => recordChecks(tx, by, id, decided, now()));
    assert.deepEqual(await record(both[0]), both[0].checks);
    await assert.rejects(record(both[1]), { code: 'run_stage_conflict' });
    await assert.rejects(load(), { code: 'run_stage_conflict' });
  });

  test('is not written when the Run is not the one that was decided on', async () => {
    const { db, by, id, load } = await executed();
    const decided = decideChecks(await load());
    await db.run('update runs set updated_at = $1', ['2026-01-01T00:00:00.000Z']);
    await assert.rejects(
      db.transaction((tx) => recordChecks(tx, by, id, decided, now())),
      { code: 'run_stage_conflict' },
    );
    assert.equal((await loadRun(db, by.organization_id, id)).stage, 'Execution');
  });
});

eachLedger('checks and sheets over HTTP', (ledger) => {
  test('two calls that check one Run at once: one decides, the other is told that it is decided', async () => {
    const tenant = await ledger.tenant();
    const id = await runAt(tenant, 'Execution', 'eval');
    const answers = await Promise.all([1, 2].map(() => tenant.ask('agent', 'POST', `/runs/${id}/checks`)));
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 409]);
    assert.equal(answers.find(({ status }) => status === 409)!.json.code, 'run_stage_conflict');
  });

  test('two calls with one Idempotency-Key at once are answered alike', async () => {
    const tenant = await ledger.tenant();
    const id = await runAt(tenant, 'Execution', 'eval');
    const keyed = (key: string) => ({ headers: { 'idempotency-key': key } });
    const check = () => tenant.ask('agent', 'POST', `/runs/${id}/checks`, keyed('check'));
    const [first, ...others] = await Promise.all([check(), check(), check()]);
    assert.equal(first!.status, 200, first!.text);
    for (const other of [...others, await check()]) assert.equal(other.text, first!.text);
    const published = () =>
      tenant.ask('owner', 'POST', '/flight-sheets', { body: { ...SHEET, version: '9' }, ...keyed('sheet') });
    assert.deepEqual([(await published()).status, (await published()).status], [201, 201]);
  });

  test('a schema that would take all memory to compile is refused, published and tried', async () => {
    const tenant = await ledger.tenant();
    const output_schema = { dependentRequired: { a: Array.from({ length: 90_000 }, (_, i) => `x${i}`) } };
    const flight_sheet = { ...SHEET, output_schema };
    for (const answer of [
      await tenant.ask('owner', 'POST', '/flight-sheets', { body: flight_sheet }),
      await tenant.ask('agent', 'POST', '/flight-sheets/try', { body: { flight_sheet, output: {} } }),
    ]) {
      assert.deepEqual([answer.status, answer.json.code], [422, 'flight_sheet_invalid'], answer.text);
      assert.deepEqual(answer.json.errors[0].path, 'output_schema');
    }
  });

  test('one organization with many dear trials leaves the others their turns', async () => {
    const [greedy, other] = [await ledger.tenant(), await ledger.tenant()];
    const body = { flight_sheet: DEAR, output: NUMBERS };
    const trials = Array.from({ length: 80 }, () => greedy.ask('agent', 'POST', '/flight-sheets/try', { body }));
    const statuses = Promise.all(trials.map(async (trial) => (await trial).status));
    await Promise.race(trials);
    let answered = 0;
    for (const trial of trials) void trial.then(() => answered++);
    for (let i = 0; i < 3; i++) await runAt(other, 'Checks', 'eval');
    assert.ok(answered < 40, `${answered} trials were served first`);
    const told = new Set(await statuses);
    assert.deepEqual([...told].sort(), [200, 429]);
  });
});
