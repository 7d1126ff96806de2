/**
 * One leased job, from accept to complete or fail:
 *   accept → the command runs, its log is sent meanwhile → outcome stored on disk → log acknowledged → artifacts → complete
 * A lost lease stops it at any point. When the worker crashes, the command ends with it; the next worker (resume.ts) delivers an
 * outcome that was stored, and runs a command without one again, under the same lease.
 */
import type { FileHandle } from 'node:fs/promises';
import { ProblemError } from '@rcpt/contract/client/call.ts';
import { JsonObject } from '@rcpt/contract/wire.ts';
import type { WorkerContext } from '../context.ts';
import { type ActiveLease, LeaseLost } from '../leases.ts';
import { sentUpTo, shipLogs } from '../logs/ship.ts';
import { openSpool, type SpoolAndReader } from '../logs/spool.ts';
import { isTransient, messageOf, retry } from '../retry.ts';
import { CALL_MS, underLease } from '../under-lease.ts';
import { ArtifactsRefused, deliverArtifacts } from './artifacts.ts';
import {
  clearJobFolder,
  type JobFolder,
  makeJobFolder,
  type Outcome,
  openPlainFile,
  removeJobFolder,
  storeOutcome,
} from './folder.ts';
import { type Ended, execute } from './process.ts';

const METRICS_BYTES = 262_144;
const MESSAGE_UNITS = 2_000;
const STARTED = { event_type: 'command_started', message: 'The worker runs its command.' };
const RESTARTED = {
  event_type: 'command_restarted',
  message: 'The worker was interrupted and runs its command again.',
};

/**
 * Never rejects: a failure is reported to the router and in the log.
 * @param interrupted its folder, when an earlier worker was interrupted
 */
export async function performJob(
  worker: WorkerContext,
  lease: ActiveLease,
  slot: number,
  interrupted?: JobFolder,
): Promise<void> {
  const { job } = lease;
  const log = worker.log.child({ job_id: job.id, attempt: job.attempt });
  let folder = interrupted;
  try {
    // Before the job is accepted: without the stored lease it could not be resumed.
    folder ??= await makeJobFolder(worker.options.state, lease);
    if (interrupted !== undefined) await clearJobFolder(interrupted, job);
    await underLease(worker, lease, () => worker.router.accept(job.id, lease.lease_token, callSignal(lease)));
    log.info({ job_type: job.job_type }, 'accepted');
    const spool = await openSpool(folder.log_file, await sentUpTo(folder));
    const shipping = shipLogs(worker, lease, folder, spool.reader);
    shipping.catch(() => undefined);
    const outcome = await run(worker, lease, folder, spool, slot, interrupted === undefined ? STARTED : RESTARTED);
    await storeOutcome(folder, outcome);
    await finishJob(worker, lease, folder, outcome, shipping);
  } catch (error) {
    if (!(error instanceof LeaseLost)) {
      log.error({ err: error }, 'the job failed in this worker');
      await finish(
        worker,
        lease,
        failed('worker_error', `The worker could not run the job: ${messageOf(error)}`),
      ).catch(() => undefined);
    } else log.warn({ loss: error.loss }, 'stopped: the lease is lost');
  } finally {
    worker.leases.release(lease);
    if (folder !== undefined)
      await removeJobFolder(folder).catch((err: unknown) => log.warn({ err }, 'a job folder stays'));
  }
}

/** Brings the router what is still missing of a job whose command is over. Throws `LeaseLost`. */
export async function finishJob(
  worker: WorkerContext,
  lease: ActiveLease,
  folder: JobFolder,
  outcome: Outcome,
  shipping: Promise<void>,
): Promise<void> {
  await shipping;
  if (outcome.kind === 'failed') return finish(worker, lease, outcome);
  try {
    await finish(worker, lease, outcome, await deliverArtifacts(worker, lease, folder));
  } catch (error) {
    const refused = error instanceof ArtifactsRefused || error instanceof ProblemError;
    if (!refused) throw error;
    await finish(
      worker,
      lease,
      failed('result_refused', `The command succeeded, its result was refused: ${error.message}`),
    );
  }
}

async function run(
  worker: WorkerContext,
  lease: ActiveLease,
  folder: JobFolder,
  spool: SpoolAndReader,
  slot: number,
  event: { event_type: string; message: string },
): Promise<Outcome> {
  try {
    const { job } = lease;
    worker.router
      .status(job.id, { ...event, lease_token: lease.lease_token }, callSignal(lease))
      .catch(() => undefined);
    const ended = await execute(worker, lease, folder, spool, slot);
    worker.log.info(
      { job_id: job.id, exit_code: ended.exit_code, duration_seconds: ended.duration_seconds },
      'command ended',
    );
    return ended.exit_code === 0 ? succeeded(ended, folder) : failed('command_failed', exitMessage(ended));
  } finally {
    await spool.close();
  }
}

/** The command's own metrics, and the seconds measured here where it states none. */
async function succeeded({ duration_seconds }: Ended, { metrics_file }: JobFolder): Promise<Outcome> {
  const file = await openPlainFile(metrics_file).catch(() => undefined);
  if (file === undefined) return failed('metrics_invalid', 'The metrics file is no regular file.');
  if (file === null) return { kind: 'completed', metrics: { duration_seconds } };
  const { size, text } = await read(file).finally(() => file.close());
  if (size > METRICS_BYTES)
    return failed('metrics_invalid', `The metrics file has ${size} bytes; ${METRICS_BYTES} are taken.`);
  const metrics = JsonObject.safeParse(parsed(text));
  if (!metrics.success) return failed('metrics_invalid', 'The metrics file does not hold a JSON object.');
  const own = metrics.data.duration_seconds;
  const seconds = typeof own === 'number' && own > 0 ? own : duration_seconds;
  return { kind: 'completed', metrics: { ...metrics.data, duration_seconds: seconds } };
}

async function read(file: FileHandle): Promise<{ size: number; text: string }> {
  const { size } = await file.stat();
  return { size, text: size > METRICS_BYTES ? '' : await file.readFile('utf8') };
}

function failed(error_code: string, message: string): Outcome {
  return {
    kind: 'failed',
    error_code,
    message: message.replaceAll('\u0000', '').toWellFormed().slice(0, MESSAGE_UNITS).toWellFormed(),
  };
}

function exitMessage({ exit_code, last_error_line }: Ended): string {
  return `The command ended with exit code ${exit_code}${last_error_line === '' ? '.' : `: ${last_error_line}`}`;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/**
 * The last call of a job. It goes on when a heartbeat says meanwhile that the lease is lost: only the answer to this call says
 * whether the result arrived. Throws `LeaseLost` when it did not.
 */
async function finish(
  { router, log }: WorkerContext,
  lease: ActiveLease,
  outcome: Outcome,
  output_uri?: string,
): Promise<void> {
  const { job, lease_token } = lease;
  const signal = () => AbortSignal.timeout(CALL_MS);
  const call =
    outcome.kind === 'completed'
      ? () => router.complete(job.id, { lease_token, output_uri, metrics: outcome.metrics }, signal())
      : () => router.fail(job.id, { lease_token, error_code: outcome.error_code, message: outcome.message }, signal());
  lease.lost.throwIfAborted();
  try {
    await retry(call, {
      signal: new AbortController().signal,
      isRetryable: (error) => isTransient(error) && !lease.lost.aborted,
      onFailure: (error) =>
        log.warn({ job_id: job.id, reason: messageOf(error) }, 'the result did not reach the router; trying again'),
    });
    log.info({ job_id: job.id, outcome: outcome.kind }, 'delivered');
  } catch (error) {
    const { status, code } = error instanceof ProblemError ? error.problem : { status: 0, code: '' };
    lease.lost.throwIfAborted();
    if (code === 'job_canceled') throw new LeaseLost('canceled');
    if (status === 400 || status === 401 || status === 404 || status === 409) throw new LeaseLost('expired');
    throw error;
  }
}

function callSignal({ lost }: ActiveLease): AbortSignal {
  return AbortSignal.any([lost, AbortSignal.timeout(CALL_MS)]);
}
