import { Artifact, Job, JobEvent, JobLog, JobQuery, NewJob } from '@rcpt/contract/router/compute.ts';
import { inDigits, PageSize, text } from '@rcpt/contract/wire.ts';
import { Refusal } from '@rcpt/service/error.ts';
import type { App } from '@rcpt/service/http/app.ts';
import { type EventStreams, jsonOrEvents, wantsEvents } from '@rcpt/service/http/event-stream.ts';
import { z } from 'zod';
import { retryDelivery } from '../bridge/retry.ts';
import { cancel, completeByHand, start } from '../domain/by-hand.ts';
import type { Clock, Effect, Job as StoredJob } from '../domain/job.ts';
import { queueOf } from '../domain/queue.ts';
import { createJob, insertJob, newJob, showJobs } from '../jobs.ts';
import { createActiveCheck } from '../members.ts';
import type { Router } from '../router.ts';
import { listArtifacts } from '../store/artifacts.ts';
import { listEvents } from '../store/job-events.ts';
import { findJob, listJobs } from '../store/jobs.ts';
import { listLogs } from '../store/log-chunks.ts';
import { followJob } from '../streams.ts';
import { createdOnce, IdempotencyHeader, keyOf, OPEN_OR_BEARER, sendCreated } from './shell.ts';

const Id = z.object({ id: z.string() });
const After = text(100)
  .describe('The id of the last entry of the page before. A page also ends at 4 MiB; an empty one is the end.')
  .default('');
const Page = z.object({ after: After, limit: PageSize });
/** One page holds all artifacts of almost every job. */
const ArtifactPage = z.object({ after: After, limit: inDigits(z.int().min(1).max(500).default(500)) });

export function jobRoutes(app: App, router: Router, streams: EventStreams): void {
  const { db, writer, long_polls } = router;
  const requireActive = createActiveCheck(db);
  const config = { open_to: 'member' } as const;
  const common = { tags: ['jobs'], security: OPEN_OR_BEARER };

  app.post(
    '/jobs',
    {
      config,
      schema: {
        ...common,
        summary: 'Create a job; it is queued',
        description:
          '403 `member_inactive` for a member without a membership, `dataset_not_granted` for a registered dataset without a grant. What it was granted stays with the job until it ends.',
        headers: IdempotencyHeader,
        body: NewJob,
        response: { 201: Job },
      },
    },
    async (request, reply) => {
      const { body } = request;
      const command = newJob(body, router.prices);
      await requireActive(body.member_id, router.now());
      const isPlain = keyOf(request) === undefined && !body.input_dataset_ids?.length;
      const created = isPlain
        ? createJob(router, command)
        : createdOnce(router, request, (tx, batch, changes) => insertJob(router, body, tx, batch, changes));
      // A worker that waits for such a job asks at once: it is leased the job with the commit that creates it.
      long_polls.wake(queueOf(body.requested_gpu_sku, body.job_type));
      return sendCreated(reply, await created);
    },
  );

  app.get(
    '/jobs',
    {
      config,
      schema: { ...common, summary: 'Jobs, newest first', querystring: JobQuery, response: { 200: z.array(Job) } },
    },
    async (request) => showJobs(router, await listJobs(db, request.query), router.now()),
  );

  app.get(
    '/jobs/:id',
    { config, schema: { ...common, summary: 'One job', params: Id, response: { 200: Job } } },
    (request) => shown(request.params.id),
  );

  const byHand = (
    verb: string,
    described: { summary: string; description?: string },
    apply: (job: StoredJob, clock: Clock) => Effect,
  ) =>
    app.post(
      `/jobs/:id/${verb}`,
      { config, schema: { ...common, ...described, params: Id, response: { 200: Job } } },
      async (request) => {
        const job = await writer.execute<StoredJob>({
          kind: 'job',
          job_id: request.params.id,
          perform(before, record, clock) {
            const effect = apply(before, clock);
            record.effect(effect);
            return effect.job;
          },
        });
        return (await showJobs(router, [job], router.now()))[0]!;
      },
    );
  byHand('start', { summary: 'Start a queued job by hand, without a worker' }, start);
  byHand(
    'complete',
    {
      summary: 'Complete a job that no worker holds',
      description:
        'Billed are the whole seconds since it was started, at least 1. A job that was completed so already is answered unchanged.',
    },
    completeByHand,
  );
  byHand('cancel', { summary: 'Cancel; a worker that holds it is told at once' }, cancel);

  app.post(
    '/jobs/:id/ledger/retry',
    {
      config,
      schema: {
        ...common,
        summary: 'Send a finished job to the ledger again that the ledger refused',
        description:
          'At once, from the call that was refused on. One that waits is sent at once, too; one that was delivered is answered unchanged. 409 `nothing_to_deliver` for a job that opens no Run.',
        params: Id,
        response: { 200: Job },
      },
    },
    async (request) => {
      const { id } = await existing(request.params.id);
      await retryDelivery(router, id);
      return shown(id);
    },
  );

  app.get(
    '/jobs/:id/events',
    {
      config,
      schema: {
        ...common,
        summary: 'What happened, in order',
        params: Id,
        querystring: Page,
        response: { 200: z.array(JobEvent) },
      },
    },
    async (request) => {
      await existing(request.params.id);
      return listEvents(db, request.params.id, request.query.after, request.query.limit);
    },
  );
  app.get(
    '/jobs/:id/logs',
    {
      config,
      schema: {
        ...common,
        summary: 'Log chunks, in the order they came; with `Accept: text/event-stream` as they come',
        description:
          'As a stream it begins after `after` or `Last-Event-ID`, goes on with each new chunk, and ends when the job has ended and all was sent; `limit` does not apply.',
        params: Id,
        querystring: Page,
        headers: z.object({ 'last-event-id': text(100).optional() }),
        response: {
          200: jsonOrEvents(
            z.array(JobLog),
            'Event `log` with a chunk, its `id` that of the chunk; event `job` with the job, first and whenever its status changes.',
          ),
        },
      },
    },
    async (request, reply) => {
      const { id } = request.params;
      const { after, limit } = request.query;
      await existing(id);
      if (!wantsEvents(request)) return (await listLogs(db, id, after, limit)).chunks;
      const from = request.headers['last-event-id'] ?? after;
      return streams.answer(reply, (stream) => followJob(router, id, from, stream));
    },
  );
  app.get(
    '/jobs/:id/artifacts',
    {
      config,
      schema: {
        ...common,
        summary: 'Reported artifacts, in the order they came',
        params: Id,
        querystring: ArtifactPage,
        response: { 200: z.array(Artifact) },
      },
    },
    async (request) => {
      await existing(request.params.id);
      const { after, limit } = request.query;
      return (await listArtifacts(db, request.params.id, after, limit)).map(
        ({ document, ...artifact }) => ({ ...document, ...artifact }) as unknown as z.infer<typeof Artifact>,
      );
    },
  );

  async function existing(id: string): Promise<StoredJob> {
    const job = await findJob(db, id);
    if (job === null) throw new Refusal('not_found', `There is no job ${id}.`);
    return job;
  }
  async function shown(id: string) {
    return (await showJobs(router, [await existing(id)], router.now()))[0]!;
  }
}
