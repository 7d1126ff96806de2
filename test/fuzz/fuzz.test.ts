/** A short run of `npm run fuzz` for each component and engine, and proof that it finds what it looks for. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { MIGRATIONS as LEDGER } from '@rcpt/ledger/migrations.ts';
import { MIGRATIONS as ROUTER } from '@rcpt/router/migrations.ts';
import { eachEngine, type Fresh } from '../kit/engines.ts';
import { fuzz, type Outcome } from './fuzz.ts';
import { startLedgerTarget } from './ledger.ts';
import { type Random, seeded } from './random.ts';
import { startRouterTarget } from './router.ts';
import { leakIn, learn, newSecrets, newSide, recordSent } from './sides.ts';
import type { Target } from './target.ts';

/** The same in every run of the suite: `npm run fuzz` takes others. */
const SEED = 2026;

type Start = (database: Fresh, random: Random) => Promise<Target>;

async function fuzzed(
  start: Start,
  database: Fresh,
  requests: number,
  change?: (target: Target) => unknown,
): Promise<Outcome> {
  const target = await start(database, seeded(SEED));
  try {
    await change?.(target);
    return await fuzz(target, { seed: SEED, requests });
  } finally {
    await target.close();
  }
}

const COMPONENTS: [name: string, migrations: string, start: Start, requests: number][] = [
  ['the ledger', LEDGER, startLedgerTarget, 1_500],
  ['the router', ROUTER, startRouterTarget, 3_000],
];

for (const [name, migrations, start, requests] of COMPONENTS)
  eachEngine(`${name} under fuzz`, migrations, (fresh) => {
    test('answers as it describes itself, without an error of its own and without what is another’s', async (t) => {
      const outcome = await fuzzed(start, await fresh(), requests);
      t.diagnostic(`${outcome.requests} requests: ${JSON.stringify(outcome.statuses)}`);
      assert.equal(outcome.failures.length, 0, outcome.failures.join('\n\n'));
      assert.ok(outcome.requests >= requests);
      const reached = Object.values(outcome.done).filter((times) => times > 0).length;
      assert.ok(reached > Object.keys(outcome.done).length * 0.7, `only ${reached} operations were ever done`);
    });
  });

eachEngine('the fuzz', LEDGER, (fresh, engine) => {
  if (engine === 'postgres') return;

  test('finds an error of the service, with the seed and the request', async () => {
    const database = await fresh();
    const outcome = await fuzzed(startLedgerTarget, database, 600, () =>
      database.db.script('alter table agent_profiles rename to no_profiles'),
    );
    const found = outcome.failures.find((failure) => failure.includes('/agent-profiles: 500'));
    assert.match(
      found ?? '',
      /^seed 2026, request \d+: (GET|POST) \/agent-profiles: 500\ncurl .*-X (GET|POST) 'http:.*\n→ 500 /,
    );
  });

  test('finds an answer that holds what is another’s', async () => {
    const database = await fresh();
    const outcome = await fuzzed(startLedgerTarget, database, 1_200, ({ sides }) => {
      const [one, other] = sides.map(({ known }) => known.get('org')?.[0]);
      return database.db.script(`create trigger astray after insert on agent_profiles begin
        update agent_profiles set organization_id = case new.organization_id when '${one}' then '${other}' else '${one}' end
        where id = new.id; end`);
    });
    assert.match(outcome.failures.join('\n'), /GET \/agent-profiles: the answer to .* holds \w+, which is another's/);
  });
});

describe('whose a word is', () => {
  const sent = { method: 'GET', path: '/runs' };
  const run_id = `run_${'7'.repeat(32)}`;

  test('it is found in another’s answer, unless that side sent it', () => {
    const [one, other] = [newSide('a', seeded(1)), newSide('b', seeded(2))];
    learn(one, { runs: [{ id: run_id, share_url: `http://x/share/${'t'.repeat(31)}` }] });
    const sides = [one, other];
    const text = JSON.stringify({ id: run_id });
    assert.equal(leakIn(text, one, sides, sent), null);
    assert.equal(leakIn(text, other, sides, sent), run_id);
    assert.equal(leakIn(text, null, sides, sent), run_id);
    assert.equal(leakIn(`/share/${'t'.repeat(31)}`, other, sides, sent), 't'.repeat(31));
    assert.equal(leakIn(`a title of ${one.mark}`, other, sides, sent), one.mark);
    recordSent(other, { ...sent, path: `/runs/${run_id}` });
    assert.equal(leakIn(text, other, sides, sent), null);
  });

  test('a secret is told to one caller, and again to none but that one', () => {
    const secrets = newSecrets();
    const [secret, another] = ['s', 't'].map((letter) => `rk_${'1'.repeat(32)}_${letter.repeat(43)}`) as [
      string,
      string,
    ];
    for (let i = 0; i < 2; i++) assert.equal(secrets.strayIn(`{"api_key":"${secret}"}`, 'one'), null);
    assert.equal(secrets.strayIn(`{"name":"${secret}"}`, 'other'), secret);
    secrets.recordSent({ ...sent, body: another }, 'other');
    assert.equal(secrets.strayIn(another, 'one'), null);
  });
});
