/**
 * A control group (cgroup v2) per job, below the worker's own, where the system gives the worker one: what a job starts is in it
 * however it detaches itself, and all of it is killed at once. With systemd that takes `Delegate=yes`.
 */
import { accessSync, constants, mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

const LOOK_MS = 10;
const LOOKS = 500;

interface OwnGroup {
  /** The worker's own group: below it, it makes those of its jobs. */
  path: string;
  /** Below it stand all groups that can be seen. */
  mount: string;
}

/** Where this worker may make groups. Null where it may not. */
export function findOwnGroup(): OwnGroup | null {
  try {
    const mount = readFileSync('/proc/self/mountinfo', 'utf8')
      .split('\n')
      .map((line) => line.split(' '))
      .find((words) => words[words.indexOf('-') + 1] === 'cgroup2');
    const [, own] = /^0::(.*)$/m.exec(readFileSync('/proc/self/cgroup', 'utf8')) ?? [];
    if (mount === undefined || own === undefined || own.startsWith('/..')) return null;
    const path = join(mount[4]!, own);
    const probe = join(path, `job-probe-${process.pid}`);
    // Moving a process into it takes the right to write both.
    accessSync(join(path, 'cgroup.procs'), constants.W_OK);
    mkdirSync(probe);
    try {
      accessSync(join(probe, 'cgroup.kill'), constants.W_OK);
    } finally {
      rmdirSync(probe);
    }
    return { path, mount: mount[4]! };
  } catch {
    return null;
  }
}

export function makeGroup(path: string): void {
  mkdirSync(path, { recursive: true });
}

/** Those whose name starts with `prefix`. */
export function groupsIn(path: string, prefix: string): string[] {
  const entries = readdirSync(path, { withFileTypes: true });
  const groups = entries.filter((entry) => entry.isDirectory() && entry.name.startsWith(prefix));
  return groups.map(({ name }) => join(path, name));
}

/** Resolves when nothing of the group is left, itself included. Throws when its processes do not end. */
export async function endGroup(path: string): Promise<void> {
  for (let look = 0; look < LOOKS; look++) {
    try {
      writeFileSync(join(path, 'cgroup.kill'), '1');
      removeTree(path);
      return;
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'ENOENT' || code === 'ENODEV') return;
      if (code !== 'EBUSY') throw error;
    }
    await pause(LOOK_MS);
  }
  throw new Error(`processes of a job cannot be ended: ${path}`);
}

/** Groups that the job made in its own, before it. */
function removeTree(path: string): void {
  for (const entry of readdirSync(path, { withFileTypes: true }))
    if (entry.isDirectory()) removeTree(join(path, entry.name));
  rmdirSync(path);
}
