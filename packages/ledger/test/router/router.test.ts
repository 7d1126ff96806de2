/** The organization's compute router under the ledger's own sign-in and roles: a real router, two organizations, one connected. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { createLogger } from '@rcpt/service/process/log.ts';
import { readEvents } from '../../../../test/kit/events.ts';
import { ownPort } from '../../../../test/kit/own-port.ts';
import { readRouterConfig } from '../../../router/src/config.ts';
import { startRouter } from '../../../router/src/start.ts';
import { clientOf, temporaryFolder, until } from '../../../router/test/kit/running.ts';
import { addMember, signIn } from '../kit/people.ts';
import { ADMIN_TOKEN, eachLedger, type RunningTest, running, type Tenant } from '../kit/running.ts';

const LAUNCHER = fileURLToPath(new URL('../../../../rcpt', import.meta.url));
const run = promisify(execFile);
const ROUTER_TOKEN = 'test-router-token-0123456789';

eachLedger(
  'the compute router of an organization',
  (ledger) => {
    let router: Awaited<ReturnType<typeof startRouter>>;
    let client: ReturnType<typeof clientOf>;
    before(async () => {
      const folder = temporaryFolder();
      const environment = {
        ROUTER_PORT: '0',
        ROUTER_RECEIPTS_DIR: `${folder}/receipts`,
        ROUTER_ADMIN_TOKEN: ROUTER_TOKEN,
        ROUTER_OVERLOAD_DELAY_MS: '60000',
      };
      const config = readRouterConfig({ ...environment, ROUTER_DATABASE_URL: `sqlite:${folder}/router.db` });
      router = await startRouter(config, createLogger('router', 'silent'));
      client = clientOf(router.url);
    });
    after(() => router.close());

    test('is asked through the ledger by those who may, and by no other organization', async () => {
      const [tenant, other] = [await ledger.tenant(), await ledger.tenant()];
      assert.deepEqual(await connect(ledger, tenant, `${router.url}/`), {
        organization_id: tenant.organization_id,
        url: router.url,
      });
      const { id: member_id } = await tenant.as('owner')('POST', '/router/members', {
        email: 'a@example.org',
        name: 'A',
      });
      const inactive = await tenant.ask('auditor', 'GET', '/router/members?limit=1&status=inactive');
      assert.deepEqual([inactive.headers.get('x-total-count'), inactive.json.length], ['1', 1]);
      await tenant.as('owner')('POST', `/router/members/${member_id}/activate`);
      const job = { member_id, job_type: 'batch', requested_gpu_sku: 'rtx6000_blackwell_96gb', estimated_hours: 2 };
      const created = await tenant.ask('agent', 'POST', '/router/jobs', { body: job });
      assert.equal(created.status, 201, created.text);
      assert.equal(created.headers.get('location'), `/router/jobs/${created.json.id}`);
      assert.equal((await tenant.as('agent')('POST', '/router/compute/quote', job)).estimated_cost_usd, 10);

      const list = await tenant.ask('auditor', 'GET', '/router/members?limit=1&status=active', {
        headers: { 'x-request-id': 'mine-1' },
      });
      assert.deepEqual([list.status, list.headers.get('x-total-count'), list.json.length], [200, '1', 1]);
      assert.equal(list.headers.get('x-request-id'), 'mine-1');
      assert.equal(list.headers.get('cache-control'), 'no-store');
      const reads = [
        'health',
        'openapi.json',
        'admin/summary',
        'admin/history?days=7',
        'admin/workers',
        'jobs?status=queued',
        `jobs/${created.json.id}`,
        `jobs/${created.json.id}/events`,
        `jobs/${created.json.id}/logs`,
        `jobs/${created.json.id}/artifacts`,
        `members/${member_id}`,
        `members/${member_id}/status`,
        'datasets',
        'compute/inventory',
        'compute/prices',
        'receipts?receipt_type=compute_quote',
        'receipts/verify',
      ];
      for (const path of reads) {
        const { status, text } = await tenant.ask('auditor', 'GET', `/router/${path}`);
        assert.equal(status, 200, `${path}: ${text}`);
        const refused = await other.ask('owner', 'GET', `/router/${path}`);
        assert.deepEqual([refused.status, refused.json.code], [404, 'router_not_connected'], path);
        assert.equal((await ledger.call('GET', `/router/${path}`)).status, 401);
      }
      assert.equal((await other.ask('owner', 'POST', `/router/jobs/${created.json.id}/cancel`)).status, 404);
      assert.equal((await tenant.as('agent')('POST', `/router/jobs/${created.json.id}/cancel`)).status, 'canceled');

      const roles = async (method: string, path: string, body: object) =>
        Promise.all(
          (['auditor', 'agent', 'approver', 'owner'] as const).map(
            async (role) => (await tenant.ask(role, method, path, { body })).status,
          ),
        );
      assert.deepEqual(await roles('POST', '/router/compute/quote', job), [403, 200, 200, 200]);
      assert.deepEqual(await roles('POST', `/router/members/${member_id}/activate`, {}), [403, 403, 403, 200]);
      const invalid = await tenant.ask('owner', 'POST', '/router/jobs', { body: { ...job, estimated_hours: -1 } });
      assert.deepEqual(
        [invalid.status, invalid.json.code, invalid.json.errors[0].path],
        [422, 'invalid', 'estimated_hours'],
      );
      assert.match(invalid.headers.get('content-type')!, /^application\/problem\+json/);
    });

    test('tells owners alone where a dataset is', async () => {
      const tenant = await ledger.tenant();
      await connect(ledger, tenant, router.url);
      const object_uri = 's3://secret/place.jsonl';
      const { id } = await tenant.as('owner')('POST', '/router/datasets', {
        ...{ title: 'T', domain: 'd', description: '', license_type: 'l', quality_tier: 'q', object_uri },
        ...{ checksum_sha256: 'ab'.repeat(32), size_bytes: 1, row_count: 1 },
      });
      for (const path of ['/router/datasets', `/router/datasets/${id}`]) {
        assert.ok((await tenant.ask('owner', 'GET', path)).text.includes(object_uri));
        for (const role of ['agent', 'approver', 'auditor'] as const) {
          const { status, text } = await tenant.ask(role, 'GET', path);
          assert.deepEqual([status, text.includes('object_uri')], [200, false], role);
        }
      }
    });

    test('passes an Idempotency-Key on, apart for each organization', async () => {
      const [one, two] = [await ledger.tenant(), await ledger.tenant()];
      for (const each of [one, two]) await connect(ledger, each, router.url);
      const create = (tenant: Tenant, email: string) =>
        tenant.ask('owner', 'POST', '/router/members', {
          body: { email, name: 'A' },
          headers: { 'idempotency-key': 'k-1' },
        });
      const first = await create(one, 'one@example.org');
      assert.equal((await create(one, 'one@example.org')).json.id, first.json.id);
      assert.equal((await create(one, 'else@example.org')).json.code, 'idempotency_key_reused');
      assert.equal((await create(two, 'two@example.org')).status, 201);
    });

    test('forwards what is listed and nothing else, and no path climbs out of the list', async () => {
      const tenant = await ledger.tenant();
      await connect(ledger, tenant, router.url);
      for (const [method, path] of [
        ['GET', '/router/'],
        ['GET', '/router/docs'],
        ['POST', '/router/workers/register'],
        ['POST', '/router/workers/heartbeat'],
        ['POST', '/router/jobs/job_1/complete'],
        ['POST', '/router/jobs/job_1/start'],
        ['DELETE', '/router/jobs/job_1'],
        ['GET', '/router/jobs/..'],
        ['GET', '/router/jobs/%2e%2e'],
        ['GET', '/router/jobs/..%2fadmin%2fsummary'],
        ['GET', '/router/jobs/%2e%2e%2f%2e%2e'],
        ['GET', '/router/jobs/a%3fb'],
        ['GET', '/router/jobs/a%23b'],
        ['GET', '/router//evil.example/jobs'],
      ] as const) {
        const { status, json } = await tenant.ask('owner', method, path, method === 'POST' ? { body: {} } : {});
        assert.deepEqual([status, json.code], [404, 'not_found'], `${method} ${path}`);
      }
    });

    test('is followed live: a job with its log, and the news', async () => {
      const tenant = await ledger.tenant();
      await connect(ledger, tenant, router.url);
      const { id: member_id } = await tenant.as('owner')('POST', '/router/members', {
        email: 'l@example.org',
        name: 'L',
      });
      await tenant.as('owner')('POST', `/router/members/${member_id}/activate`);
      const job = { member_id, job_type: 'embedding', requested_gpu_sku: 'rog_astral_5090_32gb', estimated_hours: 1 };
      const { id } = await tenant.as('agent')('POST', '/router/jobs', job);
      const worker = await client.worker();
      const { lease_token } = await worker.lease({ supported_job_types: ['embedding'] });
      await worker.tell(`jobs/${id}/accept`, { lease_token });
      const authorization = `Bearer ${tenant.keys.auditor}`;
      const news = await readEvents(`${ledger.url}/router/admin/news`, { authorization });
      const reader = await readEvents(`${ledger.url}/router/jobs/${id}/logs`, { authorization });
      assert.match(reader.headers.get('content-type')!, /^text\/event-stream/);
      for (let i = 0; i < 5; i++) {
        await worker.tell(`jobs/${id}/logs`, { lease_token, sequence: i, message: `line ${i}` });
        await until('the line came before the job ended', () => reader.events.some(({ data }) => data.sequence === i));
      }
      await until('the news came', () => news.events.some(({ data }) => data.jobs?.includes(id)));
      await worker.tell(`jobs/${id}/complete`, { lease_token });
      assert.equal(await reader.ended, true);
      assert.equal(reader.events.at(-1)!.data.status, 'completed');
      const from = reader.events.filter(({ event }) => event === 'log')[3]!.id!;
      const again = await readEvents(`${ledger.url}/router/jobs/${id}/logs`, { authorization, 'last-event-id': from });
      assert.equal(await again.ended, true);
      assert.deepEqual(
        again.events.map(({ event }) => event),
        ['log', 'job'],
      );
      news.stop();
    });

    test('is reached with a session too, and a stop of the ledger does not wait for its streams', async () => {
      const folder = temporaryFolder();
      const second = await running({ url: `sqlite:${folder}/ledger.db` }, { LEDGER_ROUTER_TOKEN: ROUTER_TOKEN });
      const tenant = await second.tenant();
      await connect(second, tenant, router.url);
      const { cookie } = await signIn(second, (await addMember(tenant, 'agent')).email);
      const reader = await readEvents(`${second.url}/router/admin/news`, { cookie });
      assert.equal(reader.status, 200);
      const post = async (headers: Record<string, string>) =>
        (await second.call('POST', '/router/compute/quote', { body: {}, headers: { cookie, ...headers } })).json.code;
      assert.equal(await post({ 'sec-fetch-site': 'cross-site' }), 'cross_site');
      assert.equal(await post({ 'sec-fetch-site': 'same-origin' }), 'invalid', 'the router has looked at it');
      await Promise.all([second.close(), reader.ended]);
    });

    test('is heard of no longer than one may: its streams end, and are twenty per credential', async () => {
      const tenant = await ledger.tenant();
      await connect(ledger, tenant, router.url);
      const owner = tenant.as('owner');
      const [key, member] = [await owner('POST', '/keys', { role: 'agent' }), await addMember(tenant, 'agent')];
      const { cookie } = await signIn(ledger, member.email);
      const news = `${ledger.url}/router/admin/news`;
      const ending = [
        await readEvents(news, { authorization: `Bearer ${key.api_key}` }),
        await readEvents(news, { cookie }),
      ];
      const staying = await readEvents(news, { authorization: `Bearer ${tenant.keys.auditor}` });
      for (const reader of [...ending, staying]) assert.equal(reader.status, 200);
      await owner('DELETE', `/keys/${key.id}`);
      await owner('DELETE', `/members/${member.id}`);
      await Promise.all(ending.map(({ ended }) => ended));

      const more = await Promise.all(
        Array.from({ length: 19 }, () => readEvents(news, { authorization: `Bearer ${tenant.keys.auditor}` })),
      );
      const refused = await readEvents(`${ledger.url}/events`, { authorization: `Bearer ${tenant.keys.auditor}` });
      assert.equal(refused.status, 429, 'events are streams, too');
      for (const reader of more) reader.stop();
      await until('those who hang up make room', async () => {
        const again = await readEvents(news, { authorization: `Bearer ${tenant.keys.auditor}` });
        if (again.status === 200) again.stop();
        return again.status === 200;
      });
      await connect(ledger, tenant, null);
      await staying.ended;
    });

    describe('that is something else', () => {
      test('gets no cookie, no key and no other header of the caller, and its own are not passed on', async (t) => {
        const tenant = await ledger.tenant();
        const seen: IncomingMessage[] = [];
        const fake = await listen((request, response) => {
          seen.push(request);
          response.writeHead(200, {
            'content-type': 'application/json',
            'set-cookie': 'rcpt_session=stolen; Path=/',
            'access-control-allow-origin': '*',
            'content-security-policy': 'none',
            location: 'https://evil.example/',
            'x-request-id': 'theirs',
          });
          response.end('[]');
        });
        t.after(() => fake.close());
        await connect(ledger, tenant, `${fake.url}/below`);
        const headers = {
          cookie: 'a=b',
          'x-forwarded-for': '10.0.0.1',
          'x-api-key': 'k',
          referer: 'http://here/',
          origin: ledger.url,
        };
        const { status, headers: answered } = await tenant.ask('owner', 'GET', '/router/jobs?limit=3&after=%2e', {
          headers,
        });
        assert.equal(status, 200);
        for (const name of ['set-cookie', 'access-control-allow-origin', 'content-security-policy', 'location'])
          assert.equal(answered.get(name), null, name);
        assert.notEqual(answered.get('x-request-id'), 'theirs');
        const [request] = seen;
        assert.equal(request!.url, '/below/jobs?limit=3&after=%2e');
        assert.equal(request!.headers.authorization, `Bearer ${ROUTER_TOKEN}`);
        assert.equal(request!.headers['x-request-id'], answered.get('x-request-id'));
        for (const name of ['cookie', 'x-forwarded-for', 'x-api-key', 'referer', 'origin'])
          assert.equal(request!.headers[name], undefined, name);
        assert.ok(!JSON.stringify(request!.rawHeaders).includes('rk_'));
      });

      test('away, redirecting, not a router, or refusing our token: 503 router_unavailable with Retry-After', async (t) => {
        const tenant = await ledger.tenant();
        const strange: [number, Record<string, string>, string][] = [
          [302, { location: `${router.url}/health`, 'content-type': 'application/json' }, '{}'],
          [200, { 'content-type': 'text/html' }, '<script>alert(1)</script>'],
          [401, { 'content-type': 'application/problem+json', 'www-authenticate': 'Basic' }, '{}'],
        ];
        const fakes = await Promise.all(
          strange.map(([status, headers, text]) =>
            listen((_, response) => void response.writeHead(status, headers).end(text)),
          ),
        );
        t.after(() => Promise.all(fakes.map((fake) => fake.close())));
        const gone = { url: `http://127.0.0.1:${await ownPort()}` };
        for (const { url } of [...fakes, gone]) {
          await connect(ledger, tenant, url);
          const { status, json, headers } = await tenant.ask('owner', 'GET', '/router/jobs');
          assert.deepEqual([status, json.code, headers.get('retry-after')], [503, 'router_unavailable', '5']);
          assert.equal(headers.get('www-authenticate'), null);
        }
        await connect(ledger, tenant, null);
        assert.equal((await tenant.ask('owner', 'GET', '/router/jobs')).json.code, 'router_not_connected');
      });
    });

    test('is connected and disconnected from a shell', async () => {
      const tenant = await ledger.tenant();
      const rcpt = (...words: string[]) =>
        run(LAUNCHER, ['org', 'router', '--json', ...words], {
          env: { ...process.env, LEDGER_DATABASE_URL: ledger.database_url },
        });
      const org = tenant.organization_id;
      const { stdout } = await rcpt('--org', org, '--url', `${router.url}/`);
      assert.deepEqual(JSON.parse(stdout), { organization_id: org, url: router.url });
      assert.equal((await tenant.as('auditor')('GET', '/router/health')).service, 'compute-router');
      await rcpt('--org', org, '--none');
      assert.equal((await tenant.ask('auditor', 'GET', '/router/health')).json.code, 'router_not_connected');
      for (const [code, ...words] of [
        [2, '--org', org],
        [2, '--org', org, '--url', router.url, '--none'],
        [2, '--org', org, '--url', 'http://user:secret@router'],
        [1, '--org', 'org_none', '--none'],
      ] as [number, ...string[]][])
        await assert.rejects(rcpt(...words), { code });
    });

    test('is connected by the operator alone, to an address without secrets', async () => {
      const tenant = await ledger.tenant();
      const path = `/organizations/${tenant.organization_id}/router`;
      assert.equal((await tenant.ask('owner', 'PUT', path, { body: { url: router.url } })).status, 401);
      for (const url of ['', 'ftp://a', 'http://u:p@a', 'http://a?b', 'http://a#b', 'a', 'javascript:1', 5, undefined])
        assert.equal((await ledger.call('PUT', path, { token: ADMIN_TOKEN, body: { url } })).status, 422, String(url));
      const unknown = `/organizations/org_${'0'.repeat(32)}/router`;
      assert.equal((await ledger.call('PUT', unknown, { token: ADMIN_TOKEN, body: { url: router.url } })).status, 404);
      assert.equal((await tenant.ask('owner', 'GET', '/router/health')).json.code, 'router_not_connected');
    });
  },
  { LEDGER_ROUTER_TOKEN: ROUTER_TOKEN },
);

async function connect({ call }: RunningTest, { organization_id }: Tenant, url: string | null) {
  const { status, json, text } = await call('PUT', `/organizations/${organization_id}/router`, {
    token: ADMIN_TOKEN,
    body: { url },
  });
  assert.equal(status, 200, text);
  return json;
}

async function listen(answer: RequestListener) {
  const server = createServer(answer).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise<void>((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}
