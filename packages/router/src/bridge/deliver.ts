/**
 * The bridge (contract §4): finished jobs become ledger Runs and are taken to Verdict; a person approves. At least once,
 * with the job's id in every idempotency key: a call that is repeated after a crash is answered as the first time, and the
 * stage that was reached is stored after each call. The ledger being away delays and never loses.
 */
import { type LedgerClient, ledgerClient, ProblemError } from '@rcpt/contract/client.ts';
import type { NewRun } from '@rcpt/contract/ledger/runs.ts';
import type { JsonObject } from '@rcpt/contract/wire.ts';
import { newId } from '@rcpt/service/identity.ts';
import type { Logger } from '@rcpt/service/log.ts';
import { instant } from '../domain/time.ts';
import type { Router } from '../router.ts';
import { claimDue, type PendingEntry, postpone, reach } from '../store/bridge.ts';
import type { StoredEvent } from '../store/jobs.ts';
import { keepOpenedRun } from '../store/opened-runs.ts';
import { evidenceOf } from './evidence.ts';

const EVERY_MS = 1_000;
const AT_ONCE = 20;
/** A claim that is not settled by then was lost with its process. */
const CLAIM_MS = 60_000;
const BACKOFF_MS = { first: 1_000, most: 300_000 };

export interface Bridge {
  close(): Promise<void>;
}

export function startBridge(router: Router, logger: Logger): Bridge {
  const { ledger_url, ledger_api_key } = router.config;
  if (ledger_url === undefined || ledger_api_key === undefined) return { close: async () => {} };
  const ledger = ledgerClient({ base_url: ledger_url, token: ledger_api_key });
  let running: Promise<unknown> = Promise.resolve();
  let busy = false;
  const timer = setInterval(() => {
    if (busy) return;
    busy = true;
    running = deliverDue(router, ledger, logger)
      .catch((error: unknown) => logger.warn({ err: error }, 'the bridge waits'))
      .finally(() => {
        busy = false;
      });
  }, EVERY_MS);
  return {
    async close() {
      clearInterval(timer);
      await running;
    },
  };
}

export async function deliverDue(
  { db, now }: Pick<Router, 'db' | 'now'>,
  ledger: LedgerClient,
  logger: Logger,
): Promise<void> {
  const due = await claimDue(db, instant(now()), instant(now() + CLAIM_MS), AT_ONCE);
  for (const entry of due) {
    try {
      await deliver({ db, now }, ledger, entry);
      logger.info({ job_id: entry.job_id, lane: entry.lane }, 'a finished job is in the ledger, waiting for approval');
    } catch (error) {
      const delay =
        Math.min(BACKOFF_MS.most, BACKOFF_MS.first * 2 ** Math.min(entry.attempts, 20)) * (0.5 + Math.random() / 2);
      await postpone(
        db,
        entry.job_id,
        instant(now() + delay),
        error instanceof Error ? error.message.slice(0, 500) : 'failed',
      );
      logger.warn(
        { job_id: entry.job_id, attempts: entry.attempts + 1, err: error },
        'the ledger did not take a finished job yet',
      );
    }
  }
}

/** Takes up where the last attempt stopped. A crash after any call repeats that call, which the ledger answers the same. */
async function deliver(
  { db, now }: Pick<Router, 'db' | 'now'>,
  ledger: LedgerClient,
  entry: PendingEntry,
): Promise<void> {
  const { job_id } = entry;
  const { execution, ...run } = entry.document as unknown as {
    title: string;
    inputs: JsonObject;
    execution: JsonObject;
  };
  const key = (call: string) => `${job_id}.${call}`;
  let { stage } = entry;
  const id = entry.run_id ?? (await ledger.openRun({ lane: entry.lane, ...run } satisfies NewRun, key('run'))).id;
  const step = async (from: string, to: string, call: () => Promise<unknown>) => {
    if (stage !== from) return;
    await call().catch(passedAlready);
    await reach(db, job_id, id, to);
    stage = to;
  };
  if (stage === 'new') {
    await keepOpenedRun(db, id, opened(job_id, id, now()));
    stage = 'opened';
  }
  await step('opened', 'evidenced', async () => {
    for (const item of await evidenceOf(db, job_id))
      await ledger.attachEvidence(id, item.body, key(`evidence.${item.key}`)).catch(unlessRefused);
  });
  await step('evidenced', 'executed', () => ledger.postExecution(id, execution, key('execution')));
  await step('executed', 'checked', () => ledger.runChecks(id, key('checks')));
  await step('checked', 'done', () => ledger.giveVerdict(id, key('verdict')));
}

/** How whoever looks at the job finds what became of it. */
function opened(job_id: string, run_id: string, now: number): StoredEvent {
  return {
    id: newId('event'),
    job_id,
    event_type: 'ledger_run_opened',
    message: `Run ${run_id} was opened in the ledger.`,
    payload: { run_id },
    worker_id: null,
    created_at: instant(now),
  };
}

/** An item the ledger will never take must not keep the Run from its verdict, whose checks say what is missing. */
function unlessRefused(error: unknown): void {
  if (!(error instanceof ProblemError) || ![413, 415, 422].includes(error.problem.status)) throw error;
}

/** After the ledger forgot the key (a day) a repeated call is out of order: the Run is further than this call. */
function passedAlready(error: unknown): void {
  if (error instanceof ProblemError && error.problem.code === 'run_stage_conflict') return;
  // A person has to decide a rule before there is a verdict: the Run waits for them in the ledger, and we are done.
  if (error instanceof ProblemError && error.problem.code === 'checks_open') return;
  throw error;
}
