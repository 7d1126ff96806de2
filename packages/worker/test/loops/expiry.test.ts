/** A lease runs out by the worker's own clock when the router says nothing. These workers have no heartbeat: nothing renews it. */
import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { workerClient } from '@rcpt/contract/client/worker.ts';
import { pino } from 'pino';
import type { WorkerContext } from '../../src/context.ts';
import { type ActiveLease, createActiveLeases, type LeaseLost } from '../../src/leases.ts';
import { runLeaseLoop } from '../../src/loops/lease.ts';
import { readOptions } from '../../src/options.ts';
import { identify } from '../../src/register.ts';
import { listJobFolders, makeJobFolder } from '../../src/run/folder.ts';
import { resumeJobs } from '../../src/run/resume.ts';
import { openScopes } from '../../src/run/scope.ts';
import { openStore } from '../../src/store.ts';
import { queue, SKU, startRouter, temporaryFolder, until } from '../kit/worker.ts';

const LEASE_SECONDS = 8;

async function workerOf(url: string, state: string, draining: AbortSignal): Promise<WorkerContext> {
  const places = ['--state', state, '--artifacts', `file:${temporaryFolder()}`, '--stop-seconds', '1'];
  const words = ['--router', url, '--node', 'rig-1', '--sku', SKU, '--exec', 'batch=sleep 1000', ...places];
  const options = readOptions(words, process.env)!;
  const capabilities = { gpu_skus: [SKU], supports: ['batch' as const] };
  const log = pino({ level: 'silent' });
  const identity = await identify(options, capabilities, log, draining);
  const router = workerClient({ base_url: url, token: identity.worker_token });
  const [store, leases] = [openStore(options.artifacts_url), createActiveLeases()];
  const scopes = await openScopes(options);
  const shared = { options, gauges: () => ({}), capabilities, identity, router, store, scopes, leases, log };
  return { ...shared, desired: 'run', draining, leave: (refusal) => assert.fail(refusal) };
}

/** Resolves when the lease is lost and the command with it. */
async function lostToTheClock(lease: ActiveLease, drain: AbortController, leasing: Promise<void>): Promise<void> {
  await until('the lease is lost', () => lease.lost.aborted);
  assert.equal((lease.lost.reason as LeaseLost).loss, 'expired');
  assert.ok(Date.now() >= lease.expires_at, 'not before its time');
  drain.abort();
  await leasing;
}

test('a lease that was just taken runs out while the router is gone, and the command stops', async () => {
  const drain = new AbortController();
  const router = await startRouter({ ROUTER_LEASE_SECONDS: String(LEASE_SECONDS) });
  const worker = await workerOf(router.url, temporaryFolder(), drain.signal);
  await queue(router);
  const leasing = runLeaseLoop(worker, []);
  const lease = await until('it holds the job', () => worker.leases.list()[0]);
  assert.ok(lease.expires_at <= Date.now() + LEASE_SECONDS * 1_000);
  await router.kill();
  await lostToTheClock(lease, drain, leasing);
});

test('a lease that was taken up after a crash runs out a lease’s time later, and the command stops', async () => {
  const state = temporaryFolder();
  const drain = new AbortController();
  const router = await startRouter({ ROUTER_LEASE_SECONDS: String(LEASE_SECONDS) });
  const crashed = await workerOf(router.url, state, drain.signal);
  await queue(router);
  const { leases } = await crashed.router.lease({ supported_job_types: ['batch'], supported_gpu_skus: [SKU] });
  await makeJobFolder(state, crashed.leases.hold(leases[0]!, Date.parse(leases[0]!.expires_at)));

  const worker = await workerOf(router.url, state, drain.signal);
  const { interrupted } = await resumeJobs(worker, await listJobFolders(state));
  const [lease] = worker.leases.list();
  assert.equal(lease?.job.id, leases[0]!.job.id);
  assert.ok(lease.expires_at <= Date.now() + LEASE_SECONDS * 1_000);
  await router.kill();
  await lostToTheClock(lease, drain, runLeaseLoop(worker, interrupted));
});
