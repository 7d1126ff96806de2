/**
 * Processes of a job that have outlived their worker. The watcher in `execute.ts` kills them with it; should the watcher
 * itself have been killed, they are found here by the job's folder in their environment, before the job runs again.
 */
import { readdir, readFile } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import type { JobFolder } from './job-folder.ts';

const LOOK_MS = 20;
const LOOKS = 250;

/** Resolves when none is left. Where the system has no /proc, the watcher is relied on. */
export async function endLeftovers({ job_file }: Pick<JobFolder, 'job_file'>): Promise<void> {
  for (let look = 0; look < LOOKS; look++) {
    const left = await processesWith(`JOB_FILE=${job_file}`);
    if (left.length === 0) return;
    for (const pid of left) kill(pid);
    await pause(LOOK_MS);
  }
  throw new Error(`processes of a job cannot be ended: ${job_file}`);
}

async function processesWith(variable: string): Promise<number[]> {
  const pids = (await readdir('/proc').catch(() => [])).filter((name) => /^\d+$/.test(name)).map(Number);
  const found = await Promise.all(
    pids.map(async (pid) => {
      const environment = await readFile(`/proc/${pid}/environ`, 'utf8').catch(() => '');
      return environment.split('\0').includes(variable);
    }),
  );
  return pids.filter((pid, i) => found[i] && pid !== process.pid);
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
