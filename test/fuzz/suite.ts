/** The fuzz as a test: a run of each component, with one seed. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MIGRATIONS as LEDGER } from '@rcpt/ledger/migrations.ts';
import { MIGRATIONS as ROUTER } from '@rcpt/router/migrations.ts';
import { type Engine, eachEngine, type Fresh } from '../kit/engines.ts';
import { fuzz, type Outcome } from './fuzz.ts';
import { startLedgerTarget } from './ledger.ts';
import { type Random, seeded } from './random.ts';
import { startRouterTarget } from './router.ts';
import type { Target } from './target.ts';

/** The same in every run of the suite: `npm run fuzz` takes others. */
const SEED = 2026;

type Start = (database: Fresh, random: Random) => Promise<Target>;

export async function fuzzed(
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

const COMPONENTS: [name: 'ledger' | 'router', migrations: string, start: Start][] = [
  ['ledger', LEDGER, startLedgerTarget],
  ['router', ROUTER, startRouterTarget],
];

/** @param reaches the share of the operations that so many requests do at least once */
export function underFuzz(
  requests: { ledger: number; router: number },
  { engines, reaches }: { engines: readonly Engine[]; reaches: number },
): void {
  for (const [name, migrations, start] of COMPONENTS)
    eachEngine(`the ${name} under fuzz`, migrations, (fresh) => suite(fresh, start, requests[name], reaches), engines);
}

function suite(fresh: () => Promise<Fresh>, start: Start, requests: number, reaches: number): void {
  test('answers as it describes itself, without an error of its own and without what is another’s', async (t) => {
    const outcome = await fuzzed(start, await fresh(), requests);
    t.diagnostic(`${outcome.requests} requests: ${JSON.stringify(outcome.statuses)}`);
    assert.equal(outcome.failures.length, 0, outcome.failures.join('\n\n'));
    assert.ok(outcome.requests >= requests);
    const reached = Object.values(outcome.done).filter((times) => times > 0).length;
    assert.ok(reached > Object.keys(outcome.done).length * reaches, `only ${reached} operations were ever done`);
  });
}
