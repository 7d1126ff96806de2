/** A job's log as it comes. Kept outside of React: thousands of lines a second cost one rendering per moment. */
import type { Job } from '@rcpt/contract/router/compute.ts';
import { logAddress, router } from '../calls.ts';
import { isOver } from '../words.ts';
import { append, type Chunk, type Lines, NO_LINES } from './lines.ts';

/** `over`: the job has ended and all of its log is here. */
export type Standing = 'connecting' | 'live' | 'resting' | 'away' | 'over';
export interface LogState {
  lines: Lines;
  standing: Standing;
}

/** Some 30 MB of text as people write logs; the whole can be downloaded. */
export const MOST_LINES = 100_000;
const GATHER_MS = 80;
const AGAIN_MS = 3_000;

export interface LogFeed {
  subscribe(listener: () => void): () => void;
  state(): LogState;
}

/** Listens while somebody subscribes and the window is seen. `onJob` hears of each new status. */
export function followLog(id: string, onJob: (job: Job) => void): LogFeed {
  const listeners = new Set<() => void>();
  let state: LogState = { lines: NO_LINES, standing: 'connecting' };
  let source: EventSource | null = null;
  let came: Chunk[] = [];
  let gathering: ReturnType<typeof setTimeout> | undefined;
  let again: ReturnType<typeof setTimeout> | undefined;

  const change = (next: Partial<LogState>) => {
    state = { ...state, ...next };
    for (const listener of listeners) listener();
  };
  const gather = () => {
    clearTimeout(gathering);
    gathering = undefined;
    const lines = append(state.lines, came, MOST_LINES);
    came = [];
    if (lines !== state.lines) change({ lines });
  };
  const close = () => {
    clearTimeout(again);
    source?.close();
    source = null;
    gather();
  };
  const open = () => {
    if (source !== null || state.standing === 'over') return;
    const stream = new EventSource(logAddress(id, state.lines.last_id));
    source = stream;
    stream.addEventListener('open', () => change({ standing: 'live' }));
    stream.addEventListener('log', ({ data }: MessageEvent<string>) => {
      came.push(JSON.parse(data) as Chunk);
      gathering ??= setTimeout(gather, GATHER_MS);
    });
    stream.addEventListener('job', ({ data }: MessageEvent<string>) => {
      const job = JSON.parse(data) as Job;
      onJob(job);
      if (!isOver(job.status)) return;
      close();
      change({ standing: 'over' });
    });
    stream.addEventListener('error', () => {
      if (source !== stream) return;
      // Asked anew from the last line that is here, also where the browser would have given up.
      close();
      change({ standing: 'away' });
      again = setTimeout(open, AGAIN_MS);
    });
  };
  const look = () => {
    if (document.visibilityState === 'visible') return open();
    if (source === null) return;
    close();
    change({ standing: 'resting' });
  };

  return {
    subscribe(listener) {
      listeners.add(listener);
      if (listeners.size === 1) {
        document.addEventListener('visibilitychange', look);
        look();
      }
      return () => {
        listeners.delete(listener);
        if (listeners.size > 0) return;
        document.removeEventListener('visibilitychange', look);
        close();
      };
    },
    state: () => state,
  };
}

/** The whole log, byte for byte as the worker sent it: every stream in the order it came. */
export async function wholeLog(id: string): Promise<Blob> {
  const parts: string[] = [];
  for (let after = ''; ; ) {
    const chunks = await router.logs(id, after);
    for (const { lines } of chunks) for (const line of lines) parts.push(`${line}\n`);
    const last = chunks.at(-1);
    if (last === undefined) return new Blob(parts, { type: 'text/plain;charset=utf-8' });
    after = last.id;
  }
}
