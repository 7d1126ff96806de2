/** `npm run fuzz`: as many requests as one likes against one component on one engine, from a seed. */
import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { MIGRATIONS as LEDGER } from '@rcpt/ledger/migrations.ts';
import { MIGRATIONS as ROUTER } from '@rcpt/router/migrations.ts';
import { openEngine } from '../bench/src/database.ts';
import { fuzz, type Outcome } from './fuzz.ts';
import { startLedgerTarget } from './ledger.ts';
import { seeded } from './random.ts';
import { startRouterTarget } from './router.ts';

const COMPONENTS = {
  ledger: { migrations: LEDGER, start: startLedgerTarget },
  router: { migrations: ROUTER, start: startRouterTarget },
};
const USAGE = `Usage: npm run fuzz -- --component ledger|router --engine sqlite|postgres [options]

  --requests N   how many (default: 10000)
  --seed N       the same seed chooses the same (default: from the clock)

Exit codes: 0 nothing found, 1 something found, 2 wrong use.
`;

const { values } = parseArgs({
  options: {
    component: { type: 'string', default: '' },
    engine: { type: 'string', default: '' },
    requests: { type: 'string', default: '10000' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
  },
});
const { component, engine } = values;
const [requests, seed] = [Number(values.requests), Number(values.seed)];
if (!isComponent(component) || !isEngine(engine) || !(requests > 0) || !Number.isSafeInteger(seed)) {
  process.stderr.write(USAGE);
  process.exit(2);
}

// Not by itself: what is imported for tests would report on tests.
process.exit(
  await fuzzed(component, engine).catch((error: Error) => {
    process.stderr.write(`${error.stack}\n`);
    return 1;
  }),
);

async function fuzzed(component: keyof typeof COMPONENTS, engine: 'sqlite' | 'postgres'): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'fuzz-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  // As root, PostgreSQL runs as another user, who has to reach its files in here.
  chmodSync(folder, 0o755);
  mkdirSync(join(folder, 'fuzz'));
  const server = await openEngine(engine, folder);
  try {
    const { migrations, start } = COMPONENTS[component];
    const database = await server.create('fuzz', migrations);
    const target = await start(database, seeded(seed));
    const outcome = await fuzz(target, { seed, requests, onProgress: say });
    await target.close();
    await database.db.close();
    process.stdout.write(`${reportOf(outcome)}\n`);
    return outcome.failures.length > 0 ? 1 : 0;
  } finally {
    await server.stop();
  }
}

function say({ requests, failures }: Outcome): void {
  process.stderr.write(`${component} on ${engine}, seed ${seed}: ${requests} requests, ${failures.length} failures\n`);
}

function reportOf({ requests, statuses, done, slowest, failures }: Outcome): string {
  const never = Object.keys(done).filter((name) => done[name] === 0);
  return [
    `${component} on ${engine}, seed ${seed}: ${requests} requests`,
    `answers: ${JSON.stringify(statuses)}`,
    `slowest: ${slowest.what}, ${Math.round(slowest.ms)} ms`,
    `answered 2xx: ${JSON.stringify(done)}`,
    `never answered 2xx: ${never.join(', ') || 'none'}`,
    `failures: ${failures.length}`,
    ...failures.map((failure) => `\n${failure}`),
  ].join('\n');
}

function isComponent(name: string): name is keyof typeof COMPONENTS {
  return name in COMPONENTS;
}

function isEngine(name: string): name is 'sqlite' | 'postgres' {
  return name === 'sqlite' || name === 'postgres';
}
