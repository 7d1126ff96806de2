/**
 * A leased job, on disk: `<state>/jobs/<job_id>-<attempt>/`. What is here survives the worker; it is deleted when the
 * router has everything, or when the lease is lost.
 *
 *   lease.json    the job, its lease token (0600), and how often it was run under it
 *   log.jsonl     log chunks as they are sent
 *   log.sent      how far they were acknowledged
 *   outcome.json  how it ended: written when the command is over and its whole log is in log.jsonl
 *   job/          what the command is shown; everything in it may be the command's doing, links included
 *     job.json      the job                         work/       the folder the command runs in, fresh
 *     metrics.json                                  artifacts/  what it made
 */
import { constants } from 'node:fs';
import { type FileHandle, mkdir, open, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { LeasedJob } from '@rcpt/contract/router/workers.ts';
import { JsonObject } from '@rcpt/contract/wire.ts';
import { z } from 'zod';
import type { ActiveLease, LeasedJob as Job } from '../leases.ts';

/** `runs`: how often its command was started under this lease. `lease_ms`: how long it lasts unless the router renews it. */
const StoredLease = z.object({
  job: LeasedJob,
  lease_token: z.string(),
  runs: z.int().default(1),
  lease_ms: z.number().default(600_000),
});
export type StoredLease = z.infer<typeof StoredLease>;

/** `metrics` are the command's own, beside the seconds it took. */
export const Outcome = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('completed'), metrics: JsonObject }),
  z.object({ kind: z.literal('failed'), error_code: z.string(), message: z.string() }),
]);
export type Outcome = z.infer<typeof Outcome>;

export interface JobFolder {
  path: string;
  /** Shown to the command, with all that follow but the log's files. */
  job: string;
  work: string;
  artifacts: string;
  job_file: string;
  metrics_file: string;
  log_file: string;
  sent_file: string;
}

const FOLDER_NAME = /^job_[A-Za-z0-9_-]{1,100}-[1-9]\d{0,15}$/;

/** A folder of that name is from a run of this worker that the router has forgotten: it goes. */
export async function makeJobFolder(state: string, { job, lease_token, expires_at }: ActiveLease): Promise<JobFolder> {
  const name = `${job.id}-${job.attempt}`;
  if (!FOLDER_NAME.test(name)) throw new Error('not the id and the attempt of a job');
  const folder = folderAt(join(state, 'jobs', name));
  await rm(folder.path, { recursive: true, force: true });
  await mkdir(folder.path, { recursive: true, mode: 0o700 });
  await storeLease(folder, { job, lease_token, runs: 1, lease_ms: expires_at - Date.now() });
  await showJob(folder, job);
  return folder;
}

/** Fresh for another run of the command; the log stays, and goes on. */
export async function clearJobFolder(folder: JobFolder, job: Job): Promise<void> {
  await rm(folder.job, { recursive: true, force: true });
  await showJob(folder, job);
}

async function showJob(folder: JobFolder, job: Job): Promise<void> {
  await mkdir(folder.job, { mode: 0o700 });
  await Promise.all([mkdir(folder.work), mkdir(folder.artifacts)]);
  await writeFile(folder.job_file, `${JSON.stringify(job, null, 2)}\n`);
}

/** Before the command is started again: a crash during it is counted. */
export function countRun(folder: JobFolder, lease: StoredLease): Promise<void> {
  return storeLease(folder, { ...lease, runs: lease.runs + 1 });
}

async function storeLease({ path }: JobFolder, lease: StoredLease): Promise<void> {
  await writeFile(join(path, 'lease.new'), JSON.stringify(lease), { mode: 0o600 });
  await rename(join(path, 'lease.new'), join(path, 'lease.json'));
}

/** What a run before this one left. */
export async function listJobFolders(state: string): Promise<JobFolder[]> {
  const entries = await readdir(join(state, 'jobs'), { withFileTypes: true }).catch(() => []);
  const names = entries.filter((entry) => entry.isDirectory() && FOLDER_NAME.test(entry.name)).map(({ name }) => name);
  return names.sort().map((name) => folderAt(join(state, 'jobs', name)));
}

/**
 * A regular file that a command left, to be read; null where nothing has that name. Throws `ELOOP` for a link, which may lead to
 * what only the worker can read, and `EINVAL` for a pipe, a device or a folder: none of them is waited for.
 */
export async function openPlainFile(path: string): Promise<FileHandle | null> {
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
  const file = await open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw error;
  });
  if (file === null || (await file.stat()).isFile()) return file;
  await file.close();
  throw Object.assign(new Error(`${path} is no regular file`), { code: 'EINVAL' });
}

/** Null where nothing readable is there. */
export async function readLease({ path }: JobFolder): Promise<StoredLease | null> {
  return StoredLease.safeParse(await readJson(join(path, 'lease.json'))).data ?? null;
}

/** Null while the command is not over. */
export async function readOutcome({ path }: JobFolder): Promise<Outcome | null> {
  return Outcome.safeParse(await readJson(join(path, 'outcome.json'))).data ?? null;
}

/** On disk when it resolves: from here on a restarted worker delivers it. */
export async function storeOutcome({ path }: JobFolder, outcome: Outcome): Promise<void> {
  const unfinished = join(path, 'outcome.new');
  const file = await open(unfinished, 'w', 0o600);
  try {
    await file.writeFile(JSON.stringify(outcome));
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(unfinished, join(path, 'outcome.json'));
}

export async function removeJobFolder({ path }: JobFolder): Promise<void> {
  await rm(path, { recursive: true, force: true, maxRetries: 3 });
}

function folderAt(path: string): JobFolder {
  const job = join(path, 'job');
  return {
    path,
    job,
    work: join(job, 'work'),
    artifacts: join(job, 'artifacts'),
    job_file: join(job, 'job.json'),
    metrics_file: join(job, 'metrics.json'),
    log_file: join(path, 'log.jsonl'),
    sent_file: join(path, 'log.sent'),
  };
}

async function readJson(file: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(file, 'utf8'));
  } catch {
    return null;
  }
}
