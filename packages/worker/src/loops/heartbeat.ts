/**
 * The heartbeat: says that this worker is alive, renews its leases, and receives cancels and orders to drain. It is a long poll, so a
 * busy worker hears of them at once.
 */
import { ProblemError } from '@rcpt/contract/client/call.ts';
import type { HeartbeatAnswer } from '@rcpt/contract/router/workers.ts';
import type { z } from 'zod';
import type { WorkerContext } from '../context.ts';
import type { ActiveLease } from '../leases.ts';
import { createBackoff, messageOf, waitAtMost } from '../retry.ts';

type Answer = z.infer<typeof HeartbeatAnswer>;

/** Below the interval the worker was registered with. */
const IDLE_WAIT_SECONDS = 25;
const SHORTEST_WAIT_SECONDS = 0.1;
const ANSWER_MS = 15_000;
/** An answer may come at once without anything new. The next heartbeat is not sent sooner than this. */
const MIN_INTERVAL_MS = 50;
/** The router answers a draining worker at once. */
const DRAINING_MS = 1_000;
const LAST_HEARTBEAT_MS = 2_000;

/** Ends with `ended`, after a last heartbeat that says so. */
export async function runHeartbeatLoop(worker: WorkerContext, ended: AbortSignal): Promise<void> {
  const backoff = createBackoff();
  let reached = true;
  // A worker that was restarted may offer something else than when it registered.
  let declare = true;
  while (!ended.aborted) {
    // A lease that is taken or released meanwhile ends the long poll: the next heartbeat lists it.
    const change = new AbortController();
    const drained = worker.draining.aborted ? [] : [worker.draining];
    const stop = AbortSignal.any([ended, change.signal, ...drained]);
    worker.leases.changed(stop).then(
      () => change.abort(),
      () => undefined,
    );
    try {
      await beat(worker, stop, declare);
      declare = false;
      if (!reached) worker.log.info('the router answers again');
      reached = true;
      backoff.reset();
    } catch (error) {
      if (stop.aborted) continue;
      worker.log.warn({ reason: messageOf(error) }, 'the heartbeat did not reach the router');
      reached = false;
      if (isRevoked(error)) {
        worker.leave(error);
        return;
      }
      if (isUnknown(error)) await worker.identity.renew(ended).catch((refusal) => logUnknown(worker, refusal));
      await backoff.wait(ended).catch(() => undefined);
    } finally {
      change.abort();
    }
  }
  const last = { status: 'draining' as const, current_jobs: 0 };
  await worker.router.heartbeat(last, AbortSignal.timeout(LAST_HEARTBEAT_MS)).catch(() => undefined);
}

async function beat(worker: WorkerContext, stop: AbortSignal, declare: boolean): Promise<void> {
  const leases = worker.leases.list();
  const isDraining = worker.draining.aborted || worker.desired === 'drain';
  const wait_seconds = isDraining ? 0 : waitSeconds(leases);
  const asked = performance.now();
  const answer = await worker.router.heartbeat(
    {
      status: worker.draining.aborted ? 'draining' : leases.length > 0 ? 'busy' : 'online',
      ...(declare ? { capabilities: worker.capabilities } : {}),
      current_jobs: leases.length,
      metrics: worker.gauges(),
      leases: leases.map(({ job, lease_token }) => ({ job_id: job.id, lease_token })),
      wait_seconds,
    },
    AbortSignal.any([stop, AbortSignal.timeout(Math.ceil(wait_seconds * 1_000) + ANSWER_MS)]),
  );
  take(worker, leases, answer);
  const interval_ms =
    isDraining || answer.desired === 'drain' ? Math.min(DRAINING_MS, waitSeconds(leases) * 1_000) : MIN_INTERVAL_MS;
  await waitAtMost(interval_ms - (performance.now() - asked), stop);
}

function take(worker: WorkerContext, leases: ActiveLease[], answer: Answer): void {
  if (answer.desired !== worker.desired) worker.log.info({ desired: answer.desired }, 'the router asks for a change');
  worker.desired = answer.desired;
  const ahead = Date.now() - Date.parse(answer.server_time);
  for (const [i, { job_id, state, expires_at }] of answer.leases.entries()) {
    const lease = leases[i];
    if (lease?.job.id !== job_id) continue;
    if (state !== 'active') lease.lose(state);
    else if (expires_at !== null) worker.leases.renew(lease, Date.parse(expires_at) + ahead);
  }
}

/** Long before the first lease runs out. */
function waitSeconds(leases: ActiveLease[]): number {
  const left = leases.map(({ expires_at }) => (expires_at - Date.now()) / 3_000);
  return Math.max(SHORTEST_WAIT_SECONDS, Math.min(IDLE_WAIT_SECONDS, ...left));
}

/** It ends then: to register again would undo the revocation. */
function isRevoked(error: unknown): error is ProblemError {
  return error instanceof ProblemError && error.problem.code === 'worker_revoked';
}

function isUnknown(error: unknown): boolean {
  return error instanceof ProblemError && error.problem.status === 401;
}

function logUnknown(worker: WorkerContext, refusal: unknown): void {
  worker.log.error(
    { reason: messageOf(refusal) },
    'the router does not know this worker and does not register it anew',
  );
}
