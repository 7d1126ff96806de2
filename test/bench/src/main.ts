/**
 * `npm run bench`: the ledger beside the limits of the machine it runs on, the router beside the job queues of others.
 * What is compared is measured in turns within one run, so that a noisy machine disturbs both sides alike; rates of
 * different runs say little.
 */
import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { type Database, type Engine, type EngineName, openEngine } from './database.ts';
import { measureHttp } from './http.ts';
import { measureMint } from './mint.ts';
import { chainOf, found } from './prepare.ts';
import { measurePrint } from './print.ts';
import { measureProofs } from './proofs.ts';
import { createReport, type Report } from './report.ts';
import { measureRouter } from './router.ts';
import { measureScale } from './scale.ts';
import { measureStart } from './start.ts';
import { type Chain, measureVerify } from './verify.ts';

const FULL = {
  http: { rounds: 5, requests: 20_000 },
  mint: { rounds: 5, mints_per_round: 12_000, warm_up: 6_000, yardstick_ms: 1_500 },
  scale: { rounds: 6, mints_per_round: 400, short: 1_000, long: 1_000_000 },
  verify: { rounds: 3, short: 10_000 },
  print: { rounds: 3, pages_per_round: 3_000, pdfs_per_round: 200 },
  start: 5,
  proofs: { rounds: 5, leaves: 1_000_000, checks: 2_000 },
  router: {
    throughput: { rounds: 5, jobs: 6_000, peer_jobs: 4_000 },
    latency: { rounds: 5, jobs_per_round: 200, idle_workers: 8, cancels: 200 },
    depth: { rounds: 6, jobs_per_round: 6_000, short: 30_000, long: 1_000_000, restarts: 3 },
    idle: { workers: 2_000, beat_every_seconds: 10, measured_seconds: 30 },
  },
};

const QUICK: typeof FULL = {
  http: { rounds: 3, requests: 10_000 },
  mint: { rounds: 3, mints_per_round: 3_000, warm_up: 2_000, yardstick_ms: 500 },
  scale: { rounds: 3, mints_per_round: 100, short: 1_000, long: 20_000 },
  verify: { rounds: 2, short: 2_000 },
  print: { rounds: 2, pages_per_round: 500, pdfs_per_round: 50 },
  start: 2,
  proofs: { rounds: 2, leaves: 20_000, checks: 200 },
  router: {
    throughput: { rounds: 2, jobs: 1_500, peer_jobs: 1_000 },
    latency: { rounds: 1, jobs_per_round: 100, idle_workers: 8, cancels: 40 },
    depth: { rounds: 2, jobs_per_round: 1_000, short: 3_000, long: 30_000, restarts: 1 },
    idle: { workers: 200, beat_every_seconds: 1, measured_seconds: 4 },
  },
};

const PARTS = Object.keys(FULL) as (keyof typeof FULL)[];
const ENGINES: EngineName[] = ['sqlite', 'postgres'];
const HERE = fileURLToPath(new URL('..', import.meta.url));

const USAGE = `Usage: npm run bench -- [options]

  --quick           small sizes, to see that it works; its figures mean little
  --only PARTS      ${PARTS.join(', ')}; separated by commas
  --engine ENGINE   sqlite or postgres (default: both)
  --json FILE       where the JSON lines go (default: test/bench/results/<date>.jsonl)
`;

const { values } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    only: { type: 'string', default: PARTS.join(',') },
    engine: { type: 'string', default: ENGINES.join(',') },
    json: { type: 'string', default: join(HERE, 'results', `${new Date().toISOString().replaceAll(':', '-')}.jsonl`) },
    help: { type: 'boolean', short: 'h', default: false },
  },
});
const parts = values.only.split(',');
const engines = values.engine.split(',');
if (values.help || !parts.every(isPart) || !engines.every(isEngine)) {
  process.stderr.write(USAGE);
  process.exit(values.help ? 0 : 2);
}
await bench(new Set(parts), engines, values.quick ? QUICK : FULL);

async function bench(wanted: Set<keyof typeof FULL>, engines: EngineName[], sizes: typeof FULL): Promise<void> {
  mkdirSync(join(HERE, '.data'), { recursive: true });
  const folder = mkdtempSync(join(HERE, '.data', 'run-'));
  // However it ends.
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  // As root, PostgreSQL runs as another user, who has to reach its files in here.
  chmodSync(folder, 0o755);
  const report = createReport(values.json);
  if (wanted.has('proofs')) await measureProofs(sizes.proofs, report);
  if (wanted.has('http')) await measureHttp(sizes.http, report);
  if (wanted.has('router')) await measureRouter(engines, folder, sizes.router, report);
  const onOneEngine = parts.some((part) => part !== 'http' && part !== 'router' && part !== 'proofs');
  for (const name of onOneEngine ? engines : []) {
    const engine = await openEngine(name, folder);
    try {
      await measureOn(engine, wanted, sizes, report);
    } finally {
      await engine.stop();
    }
  }
  process.stdout.write(`\n${report.table()}\n\nJSON lines: ${values.json}\n`);
}

async function measureOn(
  engine: Engine,
  wanted: Set<keyof typeof FULL>,
  sizes: typeof FULL,
  report: Report,
): Promise<void> {
  if (wanted.has('start')) await measureStart(engine, sizes.start, report);
  if (wanted.has('print')) await measurePrint(engine, sizes.print, report);
  if (wanted.has('mint')) await measureMint(engine, sizes.mint, report);
  if (!wanted.has('scale') && !wanted.has('verify')) return;
  const database = await engine.create('long');
  try {
    const short = await chain(database, 'Short Chain', sizes.verify.short, report);
    const long = await chain(database, 'Long Chain', sizes.scale.long, report);
    await engine.settle('long');
    if (wanted.has('verify')) await measureVerify(engine, database, short, long, sizes.verify, report);
    if (wanted.has('scale')) await measureScale(engine, { database, tenant: long.tenant }, sizes.scale, report);
  } finally {
    await database.db.close();
  }
}

async function chain({ db }: Database, name: string, receipts: number, report: Report): Promise<Chain> {
  const tenant = await found(db, name);
  let said = performance.now();
  await chainOf(db, tenant, receipts, (done) => {
    if (performance.now() - said < 10_000) return;
    said = performance.now();
    report.say(`${db.engine}: ${done} of ${receipts} receipts are there`);
  });
  return { tenant, receipts };
}

function isPart(part: string): part is keyof typeof FULL {
  return part in FULL;
}

function isEngine(name: string): name is EngineName {
  return (ENGINES as string[]).includes(name);
}
