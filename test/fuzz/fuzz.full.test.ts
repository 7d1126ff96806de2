/** A run of `npm run fuzz` for each component and engine, and proof that it finds what it looks for. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MIGRATIONS as LEDGER } from '@rcpt/ledger/migrations.ts';
import { ENGINES, eachEngine } from '../kit/engines.ts';
import { startLedgerTarget } from './ledger.ts';
import { fuzzed, underFuzz } from './suite.ts';

underFuzz({ ledger: 1_500, router: 3_000 }, { engines: ENGINES, reaches: 0.7 });

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
