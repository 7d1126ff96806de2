/**
 * A real ledger for a test: a database of its own, an HTTP server on a free port, and a key of each role.
 * `call` is plain HTTP, so a test sees exactly what a client sees.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, before, describe } from 'node:test';
import type { Db } from '@rcpt/service/db/db.ts';
import { createLogger } from '@rcpt/service/process/log.ts';
import { ENGINES, type Engine, eachEngine, type Fresh } from '../../../../test/kit/engines.ts';
import { readLedgerConfig } from '../../src/config.ts';
import { MIGRATIONS } from '../../src/migrations.ts';
import { type StartOptions, startLedger } from '../../src/start.ts';
import { wholeActivity } from './activity.ts';
import { wholeChain } from './independent.ts';

export const MASTER_KEY = Buffer.alloc(32, 7).toString('base64');
export const ADMIN_TOKEN = 'test-admin-token-0123456789';

export interface Answer {
  status: number;
  headers: Headers;
  text: string;
  /** The parsed body; null when it is not JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: a test asserts the shape of what it reads
  json: any;
}

export interface CallOptions {
  token?: string | undefined;
  body?: unknown;
  /** Sent as it is, without a JSON content type of its own. */
  raw?: string | Uint8Array<ArrayBuffer> | FormData;
  headers?: Record<string, string>;
}

export const ROLES = ['agent', 'approver', 'auditor', 'owner'] as const;
export type Role = (typeof ROLES)[number];

export interface Tenant {
  organization_id: string;
  keys: Record<Role, string>;
  /** By role; throws on anything but 2xx, so that a story reads without noise. */
  as(role: Role): (method: string, path: string, body?: unknown) => Promise<Answer['json']>;
  /** Whatever the answer is. */
  ask(role: Role, method: string, path: string, options?: CallOptions): Promise<Answer>;
}

export interface RunningTest {
  url: string;
  folder: string;
  call(method: string, path: string, options?: CallOptions): Promise<Answer>;
  /** A new organization with a key of each role. */
  tenant(name?: string): Promise<Tenant>;
  close(): Promise<void>;
}

export interface SuiteLedger extends RunningTest {
  /** The ledger's database, opened a second time: for what no API can do. */
  db: Db;
  database_url: string;
  /** A tenant whose chain the test is about to break. */
  doomedTenant(): Promise<Tenant>;
}

/**
 * One suite on both engines, one ledger per engine; every test brings tenants of its own, and when it ends both whole
 * chains of each are verified. `ledger` is there once the first test runs.
 */
export function eachLedger(
  name: string,
  suite: (ledger: SuiteLedger, engine: Engine) => void,
  environment: Record<string, string> = {},
  { engines = ENGINES, ...options }: StartOptions & { engines?: readonly Engine[] } = {},
): void {
  const each = (fresh: () => Promise<Fresh>, engine: Engine) => {
    describe('one ledger', () => {
      const ledger = {} as SuiteLedger;
      const tenants: Tenant[] = [];
      before(async () => {
        const { db, url } = await fresh();
        const started = await running({ url }, environment, options);
        const tenant: SuiteLedger['tenant'] = async (named) => {
          const founded = await started.tenant(named);
          tenants.push(founded);
          return founded;
        };
        Object.assign(ledger, started, { db, database_url: url, tenant, doomedTenant: () => started.tenant() });
      });
      afterEach(async () => {
        for (const tenant of tenants.splice(0)) {
          await wholeChain(tenant);
          await wholeActivity(tenant);
        }
      });
      after(() => ledger.close());
      suite(ledger, engine);
    });
  };
  eachEngine(name, MIGRATIONS, each, engines);
}

/**
 * @param environment settings beside the database, e.g. `{ LEDGER_STORAGE_URL: 's3://…' }`
 * @param options receipts are copied and mailed only where a test asks for it: each copy draws a PDF
 */
export async function running(
  { url: database }: Pick<Fresh, 'url'>,
  environment: Record<string, string> = {},
  { copies = false }: StartOptions = {},
): Promise<RunningTest> {
  const folder = mkdtempSync(join(tmpdir(), 'ledger-'));
  const config = readLedgerConfig({
    LEDGER_PORT: '0',
    LEDGER_DATABASE_URL: database,
    LEDGER_STORAGE_URL: `file:${folder}/objects`,
    LEDGER_SMTP_URL: `file:${folder}/outbox`,
    LEDGER_ADMIN_TOKEN: ADMIN_TOKEN,
    LEDGER_MASTER_KEY: MASTER_KEY,
    LEDGER_LOG_LEVEL: process.env.TEST_LOG_LEVEL ?? 'silent',
    // Test and ledger are one process on a machine that is busy with others.
    LEDGER_OVERLOAD_DELAY_MS: '60000',
    ...environment,
  });
  const ledger = await startLedger(config, createLogger('ledger', config.log_level), { copies });
  const call = callerOf(ledger.url);
  return {
    url: ledger.url,
    folder,
    call,
    tenant: (name) => tenantOf(call, name),
    async close() {
      await ledger.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Also for a ledger that runs in another process. */
export function callerOf(base_url: string): RunningTest['call'] {
  return async (method, path, { token, body, raw, headers = {} } = {}) => {
    const response = await fetch(`${base_url}${path}`, {
      method,
      redirect: 'manual',
      headers: {
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(raw !== undefined ? { body: raw } : body !== undefined ? { body: JSON.stringify(body) } : {}),
    });
    const text = await response.text();
    return { status: response.status, headers: response.headers, text, json: parsed(text) };
  };
}

export async function tenantOf(call: RunningTest['call'], name = 'Test Workshop'): Promise<Tenant> {
  const founded = await expectOk(call('POST', '/organizations', { token: ADMIN_TOKEN, body: { name } }));
  const keys = { owner: founded.api_key } as Record<Role, string>;
  for (const role of ['agent', 'approver', 'auditor'] as const) {
    const key = await expectOk(call('POST', '/keys', { token: keys.owner, body: { role, label: `test ${role}` } }));
    keys[role] = key.api_key;
  }
  // The ledger makes the organization's own key within a second, and records it: in the midst of whatever a test does.
  await call('GET', '/activity/key', { token: keys.owner });
  return boundTo(call, { organization_id: founded.organization_id, keys });
}

/** The same tenant, seen through another ledger. */
export function boundTo(
  call: RunningTest['call'],
  { organization_id, keys }: Pick<Tenant, 'organization_id' | 'keys'>,
): Tenant {
  return {
    organization_id,
    keys,
    as: (role) => (method, path, body) => expectOk(call(method, path, { token: keys[role], body })),
    ask: (role, method, path, options) => call(method, path, { token: keys[role], ...options }),
  };
}

async function expectOk(answer: Promise<Answer>): Promise<Answer['json']> {
  const { status, json, text } = await answer;
  if (status >= 300) throw new Error(`HTTP ${status}: ${text}`);
  return json;
}

function parsed(text: string): Answer['json'] {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
