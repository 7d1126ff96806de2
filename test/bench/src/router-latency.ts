/** How long a job waits for an idle worker, and a canceled job's worker for the word: both are held calls. */
import type { Engine } from './database.ts';
import { median, percentile } from './numbers.ts';
import type { Report } from './report.ts';
import type { GraphileWorker } from './router-peers.ts';
import { type Lease, leaseRequest, leasesIn, openRouter, openWire, post, type Router } from './router-process.ts';
import { type Desk, openDesks } from './router-throughput.ts';

export interface LatencySizes {
  rounds: number;
  jobs_per_round: number;
  idle_workers: number;
  cancels: number;
}

const WAIT_SECONDS = 30;

export async function measureLatency(
  engines: Engine[],
  graphile: GraphileWorker,
  sizes: LatencySizes,
  report: Report,
): Promise<void> {
  const sides = [];
  for (const engine of engines)
    sides.push({ engine, router: await openRouter(engine, 'latency'), p50s: [] as number[], p99s: [] as number[] });
  const theirs = { p50s: [] as number[], p99s: [] as number[] };
  try {
    for (let round = 0; round <= sizes.rounds; round++) {
      for (const { router, p50s, p99s } of sides)
        note(await startLatencies(router, sizes.jobs_per_round, sizes.idle_workers), round, p50s, p99s);
      const latencies = await graphile.startLatencies(sizes.jobs_per_round, sizes.idle_workers);
      note(latencies, round, theirs.p50s, theirs.p99s);
    }
    report.add({ name: 'enqueue → start, p50', on: graphile.name, unit: 'ms', rounds: theirs.p50s });
    report.add({ name: 'enqueue → start, p99', on: graphile.name, unit: 'ms', rounds: theirs.p99s });
    for (const { engine, router, p50s, p99s } of sides) {
      const on = engine.name;
      const against = (rounds: number[]) => ({ against: { name: graphile.name, rounds }, aim: '≤ 1' });
      report.add({ name: 'enqueue → start, p50', on, unit: 'ms', rounds: p50s, ...against(theirs.p50s) });
      report.add({ name: 'enqueue → start, p99', on, unit: 'ms', rounds: p99s, ...against(theirs.p99s) });
      const cancels = await cancelLatencies(router, sizes.cancels);
      const also = { 'p50 ms': median(cancels) };
      report.add({
        name: 'cancel → worker, p99',
        on,
        unit: 'ms',
        rounds: [percentile(cancels, 0.99)],
        aim: '< 1,000',
        also,
      });
    }
  } finally {
    for (const { router } of sides) await router.close();
  }
}

/** The first round is to warm up. */
function note(latencies: number[], round: number, p50s: number[], p99s: number[]): void {
  if (round === 0) return;
  p50s.push(percentile(latencies, 0.5));
  p99s.push(percentile(latencies, 0.99));
}

/** From sending `POST /jobs` to the lease in a worker's hands; the other workers go on waiting. */
async function startLatencies(router: Router, jobs: number, idle_workers: number): Promise<number[]> {
  const member = await openWire(router.process.port);
  const desks = await openDesks(router, idle_workers);
  const latencies: number[] = [];
  let started: (lease: Lease, desk: Desk) => void = () => {};
  let over = false;
  const waitAndWork = async (desk: Desk) => {
    while (!over) {
      const [lease] = leasesIn(await desk.wire.ask(leaseRequest(desk.token, { wait_seconds: WAIT_SECONDS })));
      if (lease !== undefined) started(lease, desk);
      if (lease !== undefined)
        await desk.wire.ask(
          post(`/workers/jobs/${lease.job_id}/complete`, { lease_token: lease.lease_token }, desk.token),
        );
      if (lease !== undefined) finished();
    }
  };
  let finished = () => {};
  // Whoever still waits at the end is hung up on.
  const loops = desks.map((desk) => waitAndWork(desk).catch((error: unknown) => void (over || fail(error))));
  let fail: (error: unknown) => void = () => {};
  const failed = new Promise<never>((_, reject) => {
    fail = reject;
  });
  for (let i = 0; i < jobs; i++) {
    const start = new Promise<number>((resolve) => {
      started = () => resolve(performance.now());
    });
    const finish = new Promise<void>((resolve) => {
      finished = resolve;
    });
    const began = performance.now();
    const [at] = await Promise.race([Promise.all([start, member.ask(router.newJob), finish]), failed]);
    latencies.push(at - began);
  }
  over = true;
  member.close();
  for (const { wire } of desks) wire.close();
  await Promise.all(loops);
  return latencies;
}

/** From sending `POST /jobs/{id}/cancel` to the worker's held heartbeat, which says so. */
async function cancelLatencies(router: Router, cancels: number): Promise<number[]> {
  const member = await openWire(router.process.port);
  const [desk] = (await openDesks(router, 1)) as [Desk];
  const latencies: number[] = [];
  for (let i = 0; i < cancels; i++) {
    await member.ask(router.newJob);
    const [lease] = leasesIn(await desk.wire.ask(leaseRequest(desk.token))) as [Lease];
    const beat = { status: 'busy', current_jobs: 1, leases: [lease], wait_seconds: WAIT_SECONDS };
    const told = desk.wire.ask(post('/workers/heartbeat', beat, desk.token)).then((answer) => {
      if (!answer.includes('"canceled"')) throw new Error(`not told of the cancel: ${answer}`);
      return performance.now();
    });
    // The heartbeat is held by now.
    await new Promise((resolve) => setTimeout(resolve, 20));
    const began = performance.now();
    const [at] = await Promise.all([told, member.ask(post(`/jobs/${lease.job_id}/cancel`, {}))]);
    latencies.push(at - began);
  }
  member.close();
  desk.wire.close();
  return latencies;
}
