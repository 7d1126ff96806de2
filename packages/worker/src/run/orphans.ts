/**
 * Processes of jobs that outlived their command, found by what they inherit: the job's folder in the environment they were started with, the
 * job's control group, the session of one that was found, or one that was found as parent. A job that clears its environment,
 * leaves its session and outlives its parent is found by its control group alone.
 */
import { readdir, readFile } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';

const LOOK_MS = 20;
const LOOKS = 250;

interface Process {
  pid: number;
  parent: number;
  session: number;
  is_found: boolean;
}

/**
 * Resolves when none is left. Where the system has no /proc, the watcher in `process.ts` is relied on.
 * @param folder what `JOB_FILE` starts with; with a slash at its end, so that no other job's folder starts like it
 * @param group what the path of the control group has after a slash; with one at its end for one job
 */
export async function endOrphans(folder: string, group: string): Promise<void> {
  for (let look = 0; look < LOOKS; look++) {
    const left = await processesOf(folder, group);
    if (left.length === 0) return;
    for (const pid of left) kill(pid);
    await pause(LOOK_MS);
  }
  throw new Error(`processes of a job cannot be ended: ${folder}`);
}

async function processesOf(folder: string, group: string): Promise<number[]> {
  const pids = (await readdir('/proc').catch(() => [])).filter((name) => /^\d+$/.test(name)).map(Number);
  const processes = (await Promise.all(pids.map((pid) => look(pid, folder, group)))).filter((each) => each !== null);
  const own = processes.find(({ pid }) => pid === process.pid)?.session;
  const found = new Set(processes.filter(({ is_found }) => is_found).map(({ pid }) => pid));
  for (let before = -1; before < found.size; ) {
    before = found.size;
    const sessions = new Set(processes.filter(({ pid }) => found.has(pid)).map(({ session }) => session));
    for (const { pid, parent, session } of processes)
      if (found.has(parent) || (session !== own && session !== 0 && sessions.has(session))) found.add(pid);
  }
  found.delete(process.pid);
  return [...found];
}

/** Null for one that has ended, and for a zombie. */
async function look(pid: number, folder: string, group: string): Promise<Process | null> {
  const read = (name: string) => readFile(`/proc/${pid}/${name}`, 'utf8').catch(() => '');
  const [stat, environment, groups] = await Promise.all([read('stat'), read('environ'), read('cgroup')]);
  const [state, parent, , session] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  if (session === undefined || state === 'Z' || state === 'X') return null;
  const is_found =
    environment.split('\0').some((variable) => variable.startsWith(`JOB_FILE=${folder}`)) ||
    groups.split('\n').some((line) => line.startsWith('0::') && `${line}/`.includes(`/${group}`));
  return { pid, parent: Number(parent), session: Number(session), is_found };
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
