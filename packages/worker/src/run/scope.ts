/**
 * The scope a job's command runs in, and its end: every process that the command started ends with it, also one that went into a session
 * or a group of its own, and also when the worker was killed meanwhile.
 *   a control group, where the worker may make one (cgroup.ts), is killed whole
 *   else, and beside it, processes are found by what they inherit (orphans.ts)
 * Where the system lets it, the command runs in a user and mount namespace of its own. The kernel then keeps it from the memory,
 * environment and open files of every process outside, of the same user too; and the worker's state folder, with its token and
 * the other jobs, is covered by an empty one in which the job finds its own folder alone. All control groups are covered, too: a
 * process that moved into another one would outlive its job.
 */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { type Options, UsageError } from '../options.ts';
import { endGroup, findOwnGroup, groupsIn, makeGroup } from './cgroup.ts';
import type { JobFolder } from './folder.ts';
import { endOrphans } from './orphans.ts';

/** Runs as root of a user namespace that is made for it, and ends as the user it was. */
const SETUP = `set -e
user=$1 group=$2 state=$3 job=$4 groups=$5
shift 5
cd "$job"
mount -t tmpfs -o mode=0755 tmpfs "$state"
mkdir -p "$job"
mount --no-canonicalize --bind . "$job"
[ -z "$groups" ] || mount -t tmpfs -o ro tmpfs "$groups"
cd "$job/work"
exec unshare --user --map-user="$user" --map-group="$group" -- /bin/sh -c 'exec "$@"' sh "$@"`;
const PROBE_MS = 10_000;

export interface Scope {
  /** Stands before the command's own words. */
  enter: string[];
  /** The group's folder; empty without one. */
  group: string;
  /** Resolves when no process of it is left. */
  end(): Promise<void>;
}

export interface Scopes {
  isolated: boolean;
  /** Whether a job has a control group. */
  grouped: boolean;
  open(folder: JobFolder): Scope;
  /** Ends what a killed worker's jobs have left running. */
  endAll(): Promise<void>;
}

/** Throws `UsageError` where isolation is required and not to be had. */
export async function openScopes({ state, isolation, environment }: Options): Promise<Scopes> {
  const own_group = findOwnGroup();
  /** Of this worker's state folder, so that a later run finds what this one left. */
  const prefix = `job-${createHash('sha256').update(state).digest('hex').slice(0, 16)}-`;
  const groupOf = (name: string) => (own_group === null ? '' : join(own_group.path, prefix + name));
  const enterArguments = (job: string) => [
    ...['unshare', '--user', '--map-root-user', '--mount', '--', '/bin/sh', '-c', SETUP, 'sh'],
    ...[String(process.getuid?.()), String(process.getgid?.()), state, job, own_group?.mount ?? ''],
  ];

  async function isolates(): Promise<boolean> {
    if (isolation === 'none') return false;
    const probe = mkdtempSync(join(state, 'probe-'));
    mkdirSync(join(probe, 'work'));
    try {
      const [command, ...args] = [...enterArguments(probe), 'true'];
      const options = { timeout: PROBE_MS, env: environment };
      await promisify(execFile)(command!, [...args], options);
      return true;
    } catch (error) {
      if (isolation === 'auto') return false;
      throw new UsageError(
        `--isolation required: this system does not let a job have namespaces: ${lastStderrLine(error)}`,
      );
    } finally {
      rmSync(probe, { recursive: true, force: true });
    }
  }

  const isolated = await isolates();
  return {
    isolated,
    grouped: own_group !== null,
    open(folder) {
      const name = basename(folder.path);
      const group = groupOf(name);
      if (group !== '') makeGroup(group);
      return {
        enter: isolated ? enterArguments(folder.job) : [],
        group,
        async end() {
          if (group !== '') await endGroup(group);
          await endOrphans(`${folder.path}/`, `${prefix}${name}/`);
        },
      };
    },
    async endAll() {
      if (own_group !== null) await Promise.all(groupsIn(own_group.path, prefix).map(endGroup));
      await endOrphans(`${join(state, 'jobs')}/`, prefix);
    },
  };
}

function lastStderrLine(error: unknown): string {
  const { stderr, message } = error as Error & { stderr?: string };
  return (stderr?.trim() || message).split('\n').at(-1)!;
}
