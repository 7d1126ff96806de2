/**
 * A real router for a test: a database and a receipts folder of its own, an HTTP server on a free port, and a clock that
 * stands still until the test moves it. `call` is plain HTTP, so a test sees exactly what a client sees.
 */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe } from 'node:test';
import type { Db } from '@rcpt/service/db/db.ts';
import { createLogger } from '@rcpt/service/process/log.ts';
import { ENGINES, type Engine, eachEngine, type Fresh } from '../../../../test/kit/engines.ts';
import { type Answer, type CallOptions, callerOf } from '../../../ledger/test/kit/running.ts';
import { readRouterConfig } from '../../src/config.ts';
import { MIGRATIONS } from '../../src/migrations.ts';
import { startRouter } from '../../src/start.ts';
import { type Receipt, receiptsIn } from './records.ts';

export { until } from '../../../../test/kit/until.ts';
export type { Answer, CallOptions };

export const SKU = 'rtx6000_blackwell_96gb';
export const CHEAP_SKU = 'rog_astral_5090_32gb';

/** The answer to a lease when there is none. */
export const NOTHING = {
  lease_id: null,
  lease_token: null,
  job: null,
  expires_at: null,
  message: 'no_matching_jobs',
  leases: [],
};

/** 2026-05-29T20:00:00Z, a Friday evening. */
export const START = Date.UTC(2026, 4, 29, 20);

// biome-ignore lint/suspicious/noExplicitAny: a test asserts the shape of what it reads
type Json = any;
type Call = (method: string, path: string, options?: CallOptions) => Promise<Answer>;

export interface Clock {
  ms: number;
  /** Seconds forward. */
  advance(seconds: number): void;
}

export interface TestWorker {
  worker_id: string;
  token: string;
  /** `heartbeat`, `jobs/lease`, `jobs/{id}/accept` …; whatever the answer is. */
  ask(path: string, body?: unknown, options?: CallOptions): Promise<Answer>;
  /** As `ask`; throws on anything but 2xx. */
  tell(path: string, body?: unknown): Promise<Json>;
  /** What this worker can do, in full, unless said otherwise; throws on anything but 2xx. */
  lease(request?: object): Promise<Json>;
}

export interface TestRouter {
  url: string;
  call: Call;
  /** Throws on anything but 2xx. */
  get(path: string): Promise<Json>;
  post(path: string, body?: unknown): Promise<Json>;
  clock: Clock;
  folder: string;
  /** The router's database, opened a second time: for what no API can do. */
  db: Db;
  database_url: string;
  /** What stands in the files, each line checked by itself. */
  receipts(): Receipt[];
  /** An active member's id. */
  member(): Promise<string>;
  /** A queued job: an hour of inference on the dear GPU, unless said otherwise. */
  job(change?: object): Promise<Json>;
  worker(change?: object): Promise<TestWorker>;
  close(): Promise<void>;
}

export interface StartOptions {
  environment?: Record<string, string>;
  /** The test breaks its ledger on purpose: it is not verified at the end. */
  doomed?: boolean;
  database?: Fresh;
  folder?: string;
  clock?: Clock;
}

export type Start = (options?: StartOptions) => Promise<TestRouter>;

/** One suite on both engines. Every router a test starts is verified and closed when the test ends. */
export function eachRouter(
  name: string,
  suite: (start: Start, engine: Engine, fresh: () => Promise<Fresh>) => void,
  engines = ENGINES,
): void {
  const each = (fresh: () => Promise<Fresh>, engine: Engine) => {
    describe('a router', () => {
      const ends: (() => Promise<void>)[] = [];
      afterEach(async () => {
        for (const end of ends.splice(0).reverse()) await end();
      });
      const start: Start = async (options = {}) => {
        const folder = options.folder ?? temporaryFolder();
        const started = await running({ ...options, folder, database: options.database ?? (await fresh()) });
        ends.push(async () => {
          try {
            if (!options.doomed) await assertLedger(started);
          } finally {
            await started.close();
            if (options.folder === undefined) rmSync(folder, { recursive: true, force: true });
          }
        });
        return started;
      };
      suite(start, engine, fresh);
    });
  };
  eachEngine(name, MIGRATIONS, each, engines);
}

export function temporaryFolder(): string {
  return mkdtempSync(join(tmpdir(), 'router-'));
}

export function stoppedClock(ms: number = START): Clock {
  return {
    ms,
    advance(seconds) {
      this.ms += seconds * 1000;
    },
  };
}

/** The files by themselves, and against the database; once more when the sweep wrote a receipt meanwhile. */
export async function assertLedger(router: Pick<TestRouter, 'call' | 'receipts'>): Promise<void> {
  const { call, receipts } = router;
  const found = receipts();
  const { status, json, text } = await call('GET', '/receipts/verify', { token: ADMIN_TOKEN });
  if (receipts().length > found.length) return assertLedger(router);
  assert.equal(status, 200, text);
  assert.deepEqual(json, { ok: true, receipts_checked: found.length, violation: null, violations: [] });
}

/** Sent wherever a test needs it; routers without one do not look at it. */
export const ADMIN_TOKEN = 'test-admin-token-0123456789';

export async function running({
  environment = {},
  database,
  folder,
  clock = stoppedClock(),
}: StartOptions & { database: Fresh; folder: string }): Promise<TestRouter> {
  const config = readRouterConfig({
    ROUTER_PORT: '0',
    ROUTER_DATABASE_URL: database.url,
    ROUTER_RECEIPTS_DIR: folder,
    ROUTER_LOG_LEVEL: process.env.TEST_LOG_LEVEL ?? 'silent',
    // A test machine may be busy with others: that is not what is tested here.
    ROUTER_OVERLOAD_DELAY_MS: '60000',
    ...environment,
  });
  const router = await startRouter(config, createLogger('router', config.log_level), () => clock.ms);
  let closing: Promise<void> | null = null;
  return {
    ...clientOf(router.url),
    clock,
    folder,
    db: database.db,
    database_url: database.url,
    receipts: () => receiptsIn(folder),
    close: () => (closing ??= router.close()),
  };
}

/** Also for a router that runs in another process. */
export function clientOf(url: string): Pick<TestRouter, 'url' | 'call' | 'get' | 'post' | 'member' | 'job' | 'worker'> {
  const call = callerOf(url);
  const get = (path: string) => ok(call('GET', path));
  const post = (path: string, body?: unknown) => ok(call('POST', path, body === undefined ? {} : { body }));
  let own_member: Promise<string> | null = null;
  const member = async () => {
    const { id } = await post('/members', { email: `member-${++members}@example.org`, name: 'Ada Example' });
    await post(`/members/${id}/activate`);
    return id as string;
  };
  return {
    url,
    call,
    get,
    post,
    member,
    async job(change = {}) {
      if (!('member_id' in change)) own_member ??= member();
      const usual = { member_id: await own_member, job_type: 'inference', requested_gpu_sku: SKU, estimated_hours: 1 };
      return post('/jobs', { ...usual, ...change });
    },
    async worker(change = {}) {
      const usual = { node_id: 'rig-1', name: 'rig one', hostname: 'rig-1.local', heartbeat_interval_seconds: 30 };
      const { worker_id, worker_token } = await post('/workers/register', { ...usual, ...change });
      return workerOf(call, worker_id, worker_token);
    },
  };
}

let members = 0;
const JOB_TYPES = ['inference', 'fine_tune', 'eval', 'dataset_build', 'embedding', 'batch'];

function workerOf(call: Call, worker_id: string, token: string): TestWorker {
  const ask: TestWorker['ask'] = (path, body = {}, options = {}) =>
    call('POST', `/workers/${path}`, { token, body, ...options });
  return {
    worker_id,
    token,
    ask,
    tell: (path, body) => ok(ask(path, body)),
    lease: (request = {}) =>
      ok(ask('jobs/lease', { supported_job_types: JOB_TYPES, supported_gpu_skus: [SKU, CHEAP_SKU], ...request })),
  };
}

async function ok(answer: Promise<Answer>): Promise<Json> {
  const { status, json, text } = await answer;
  if (status >= 300) throw new Error(`HTTP ${status}: ${text}`);
  return json;
}

/** RFC 9457 with the contract's members, and nothing of our inside. */
export function assertProblem({ status, headers, json, text }: Answer, expected: number, code: string): void {
  assert.equal(status, expected, text);
  assert.equal(json.code, code, text);
  assert.match(headers.get('content-type') ?? '', /^application\/problem\+json\b/);
  for (const member of ['type', 'title', 'detail', 'request_id'])
    assert.ok(typeof json[member] === 'string' && json[member] !== '', `${member}: ${text}`);
  assert.equal(json.status, status);
  assert.doesNotMatch(text, /\bat (?:async )?\S+ \(|node_modules|\.ts:\d|select |insert |SQLITE|sqlite/);
}
