/** A Run leaves as it is stored, and says what it said before it was stored. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Run as PublicRun } from '@rcpt/contract/ledger/runs.ts';
import { LaneName } from '@rcpt/contract/vocabulary.ts';
import { STAGES } from '@rcpt/contract/words.ts';
import { showRun } from '../../src/runs/run.ts';
import { loadRun } from '../../src/store/runs.ts';
import { eachLedger } from '../kit/running.ts';
import { runAt } from '../kit/story.ts';

const AWKWARD = {
  task: 'Look "closely" \\ at \u2028 everything',
  constructor: { inputs: 1 },
  execution: 'a member of this name',
  'a.b': [0.1, 2 ** 53 - 1, -0.5e-7, true, null, ['', {}]],
};

eachLedger('a Run that is read', (ledger) => {
  test('says at every stage of every lane what the stored Run says, and no more', async () => {
    const tenant = await ledger.tenant();
    for (const lane of LaneName.options)
      for (const stage of lane === 'generic' ? STAGES : (['Execution', 'Receipt'] as const)) {
        const id = await runAt(tenant, stage, lane);
        const read = await tenant.as('auditor')('GET', `/runs/${id}`);
        const run = await loadRun(ledger.db, tenant.organization_id, id);
        assert.deepEqual(read, JSON.parse(JSON.stringify(showRun(run))), `${lane} at ${stage}`);
        const { private: _, ...always } = PublicRun.shape;
        assert.deepEqual(Object.keys(read).sort(), Object.keys(always).sort());
      }
    const { runs } = await tenant.as('auditor')('GET', '/runs');
    for (const run of runs) assert.deepEqual(await tenant.as('auditor')('GET', `/runs/${run.id}`), run);
  });

  test('says what was posted, whatever its members are called, also where the execution alone names the agent', async () => {
    const tenant = await ledger.tenant();
    const agent = tenant.as('agent');
    const opened = await agent('POST', '/runs', { lane: 'generic', title: 'Awkward', inputs: AWKWARD });
    const execution = { ...AWKWARD, agent_name: 'scribe', model_name: 'small-1' };
    const executed = await agent('POST', `/runs/${opened.id}/execution`, execution);
    assert.deepEqual(executed.execution, JSON.parse(JSON.stringify(execution)));
    assert.deepEqual(await agent('GET', `/runs/${opened.id}`), executed);
    assert.deepEqual(executed.agent_profile, {
      name: 'scribe',
      capability_tier: 'undeclared',
      harness: 'undeclared',
      model: 'small-1',
    });

    // As Runs were stored before.
    await ledger.db.run('update run_documents set agent_profile = null where id = $1', [opened.id]);
    assert.deepEqual(await agent('GET', `/runs/${opened.id}`), executed);
  });
});
