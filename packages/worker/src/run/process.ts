/** A job's command as a child process in a scope of its own, from its start to the last of its descendants. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { dirname } from 'node:path';
import type { Readable } from 'node:stream';
import type { WorkerContext } from '../context.ts';
import type { ActiveLease } from '../leases.ts';
import { createLineSplitter } from '../logs/lines.ts';
import type { Spool, Stream } from '../logs/spool.ts';
import type { JobFolder } from './folder.ts';
import type { Scope } from './scope.ts';

/**
 * Runs the command and, beside it, a watcher that holds the other end of a pipe to the worker. When the worker ends
 * in any way, the pipe closes and the watcher kills the command's control group, every process with its job in the environment,
 * and last their process group with itself: no job outlives the worker that holds its lease. The two have no JOB_FILE.
 */
const GUARD = `group=$1 job_file=$2
shift 2
trap : TERM INT HUP
(trap '' TERM INT HUP
 read -r _
 [ -z "$group" ] || echo 1 >"$group/cgroup.kill"
 kill -KILL $(grep -lzxF "JOB_FILE=$job_file" /proc/[0-9]*/environ | tr -dc '0-9\\n')
 [ -z "$group" ] || { sleep 0.2; rmdir "$group"; }
 kill -KILL 0) <&3 >/dev/null 2>&1 & watch=$!
( [ -z "$group" ] || echo 0 >"$group/cgroup.procs"
  export JOB_FILE="$job_file"
  exec "$@" ) 3<&-
code=$?
kill -KILL $watch
exit $code`;

/** Output that descendants keep open after the command is over is not waited for any longer. */
const LAST_OUTPUT_MS = 2_000;

export interface Ended {
  /** As a shell says it: 128 + the number of the signal that ended it. */
  exit_code: number;
  duration_seconds: number;
  /** The last line it wrote to stderr that is not blank. */
  last_error_line: string;
}

/** Throws `LeaseLost` once the command is stopped, and what the disk throws. */
export async function execute(
  { options, scopes }: WorkerContext,
  lease: ActiveLease,
  folder: JobFolder,
  spool: Spool,
  slot: number,
): Promise<Ended> {
  lease.lost.throwIfAborted();
  const began = performance.now();
  const scope = scopes.open(folder);
  const child = start(options, lease, folder, slot, scope);
  const stop = () => void stopGroup(child, options.stop_seconds * 1_000);
  lease.lost.addEventListener('abort', stop);
  let last_error_line = '';
  const output = Promise.all([
    copy(child.stdout!, 'stdout', spool),
    copy(child.stderr!, 'stderr', spool, (line) => {
      last_error_line = line;
    }),
  ]).catch((error: unknown) => {
    signalGroup(child, 'SIGKILL');
    throw error;
  });
  output.catch(() => undefined);
  try {
    const [code] = (await once(child, 'exit')) as [number | null];
    const duration_seconds = Math.max(0.001, Math.round(performance.now() - began) / 1_000);
    // Processes that it left running end with it, also after exit code 0.
    signalGroup(child, 'SIGKILL');
    await scope.end();
    const late = setTimeout(() => closeOutput(child), LAST_OUTPUT_MS);
    await output.finally(() => clearTimeout(late));
    lease.lost.throwIfAborted();
    return { exit_code: code ?? 137, duration_seconds, last_error_line };
  } finally {
    lease.lost.removeEventListener('abort', stop);
    child.stdio[3]?.destroy();
  }
}

function start(
  { executors, environment }: WorkerContext['options'],
  { job }: ActiveLease,
  folder: JobFolder,
  slot: number,
  { enter, group }: Scope,
): ChildProcess {
  const command = executors.get(job.job_type) ?? [];
  const env = {
    ...environment,
    // `node` in a command is the one this worker runs on.
    PATH: `${dirname(process.execPath)}:${environment.PATH ?? '/usr/local/bin:/usr/bin:/bin'}`,
    JOB_ID: job.id,
    JOB_TYPE: job.job_type,
    JOB_ATTEMPT: String(job.attempt),
    JOB_SLOT: String(slot),
    JOB_ARTIFACTS: folder.artifacts,
    JOB_METRICS: folder.metrics_file,
  };
  const stdio: ['ignore', 'pipe', 'pipe', 'pipe'] = ['ignore', 'pipe', 'pipe', 'pipe'];
  const args = [group, folder.job_file, ...enter, ...command];
  return spawn('/bin/sh', ['-c', GUARD, 'sh', ...args], { cwd: folder.work, env, stdio, detached: true });
}

/** Line by line, no faster than they can be written to disk. */
async function copy(from: Readable, stream: Stream, spool: Spool, onLine?: (line: string) => void): Promise<void> {
  const splitter = createLineSplitter();
  const keep = (lines: string[]) => {
    const last = onLine && lines.findLast((line) => line.trim() !== '');
    if (last !== undefined) onLine?.(last);
    return lines.length > 0 ? spool.add(stream, lines) : undefined;
  };
  try {
    for await (const bytes of from as AsyncIterable<Buffer>) await keep(splitter.push(bytes));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_STREAM_PREMATURE_CLOSE') throw error;
  }
  await keep(splitter.end());
}

/** SIGTERM to the whole group, and SIGKILL to what is left of it after the grace time. */
async function stopGroup(child: ChildProcess, grace_ms: number): Promise<void> {
  signalGroup(child, 'SIGTERM');
  const late = setTimeout(() => signalGroup(child, 'SIGKILL'), grace_ms);
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  clearTimeout(late);
}

function signalGroup({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

function closeOutput({ stdout, stderr }: ChildProcess): void {
  stdout?.destroy();
  stderr?.destroy();
}
