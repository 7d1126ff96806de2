/** All routes of the router, registered by hand. */

import { type App, createHttp } from '@rcpt/service/http/app.ts';
import { acceptStreams } from '@rcpt/service/http/event-stream.ts';
import type { Logger } from '@rcpt/service/process/log.ts';
import { adminRoutes } from './http/admin.ts';
import { computeRoutes } from './http/compute.ts';
import { jobRoutes } from './http/jobs.ts';
import { datasetRoutes, memberRoutes } from './http/members.ts';
import { healthRoutes, receiptRoutes } from './http/receipts.ts';
import { authenticate } from './http/shell.ts';
import { workerRoutes } from './http/workers.ts';
import { ROUTER_PROBLEMS } from './problems.ts';
import type { Router } from './router.ts';
import { VERSION } from './version.ts';

export async function createApp(router: Router, logger: Logger): Promise<App> {
  const { config } = router;
  const app = await createHttp({
    title: 'Compute router',
    description:
      'Members submit jobs, workers fetch and run them, the server meters the cost, and every significant act leaves a checksummed receipt. An optional field that is sent as null counts as left out; unknown fields are ignored.',
    version: VERSION,
    tags: [
      { name: 'members', description: 'Members and their annual membership' },
      { name: 'datasets', description: 'Datasets and who may have them' },
      { name: 'compute', description: 'Nodes and quotes from server-side rates' },
      { name: 'jobs', description: 'Jobs as members see them' },
      { name: 'workers', description: 'The worker contract, version 0.2' },
      { name: 'receipts', description: 'The local receipts ledger' },
      { name: 'admin', description: 'Fleet and queue at a glance' },
      { name: 'health', description: 'For platforms' },
    ],
    logger,
    problems: ROUTER_PROBLEMS,
    json_body_bytes: config.json_body_bytes,
    overload_delay_ms: config.overload_delay_ms,
    trust_proxy: config.trust_proxy,
  });
  authenticate(app, router);
  const streams = acceptStreams(app, logger);
  memberRoutes(app, router);
  datasetRoutes(app, router);
  computeRoutes(app, router);
  jobRoutes(app, router, streams);
  workerRoutes(app, router);
  receiptRoutes(app, router);
  adminRoutes(app, router, streams);
  healthRoutes(app, router);
  return app;
}
