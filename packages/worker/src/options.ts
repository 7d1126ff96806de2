/** The worker's command line and environment → frozen Options. An error is one line. */
import { existsSync, statSync } from 'node:fs';
import { hostname } from 'node:os';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { JobType } from '@rcpt/contract/router/vocabulary.ts';
import { JOB_TYPES } from '@rcpt/contract/words.ts';
import { STORAGE_URL } from '@rcpt/storage/open.ts';
import { withoutSecrets } from './secrets.ts';

export class UsageError extends Error {}

export const HELP = `Usage: ./rcpt worker --router URL --exec TYPE=COMMAND … [options]

Registers with a compute router, leases jobs, runs each as a child process and reports its log, artifacts and result.

  --router URL         the router, e.g. http://127.0.0.1:8088
  --exec TYPE=COMMAND  how jobs of a type are run; repeatable. Types: ${JOB_TYPES.join(' ')}
  --node ID            the node this worker belongs to (default: this host's name)
  --name NAME          what people call this worker (default: this host's name)
  --sku SKU            a GPU SKU it offers; repeatable (default: the priced GPUs that nvidia-smi finds)
  --tag TAG            a tag others see; repeatable
  --concurrency N      jobs at a time (default: 1)
  --state DIR          where its token and its leased jobs are kept (default: data/worker)
  --artifacts URL      file:<folder> or s3://bucket/prefix?endpoint=…&region=… (default: file:data/artifacts)
  --stop-seconds N     from SIGTERM to SIGKILL for a job that has to stop (default: 10)
  --isolation WHEN     auto, required or none (default: auto): jobs in a user and mount namespace of their own, where they
                       read neither this worker's memory and environment nor its state folder. auto: where the system lets

A COMMAND is words, not a shell line: quotes group words, and a word that names a file here is passed by its full path.
It runs in a fresh folder with these variables, beside the worker's own environment without ROUTER_*, LEDGER_* and AWS_*:
  JOB_FILE       the job as JSON: id, job_type, payload, input_dataset_ids, attempt, …, and datasets: where the granted
                 ones are, with checksum_sha256 and size_bytes
  JOB_ARTIFACTS  a folder; the files in it are hashed, uploaded and reported when the command exits with 0
  JOB_METRICS    where it may write a JSON object, e.g. {"eval_before": 0.33, "eval_after": 0.97, "duration_seconds": 12}
  JOB_ID, JOB_TYPE, JOB_ATTEMPT, and JOB_SLOT (0 to N-1: which of the concurrent jobs this is)
Its output is streamed as the job's log. Another exit code than 0 fails the job.

ROUTER_ENROLLMENT_TOKEN is sent when registering. SIGTERM finishes the jobs in hand and exits 0; a second one stops them.
Exit codes: 0 drained, 1 cannot work, 2 wrong use.
`;

const ISOLATIONS = ['auto', 'required', 'none'] as const;
type Isolation = (typeof ISOLATIONS)[number];

export interface Options {
  router_url: string;
  node_id: string;
  name: string;
  tags: string[];
  /** Empty: the SKUs of the GPUs that are found. */
  gpu_skus: string[];
  /** The words of the command per job type. */
  executors: ReadonlyMap<JobType, readonly string[]>;
  concurrency: number;
  state: string;
  artifacts_url: string;
  stop_seconds: number;
  isolation: Isolation;
  enrollment_token: string | undefined;
  /** What a job's command gets; holds none of the worker's own secrets. */
  environment: Readonly<Record<string, string | undefined>>;
}

type Environment = Record<string, string | undefined>;

/** Null: the help was asked for. Throws `UsageError`. */
export function readOptions(args: string[], environment: Environment): Options | null {
  const values = parse(args);
  if (values.help) return null;
  if (values.router === undefined) throw new UsageError('--router: got nothing, takes the address of a router');
  if (!URL.canParse(values.router) || !/^https?:\/\//.test(values.router))
    throw new UsageError(`--router: got ${JSON.stringify(values.router)}, takes an http:// or https:// address`);
  if (!STORAGE_URL.test(values.artifacts))
    throw new UsageError('--artifacts: takes file:<folder> or s3://bucket/prefix?endpoint=…&region=…');
  const executors = new Map(values.exec.map(executor));
  if (executors.size === 0)
    throw new UsageError("--exec: got nothing, takes TYPE=COMMAND, e.g. fine_tune='node train.ts'");
  return Object.freeze({
    router_url: values.router.replace(/\/+$/, ''),
    node_id: chosenId(values.node ?? hostname().replace(/[^\w.-]/g, '-')),
    name: values.name ?? hostname(),
    tags: values.tag,
    gpu_skus: values.sku,
    executors,
    concurrency: count('--concurrency', values.concurrency),
    state: resolve(values.state),
    artifacts_url: values.artifacts,
    stop_seconds: count('--stop-seconds', values['stop-seconds']),
    isolation: isolation(values.isolation),
    enrollment_token: environment.ROUTER_ENROLLMENT_TOKEN || undefined,
    environment: Object.freeze(withoutSecrets(environment)),
  });
}

function parse(args: string[]) {
  const options = {
    router: { type: 'string' },
    node: { type: 'string' },
    name: { type: 'string' },
    tag: { type: 'string', multiple: true, default: [] as string[] },
    sku: { type: 'string', multiple: true, default: [] as string[] },
    exec: { type: 'string', multiple: true, default: [] as string[] },
    concurrency: { type: 'string', default: '1' },
    state: { type: 'string', default: 'data/worker' },
    artifacts: { type: 'string', default: 'file:data/artifacts' },
    'stop-seconds': { type: 'string', default: '10' },
    isolation: { type: 'string', default: 'auto' },
    help: { type: 'boolean', short: 'h', default: false },
  } as const;
  try {
    return parseArgs({ args, options }).values;
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

function executor(given: string): [JobType, string[]] {
  const [, type, command = ''] = /^([^=]*)=(.*)$/s.exec(given) ?? [];
  const known = JobType.safeParse(type);
  const words = wordsOf(command).map(fullPath);
  if (!known.success || words.length === 0)
    throw new UsageError(
      `--exec: got ${JSON.stringify(given)}, takes TYPE=COMMAND with TYPE one of ${JOB_TYPES.join(' ')}`,
    );
  return [known.data, words];
}

/** Words as a shell would split them, with '…', "…" and \ but nothing else of a shell. Throws on an open quote. */
export function wordsOf(command: string): string[] {
  const words: string[] = [];
  const token = /\s+|'([^']*)'|"((?:[^"\\]|\\.)*)"|\\(.)|([^\s'"\\]+)/gsy;
  let word: string | null = null;
  while (token.lastIndex < command.length) {
    const match = token.exec(command);
    if (match === null) throw new UsageError('--exec: a quote is opened and not closed');
    const [, single, double, escaped, plain] = match;
    const part = single ?? double?.replace(/\\(.)/gs, '$1') ?? escaped ?? plain;
    if (part === undefined) {
      if (word !== null) words.push(word);
      word = null;
    } else word = (word ?? '') + part;
  }
  return word === null ? words : [...words, word];
}

/** Jobs run elsewhere: a file named here is found from there too. */
function fullPath(word: string): string {
  return existsSync(word) && statSync(word).isFile() ? resolve(word) : word;
}

function chosenId(id: string): string {
  if (/^[A-Za-z0-9][\w.-]{0,99}$/.test(id)) return id;
  throw new UsageError(`--node: got ${JSON.stringify(id)}, takes letters, digits, . _ or -`);
}

function isolation(given: string): Isolation {
  const known = ISOLATIONS.find((each) => each === given);
  if (known !== undefined) return known;
  throw new UsageError(`--isolation: got ${JSON.stringify(given)}, takes ${ISOLATIONS.join(', ')}`);
}

function count(option: string, value: string): number {
  if (/^[1-9]\d{0,3}$/.test(value) && Number(value) <= 1000) return Number(value);
  throw new UsageError(`${option}: got ${JSON.stringify(value)}, takes a whole number from 1 to 1000`);
}
