/** `./rcpt up`: ledger, router and one worker on embedded defaults, two demonstrations on the first start, and it stays up. */
import { randomBytes } from 'node:crypto';
import { accessSync, constants, mkdirSync } from 'node:fs';
import { resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { ledgerClient } from '@rcpt/contract/client/ledger.ts';
import { readArguments, WrongUse } from '@rcpt/proof/cli-arguments.ts';
import { type Component, NotStarted, startComponent } from './component.ts';
import { demonstrateBenchmark } from './demo/benchmark.ts';
import { type Demo, openDemo } from './demo/demo.ts';
import { pricesFile } from './demo/own-machine.ts';
import { demonstrateTraining, registerOwnNode, workerArguments } from './demo/training.ts';
import { welcome } from './demo/welcome.ts';
import { outboxOf, signInLink } from './sign-in.ts';

const HELP = `Usage: ./rcpt up [--data DIR] [--no-demo] [--json]

Starts the ledger, the router and one worker on their embedded defaults under ./data. The first start creates a demo
organization and takes two pieces of work to a verified receipt: a benchmark of this machine, and a small training that the
worker runs. Later starts find everything as it was.

  --data DIR  where everything is kept (default: data)
  --no-demo   only start
  --json      print the addresses and the demo as one JSON line on stdout
The settings of ./rcpt ledger and ./rcpt router (LEDGER_PORT, ROUTER_PORT and the others) apply. The worker offers this machine's CPU,
which has a row with a demo rate in DIR/prices.json, beside the rows of PRICES_FILE.
Exit codes: 0 stopped, 1 cannot work, 2 wrong use.
`;

/** Signals that come as close together are one. */
const ONE_PRESS_MS = 1_000;

type Say = (line: string) => void;

/** Resolves with the exit code once everything has drained. */
export async function up(args: string[]): Promise<number> {
  const options = parse(args);
  if (typeof options === 'number') return options;
  const data = resolve(options.data);
  const say: Say = (line) => void process.stderr.write(`${line}\n`);
  try {
    mkdirSync(data, { recursive: true, mode: 0o700 });
    accessSync(data, constants.W_OK | constants.X_OK);
  } catch (error) {
    say(
      `rcpt up: ${data} is no folder you may write in (${(error as NodeJS.ErrnoException).code}); --data names another`,
    );
    return 1;
  }
  const lock = lockData(data);
  if (lock === null) {
    say(`rcpt up: another ./rcpt up runs on ${data}: use that one, stop it first, or name another folder with --data`);
    return 2;
  }
  const supervisor = createSupervisor(say);
  try {
    const { ledger_url, router_url, demo } = await start(supervisor, data, options['no-demo'], say);
    const shown = demo && (await demonstrate(demo, data, ledger_url, router_url, supervisor, say));
    const outbox = outboxOf(process.env.LEDGER_SMTP_URL || ledgerDefaults(data).LEDGER_SMTP_URL);
    const sign_in_url = shown?.owner_email ? await signInLink(ledger_url, outbox, shown.owner_email) : null;
    const started = { ledger_url, router_url, data, demo: shown, outbox, sign_in_url };
    process.stdout.write(options.json ? `${JSON.stringify(started)}\n` : await welcome(started));
  } catch (error) {
    if (!supervisor.stopping.aborted) {
      say((error as Error).message);
      await supervisor.stop();
      // A wrong setting is wrong use here as it is there.
      return error instanceof NotStarted ? error.exit_code : 1;
    }
  }
  const exit_code = await supervisor.ended();
  lock.close();
  return exit_code;
}

/**
 * One at a time on a folder: a second router would write into the receipts of the first. Null: another holds it. The lock is the
 * kernel's, held through SQLite, and ends with the process however that ends.
 */
function lockData(data: string): DatabaseSync | null {
  const lock = new DatabaseSync(`${data}/.up.lock`);
  try {
    lock.exec('begin exclusive');
    return lock;
  } catch {
    lock.close();
    return null;
  }
}

/** In this order: the router brings its finished jobs to the ledger, the worker takes its jobs from the router. */
async function start(supervisor: Supervisor, data: string, withoutDemo: boolean, say: Say) {
  const admin_token = process.env.LEDGER_ADMIN_TOKEN || randomBytes(32).toString('base64url');
  const prices = { PRICES_FILE: pricesFile(data, process.env.PRICES_FILE) };
  const ledger = { ...defaults(ledgerDefaults(data)), ...prices, LEDGER_ADMIN_TOKEN: admin_token, ...routerToken() };
  const ledger_url = await supervisor.add(['ledger'], ledger, say);
  const demo = withoutDemo ? null : await openDemo(data, ledger_url, admin_token);
  const bridge: Record<string, string> =
    demo === null ? {} : { LEDGER_URL: ledger_url, LEDGER_API_KEY: demo.agent_key };
  const router_url = await supervisor.add(['router'], { ...defaults(routerDefaults(data)), ...prices, ...bridge }, say);
  if (demo !== null)
    await ledgerClient({ base_url: ledger_url, token: admin_token }).connectRouter(demo.organization_id, router_url);
  await registerOwnNode(router_url, process.env.ROUTER_ADMIN_TOKEN || undefined);
  await supervisor.add(['worker', ...workerArguments(router_url, data)], {}, say);
  return { ledger_url, router_url, demo };
}

/** A demonstration that stops half way does not stop the services. */
async function demonstrate(
  demo: Demo,
  data: string,
  ledger_url: string,
  router_url: string,
  supervisor: Supervisor,
  say: Say,
): Promise<Demo> {
  const admin_token = process.env.ROUTER_ADMIN_TOKEN || undefined;
  let reached = demo;
  try {
    reached = await demonstrateBenchmark(data, reached, ledger_url, say);
    reached = await demonstrateTraining({ data, ledger_url, router_url, admin_token, say }, reached);
  } catch (error) {
    if (supervisor.stopping.aborted) throw error;
    say(`The demonstration stopped: ${(error as Error).message}\nEverything stays up; the next start tries again.`);
  }
  return reached;
}

interface Supervisor {
  /** Aborts with the first signal, or when a component ends by itself. */
  stopping: AbortSignal;
  /** Resolves once the component works, with where it listens. */
  add(words: [string, ...string[]], environment: Record<string, string>, say: Say): Promise<string>;
  /** Drains what was started last first: a worker brings its result to the router that is still there. */
  stop(): Promise<void>;
  /** Resolves with the exit code when all have ended: 0 when they were asked to and drained. */
  ended(): Promise<number>;
}

function createSupervisor(say: Say): Supervisor {
  const components: Component[] = [];
  const stopping = new AbortController();
  let stopped: Promise<void> | null = null;
  let failed = false;

  async function stopAll(): Promise<void> {
    for (const component of components.toReversed()) if ((await component.stop()) !== 0) failed = true;
  }
  function stop(): Promise<void> {
    stopping.abort();
    stopped ??= stopAll();
    return stopped;
  }
  let signaled_at = Number.NEGATIVE_INFINITY;
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.on(signal, () => {
      // npm passes on the Ctrl-C that the terminal has sent here already.
      if (performance.now() - signaled_at < ONE_PRESS_MS) return;
      signaled_at = performance.now();
      // The second signal is passed on to all, who then end at once.
      if (stopped !== null) for (const component of components) void component.stop();
      else say('Stopping: what is in hand is finished first. Once more ends it at once.');
      void stop();
    });

  return {
    stopping: stopping.signal,
    async add(words, environment, onLog) {
      stopping.signal.throwIfAborted();
      const component = startComponent(words, environment, onLog);
      components.push(component);
      const url = await component.ready;
      void component.ended.then(() => {
        if (stopped !== null) return;
        say(`${component.name} ended by itself; stopping the others.`);
        failed = true;
        void stop();
      });
      return url;
    },
    stop,
    async ended() {
      if (!stopping.signal.aborted) await new Promise((resolve) => stopping.signal.addEventListener('abort', resolve));
      await stop();
      return failed ? 1 : 0;
    },
  };
}

function parse(args: string[]) {
  const options = {
    data: { type: 'string', default: 'data' },
    'no-demo': { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
    help: { type: 'boolean', short: 'h', default: false },
  } as const;
  try {
    const { values } = readArguments({ args, options });
    if (!values.help) return values;
    process.stdout.write(HELP);
    return 0;
  } catch (error) {
    if (!(error instanceof WrongUse)) throw error;
    process.stderr.write(`rcpt up: ${(error as Error).message}\n\n${HELP}`);
    return 2;
  }
}

/** What the environment says goes first. */
function defaults(settings: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(settings).filter(([name]) => !process.env[name]));
}

function ledgerDefaults(data: string) {
  return {
    LEDGER_DATABASE_URL: `sqlite:${data}/ledger.db`,
    LEDGER_STORAGE_URL: `file:${data}/objects`,
    LEDGER_SMTP_URL: `file:${data}/outbox`,
  };
}

/** The ledger asks the router what people ask the ledger. */
function routerToken(): Record<string, string> {
  const { LEDGER_ROUTER_TOKEN, ROUTER_ADMIN_TOKEN } = process.env;
  return ROUTER_ADMIN_TOKEN && !LEDGER_ROUTER_TOKEN ? { LEDGER_ROUTER_TOKEN: ROUTER_ADMIN_TOKEN } : {};
}

function routerDefaults(data: string): Record<string, string> {
  return { ROUTER_DATABASE_URL: `sqlite:${data}/router.db`, ROUTER_RECEIPTS_DIR: `${data}/receipts` };
}
