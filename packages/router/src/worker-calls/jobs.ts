/** What a worker says about a job it has leased. Every call goes through the one ordered writer, and renews the lease. */
import type { ArtifactReport, Completion, Failure, LogReport, StatusReport } from '@rcpt/contract/router/workers.ts';
import type { JsonObject } from '@rcpt/contract/wire.ts';
import { secretSha256 } from '@rcpt/service/ids.ts';
import type { z } from 'zod';
import { bridgeEntry } from '../bridge/entry.ts';
import type { Recorder, Report } from '../commit/command.ts';
import type { Clock, Job } from '../domain/job.ts';
import { accept, completeByWorker, fail, type Holder, meterWork, touch } from '../domain/lease.ts';
import type { Router } from '../router.ts';
import type { StoredWorker } from '../store/workers.ts';

type Body<Schema extends z.ZodType> = z.infer<Schema>;
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
  return onJob(router, job_id, perform, { chunk: null });
}

/** The same chunk again, by a worker that did not hear the answer, is answered as the first time. */
export function reportLog(router: Router, worker: StoredWorker, job_id: string, body: Body<typeof LogReport>) {
  const holder = holderOf(worker, body.lease_token);
  const { lines = [body.message ?? ''], stream = 'stdout', sequence = null } = body;
  const bytes = bytesOf(lines);
  const perform = (before: Job, record: Recorder, clock: Clock) => {
    const job = touch(before, holder, clock);
    const known = sequence === null ? undefined : record.knownChunk({ job_id, stream, sequence });
    record.effect({ job: known === undefined ? record.spend(job, bytes) : job, receipts: [], events: [] });
    return { event_id: known ?? record.log({ job_id, attempt: job.attempt, stream, sequence, lines }) };
  };
  return onJob(router, job_id, perform, { chunk: sequence === null ? null : { stream, sequence } });
}

/** As it is stored. */
function bytesOf(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}

/** The same artifact again, by a worker that did not hear the answer, is the same artifact: no second receipt. */
export function reportArtifact(
  router: Router,
  worker: StoredWorker,
  job_id: string,
  body: Body<typeof ArtifactReport>,
) {
  const holder = holderOf(worker, body.lease_token);
  const { artifact_type, name, uri, checksum_sha256 = null, size_bytes = null, metadata = {} } = body;
  const document = { artifact_type, name, uri, checksum_sha256, size_bytes, metadata };
  const artifact = { job_id, worker_id: worker.id, document };
  const perform = (before: Job, record: Recorder, clock: Clock) => {
    const job = touch(before, holder, clock);
    const known = record.knownArtifact(artifact);
    if (known !== undefined) {
      record.effect({ job, receipts: [], events: [] });
      return { artifact_id: known };
    }
    const artifact_id = record.artifact(artifact);
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
  };
  return onJob(router, job_id, perform, { artifact });
}

export function completeJob(
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
  reports: Report = {},
): Promise<T> {
  return writer.execute<T>({ kind: 'job', job_id, reports, perform });
}

export function holderOf({ id }: StoredWorker, lease_token: string): Holder {
  return { worker_id: id, lease_sha256: secretSha256(lease_token) };
}
