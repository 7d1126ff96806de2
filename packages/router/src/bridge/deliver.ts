/**
 * The bridge (docs/spec.md §24): finished jobs become ledger Runs and are taken to Verdict; a person approves. At least once,
 * with the job's id in every idempotency key: a call that is repeated after a crash is answered as the first time, and the
 * stage that was reached is stored after each call. While the ledger is away, deliveries wait and none is lost. What it refuses for
 * good is parked after the first answer, and sent again when a person says so (`POST /jobs/{id}/ledger/retry`).
 */
import { ProblemError } from '@rcpt/contract/client/call.ts';
import { type LedgerClient, ledgerClient } from '@rcpt/contract/client/ledger.ts';
import type { NewRun } from '@rcpt/contract/ledger/runs.ts';
import type { JsonObject } from '@rcpt/contract/wire.ts';
import { canonicalize } from '@rcpt/proof/canonical.ts';
import type { Logger } from '@rcpt/service/process/log.ts';
import { instant } from '../domain/time.ts';
import type { Router } from '../router.ts';
import { claimDue, type PendingEntry, park, postpone, reach, reachEvidenced } from '../store/bridge.ts';
import type { StoredEvent } from '../store/job-events.ts';
import { keepOpenedRun } from '../store/opened-runs.ts';
import { eventOf } from './event.ts';
import { evidenceOf, type Gathered } from './evidence.ts';
import { AnotherExecution, refusalIn } from './refusal.ts';

const EVERY_MS = 1_000;
const AT_ONCE = 20;
/** A claim that lasts longer was lost with its process. */
const CLAIM_MS = 60_000;
const BACKOFF_MS = { first: 1_000, most: 300_000 };

interface Bridge {
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

async function deliverDue(
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
      const refusal = refusalIn(error);
      if (refusal !== null) {
        const message = `The ledger refused it: ${refusal}`;
        await park(db, eventOf(entry.job_id, 'ledger_refused', message, now()));
        logger.warn({ job_id: entry.job_id, err: error }, 'the ledger refused a finished job; it waits for a person');
        continue;
      }
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

/** Continues where the last attempt stopped. A crash after any call repeats that call, and the ledger answers the same. */
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
  if (stage === 'opened') {
    const left_out = await attachAll(ledger, id, await evidenceOf(db, job_id), key);
    const events = left_out.map((message) => eventOf(job_id, 'ledger_evidence_left_out', message, now()));
    await reachEvidenced(db, job_id, id, events);
    stage = 'evidenced';
  }
  await step('evidenced', 'executed', () =>
    ledger.postExecution(id, execution, key('execution')).catch((error: unknown) => {
      if (!isStageConflict(error)) throw error;
      return requireOurs(ledger, id, execution);
    }),
  );
  await step('executed', 'checked', () => ledger.runChecks(id, key('checks')));
  await step('checked', 'done', () => ledger.giveVerdict(id, key('verdict')));
}

/**
 * The Run has its execution already. Either the router posted it, before the ledger forgot the key, or another credential of that
 * organization did, and it is not the job's. Throws `AnotherExecution`.
 */
async function requireOurs(ledger: LedgerClient, run_id: string, execution: JsonObject): Promise<void> {
  const { execution: posted } = await ledger.getRun(run_id);
  const isSame = Object.entries(execution).every(
    ([name, value]) => posted?.[name] !== undefined && canonicalize(posted[name]) === canonicalize(value),
  );
  if (!isSame)
    throw new AnotherExecution(
      `Run ${run_id} has an execution that is not this job's: the router did not post it. Reject that Run; its figures are not what the job reported.`,
    );
}

/** Evidence that the ledger refuses must not hold up the verdict. The job's events say what is missing, and the reason. */
async function attachAll(
  ledger: LedgerClient,
  run_id: string,
  { items, left_out }: Gathered,
  key: (call: string) => string,
): Promise<string[]> {
  const missing = [...left_out];
  for (const item of items)
    try {
      await ledger.attachEvidence(run_id, item.body, key(`evidence.${item.key}`));
    } catch (error) {
      const { status, code } = error instanceof ProblemError ? error.problem : { status: 0, code: '' };
      // A person took the Run further meanwhile: it takes no more evidence.
      if (![413, 415, 422].includes(status) && code !== 'run_stage_conflict') throw error;
      missing.push(`The ledger’s Run is without “${item.body.label}”: ${refusalIn(error)}`);
    }
  return missing;
}

/** Names the Run among the job's events. */
function opened(job_id: string, run_id: string, now: number): StoredEvent {
  const event = eventOf(job_id, 'ledger_run_opened', `Run ${run_id} was opened in the ledger.`, now);
  return { ...event, payload: { run_id } };
}

/** After the ledger forgot the key (a day) a repeated call is out of order: the Run is further than this call. */
function passedAlready(error: unknown): void {
  if (isStageConflict(error)) return;
  // A person has to decide a rule before there is a verdict: the Run waits for that in the ledger, and the delivery is done.
  if (error instanceof ProblemError && error.problem.code === 'checks_open') return;
  throw error;
}

function isStageConflict(error: unknown): boolean {
  return error instanceof ProblemError && error.problem.code === 'run_stage_conflict';
}
