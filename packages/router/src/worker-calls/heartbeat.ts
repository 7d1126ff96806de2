/** A worker's heartbeat: renews the leases it lists, and says what the router wants of it. */
import { declaredAnew, type Heartbeat, type HeartbeatAnswer } from '@rcpt/contract/router/workers.ts';
import type { z } from 'zod';
import { leaseState, renew } from '../domain/lease.ts';
import { instant } from '../domain/time.ts';
import type { Caller } from '../long-polls.ts';
import type { Router } from '../router.ts';
import type { StoredWorker } from '../store/workers.ts';
import { holderOf } from './jobs.ts';

type Body = z.infer<typeof Heartbeat>;
type Answer = z.infer<typeof HeartbeatAnswer>;

/**
 * Answers at once, or, with `wait_seconds`, when something about this worker changed. A worker that says `draining` knows of
 * the order: its call waits for the order to resume.
 */
export async function heartbeat(router: Router, worker: StoredWorker, body: Body, caller: Caller): Promise<Answer> {
  const seconds = body.wait_seconds ?? 0;
  if (seconds === 0) return beat(router, worker, body);
  // The poll begins before the database is asked: a change in between wakes it.
  const orders = router.long_polls.forWorker(worker.id, seconds);
  caller.onGone(orders.cancel);
  try {
    const first = await beat(router, worker, body);
    if (
      (first.desired === 'drain' && body.status !== 'draining') ||
      first.leases.some((lease) => lease.state !== 'active')
    )
      return first;
    if (!(await orders.woken)) return { ...first, server_time: instant(router.now()) };
    // An order to resume, or a later heartbeat, may have replaced meanwhile what this one said: only its leases are asked again.
    return await beat(router, worker, { leases: body.leases });
  } finally {
    orders.cancel();
  }
}

/** @param body without a status it says only that the worker is there */
async function beat(router: Router, worker: StoredWorker, body: Partial<Body>): Promise<Answer> {
  const { status, capabilities, current_jobs = 0, metrics = {}, leases = [] } = body;
  const said = status === undefined ? null : { status, current_jobs, metrics: JSON.stringify(metrics) };
  const { availability, states } = await router.writer.execute({
    kind: 'heartbeat',
    worker_id: worker.id,
    beat: (at, declared) => ({
      id: worker.id,
      said,
      capabilities: capabilities === undefined ? null : JSON.stringify(declaredAnew(declared, capabilities)),
      at,
    }),
    changes_worker:
      capabilities !== undefined ||
      (said !== null && (said.status !== worker.status || said.current_jobs !== worker.current_jobs)),
    declares: capabilities !== undefined,
    job_ids: leases.map((lease) => lease.job_id),
    perform: (availability, jobs, record, clock) => ({
      availability,
      states: leases.map(({ job_id, lease_token }) => {
        const job = jobs(job_id);
        const state = leaseState(job, holderOf(worker, lease_token), clock);
        if (state !== 'active' || job === undefined) return { job_id, state, expires_at: null };
        const renewed = renew(job, clock);
        record.effect({ job: renewed, receipts: [], events: [] });
        return { job_id, state, expires_at: renewed.lease_expires_at };
      }),
    }),
  });
  // The worker is cached with its credential (http/credential-cache.ts); its last status is kept there, too.
  if (said !== null) Object.assign(worker, { status: said.status, current_jobs });
  const { status: state, capabilities: declared } = availability;
  router.fleet.update(worker.id, { status: state, capabilities: declared, last_heartbeat_at: instant(router.now()) });
  return {
    ok: true,
    worker_id: worker.id,
    server_time: instant(router.now()),
    next_heartbeat_seconds: worker.heartbeat_interval_seconds,
    desired: availability.desired,
    leases: states,
  };
}
