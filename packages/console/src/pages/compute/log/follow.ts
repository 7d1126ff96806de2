/** A job's log as it comes, read when the router tells of its job. Kept outside of React. */
import type { Job } from '@rcpt/contract/router/compute.ts';
import { router } from '../../../api/clients.ts';
import { isOver } from '../format.ts';
import { onJobChange } from '../router-changes.ts';
import { append, type Lines, NO_LINES } from './lines.ts';

/** `over`: the job has ended and all of its log is here. */
export type LogConnection = 'connecting' | 'live' | 'away' | 'over';
interface LogState {
  lines: Lines;
  connection: LogConnection;
}

/** Some 30 MB of text as people write logs; the whole can be downloaded. */
const MOST_LINES = 100_000;
/** What is told meanwhile is read together. */
const CALM_MS = 250;
/** Read anyway so often: events may be late, or the stream may have broken off. */
const LOOK_MS = 3_000;

interface LogFeed {
  subscribe(listener: () => void): () => void;
  state(): LogState;
}

/** Reads while it has a subscriber and the window is visible, until the job is over. `onJob` is given the job as it was read. */
export function followLog(id: string, onJob: (job: Job) => void): LogFeed {
  const listeners = new Set<() => void>();
  let state: LogState = { lines: NO_LINES, connection: 'connecting' };
  let leaving = new AbortController();

  const change = (next: Partial<LogState>) => {
    state = { ...state, ...next };
    for (const listener of listeners) listener();
  };
  const catchUp = async (signal: AbortSignal) => {
    // Read before its log: what is final now gets no more log.
    const job = await router.getJob(id, signal);
    onJob(job);
    for (let more = true; more; ) {
      const chunks = await router.jobLogs(id, state.lines.last_id, signal);
      const lines = append(state.lines, chunks, MOST_LINES);
      more = chunks.length > 0;
      if (lines !== state.lines) change({ lines });
    }
    const connection = isOver(job.status) ? 'over' : 'live';
    if (connection !== state.connection) change({ connection });
  };
  const follow = async (signal: AbortSignal) => {
    let told = false;
    let wake = () => {};
    const tell = () => {
      told = true;
      wake();
    };
    const stop = onJobChange(id, tell);
    signal.addEventListener('abort', tell);
    while (!signal.aborted && state.connection !== 'over') {
      told = false;
      if (document.visibilityState === 'visible')
        await catchUp(signal).catch(() => signal.aborted || change({ connection: 'away' }));
      await new Promise((resolve) => setTimeout(resolve, CALM_MS));
      if (told) continue;
      await new Promise<void>((resolve) => {
        wake = resolve;
        setTimeout(resolve, LOOK_MS);
      });
    }
    stop();
  };

  return {
    subscribe(listener) {
      listeners.add(listener);
      if (listeners.size === 1) {
        leaving = new AbortController();
        void follow(leaving.signal);
      }
      return () => {
        listeners.delete(listener);
        if (listeners.size === 0) leaving.abort();
      };
    },
    state: () => state,
  };
}

/** The whole log, byte for byte as the worker sent it: every stream in the order it came. */
export async function wholeLog(id: string): Promise<Blob> {
  const parts: string[] = [];
  for (let after = ''; ; ) {
    const chunks = await router.jobLogs(id, after);
    for (const { lines } of chunks) for (const line of lines) parts.push(`${line}\n`);
    const last = chunks.at(-1);
    if (last === undefined) return new Blob(parts, { type: 'text/plain;charset=utf-8' });
    after = last.id;
  }
}
