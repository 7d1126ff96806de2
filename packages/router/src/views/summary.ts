/** The summary page: counts and sums as of now. */
import { ANNUAL_MEMBERSHIP_USD } from '@rcpt/contract/membership.ts';
import type { PriceTable } from '@rcpt/contract/prices.ts';
import type { Summary } from '@rcpt/contract/router/admin.ts';
import type { JobStatus } from '@rcpt/contract/router/vocabulary.ts';
import type { Queries } from '@rcpt/service/db/db.ts';
import { usdNumber } from '../domain/price.ts';
import { instant } from '../domain/time.ts';
import { stateOf } from '../domain/worker.ts';
import { countDeliveries } from '../store/bridge.ts';
import { countDatasets, countExpired, countHeld, countMemberships, jobsPerStatus } from '../store/fleet.ts';
import { countActiveMembers } from '../store/members.ts';
import { listWorkerSummaries } from '../store/workers.ts';
import { showNodes } from './nodes.ts';

export async function summarize(db: Queries, prices: PriceTable, now: number): Promise<Summary> {
  const [members, datasets, nodes, jobs, workers, held, expired, memberships, deliveries] = await Promise.all([
    countActiveMembers(db, instant(now)),
    countDatasets(db),
    showNodes(db, prices, now),
    jobsPerStatus(db),
    listWorkerSummaries(db),
    countHeld(db),
    countExpired(db),
    countMemberships(db),
    countDeliveries(db),
  ]);
  const jobsAt = (status: JobStatus) => Number(jobs.find((row) => row.status === status)?.jobs ?? 0);
  const states = workers.map((worker) => stateOf(worker, now));
  const workersAt = (...wanted: typeof states) => states.filter((state) => wanted.includes(state)).length;
  const estimated = jobs.filter((row) => row.status !== 'canceled' && row.status !== 'failed');
  return {
    active_members_count: members,
    total_datasets_count: datasets,
    compute_nodes_available: nodes.filter((node) => node.status === 'available').length,
    compute_nodes_busy: nodes.filter((node) => node.status === 'busy').length,
    queued_jobs: jobsAt('queued'),
    leased_jobs: jobsAt('leased'),
    running_jobs: jobsAt('running'),
    completed_jobs: jobsAt('completed'),
    failed_jobs: jobsAt('failed'),
    canceled_jobs: jobsAt('canceled'),
    estimated_revenue_from_jobs: usdNumber(estimated.reduce((sum, row) => sum + Number(row.estimated_cents), 0)),
    annual_membership_revenue: memberships * Number(ANNUAL_MEMBERSHIP_USD),
    workers_online: workersAt('registered', 'online', 'busy', 'draining'),
    workers_offline: workersAt('offline'),
    workers_busy: workersAt('busy'),
    stale_workers: workers.filter((worker, i) => states[i] === 'offline' && worker.last_heartbeat_at !== null).length,
    active_leases: Number(held),
    expired_leases: Number(expired),
    ledger_waiting: deliveries.waiting,
    ledger_refused: deliveries.refused,
  };
}
