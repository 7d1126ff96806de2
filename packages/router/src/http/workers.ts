import { Job } from '@rcpt/contract/router/compute.ts';
import {
  Accept,
  ArtifactRecorded,
  ArtifactReport,
  Completion,
  EventRecorded,
  Failure,
  Heartbeat,
  HeartbeatAnswer,
  LeaseAnswer,
  LeaseRequest,
  LogReport,
  Registered,
  Registration,
  StatusReport,
} from '@rcpt/contract/router/workers.ts';
import type { App } from '@rcpt/service/http/app.ts';
import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import type { Job as StoredJob } from '../domain/job.ts';
import { mayDeliver, NO_WORKERS, showJob, showJobs } from '../jobs.ts';
import type { Caller } from '../long-polls.ts';
import type { Router } from '../router.ts';
import { heartbeat } from '../worker-calls/heartbeat.ts';
import { acceptJob, completeJob, failJob, reportArtifact, reportLog, reportStatus } from '../worker-calls/jobs.ts';
import { leaseJobs } from '../worker-calls/lease.ts';
import { register } from '../worker-calls/register.ts';
import { createdOnce, IdempotencyHeader, OPEN_OR_BEARER, sendCreated } from './shell.ts';

const Id = z.object({ id: z.string() });

export function workerRoutes(app: App, router: Router): void {
  const common = { tags: ['workers'] };
  const worker = { config: { open_to: 'worker' } as const, security: [{ bearer: [] as string[] }] };
  const { config } = worker;
  const on_job = { ...common, security: worker.security, params: Id };
  /** Most jobs have nothing to deliver: they are shown without reading deliveries. */
  const shown = async (job: StoredJob) =>
    mayDeliver(job) ? (await showJobs(router, [job], router.now()))[0]! : showJob(job, NO_WORKERS, router.now());

  app.post(
    '/workers/register',
    {
      config: { open_to: 'enroll' },
      schema: {
        ...common,
        security: OPEN_OR_BEARER,
        summary: 'Register once; the worker_token is shown here only',
        description:
          'What it declares in `capabilities` is what it will be leased. Where `node_id` is not registered, that node is, with the first of its `gpu_skus` that has a price, its `hostname` and its `max_concurrent_jobs`; a worker that declares no such SKU registers no node. Repeated with its `Idempotency-Key` under the same credential it is answered as the first time; where this call takes no credential, a repeat is 409 `secret_shown_once`.',
        headers: IdempotencyHeader,
        body: Registration,
        response: { 201: Registered },
      },
    },
    async (request, reply) => {
      const created = await createdOnce(router, request, async (tx, batch, changes) => {
        const registered = await register(tx, batch, changes, router.prices, request.body);
        const location = `/admin/workers/${registered.worker_id}`;
        return { body: registered, location, holds_secret: true };
      });
      router.fleet.changed();
      return sendCreated(reply, created);
    },
  );

  app.post(
    '/workers/heartbeat',
    {
      config,
      schema: {
        ...common,
        security: worker.security,
        summary: 'Heartbeat; renews the leases it lists and says how they stand',
        description:
          'What it declares (`status`, and of `capabilities` the `gpu_skus`, `supports` and `max_concurrent_jobs`) counts from then on in every process; what `capabilities` does not mention stays as it was declared.',
        body: Heartbeat,
        response: { 200: HeartbeatAnswer },
      },
    },
    (request, reply) => heartbeat(router, request.worker, request.body, callerOf(reply)),
  );

  app.post(
    '/workers/jobs/lease',
    {
      config,
      schema: {
        ...common,
        security: worker.security,
        summary: 'Lease the next jobs this worker can do; waits for one when asked to',
        description:
          'Of what it asks for, a worker is leased what it declared at registration or by heartbeat: its `gpu_skus`, its `supports`, and at most `max_concurrent_jobs` at once, counting the live leases it holds; what it never declared does not limit it. Nothing is leased to it while its last heartbeat said `draining`, `maintenance` or `offline`, or while it is told to drain: then it is answered at once.',
        body: LeaseRequest,
        response: { 200: LeaseAnswer },
      },
    },
    (request, reply) => leaseJobs(router, request.worker, request.body, callerOf(reply)),
  );

  app.post(
    '/workers/jobs/:id/accept',
    {
      config,
      schema: { ...on_job, summary: 'Accept a leased job: it is running', body: Accept, response: { 200: Job } },
    },
    async (request) =>
      showJob(await acceptJob(router, request.worker, request.params.id, request.body), NO_WORKERS, router.now()),
  );

  app.post(
    '/workers/jobs/:id/status',
    {
      config,
      schema: {
        ...on_job,
        summary: 'Report what is happening; counts as its log does',
        body: StatusReport,
        response: { 200: EventRecorded },
      },
    },
    (request) => reportStatus(router, request.worker, request.params.id, request.body),
  );

  app.post(
    '/workers/jobs/:id/logs',
    {
      config,
      schema: {
        ...on_job,
        summary: 'Send log lines; a repeated sequence is stored once',
        description:
          'Of log and of events (`status`) a job may have `ROUTER_JOB_LOG_BYTES` bytes, a member `ROUTER_MEMBER_LOG_BYTES` over all jobs. What goes beyond is 409 `log_quota`, and so is all that follows for this job, whose `log_cut_at` says so: its log has an end and no holes. The job goes on.',
        body: LogReport,
        response: { 200: EventRecorded },
      },
    },
    (request) => reportLog(router, request.worker, request.params.id, request.body),
  );

  app.post(
    '/workers/jobs/:id/artifacts',
    {
      config,
      schema: { ...on_job, summary: 'Report an artifact', body: ArtifactReport, response: { 200: ArtifactRecorded } },
    },
    (request) => reportArtifact(router, request.worker, request.params.id, request.body),
  );

  app.post(
    '/workers/jobs/:id/complete',
    {
      config,
      schema: {
        ...on_job,
        summary: 'Complete; the server computes the cost',
        description:
          'Billed are whole seconds: the smaller of `metrics.duration_seconds` and what the router measured from accept to now, at least 1; with `ROUTER_METERING=measured` the measured ones. The cost is the server’s rate × hours (billed seconds / 3600, to six places), to the cent, half to even. The receipt says `billed_seconds`, `measured_milliseconds`, `reported_milliseconds` and `hourly_rate_usd`.',
        body: Completion,
        response: { 200: Job },
      },
    },
    async (request) => shown(await completeJob(router, request.worker, request.params.id, request.body)),
  );

  app.post(
    '/workers/jobs/:id/fail',
    { config, schema: { ...on_job, summary: 'Fail; nothing is charged', body: Failure, response: { 200: Job } } },
    async (request) =>
      showJob(await failJob(router, request.worker, request.params.id, request.body), NO_WORKERS, router.now()),
  );
}

/** A response that closes before it was sent: the caller has hung up. */
function callerOf({ raw }: FastifyReply): Caller {
  return {
    gone: () => raw.destroyed,
    onGone: (listener) => void raw.once('close', listener),
  };
}
