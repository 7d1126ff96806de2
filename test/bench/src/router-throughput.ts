/** Jobs through the router over HTTP, every receipt on disk, beside the queues of others in turns. */
import type { Engine } from './database.ts';
import { median } from './numbers.ts';
import type { Report } from './report.ts';
import type { Peer } from './router-peers.ts';
import { rateOf } from './router-peers.ts';
import { leaseRequest, leasesIn, openRouter, openWire, post, type Router, type Wire } from './router-process.ts';

export interface ThroughputSizes {
  rounds: number;
  /** Per round and way of working. */
  jobs: number;
  peer_jobs: number;
}

export const CONNECTIONS = 64;
const BATCH = 10;

/** A connection with a worker of its own. */
export interface Desk {
  wire: Wire;
  token: string;
}

export async function openDesks(router: Router, count: number): Promise<Desk[]> {
  const desks: Desk[] = [];
  for (let i = 0; i < count; i++)
    desks.push({ wire: await openWire(router.process.port), token: await router.worker() });
  return desks;
}

/** What one connection does over and over, and how many jobs that is. */
const WAYS = {
  enqueue: { jobs: 1, act: ({ wire }: Desk, { newJob }: Router) => wire.ask(newJob) },
  'lease + complete': { jobs: 1, act: (desk: Desk) => workOff(desk, 1, false) },
  'lease + accept + complete': { jobs: 1, act: (desk: Desk) => workOff(desk, 1, true) },
  [`lease ${BATCH} + complete each`]: { jobs: BATCH, act: (desk: Desk) => workOff(desk, BATCH, false) },
};
type Way = keyof typeof WAYS;

export async function workOff({ wire, token }: Desk, max_jobs: number, accept: boolean): Promise<void> {
  const leases = leasesIn(await wire.ask(leaseRequest(token, max_jobs === 1 ? {} : { max_jobs })));
  if (leases.length < max_jobs) throw new Error('the router has no more jobs');
  for (const { lease_token, job_id } of leases) {
    if (accept) await wire.ask(post(`/workers/jobs/${job_id}/accept`, { lease_token }, token));
    const done = { lease_token, metrics: { duration_seconds: 12.5 } };
    await wire.ask(post(`/workers/jobs/${job_id}/complete`, done, token));
  }
}

export async function measureThroughput(
  engines: Engine[],
  peers: Peer[],
  sizes: ThroughputSizes,
  report: Report,
): Promise<void> {
  const sides = [];
  for (const engine of engines) {
    const router = await openRouter(engine, 'throughput');
    sides.push({
      engine,
      router,
      desks: await openDesks(router, CONNECTIONS),
      rates: ratesPer<Way>(),
      cpu: ratesPer<Way>(),
    });
  }
  const rivals = peers.map((peer) => ({ peer, rates: ratesPer<'enqueue' | 'work'>() }));
  try {
    for (let round = 0; round <= sizes.rounds; round++) {
      for (const { router, desks, rates, cpu } of sides)
        for (const way of Object.keys(WAYS) as Way[]) {
          const measured = await measureWay(way, router, desks, sizes.jobs);
          if (round === 0) continue; // to warm up
          rates(way).push(measured.rate);
          cpu(way).push(measured.server_us);
        }
      for (const { peer, rates } of rivals) {
        const enqueued = await peer.enqueue(sizes.peer_jobs, CONNECTIONS);
        const worked = await peer.work(sizes.peer_jobs, CONNECTIONS);
        if (round === 0) continue;
        rates('enqueue').push(enqueued);
        rates('work').push(worked);
      }
    }
    for (const { peer, rates } of rivals) {
      report.add({ name: 'enqueue', on: peer.name, unit: '/s', rounds: rates('enqueue') });
      report.add({ name: 'fetch + complete', on: peer.name, unit: '/s', rounds: rates('work') });
    }
    for (const { engine, rates, cpu } of sides) reportSide(engine, rates, cpu, rivals, report);
  } finally {
    for (const { router, desks } of sides) {
      for (const { wire } of desks) wire.close();
      await router.close();
    }
  }
}

type RatesPer<Key> = (key: Key) => number[];

function ratesPer<Key>(): RatesPer<Key> {
  const rates = new Map<Key, number[]>();
  return (key) => {
    const known = rates.get(key) ?? [];
    rates.set(key, known);
    return known;
  };
}

/** There are always as many jobs as are worked off: three ways work, so three times as many are enqueued. */
async function measureWay(way: Way, router: Router, desks: Desk[], jobs: number) {
  const { jobs: each, act } = WAYS[way];
  const count = way === 'enqueue' ? jobs * (Object.keys(WAYS).length - 1) : Math.floor(jobs / each);
  const before = router.process.cpu().all_us;
  const rate = (await rateOf(count, desks.length, (loop) => act(desks[loop]!, router))) * each;
  return { rate, server_us: (router.process.cpu().all_us - before) / (count * each) };
}

const AIMS: Partial<Record<Way, Record<string, { against: 'enqueue' | 'work'; aim: string }>>> = {
  enqueue: { 'pg-boss': { against: 'enqueue', aim: '≥ 3' }, 'graphile-worker': { against: 'enqueue', aim: '' } },
  'lease + complete': {
    'pg-boss': { against: 'work', aim: '≥ 3.5' },
    'graphile-worker': { against: 'work', aim: '≥ 1.5' },
  },
  'lease + accept + complete': { 'pg-boss': { against: 'work', aim: '≥ 2.5' } },
};

function reportSide(
  { name: on }: Engine,
  rates: RatesPer<Way>,
  cpu: RatesPer<Way>,
  rivals: { peer: Peer; rates: RatesPer<'enqueue' | 'work'> }[],
  report: Report,
): void {
  for (const way of Object.keys(WAYS) as Way[]) {
    const measured = { name: way, on, unit: '/s', rounds: rates(way), also: { 'server µs': median(cpu(way)) } };
    const compared = rivals.filter(({ peer }) => AIMS[way]?.[peer.name] !== undefined);
    if (compared.length === 0) report.add(measured);
    for (const { peer, rates: theirs } of compared) {
      const { against, aim } = AIMS[way]![peer.name]!;
      report.add({ ...measured, against: { name: peer.name, rounds: theirs(against) }, aim });
    }
  }
}
