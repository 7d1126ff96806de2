/** Minting over HTTP, beside the machine's rate of durable single-row inserts. */
import type { Db } from '@rcpt/service/db/db.ts';
import type { Engine } from './database.ts';
import { type LedgerProcess, startLedgerProcess } from './ledger-process.ts';
import { type Answers, answer, request } from './load.ts';
import { median, percentile } from './numbers.ts';
import { approvedRuns, found, type Tenant } from './prepare.ts';
import { quiet } from './quiet.ts';
import type { Report } from './report.ts';
import { verifyChain } from './verify.ts';

export interface MintSizes {
  rounds: number;
  mints_per_round: number;
  warm_up: number;
  yardstick_ms: number;
}

const CONNECTIONS = 64;
const ORGANIZATIONS = 100;

interface Scenario {
  name: string;
  tenants: Tenant[];
  requests: Buffer[];
  yardstick: number[];
  rates: number[];
  latencies: number[];
  server_us: number[];
  main_thread_us: number[];
  load_us: number[];
}

export async function measureMint(engine: Engine, sizes: MintSizes, report: Report): Promise<void> {
  const database = await engine.create('mint');
  const { db } = database;
  report.say(`${engine.name}: preparing approved Runs`);
  const scenarios: Scenario[] = [];
  for (const organizations of [1, ORGANIZATIONS]) {
    const tenants: Tenant[] = [];
    for (let i = 0; i < organizations; i++) tenants.push(await found(db, `Bench Workshop ${i}`));
    const count = sizes.warm_up + sizes.rounds * sizes.mints_per_round;
    const requests = await mintRequests(db, tenants, count);
    const name = `mint, ${organizations} organization${organizations === 1 ? '' : 's'}`;
    scenarios.push({
      name,
      tenants,
      requests,
      yardstick: [],
      rates: [],
      latencies: [],
      server_us: [],
      main_thread_us: [],
      load_us: [],
    });
  }
  const yardstick = await engine.yardstick();
  const ledger = await startLedgerProcess(database.url, database.folder);
  try {
    await quiet(ledger, db);
    const idle = ledger.memory().resident;
    for (const { requests } of scenarios) await answer(ledger.port, CONNECTIONS, requests.splice(0, sizes.warm_up));
    ledger.forgetPeak();
    for (let round = 0; round < sizes.rounds; round++)
      for (const scenario of scenarios) {
        await quiet(ledger, db);
        scenario.yardstick.push(await yardstick.measure(sizes.yardstick_ms));
        await mintRound(ledger, scenario, sizes.mints_per_round);
      }
    const { peak } = ledger.memory();
    for (const scenario of scenarios) {
      reportMints(engine, scenario, report);
      for (const tenant of scenario.tenants.slice(0, 3)) await verifyChain(ledger.port, tenant.api_key);
    }
    const memory = { name: 'memory resident', unit: 'MB', aim: '< 400' };
    report.add({ ...memory, on: `${engine.name}, idle`, rounds: [idle / 1e6] });
    report.add({ ...memory, on: `${engine.name}, minting`, rounds: [peak / 1e6] });
  } finally {
    await ledger.stop();
    await yardstick.close();
    await db.close();
  }
}

/** Requests to mint, the organizations in turn. */
export async function mintRequests(db: Db, tenants: Tenant[], count: number): Promise<Buffer[]> {
  const runs = await approvedRuns(db, tenants, count);
  return runs.map(({ id, api_key }) => request('POST', `/runs/${id}/receipt`, { authorization: `Bearer ${api_key}` }));
}

async function mintRound(ledger: LedgerProcess, scenario: Scenario, mints: number): Promise<void> {
  const before = ledger.cpu();
  const answers: Answers = await answer(ledger.port, CONNECTIONS, scenario.requests.splice(0, mints));
  const after = ledger.cpu();
  scenario.rates.push(mints / answers.seconds);
  scenario.latencies.push(...answers.latencies);
  scenario.server_us.push((after.all_us - before.all_us) / mints);
  scenario.main_thread_us.push((after.main_us - before.main_us) / mints);
  scenario.load_us.push(answers.own_cpu_us);
}

function reportMints(engine: Engine, scenario: Scenario, report: Report): void {
  report.add({
    name: scenario.name,
    on: engine.name,
    unit: '/s',
    rounds: scenario.rates,
    against: { name: 'yardstick', rounds: scenario.yardstick },
    aim: '≥ 1',
    also: {
      'yardstick /s': median(scenario.yardstick),
      'p50 ms': percentile(scenario.latencies, 0.5),
      'p99 ms': percentile(scenario.latencies, 0.99),
      'server µs': median(scenario.server_us),
      'its main thread µs': median(scenario.main_thread_us),
      'load µs': median(scenario.load_us),
    },
  });
}
