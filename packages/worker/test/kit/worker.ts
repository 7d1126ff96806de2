/** A real router and real workers, each `./rcpt …` in a process of its own; what still runs when a test ends is killed then. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach } from 'node:test';
import { type RouterClient, routerClient } from '@rcpt/contract/client/router.ts';
import type { Job, NewJob } from '@rcpt/contract/router/compute.ts';
import { temporaryFolder } from '../../../../test/kit/folders.ts';
import { ownPort } from '../../../../test/kit/own-port.ts';
import { killAll, type Rcpt, ROOT, startRcpt } from '../../../../test/kit/process.ts';
import { until } from '../../../../test/kit/until.ts';

export { ROOT, temporaryFolder, until };
export const SKU = 'rog_astral_5090_32gb';

afterEach(killAll);

export interface Running extends Omit<Rcpt, 'ended'> {
  /** What it logged, in order. */
  log: Record<string, unknown>[];
  /** What it said that is no log entry. */
  said: string[];
  /** Once all it said has come. */
  ended: Promise<number | null>;
  logged(msg: string): Promise<Record<string, unknown>>;
}

function run(args: string[], environment: Record<string, string>): Running {
  const { ROUTER_ENROLLMENT_TOKEN: _, ...inherited } = process.env;
  const started = startRcpt(args, { ...inherited, ...environment }, { cwd: ROOT });
  const log: Record<string, unknown>[] = [];
  const said: string[] = [];
  started.hear((line) => {
    if (line.startsWith('{')) log.push(JSON.parse(line));
    else said.push(line);
  });
  return {
    ...started,
    log,
    said,
    ended: started.ended.then(({ code }) => code),
    logged: async (msg) => JSON.parse(await started.line(`"msg":${JSON.stringify(msg)}`)),
  };
}

export interface RunningRouter extends Running {
  url: string;
  client: RouterClient;
  member_id: string;
  receipts: string;
  /** The same router again, on the same port. */
  restart(): Promise<RunningRouter>;
}

export async function startRouter(
  environment: Record<string, string> = {},
  folder = temporaryFolder(),
): Promise<RunningRouter> {
  const settings = {
    ROUTER_PORT: String(await ownPort()),
    // A test machine may be busy with others: that is not what is tested here.
    ROUTER_OVERLOAD_DELAY_MS: '60000',
    ROUTER_DATABASE_URL: `sqlite:${folder}/router.db`,
    ROUTER_RECEIPTS_DIR: `${folder}/receipts`,
    ...environment,
  };
  const router = run(['router'], settings);
  const url = String((await router.logged('listening')).url);
  const client = routerClient({ base_url: url });
  const { id: member_id } = await client.createMember({ email: `m${Math.random()}@example.com`, name: 'Member' });
  await client.activateMember(member_id);
  const restart = () => startRouter({ ...environment, ROUTER_PORT: new URL(url).port }, folder);
  return { ...router, url, client, member_id, receipts: join(folder, 'receipts'), restart };
}

export interface WorkerSettings {
  /** Commands per job type; a test's own script is `batch`. */
  exec?: Record<string, string>;
  state?: string;
  artifacts?: string;
  node?: string;
  more?: string[];
  environment?: Record<string, string>;
}

export interface RunningWorker extends Running {
  state: string;
  artifacts: string;
}

/** Not ready yet. */
export function spawnWorker(url: string, settings: WorkerSettings = {}): RunningWorker {
  const { exec = {}, state = temporaryFolder(), artifacts = temporaryFolder(), node = 'rig-1', more = [] } = settings;
  const commands = Object.entries(exec).flatMap(([type, command]) => ['--exec', `${type}=${command}`]);
  const places = ['--state', state, '--artifacts', `file:${artifacts}`];
  const args = ['worker', '--router', url, '--node', node, '--sku', SKU, ...places, ...commands, ...more];
  return { ...run(args, settings.environment ?? {}), state, artifacts };
}

export async function startWorker(url: string, settings: WorkerSettings = {}): Promise<RunningWorker> {
  const worker = spawnWorker(url, settings);
  await worker.logged('ready');
  return worker;
}

/** The command that runs this TypeScript. */
export function script(text: string): string {
  const file = join(temporaryFolder(), 'command.ts');
  writeFileSync(file, text);
  return `node ${file}`;
}

export function queue({ client, member_id }: RunningRouter, job: Partial<typeof NewJob._zod.input> = {}): Promise<Job> {
  return client.createJob({ member_id, job_type: 'batch', requested_gpu_sku: SKU, estimated_hours: 0.1, ...job });
}

export function reaches({ client }: RunningRouter, id: string, ...statuses: Job['status'][]): Promise<Job> {
  return until(`job ${id} is ${statuses.join(' or ')}`, async () => {
    const job = await client.getJob(id).catch(() => null);
    return job !== null && statuses.includes(job.status) ? job : null;
  });
}

/** All lines of a job's log in the order the router has them. */
export async function linesOf({ client }: RunningRouter, id: string, stream?: string): Promise<string[]> {
  const lines: string[] = [];
  for (let after = ''; ; ) {
    const page = await client.jobLogs(id, after);
    if (page.length === 0) return lines;
    after = page.at(-1)!.id;
    lines.push(
      ...page.filter((chunk) => stream === undefined || chunk.stream === stream).flatMap((chunk) => chunk.lines),
    );
  }
}

/** A process that is no zombie. */
export function isRunning(pid: number): boolean {
  if (!existsSync(`/proc/${pid}/stat`)) return false;
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2)[0] !== 'Z';
  } catch {
    return false;
  }
}

/** The number a job's command wrote into the file, once it is whole. */
export function pidIn(file: string): Promise<number> {
  return until(`a pid in ${file}`, () =>
    existsSync(file) ? Number(/^(\d+)\n/.exec(readFileSync(file, 'utf8'))?.[1]) : 0,
  );
}
