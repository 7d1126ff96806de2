import { History, HistoryQuery, Summary, WorkerPage } from '@rcpt/contract/router/admin.ts';
import { Worker } from '@rcpt/contract/router/workers.ts';
import type { App } from '@rcpt/service/http/app.ts';
import { type EventStreams, eventsOnly } from '@rcpt/service/http/event-stream.ts';
import { z } from 'zod';
import { stateOf } from '../domain/worker.ts';
import type { Router } from '../router.ts';
import { eventsOfWorker, leasesOfWorker } from '../store/fleet.ts';
import { listWorkers, loadWorker, type StoredWorker } from '../store/workers.ts';
import { streamChanges } from '../streams.ts';
import { createHistory } from '../views/history.ts';
import { summarize } from '../views/summary.ts';
import { orderWorker, revokeWorker } from '../worker-orders.ts';
import { OPEN_OR_BEARER } from './shell.ts';

const Id = z.object({ id: z.string() });

export function adminRoutes(app: App, router: Router, streams: EventStreams): void {
  const history = createHistory(router.db, router.now);
  const config = { open_to: 'member' } as const;
  const common = { tags: ['admin'], security: OPEN_OR_BEARER };
  const shown = (worker: StoredWorker) => ({ ...worker, status: stateOf(worker, router.now()) });

  app.get(
    '/admin/summary',
    { config, schema: { ...common, summary: 'Counts and sums', response: { 200: Summary } } },
    () => summarize(router.db, router.prices, router.now()),
  );

  app.get(
    '/admin/history',
    {
      config,
      schema: {
        ...common,
        summary: 'Jobs and spend per hour (up to three days) or day, UTC',
        description:
          'A few seconds old at most. `queued` is the depth at the end of the bucket, counted back from now by when jobs were created and when they started or ended; a job that went back to the queue counts as queued until its last start.',
        querystring: HistoryQuery,
        response: { 200: History },
      },
    },
    (request) => history.read(request.query.days),
  );

  app.get(
    '/admin/news',
    {
      config,
      // A stream does not end, so a request for its head alone would not be answered.
      exposeHeadRoute: false,
      schema: {
        ...common,
        summary: 'What changes, as it changes',
        description: 'After a reconnect anything may have changed.',
        response: {
          200: eventsOnly('Event `changed`, its data {"jobs": ["job_…"] or null for many, "workers": true}.'),
        },
      },
    },
    async (_, reply) => streams.answer(reply, (stream) => streamChanges(router, stream)),
  );

  app.get(
    '/admin/workers',
    { config, schema: { ...common, summary: 'All workers', response: { 200: z.array(Worker) } } },
    async () => (await listWorkers(router.db)).map(shown),
  );

  app.get(
    '/admin/workers/:id',
    {
      config,
      schema: {
        ...common,
        summary: 'One worker, its leases and what it did',
        params: Id,
        response: { 200: WorkerPage },
      },
    },
    async (request) => {
      const { id } = request.params;
      const [worker, active_leases, recent_events] = await Promise.all([
        loadWorker(router.db, id),
        leasesOfWorker(router.db, id),
        eventsOfWorker(router.db, id),
      ]);
      return { worker: shown(worker), active_leases, recent_events };
    },
  );

  const order = (verb: string, desired: 'run' | 'drain', summary: string) =>
    app.post(
      `/admin/workers/:id/${verb}`,
      { config, schema: { ...common, summary, params: Id, response: { 200: Worker } } },
      async (request) => {
        const { id } = request.params;
        await orderWorker(router, id, desired);
        return shown(await loadWorker(router.db, id));
      },
    );
  app.post(
    '/admin/workers/:id/revoke',
    {
      config,
      schema: {
        ...common,
        summary: 'End a worker’s token, for good, and free its leases',
        description:
          'Within five seconds no process takes the token any more (401 `worker_revoked`). The jobs it holds go back to the queue, or have failed when their attempts are used up, as if their leases had run out. The holder of the enrollment token can register another worker: change `ROUTER_ENROLLMENT_TOKEN` too where the machine itself is not trusted any more.',
        params: Id,
        response: { 200: Worker },
      },
    },
    async (request) => {
      await revokeWorker(router, request.params.id);
      return shown(await loadWorker(router.db, request.params.id));
    },
  );
  order('drain', 'drain', 'Lease nothing new to this worker');
  order('resume', 'run', 'Lease to this worker again');
}
