/** Whom an open router answers: a page that points a name of its own at this machine (DNS rebinding) gets nothing. */
import assert from 'node:assert/strict';
import { request } from 'node:http';
import { test } from 'node:test';
import { enrollmentSecret, readRouterConfig } from '../../src/config.ts';
import { ADMIN_TOKEN, assertProblem, eachRouter, type TestRouter } from '../kit/running.ts';

const ENROLLMENT_TOKEN = 'test-enrollment-token-0123';
const REGISTRATION = { node_id: 'rig-1', name: 'rig one', hostname: 'rig-1' };

/** `fetch` sends the Host of the address it calls, whatever it is told. */
function ask(router: TestRouter, host: string, method: string, path: string, token = ''): Promise<Ask> {
  const headers = { host, 'content-type': 'application/json', ...(token === '' ? {} : { authorization: token }) };
  return new Promise((resolve, reject) => {
    const asked = request(router.url + path, { method, headers, agent: false }, (answer) => {
      let text = '';
      answer.setEncoding('utf8').on('data', (part: string) => {
        text += part;
      });
      answer.on('end', () => {
        const answered = new Headers(answer.headers as Record<string, string>);
        resolve({ status: answer.statusCode!, headers: answered, text, json: text === '' ? null : JSON.parse(text) });
      });
    });
    asked.once('error', reject);
    asked.end(method === 'POST' ? JSON.stringify(REGISTRATION) : undefined);
  });
}
type Ask = Awaited<ReturnType<TestRouter['call']>>;

const OPEN = [
  ['GET', '/jobs'],
  ['GET', '/members'],
  ['GET', '/admin/summary'],
  ['GET', '/admin/news'],
  ['GET', '/receipts'],
  ['POST', '/members'],
  ['POST', '/jobs/job_1/cancel'],
  ['POST', '/workers/register'],
] as const;

eachRouter('host names', (start) => {
  test('an open router answers to addresses and localhost, and refuses every other name with 421', async () => {
    const router = await start();
    for (const host of ['attacker.example', 'attacker.example:80', '127.0.0.1.attacker.example', 'localhost.example'])
      for (const [method, path] of OPEN)
        assertProblem(await ask(router, host, method, path), 421, 'misdirected_request');
    assert.deepEqual([await router.get('/members'), await router.get('/admin/workers')], [[], []], 'nothing was done');
    for (const host of [
      '127.0.0.1',
      '127.0.0.1:8088',
      '127.1',
      '[::1]:8088',
      '192.168.1.7',
      'localhost',
      'LocalHost:1',
    ])
      assert.equal((await ask(router, host, 'GET', '/jobs')).status, 200, host);
    for (const host of ['localhost.', 'console.localhost:3000', 'gpu-box:8088'])
      assert.equal((await ask(router, host, 'GET', '/jobs')).status, 200, host);
    assert.equal((await ask(router, 'attacker.example', 'GET', '/health')).status, 200, 'health is public');
  });

  test('the names of ROUTER_ALLOWED_HOSTS are its own too', async () => {
    const router = await start({ environment: { ROUTER_ALLOWED_HOSTS: 'Router.example, gpu.box' } });
    for (const host of ['router.example', 'ROUTER.example:8088', 'gpu.box', '127.0.0.1'])
      assert.equal((await ask(router, host, 'GET', '/jobs')).status, 200, host);
    assertProblem(await ask(router, 'other.example', 'GET', '/jobs'), 421, 'misdirected_request');
  });

  test('a page of another site has nothing done by an open router; what a token guards asks for the token', async () => {
    const router = await start();
    const job = await router.job();
    const headers = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors' };
    assertProblem(await router.call('POST', `/jobs/${job.id}/cancel`, { headers }), 403, 'cross_site');
    assert.equal((await router.get(`/jobs/${job.id}`)).status, 'queued');
    assert.equal((await router.call('GET', '/docs', { headers })).status, 200, 'a link is a link');
    for (const site of ['same-origin', 'none'])
      assert.equal((await router.call('GET', '/jobs', { headers: { 'sec-fetch-site': site } })).status, 200, site);
    const own = { headers: { 'sec-fetch-site': 'same-origin' } };
    assert.equal((await router.call('POST', `/jobs/${job.id}/cancel`, own)).status, 200);
  });

  test('what a token guards is answered under any name: no page of another site has it', async () => {
    const environment = { ROUTER_ADMIN_TOKEN: ADMIN_TOKEN, ROUTER_ENROLLMENT_TOKEN: ENROLLMENT_TOKEN };
    const router = await start({ environment });
    for (const [method, path] of OPEN)
      assertProblem(await ask(router, 'router.example', method, path), 401, 'unauthenticated');
    assert.equal((await ask(router, 'router.example', 'GET', '/jobs', `Bearer ${ADMIN_TOKEN}`)).status, 200);
    const registered = await ask(router, 'router.example', 'POST', '/workers/register', `Bearer ${ENROLLMENT_TOKEN}`);
    assert.equal(registered.status, 201);
    const token = `Bearer ${registered.json.worker_token}`;
    assertProblem(await ask(router, 'router.example', 'POST', '/workers/heartbeat', token), 422, 'invalid');
  });

  test('registration that is open beside a guarded rest answers to its own names only', async () => {
    const router = await start({ environment: { ROUTER_ADMIN_TOKEN: ADMIN_TOKEN } });
    assertProblem(await ask(router, 'attacker.example', 'POST', '/workers/register'), 421, 'misdirected_request');
    assert.equal((await ask(router, 'localhost', 'POST', '/workers/register')).status, 201);
  });

  test('beyond loopback registration takes the admin token where no enrollment token is set, and names are anybody’s', async () => {
    const router = await start({ environment: { ROUTER_HOST: '0.0.0.0', ROUTER_ADMIN_TOKEN: ADMIN_TOKEN } });
    const at = { ...router, url: router.url.replace('0.0.0.0', '127.0.0.1') };
    assertProblem(await ask(at, 'router.lan', 'POST', '/workers/register'), 401, 'unauthenticated');
    const registered = await ask(at, 'router.lan', 'POST', '/workers/register', `Bearer ${ADMIN_TOKEN}`);
    assert.equal(registered.status, 201);
  });
});

test('what registration asks for follows from address and tokens', () => {
  const asked = (environment: Record<string, string>) => enrollmentSecret(readRouterConfig(environment))?.token ?? null;
  const [beyond, admin] = [{ ROUTER_HOST: '0.0.0.0' }, { ROUTER_ADMIN_TOKEN: ADMIN_TOKEN }];
  assert.equal(asked({}), null);
  assert.equal(asked(admin), null);
  assert.equal(asked({ ...beyond, ...admin }), ADMIN_TOKEN);
  assert.equal(asked({ ...beyond, ROUTER_ALLOW_OPEN: 'yes' }), null);
  for (const environment of [{}, admin, { ...beyond, ...admin }])
    assert.equal(asked({ ...environment, ROUTER_ENROLLMENT_TOKEN: ENROLLMENT_TOKEN }), ENROLLMENT_TOKEN);
});
