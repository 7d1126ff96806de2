/**
 * Whatever a client sends, the router answers as the contract says, and a refused request changes nothing. The requests
 * are generated from the description that the running router serves.
 */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import type { Engine } from '../../../../test/kit/engines.ts';
import { judgeOf, plainClient, sentOf } from '../../../../test/kit/openapi-answers.ts';
import {
  type Case,
  type Document,
  filled,
  invalidBodies,
  invalidIdempotencyKeys,
  invalidQueries,
  type Operation,
  operationsOf,
  sample,
  strangePlaces,
  unreadableBodies,
} from '../../../../test/kit/openapi-cases.ts';
import { eachRouter, type Start, type TestRouter } from '../kit/running.ts';

const JSON_LIMIT = 1_048_576;
/** Every call of the router, the reads a member needs among them (docs/spec.md §18). */
const OPERATIONS = `
  GET /health, GET /admin/summary, GET /admin/history, GET /admin/news, GET /admin/workers, GET /admin/workers/{id}, POST /admin/workers/{id}/drain,
  POST /admin/workers/{id}/resume, POST /admin/workers/{id}/revoke, POST /members, GET /members, GET /members/{id}, POST /members/{id}/activate, GET /members/{id}/status, GET /members/{id}/logs,
  POST /datasets, GET /datasets, GET /datasets/{id}, POST /datasets/{id}/access, GET /compute/inventory, GET /compute/prices,
  POST /compute/register-node, POST /compute/quote, POST /jobs, GET /jobs, GET /jobs/{id}, GET /jobs/{id}/events,
  GET /jobs/{id}/logs, GET /jobs/{id}/artifacts, POST /jobs/{id}/start, POST /jobs/{id}/complete, POST /jobs/{id}/cancel,
  POST /jobs/{id}/ledger/retry,
  POST /workers/register, POST /workers/heartbeat, POST /workers/jobs/lease, POST /workers/jobs/{id}/accept,
  POST /workers/jobs/{id}/status, POST /workers/jobs/{id}/logs, POST /workers/jobs/{id}/artifacts,
  POST /workers/jobs/{id}/complete, POST /workers/jobs/{id}/fail, GET /receipts, GET /receipts/verify`
  .split(',')
  .map((name) => name.trim())
  .sort();
const TABLES = [
  'members',
  'datasets',
  'dataset_grants',
  'nodes',
  'jobs',
  'job_events',
  'job_logs',
  'member_logs',
  'artifacts',
  'receipt_batches',
  'idempotency_keys',
  'workers',
];

const isWorkers = ({ name }: Operation) => name.includes(' /workers/') && name !== 'POST /workers/register';

async function storedIn({ db }: TestRouter): Promise<Record<string, string>> {
  const digests: Record<string, string> = {};
  for (const table of TABLES) {
    const lines = (await db.all(`select * from ${table}`)).map((row) => JSON.stringify(row)).sort();
    // Verification marks what is appended.
    const text = lines.join('\n').replace(/"appended":\d/g, '');
    digests[table] = `${lines.length} ${createHash('sha256').update(text).digest('hex')}`;
  }
  return digests;
}

/** @param each_nth 1 sends every case, 4 each fourth */
export function badInput(engines: readonly Engine[], each_nth: number): void {
  eachRouter('bad input', (start) => suite(start, each_nth), engines);
}

function suite(start: Start, each_nth: number): void {
  test('of every generated kind is refused as the description says, and changes nothing', async (t) => {
    const router = await start();
    const client = plainClient(router.url);
    t.after(() => client.close());
    const document = JSON.parse((await client.send({ method: 'GET', path: '/openapi.json' })).text) as Document;
    const operations = operationsOf(document);
    const judge = judgeOf(document);
    assert.deepEqual(operations.map(({ name }) => name).sort(), OPERATIONS);
    for (const operation of operations) {
      assert.ok(operation.summary, operation.name);
      assert.ok(operation.responses.default?.content?.['application/problem+json'], operation.name);
    }

    const worker = await router.worker();
    const member_id = await router.member();
    const { id: job_id } = await router.job({ member_id });
    const { lease_token } = await worker.lease();
    await router.post('/datasets', { ...DATASET, id: 'ds-1' });
    const places = ({ path }: Operation): Record<string, string> => {
      const id = path.startsWith('/members')
        ? member_id
        : path.startsWith('/datasets')
          ? 'ds-1'
          : path.startsWith('/admin')
            ? worker.worker_id
            : job_id;
      return { id };
    };
    /** What would be taken if nothing were wrong with it. */
    const baseOf = ({ body }: Operation) => {
      if (body === null) return undefined;
      const base = sample(body) as Record<string, unknown>;
      return {
        ...base,
        ...('lease_token' in base ? { lease_token, message: 'm' } : {}),
        ...('member_id' in base ? { member_id } : {}),
      };
    };
    const credentialFor = (operation: Operation) => (isWorkers(operation) ? worker.token : null);
    let requests = 0;
    let offered = 0;
    async function refuseAll(operation: Operation, path: string, cases: Case[]) {
      const sent = cases.filter(() => offered++ % each_nth === 0);
      if (sent.length === 0) return;
      const before = await storedIn(router);
      for (const each of sent) {
        const got = await client.send(
          sentOf(each, operation.method, path + (each.query ?? ''), credentialFor(operation)),
        );
        requests++;
        judge.problem(`${operation.name}: ${each.what}`, got, each.statuses);
      }
      assert.deepEqual(await storedIn(router), before, `${operation.name}: a refused request changed something`);
    }

    for (const operation of operations) {
      const path = filled(operation.path, places(operation));
      const base = baseOf(operation);
      const body =
        base === undefined ? {} : { body: JSON.stringify(base), headers: { 'content-type': 'application/json' } };
      if (operation.body !== null) {
        await refuseAll(operation, path, unreadableBodies(JSON_LIMIT));
        const tooLarge = ({ body }: Case) => Buffer.byteLength(body ?? '') > JSON_LIMIT;
        const invalid = invalidBodies(operation.body, base);
        await refuseAll(
          operation,
          path,
          invalid.map((each) => (tooLarge(each) ? { ...each, statuses: [413] } : each)),
        );
      }
      await refuseAll(operation, path, invalidQueries(operation.parameters));
      await refuseAll(
        operation,
        path,
        invalidIdempotencyKeys(operation.parameters).map((each) => ({
          ...body,
          ...each,
          headers: { ...body.headers, ...each.headers },
        })),
      );
      if (!operation.path.includes('{')) continue;
      for (const { what, part, statuses } of strangePlaces(['job_none', 'x'.repeat(100), "'or'1'='1"]))
        await refuseAll(operation, filled(operation.path, { id: part }), [{ ...body, what, statuses }]);
    }
    t.diagnostic(`${requests} requests refused`);
  });
}

const DATASET = {
  title: 'Support chat',
  domain: 'support',
  description: 'Chats.',
  object_uri: 's3://data/support-chat',
  license_type: 'CC-BY-4.0',
  quality_tier: 'gold',
  checksum_sha256: '5e'.repeat(32),
  size_bytes: 1,
  row_count: 1,
};
