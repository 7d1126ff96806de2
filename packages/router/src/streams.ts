/** Event streams for open pages: a job with its log, and that something changed. */
import type { RouterChanged } from '@rcpt/contract/router/admin.ts';
import type { EventStream } from '@rcpt/service/http/event-stream.ts';
import { isFinal } from './domain/job.ts';
import { showJobs } from './jobs.ts';
import type { Notifier, VisibleChanges } from './notifier.ts';
import type { Router } from './router.ts';
import { findJob } from './store/jobs.ts';
import { listLogs } from './store/log-chunks.ts';

const CHUNKS = 100;
/** Chunks that come close together are read together. */
const SETTLE_MS = 40;
/** The database is asked so often anyway: a notification from another process may be lost, or come before the stream listened. */
const LOOK_MS = 2_000;
const GATHER_MS = 150;
const JOBS_NAMED = 100;

/** Sends the log chunks after `after`, each new one as it comes, and the job whenever its status changes. Ends with the job. */
export async function followJob(
  { db, notifier, fleet, now }: Pick<Router, 'db' | 'notifier' | 'fleet' | 'now'>,
  id: string,
  after: string,
  stream: EventStream,
): Promise<void> {
  const changes = listen(notifier, stream, ({ jobs }) => jobs === null || jobs.includes(id));
  let sent_status = '';
  let last = after;
  try {
    while (!stream.ended.aborted) {
      // The job is read before its log: a job that is final by then gets no more log.
      const job = await findJob(db, id);
      if (job === null) return;
      const { chunks, more } = await listLogs(db, id, last, CHUNKS);
      for (const chunk of chunks) {
        const { job_id: _, attempt: __, ...log } = chunk;
        await stream.send('log', log, chunk.id);
        last = chunk.id;
      }
      if (more) continue;
      const status = `${job.status} ${job.attempt}`;
      if (status !== sent_status) await stream.send('job', (await showJobs({ db, fleet }, [job], now()))[0]);
      sent_status = status;
      if (isFinal(job)) return;
      await changes.next(LOOK_MS);
    }
  } finally {
    changes.stop();
  }
}

/** Sends that something changed, at most every 150 ms. */
export async function streamChanges({ notifier }: Pick<Router, 'notifier'>, stream: EventStream): Promise<void> {
  let changed: RouterChanged | null = null;
  const changes = listen(notifier, stream, (visible) => {
    changed = together(changed, visible);
    return true;
  });
  try {
    while (!stream.ended.aborted) {
      if (!(await changes.next())) continue;
      await pause(GATHER_MS, stream.ended);
      const gathered = changed;
      changed = null;
      if (gathered !== null) await stream.send('changed', gathered);
    }
  } finally {
    changes.stop();
  }
}

function together(before: RouterChanged | null, { jobs, workers }: VisibleChanges): RouterChanged {
  if (before === null) return { jobs: limited(jobs), workers };
  const all = before.jobs === null || jobs === null ? null : [...new Set([...before.jobs, ...jobs])];
  return { jobs: limited(all), workers: before.workers || workers };
}

function limited(jobs: string[] | null): string[] | null {
  return jobs === null || jobs.length > JOBS_NAMED ? null : jobs;
}

/** Changes that came since the last `next` are not missed. */
function listen(notifier: Notifier, { ended }: EventStream, concerns: (visible: VisibleChanges) => boolean) {
  let came = false;
  let wake = () => {};
  const stop = notifier.onVisible((visible) => {
    if (!concerns(visible)) return;
    came = true;
    wake();
  });
  const gone = () => wake();
  ended.addEventListener('abort', gone);
  return {
    stop() {
      stop();
      ended.removeEventListener('abort', gone);
    },
    /** True when something changed; false after `ms`, or when the stream has ended. */
    async next(ms?: number): Promise<boolean> {
      if (!came && !ended.aborted)
        await new Promise<void>((resolve) => {
          const late = ms === undefined ? undefined : setTimeout(resolve, ms);
          wake = () => {
            clearTimeout(late);
            resolve();
          };
        });
      if (came) await pause(SETTLE_MS, ended);
      const there = came;
      came = false;
      return there;
    },
  };
}

function pause(ms: number, ended: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (ended.aborted) return resolve();
    const go = () => {
      clearTimeout(timer);
      ended.removeEventListener('abort', go);
      resolve();
    };
    const timer = setTimeout(go, ms);
    ended.addEventListener('abort', go);
  });
}
