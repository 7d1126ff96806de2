/** The worker contract, verb by verb. Every verb under a lease goes through the one ordered writer. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { PriceTable } from '@rcpt/contract/prices.ts';
import {
  type ArtifactReport,
  type Completion,
  declaredAnew,
  type Failure,
  type Heartbeat,
  type HeartbeatAnswer,
  type LeaseAnswer,
  type LeaseRequest,
  type LogReport,
  type Registration,
  type StatusReport,
  WORKER_CONTRACT,
} from '@rcpt/contract/router/workers.ts';
import type { JsonObject } from '@rcpt/contract/wire.ts';
import type { Queries } from '@rcpt/service/db/db.ts';
import { newId, newSecret, secretSha256 } from '@rcpt/service/ids.ts';
import type { z } from 'zod';
import { bridgeEntry } from './bridge/entry.ts';
import { type Granted, pairsOf } from './commit/lease.ts';
import type { JobCommand, Recorder } from './commit/unit-of-work.ts';
import type { Clock, Job } from './domain/job.ts';
import { accept, completeByWorker, fail, type Holder, leaseState, meterWork, renew, touch } from './domain/lease.ts';
import { instant } from './domain/time.ts';
import type { ReceiptBatch } from './receipts/batch.ts';
import type { Router } from './router.ts';
import { findArtifact } from './store/artifacts.ts';
import { insertWorker, type StoredWorker } from './store/workers.ts';
import { registerNodeOf } from './views/nodes.ts';

type Body<Schema extends z.ZodType> = z.infer<Schema>;
const HEARTBEAT_SECONDS = 30;

/**
 * Throws nothing of its own: a worker may register as often as it lost its token. It may stand on a node that nobody
 * registered, and then registers that too.
 */
export async function register(tx: Queries, batch: ReceiptBatch, prices: PriceTable, body: Body<typeof Registration>) {
  const worker_id = newId('worker');
  const worker_token = `dwrk_${newSecret()}`;
  const { node_id, name, hostname, endpoint_url = null, capabilities = {}, tags = [], version = null } = body;
  const worker: StoredWorker = {
    id: worker_id,
    node_id,
    name,
    hostname,
    endpoint_url,
    status: 'registered',
    desired: 'run',
    capabilities: capabilities as StoredWorker['capabilities'],
    tags,
    version,
    current_jobs: 0,
    metrics: {},
    heartbeat_interval_seconds: body.heartbeat_interval_seconds ?? HEARTBEAT_SECONDS,
    last_heartbeat_at: null,
    revoked_at: null,
    created_at: batch.at,
  };
  await insertWorker(tx, worker, secretSha256(worker_token));
  await registerNodeOf(tx, prices, worker, batch.at);
  batch.add({
    receipt_type: 'worker_registered',
    member_id: worker_id,
    job_id: null,
    dataset_ids: [],
    amount_cents: 0,
    metadata: { node_id, name, hostname },
  });
  return { worker_id, worker_token, status: 'registered' as const, contract_version: WORKER_CONTRACT };
}

/** Whoever made a call that may be held: nothing is leased to somebody who has hung up. */
export interface Caller {
  gone(): boolean;
  onGone(listener: () => void): void;
}

/**
 * Answers at once, or, with `wait_seconds`, when something about this worker changed. A worker that says `draining` knows of
 * the order: it is held until it is told to resume.
 */
export async function heartbeat(
  router: Router,
  worker: StoredWorker,
  body: Body<typeof Heartbeat>,
  caller: Caller,
): Promise<Body<typeof HeartbeatAnswer>> {
  const seconds = body.wait_seconds ?? 0;
  if (seconds === 0) return beat(router, worker, body);
  // Listening starts before looking: no change falls in between.
  const orders = router.long_polls.forWorker(worker.id, seconds);
  caller.onGone(orders.cancel);
  try {
    const first = await beat(router, worker, body);
    if (
      (first.desired === 'drain' && body.status !== 'draining') ||
      first.leases.some((lease) => lease.state !== 'active')
    )
      return first;
    if (!(await orders.called)) return { ...first, server_time: instant(router.now()) };
    // Meanwhile an order to resume, or a later heartbeat, may have taken back what this one said: it is not said again.
    return await beat(router, worker, { leases: body.leases });
  } finally {
    orders.cancel();
  }
}

/** @param body without a status it says nothing of the worker, but that it is there */
async function beat(
  router: Router,
  worker: StoredWorker,
  body: Partial<Body<typeof Heartbeat>>,
): Promise<Body<typeof HeartbeatAnswer>> {
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
  // Who it is stays known for a while (http/shell.ts); so does what it said last.
  if (said !== null) Object.assign(worker, { status: said.status, current_jobs });
  const { status: state, capabilities: declared } = availability;
  router.fleet.heard(worker.id, { status: state, capabilities: declared, last_heartbeat_at: instant(router.now()) });
  return {
    ok: true,
    worker_id: worker.id,
    server_time: instant(router.now()),
    next_heartbeat_seconds: worker.heartbeat_interval_seconds,
    desired: availability.desired,
    leases: states,
  };
}

/** When to look again after jobs that another process had in its hands. */
const CONTENDED_MS = 20;
/** How often a worker that holds all it declared looks whether another process has freed it of one. */
const FREED_ELSEWHERE_MS = 1_000;
const NOTHING = { lease_id: null, lease_token: null, job: null, expires_at: null, leases: [] };

/**
 * With `wait_seconds` the answer waits for a job that this worker may be given, for an order, or for the time. A worker that
 * takes nothing new is answered at once.
 */
export async function leaseJobs(
  router: Router,
  worker: StoredWorker,
  body: Body<typeof LeaseRequest>,
  caller: Caller,
): Promise<Body<typeof LeaseAnswer>> {
  const { supported_gpu_skus, supported_job_types, wait_seconds = 0 } = body;
  if (wait_seconds === 0) return answerOf(await leaseNow(router, worker, body, caller));
  const until = performance.now() + wait_seconds * 1000;
  const { long_polls } = router;
  let cancel = () => {};
  caller.onGone(() => cancel());
  /** The queue whose call is being answered. */
  let answering: string | null = null;
  try {
    for (;;) {
      const seconds = Math.max(0, (until - performance.now()) / 1000);
      // Listening starts before looking: a job that arrives in between is heard.
      const job = long_polls.forJob(supported_gpu_skus, supported_job_types, seconds);
      const orders = long_polls.forWorker(worker.id, seconds);
      const room = long_polls.forRoom(worker.id, seconds);
      cancel = () => {
        for (const wait of [job, orders, room]) wait.cancel();
      };
      try {
        const granted = await leaseNow(router, worker, body, caller);
        const { resting, full, contended, keys, leases } = granted;
        if (answering !== null) {
          const could = leases.length > 0 || (keys.includes(answering) && !caller.gone());
          // Others may be able to take what this worker was called for and is not given.
          if (!could) long_polls.call(answering);
          answering = null;
        }
        job.only(keys);
        if (resting || leases.length > 0 || seconds === 0 || caller.gone()) return answerOf(granted);
        if (contended) await sleep(CONTENDED_MS);
        else if (await Promise.race([orders.called, ...(full ? [room.called, aWhile(seconds)] : [job.called])]))
          answering = job.used();
        else return answerOf(granted);
      } finally {
        cancel();
      }
    }
  } finally {
    if (answering !== null) long_polls.call(answering);
  }
}

function aWhile(seconds: number): Promise<boolean> {
  return sleep(Math.min(FREED_ELSEWHERE_MS, seconds * 1000), true, { ref: false });
}

function answerOf({ leases }: Granted): Body<typeof LeaseAnswer> {
  if (leases[0] !== undefined) return { ...leases[0], message: 'leased', leases };
  return { ...NOTHING, message: 'no_matching_jobs' };
}

function leaseNow(
  router: Router,
  worker: StoredWorker,
  body: Body<typeof LeaseRequest>,
  caller: Caller,
): Promise<Granted> {
  return router.writer.execute<Granted>({
    kind: 'lease',
    worker_id: worker.id,
    node_id: worker.node_id,
    pairs: pairsOf(
      body.supported_gpu_skus.filter((sku) => router.skus.has(sku)),
      body.supported_job_types,
    ),
    max_jobs: body.max_jobs ?? 1,
    wanted: () => !caller.gone(),
  });
}

type WithToken = { lease_token: string };

export function acceptJob(
  router: Router,
  worker: StoredWorker,
  job_id: string,
  { lease_token }: WithToken,
): Promise<Job> {
  const holder = holderOf(worker, lease_token);
  return onJob(router, job_id, (job, record, clock) => {
    const effect = accept(job, holder, clock);
    record.effect(effect);
    return effect.job;
  });
}

export function reportStatus(router: Router, worker: StoredWorker, job_id: string, body: Body<typeof StatusReport>) {
  const holder = holderOf(worker, body.lease_token);
  const { event_type, message = '', payload = {} } = body;
  const bytes = bytesOf([message, payload]);
  const perform = (before: Job, record: Recorder, clock: Clock) => {
    const job = record.spend(touch(before, holder, clock), bytes);
    const events = [{ event_type, message, payload, worker_id: worker.id }];
    const [event_id] = record.effect({ job, receipts: [], events });
    return { event_id: event_id! };
  };
  return onJob(router, job_id, perform, null);
}

/** The same chunk again, by a worker that did not hear the answer, is answered as the first time. */
export function reportLog(router: Router, worker: StoredWorker, job_id: string, body: Body<typeof LogReport>) {
  const holder = holderOf(worker, body.lease_token);
  const { lines = [body.message ?? ''], stream = 'stdout', sequence = null } = body;
  const bytes = bytesOf(lines);
  const perform = (before: Job, record: Recorder, clock: Clock) => {
    const job = touch(before, holder, clock);
    const known = sequence === null ? undefined : record.known({ job_id, stream, sequence });
    record.effect({ job: known === undefined ? record.spend(job, bytes) : job, receipts: [], events: [] });
    return { event_id: known ?? record.log({ job_id, attempt: job.attempt, stream, sequence, lines }) };
  };
  return onJob(router, job_id, perform, sequence === null ? null : { stream, sequence });
}

/** As it is stored. */
function bytesOf(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}

/** The same artifact again, by a worker that did not hear the answer, is the same artifact: no second receipt. */
export async function reportArtifact(
  router: Router,
  worker: StoredWorker,
  job_id: string,
  body: Body<typeof ArtifactReport>,
) {
  const holder = holderOf(worker, body.lease_token);
  const { artifact_type, name, uri, checksum_sha256 = null, size_bytes = null, metadata = {} } = body;
  const document = { artifact_type, name, uri, checksum_sha256, size_bytes, metadata };
  const known = await findArtifact(router.db, { job_id, worker_id: worker.id, document });
  return onJob(router, job_id, (before, record, clock) => {
    const job = touch(before, holder, clock);
    if (known !== undefined) {
      record.effect({ job, receipts: [], events: [] });
      return { artifact_id: known };
    }
    const artifact_id = record.artifact({ job_id, worker_id: worker.id, document });
    record.effect({
      job,
      receipts: [
        {
          receipt_type: 'artifact_reported',
          member_id: job.member_id,
          job_id,
          dataset_ids: job.input_dataset_ids,
          amount_cents: 0,
          metadata: { artifact_id, worker_id: worker.id, artifact_type, name, uri, checksum_sha256, size_bytes },
        },
      ],
      events: [],
    });
    return { artifact_id };
  });
}

export async function completeJob(
  router: Router,
  worker: StoredWorker,
  job_id: string,
  body: Body<typeof Completion>,
): Promise<Job> {
  const holder = holderOf(worker, body.lease_token);
  const { metering, ledger_url } = router.config;
  const metrics = body.metrics as ({ duration_seconds?: number } & JsonObject) | undefined;
  return onJob(router, job_id, (job, record, clock) => {
    const effect = completeByWorker(job, holder, { ...body, metrics }, metering, clock);
    if (effect.receipts.length > 0 && ledger_url !== undefined) {
      const metered = meterWork(job, metrics?.duration_seconds, metering, clock.now);
      const entry = bridgeEntry(effect.job, metrics ?? {}, worker, metered);
      if (entry !== null) record.bridge(entry);
    }
    record.effect(effect);
    return effect.job;
  });
}

export function failJob(
  router: Router,
  worker: StoredWorker,
  job_id: string,
  body: Body<typeof Failure>,
): Promise<Job> {
  const holder = holderOf(worker, body.lease_token);
  return onJob(router, job_id, (job, record, clock) => {
    const effect = fail(job, holder, body, clock);
    record.effect(effect);
    return effect.job;
  });
}

function onJob<T>(
  { writer }: Router,
  job_id: string,
  perform: (job: Job, record: Recorder, clock: Clock) => T,
  reports?: JobCommand<T>['reports'],
): Promise<T> {
  return writer.execute<T>({ kind: 'job', job_id, perform, ...(reports === undefined ? {} : { reports }) });
}

function holderOf({ id }: StoredWorker, lease_token: string): Holder {
  return { worker_id: id, lease_sha256: secretSha256(lease_token) };
}
