/** Who may call what, settings, and what is promised of every call (docs/spec.md §11, §18, §25). */
import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { test } from 'node:test';
import { readRouterConfig } from '../../src/config.ts';
import { spawnRouter, startRouterProcess } from '../kit/process.ts';
import { ADMIN_TOKEN, assertProblem, CHEAP_SKU, eachRouter, SKU, temporaryFolder } from '../kit/running.ts';

const ENROLLMENT_TOKEN = 'test-enrollment-token-0123';
const REGISTRATION = { node_id: 'rig-1', name: 'rig one', hostname: 'rig-1' };
const bearer = (token: string) => ({ token });

eachRouter('access', (start) => {
  test('is open on loopback, and needs the admin token where one is set, but for workers and health', async () => {
    const router = await start({ environment: { ROUTER_ADMIN_TOKEN: ADMIN_TOKEN } });
    const worker = await router.worker();
    const paths = [
      ['GET', '/admin/summary'],
      ['GET', '/admin/workers'],
      ['GET', `/admin/workers/${worker.worker_id}`],
      ['POST', `/admin/workers/${worker.worker_id}/drain`],
      ['POST', '/members'],
      ['GET', '/members/mem_1'],
      ['POST', '/members/mem_1/activate'],
      ['GET', '/members/mem_1/status'],
      ['POST', '/datasets'],
      ['GET', '/datasets'],
      ['GET', '/datasets/ds_1'],
      ['POST', '/datasets/ds_1/access'],
      ['GET', '/compute/inventory'],
      ['POST', '/compute/register-node'],
      ['POST', '/compute/quote'],
      ['POST', '/jobs'],
      ['GET', '/jobs'],
      ['GET', '/jobs/job_1'],
      ['GET', '/jobs/job_1/logs'],
      ['POST', '/jobs/job_1/start'],
      ['POST', '/jobs/job_1/cancel'],
      ['GET', '/receipts'],
      ['GET', '/receipts/verify'],
    ] as const;
    for (const [method, path] of paths) {
      for (const options of [{}, bearer('wrong'), bearer(worker.token), bearer(`${ADMIN_TOKEN}x`)]) {
        const answer = await router.call(method, path, { ...options, ...(method === 'POST' ? { body: {} } : {}) });
        assertProblem(answer, 401, 'unauthenticated');
        assert.equal(answer.headers.get('www-authenticate'), 'Bearer');
      }
      const { status } = await router.call(method, path, {
        ...bearer(ADMIN_TOKEN),
        ...(method === 'POST' ? { body: {} } : {}),
      });
      assert.notEqual(status, 401, path);
    }
    const { status, json } = await router.call('GET', '/health');
    assert.equal(status, 200);
    const { version, ...health } = json;
    assert.deepEqual(health, {
      status: 'ok',
      service: 'compute-router',
      db_status: 'ok',
      timestamp: '2026-05-29T20:00:00.000+00:00',
    });
    assert.match(version, /^\d+\.\d+\.\d+/);
    assertProblem(await worker.ask('heartbeat', { status: 'online' }, bearer(ADMIN_TOKEN)), 401, 'unauthenticated');
  });

  test('to enrollment needs its own token where one is set', async () => {
    const router = await start({
      environment: { ROUTER_ENROLLMENT_TOKEN: ENROLLMENT_TOKEN, ROUTER_ADMIN_TOKEN: ADMIN_TOKEN },
    });
    for (const options of [{}, bearer(ADMIN_TOKEN), bearer('wrong')])
      assertProblem(
        await router.call('POST', '/workers/register', { ...options, body: REGISTRATION }),
        401,
        'unauthenticated',
      );
    const { status } = await router.call('POST', '/workers/register', {
      ...bearer(ENROLLMENT_TOKEN),
      body: REGISTRATION,
    });
    assert.equal(status, 201);
    assert.equal(router.receipts().length, 1);
  });

  test('a create with an Idempotency-Key happens once, and its answer, secrets included, is told again', async () => {
    const router = await start({ environment: { ROUTER_ENROLLMENT_TOKEN: ENROLLMENT_TOKEN } });
    const member_id = await router.member();
    const job = { member_id, job_type: 'eval', requested_gpu_sku: SKU, estimated_hours: 1 };
    const creates = [
      ['/members', { email: 'k@example.org', name: 'K' }, { email: 'l@example.org', name: 'K' }],
      ['/compute/register-node', { hostname: 'h', gpu_type: SKU }, { hostname: 'h', gpu_type: CHEAP_SKU }],
      ['/compute/quote', job, { ...job, estimated_hours: 2 }],
      ['/jobs', job, { ...job, estimated_hours: 2 }],
      ['/workers/register', REGISTRATION, { ...REGISTRATION, name: 'two' }],
    ] as const;
    for (const [path, body, other] of creates) {
      const before = router.receipts().length;
      const headers = {
        'idempotency-key': `key of ${path}`.replaceAll(' ', '-'),
        authorization: `Bearer ${ENROLLMENT_TOKEN}`,
      };
      const answers = await Promise.all(Array.from({ length: 5 }, () => router.call('POST', path, { body, headers })));
      router.clock.advance(1);
      answers.push(await router.call('POST', path, { body, headers }));
      assert.equal(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size, 1, path);
      assert.equal(new Set(answers.map((answer) => answer.headers.get('location'))).size, 1, path);
      assert.ok(router.receipts().length - before <= 1, path);
      assertProblem(await router.call('POST', path, { body: other, headers }), 422, 'idempotency_key_reused');
    }
    assert.equal((await router.get('/jobs')).length, 1);
    assert.equal((await router.get('/admin/workers')).length, 1);
  });

  test('a repeat of key and body of a registration that took no credential does not show the token', async () => {
    const router = await start();
    const headers = { 'idempotency-key': 'install-1' };
    const register = (more = {}) =>
      router.call('POST', '/workers/register', { body: REGISTRATION, headers: { ...headers, ...more } });
    const first = await register();
    assert.equal(first.status, 201);
    const token: string = first.json.worker_token;
    assert.match(token, /^dwrk_/);
    const attackers = [{}, {}, { authorization: 'Bearer anything' }, { authorization: `Bearer ${token}` }];
    for (const answer of await Promise.all(attackers.map(register))) {
      assertProblem(answer, 409, 'secret_shown_once');
      assert.ok(!answer.text.includes('dwrk_'));
    }
    // The router does not check this bearer: it must not tell one caller from another.
    const other = { 'idempotency-key': 'install-2' };
    const unchecked = { authorization: 'Bearer of-nobody' };
    assert.equal((await register({ ...other, ...unchecked })).status, 201);
    assertProblem(await register({ ...other, ...unchecked }), 409, 'secret_shown_once');
    assertProblem(await register(other), 409, 'secret_shown_once');
    assert.equal((await router.get('/admin/workers')).length, 2);
    assert.equal(router.receipts().filter(({ receipt_type }) => receipt_type === 'worker_registered').length, 2);
  });

  test('every answer carries the caller’s request id, or one of its own', async () => {
    const router = await start();
    for (const path of ['/health', '/jobs/job_none']) {
      const given = await router.call('GET', path, { headers: { 'x-request-id': 'trace-42' } });
      assert.equal(given.headers.get('x-request-id'), 'trace-42');
      const own = await router.call('GET', path);
      assert.match(own.headers.get('x-request-id')!, /^[\w-]{20,}$/);
    }
  });
});

test('a wrong setting stops the start with one line that names the variable, what it got and what it takes', () => {
  const wrong: [Record<string, string>, RegExp][] = [
    [{ ROUTER_PORT: 'eighty' }, /^ROUTER_PORT: got "eighty", takes a port, 0 to 65535/],
    [{ ROUTER_LEASE_SECONDS: '0' }, /^ROUTER_LEASE_SECONDS: got "0", takes a number of seconds/],
    [{ ROUTER_LEASE_SECONDS: '999999999999' }, /^ROUTER_LEASE_SECONDS: got "999999999999", takes a number of seconds/],
    [{ ROUTER_METERING: 'guessed' }, /^ROUTER_METERING: got "guessed", takes reported or measured$/],
    [{ ROUTER_ADMIN_TOKEN: 'short' }, /^ROUTER_ADMIN_TOKEN: got \(not shown\), takes a secret/],
    [
      { ROUTER_DATABASE_URL: 'mysql://u:secret@h/d' },
      /^ROUTER_DATABASE_URL: got \(not shown\), takes sqlite:<path> or postgres/,
    ],
    [{ LEDGER_URL: 'http://127.0.0.1:1' }, /^LEDGER_API_KEY: got nothing, takes /],
    [{ LEDGER_API_KEY: 'rk_x' }, /^LEDGER_URL: got nothing, takes /],
    [{ LEDGER_URL: 'ledger', LEDGER_API_KEY: 'rk_x' }, /^LEDGER_URL: got "ledger", takes an http/],
    [{ ROUTER_HOST: '0.0.0.0' }, /^ROUTER_ADMIN_TOKEN: got nothing, takes a secret when ROUTER_HOST is 0\.0\.0\.0/],
    [{ ROUTER_HOST: '192.168.1.7' }, /^ROUTER_ADMIN_TOKEN: /],
    [{ ROUTER_HOST: '::' }, /^ROUTER_ADMIN_TOKEN: /],
    [{ ROUTER_HOST: '127.0.0.1.example.org' }, /^ROUTER_ADMIN_TOKEN: /],
  ];
  for (const [environment, line] of wrong) {
    assert.throws(
      () => readRouterConfig(environment),
      (error: Error) => line.test(error.message) && !error.message.includes('\n'),
    );
  }
  for (const ROUTER_HOST of ['localhost', '127.0.0.1', '127.1.2.3', '::1'])
    assert.equal(readRouterConfig({ ROUTER_HOST }).host, ROUTER_HOST);
  assert.equal(readRouterConfig({ ROUTER_HOST: '0.0.0.0', ROUTER_ADMIN_TOKEN: ADMIN_TOKEN }).host, '0.0.0.0');
  assert.equal(readRouterConfig({ ROUTER_HOST: '0.0.0.0', ROUTER_ALLOW_OPEN: 'yes' }).host, '0.0.0.0');
});

test('./rcpt router refuses to listen beyond loopback without a token, exits 2, and drains on SIGTERM', async (t) => {
  const folder = temporaryFolder();
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const environment = { ROUTER_DATABASE_URL: `sqlite:${folder}/router.db`, ROUTER_RECEIPTS_DIR: `${folder}/receipts` };
  const { code, stderr: said } = await spawnRouter({ ...environment, ROUTER_HOST: '0.0.0.0' }).ended;
  assert.equal(code, 2);
  assert.equal(said.length, 1);
  assert.match(said[0]!, /^rcpt router: ROUTER_ADMIN_TOKEN: got nothing, takes a secret/);
  const router = await startRouterProcess(environment);
  assert.match(router.url, /^http:\/\/127\.0\.0\.1:\d+$/);
  assert.equal(await router.stop(), 0);
});
