/** All routes of the ledger, registered by hand. */

import { type App, createHttp } from '@rcpt/service/http/app.ts';
import { acceptStreams } from '@rcpt/service/http/event-stream.ts';
import type { Logger } from '@rcpt/service/process/log.ts';
import { activityRoutes } from './http/activity.ts';
import { agentProfileRoutes } from './http/agent-profiles.ts';
import { answerInTurns } from './http/answer-turns.ts';
import { authenticate } from './http/auth.ts';
import { createBodyLimits } from './http/body-limits.ts';
import { isPage, serveConsole } from './http/console.ts';
import { disclosureRoutes } from './http/disclosures.ts';
import { evidenceRoutes } from './http/evidence.ts';
import { flightSheetRoutes } from './http/flight-sheets.ts';
import { healthRoutes } from './http/health.ts';
import { keyRoutes } from './http/keys.ts';
import { liveRoutes } from './http/live.ts';
import { logRoutes } from './http/log.ts';
import { memberRoutes } from './http/members.ts';
import { organizationRoutes } from './http/organizations.ts';
import { packRoutes } from './http/pack.ts';
import { passkeyRoutes } from './http/passkeys.ts';
import { receiptRoutes } from './http/receipts.ts';
import { ROUTER_DESCRIPTION, routerRoutes } from './http/router.ts';
import { runRoutes } from './http/runs.ts';
import { sessionRoutes } from './http/session.ts';
import { shareRoutes } from './http/share.ts';
import { shareApprovalRoutes } from './http/share-approval.ts';
import { shareLogRoutes } from './http/share-log.ts';
import { shareStatementRoutes } from './http/share-statement.ts';
import { sharingRoutes } from './http/sharing.ts';
import { createStreamLimits } from './http/stream-limits.ts';
import { timestampRoutes } from './http/timestamps.ts';
import { acceptUploads } from './http/uploads.ts';
import { verifyRoutes } from './http/verify.ts';
import { witnessRoutes } from './http/witnesses.ts';
import type { Ledger } from './ledger.ts';
import { LEDGER_PROBLEMS } from './problems.ts';
import { VERSION } from './version.ts';

/** Pages that are open somewhere, each with a stream. */
const MOST_STREAMS = 1_000;

export async function createApp(ledger: Ledger, logger: Logger): Promise<App> {
  const { config } = ledger;
  const bodies = createBodyLimits();
  const app = await createHttp({
    title: 'Receipt ledger',
    description:
      'A Run passes Inputs → Evidence → Execution → Checks → Verdict → Approval → Receipt. An approved Run mints a receipt at the tail of its organization’s SHA-256 hash chain. An optional field that is sent as null counts as left out; unknown fields are ignored.',
    version: VERSION,
    tags: [
      { name: 'runs', description: 'Seven stages, seven calls' },
      { name: 'receipts', description: 'Minted receipts, as stored' },
      { name: 'ledger', description: 'The chain and its verification' },
      { name: 'activity', description: 'What administrators did: a second chain, and its verification' },
      { name: 'sharing', description: 'Public links' },
      { name: 'flight sheets', description: 'Named rule sheets of the eval lane' },
      { name: 'organizations', description: 'Tenancy, keys and agent profiles' },
      { name: 'people', description: 'Sign-in, sessions and members' },
      { name: 'router', description: ROUTER_DESCRIPTION },
      { name: 'health', description: 'For platforms' },
    ],
    logger,
    problems: LEDGER_PROBLEMS,
    json_body_bytes: config.json_body_bytes,
    readBody: bodies.readBody,
    overload_delay_ms: config.overload_delay_ms,
    trust_proxy: config.trust_proxy,
    session_cookie: ledger.session_cookie.name,
    isPage,
  });
  const streams = acceptStreams(app, logger, MOST_STREAMS);
  const limits = createStreamLimits(ledger.db);
  serveConsole(app);
  authenticate(app, ledger);
  await acceptUploads(app, bodies, config.evidence_bytes);
  answerInTurns(app);
  organizationRoutes(app, ledger);
  keyRoutes(app, ledger);
  agentProfileRoutes(app, ledger);
  flightSheetRoutes(app, ledger);
  runRoutes(app, ledger);
  evidenceRoutes(app, ledger);
  receiptRoutes(app, ledger);
  logRoutes(app, ledger, '/ledger', 'receipts', 'read');
  timestampRoutes(app, ledger, '/ledger', 'receipts', 'read');
  logRoutes(app, ledger, '/activity', 'activity', 'audit');
  timestampRoutes(app, ledger, '/activity', 'activity', 'audit');
  verifyRoutes(app, ledger, streams, logger);
  activityRoutes(app, ledger);
  packRoutes(app, ledger);
  sharingRoutes(app, ledger);
  await shareRoutes(app, ledger);
  shareApprovalRoutes(app, ledger);
  shareLogRoutes(app, ledger);
  disclosureRoutes(app, ledger, logger);
  shareStatementRoutes(app, ledger);
  sessionRoutes(app, ledger);
  passkeyRoutes(app, ledger);
  memberRoutes(app, ledger);
  routerRoutes(app, ledger, limits, logger);
  liveRoutes(app, ledger, streams, limits);
  witnessRoutes(app, ledger);
  healthRoutes(app, ledger);
  return app;
}
