/** The same work beside a short queue and a very long one; and how soon a router with a very long queue is there again. */
import type { Database, Engine } from './database.ts';
import type { Report } from './report.ts';
import { rateOf } from './router-peers.ts';
import { JOB_TYPE, openRouter, SKU } from './router-process.ts';
import { CONNECTIONS, openDesks, workOff } from './router-throughput.ts';

export interface DepthSizes {
  rounds: number;
  jobs_per_round: number;
  short: number;
  long: number;
  restarts: number;
}

export async function measureDepth(engine: Engine, sizes: DepthSizes, report: Report): Promise<void> {
  const sides = [];
  for (const depth of [sizes.short, sizes.long]) {
    const router = await openRouter(engine, `depth${depth}`);
    // Enough for every round, so that the queue is never shorter than it is called.
    await queueJobs(router.database, router.member_id, depth + (sizes.rounds + 1) * sizes.jobs_per_round);
    sides.push({ depth, router, desks: await openDesks(router, CONNECTIONS), rates: [] as number[] });
  }
  const [few, many] = sides as [(typeof sides)[0], (typeof sides)[0]];
  try {
    for (let round = 0; round <= sizes.rounds; round++)
      for (const { desks, rates } of round % 2 === 0 ? [few, many] : [many, few]) {
        const rate = await rateOf(sizes.jobs_per_round, CONNECTIONS, (loop) => workOff(desks[loop]!, 1, false));
        if (round > 0) rates.push(rate); // the first is to warm up
      }
    const name = 'lease + complete';
    report.add({ name, on: `${engine.name}, ${few.depth} queued`, unit: '/s', rounds: few.rates });
    const against = { name: `at ${few.depth}`, rounds: few.rates };
    report.add({
      name,
      on: `${engine.name}, ${many.depth} queued`,
      unit: '/s',
      rounds: many.rates,
      against,
      aim: '≥ 0.95',
    });
    const took: number[] = [];
    for (let i = 0; i < sizes.restarts; i++) took.push((await many.router.crashAndRestart()) / 1000);
    report.add({
      name: `killed and started with ${many.depth} jobs`,
      on: engine.name,
      unit: 's to healthy',
      rounds: took,
      aim: '< 5',
    });
  } finally {
    for (const { router, desks } of sides) {
      for (const { wire } of desks) wire.close();
      await router.close();
    }
  }
}

const ROWS_AT_ONCE = 5_000;
const AT = '2026-01-05T09:30:00.000+00:00';

/** Straight into the database, as if they had been there for long. */
async function queueJobs({ db }: Database, member_id: string, count: number): Promise<void> {
  const fixed = {
    member_id,
    job_type: JOB_TYPE,
    requested_gpu_sku: SKU,
    status: 'queued',
    estimated_hours: '0.5',
    input_dataset_ids: '[]',
    payload: '{"prompt":"What was measured?","temperature":0.2}',
    receipt_id: '',
    created_at: AT,
    past_leases: '[]',
  };
  const numbers = { priority: 0, estimated_cents: 100, max_attempts: 3, attempt: 0 };
  const columns = {
    id: 'text' as const,
    ...Object.fromEntries(Object.keys(fixed).map((name) => [name, 'text' as const])),
    ...Object.fromEntries(Object.keys(numbers).map((name) => [name, 'bigint' as const])),
  };
  const rest = [...Object.values(fixed), ...Object.values(numbers)];
  for (let made = 0; made < count; ) {
    const rows = Array.from({ length: Math.min(ROWS_AT_ONCE, count - made) }, () => [
      `job_${String(made++).padStart(32, '0')}`,
      ...rest,
    ]);
    await db.insert('jobs', columns, rows);
  }
  // What a server does by itself sooner or later is done before anything is measured.
  if (db.engine === 'postgres') await db.script('vacuum analyze jobs');
  await db.script(db.engine === 'postgres' ? 'checkpoint' : 'pragma optimize');
}
