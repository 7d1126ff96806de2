/** What holds for every call of the ledger (docs/spec.md §11): problems, request ids, health, description. */
import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { test } from 'node:test';
import { Client, escapeIdentifier } from 'pg';
import { eachEngine } from '../../../../test/kit/engines.ts';
import { MIGRATIONS } from '../../src/migrations.ts';
import { type Answer, type CallOptions, eachLedger, running } from '../kit/running.ts';
import { approvedRun, runAt } from '../kit/story.ts';

const JSON_TYPE = { 'content-type': 'application/json' };

/** RFC 9457 and the contract's members, nothing that tells of our inside. */
function assertProblem({ status, headers, json, text }: Answer, expected: number, code: string): void {
  assert.equal(status, expected, text);
  assert.match(headers.get('content-type') ?? '', /^application\/problem\+json\b/);
  assert.equal(json.code, code);
  assert.equal(json.status, status);
  assert.match(json.code, /^[a-z]+(_[a-z]+)*$/);
  for (const member of ['type', 'title', 'detail', 'request_id'])
    assert.ok(typeof json[member] === 'string' && json[member] !== '', `${member}: ${text}`);
  assert.equal(headers.get('x-request-id'), json.request_id);
  assert.doesNotMatch(text, /\bat (?:async )?\S+ \(|node_modules|\.ts:\d|select |insert |SQLITE|sqlite/);
}

/** What a server says on a raw connection. */
function spoken(url: string, words: string): Promise<string> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    let heard = '';
    const socket = connect(Number(port), hostname, () => socket.write(words));
    socket.setEncoding('utf8').on('data', (chunk) => {
      heard += chunk;
    });
    // The other side hangs up with words of ours unread.
    socket.on('error', (error: NodeJS.ErrnoException) =>
      error.code === 'ECONNRESET' ? resolve(heard) : reject(error),
    );
    socket.on('close', () => resolve(heard));
  });
}

eachLedger('every answer of the ledger', (ledger) => {
  test('to a mistake is a problem with its code, whatever the mistake is', async () => {
    const tenant = await ledger.tenant();
    const id = await runAt(tenant, 'Inputs');
    const owner = (method: string, path: string, options: CallOptions = {}) =>
      tenant.ask('owner', method, path, options);
    assertProblem(await ledger.call('GET', '/ledger'), 401, 'unauthenticated');
    assertProblem(await ledger.call('GET', '/ledger', { token: 'rk_nonsense' }), 401, 'unauthenticated');
    assertProblem(
      await ledger.call('GET', '/ledger', { headers: { authorization: 'Basic eDp5' } }),
      401,
      'unauthenticated',
    );
    assertProblem(await tenant.ask('auditor', 'POST', '/runs', { body: {} }), 403, 'forbidden');
    assertProblem(await owner('GET', '/no/such/path'), 404, 'not_found');
    assertProblem(await owner('PUT', '/runs'), 404, 'not_found');
    assertProblem(await owner('GET', '/runs/run_none'), 404, 'not_found');
    assertProblem(await owner('GET', '/runs/%00'), 404, 'not_found');
    assertProblem(await owner('GET', `/runs/${'x'.repeat(300)}`), 404, 'not_found');
    assertProblem(await owner('GET', '/runs/%zz'), 400, 'malformed_request');
    assertProblem(await owner('POST', `/runs/${id}/verdict`), 409, 'run_stage_conflict');
    assertProblem(
      await owner('POST', '/runs', { raw: 'x=1', headers: { 'content-type': 'text/plain' } }),
      415,
      'unsupported_media_type',
    );
    assertProblem(
      await owner('POST', '/runs', { raw: '<a/>', headers: { 'content-type': 'application/xml' } }),
      415,
      'unsupported_media_type',
    );
    assertProblem(await owner('POST', '/runs', { body: {} }), 422, 'invalid');
    assertProblem(await owner('POST', '/runs'), 422, 'invalid');
    for (const raw of ['{', 'nonsense', '{"a":1}x', '\ufeff{}', "{'a':1}"])
      assertProblem(await owner('POST', '/runs', { raw, headers: JSON_TYPE }), 400, 'malformed_json');
    assertProblem(
      await owner('POST', '/runs', { raw: new Uint8Array([0x22, 0xff, 0x22]), headers: JSON_TYPE }),
      400,
      'malformed_json',
    );
    assertProblem(await owner('POST', '/runs', { raw: '{"a":1,"a":2}', headers: JSON_TYPE }), 422, 'not_representable');
    assertProblem(
      await owner('POST', '/runs', { body: { lane: 'generic', title: 'x', inputs: { task: 'x'.repeat(1_100_000) } } }),
      413,
      'payload_too_large',
    );
  });

  test('401 says how to authenticate', async () => {
    assert.equal((await ledger.call('GET', '/ledger')).headers.get('www-authenticate'), 'Bearer');
  });

  test('a refused validation names each member and what it must be', async () => {
    const tenant = await ledger.tenant();
    const { json } = await tenant.ask('agent', 'POST', '/runs', { body: { lane: 'generic', inputs: 'x' } });
    assert.deepEqual(json.errors.map((error: { path: string }) => error.path).sort(), ['inputs', 'title']);
    for (const error of json.errors) assert.ok(error.message.length > 0);
  });

  test('carries the request id that was sent, or one made here', async () => {
    const sent = await ledger.call('GET', '/healthz', { headers: { 'x-request-id': 'trace-1.a:b_c' } });
    assert.equal(sent.headers.get('x-request-id'), 'trace-1.a:b_c');
    const refused = await ledger.call('GET', '/ledger', { headers: { 'x-request-id': 'trace-2' } });
    assert.equal(refused.json.request_id, 'trace-2');
    const ids = await Promise.all(
      [1, 2].map(async () => (await ledger.call('GET', '/nowhere')).headers.get('x-request-id')!),
    );
    assert.match(ids[0]!, /^[\w-]{16,}$/);
    assert.notEqual(ids[0], ids[1]);
    for (const unusable of ['x'.repeat(200), 'a b', '<script>', 'ä'].map(encodeURI))
      if (!/^[\w.:-]{1,128}$/.test(unusable))
        assert.notEqual(
          (await ledger.call('GET', '/nowhere', { headers: { 'x-request-id': unusable } })).headers.get('x-request-id'),
          unusable,
        );
  });

  test('to what is no HTTP is a problem too', async () => {
    for (const words of ['nonsense\r\n\r\n', `GET / HTTP/1.1\r\nx: ${'y'.repeat(40_000)}\r\n\r\n`]) {
      const heard = await spoken(ledger.url, words);
      assert.match(heard, /^HTTP\/1\.1 4\d\d /);
      assert.match(heard, /application\/problem\+json/);
      assert.match(heard, /"code":"[a-z_]+"/);
    }
  });

  test('an unusable Idempotency-Key is 422', async () => {
    const tenant = await ledger.tenant();
    for (const key of ['', ' ', 'a b', 'x'.repeat(256)]) {
      const answer = await tenant.ask('agent', 'POST', '/runs', {
        body: { lane: 'generic', title: 'x', inputs: { task: 'x' } },
        headers: { 'idempotency-key': key },
      });
      assertProblem(answer, 422, 'invalid');
    }
  });

  test('health says what is verified, and who may not cache it', async () => {
    const { status, json, headers } = await ledger.call('GET', '/healthz');
    assert.equal(status, 200);
    assert.deepEqual({ ...json, version: '' }, { ok: true, db: true, storage: true, email: true, version: '' });
    assert.match(json.version, /^\d+\.\d+\.\d+/);
    assert.equal(headers.get('cache-control'), 'no-store');
  });

  test('the description is OpenAPI 3.1 and knows every call', async () => {
    const { json } = await ledger.call('GET', '/openapi.json');
    assert.match(json.openapi, /^3\.1/);
    const calls = [
      'post /runs',
      'get /runs',
      'get /runs/{id}',
      'post /runs/{id}/evidence',
      'post /runs/{id}/execution',
      'post /runs/{id}/checks',
      'patch /runs/{id}/checks/{key}',
      'post /runs/{id}/verdict',
      'post /runs/{id}/approval',
      'post /runs/{id}/receipt',
      'get /receipts/recent',
      'get /receipts/{receipt_id}',
      'get /ledger',
      'get /ledger/verify',
      'get /share/{token}',
      'get /share/{token}/pdf',
      'get /share/{token}/download',
      'get /healthz',
      'post /flight-sheets',
      'get /flight-sheets',
      'get /flight-sheets/{name}/{version}',
      'post /organizations',
      'post /keys',
      'get /keys',
      'delete /keys/{id}',
      'post /agent-profiles',
      'get /agent-profiles',
    ];
    for (const call of calls) {
      const [method, path] = call.split(' ') as [string, string];
      assert.ok(json.paths[path]?.[method]?.summary, call);
    }
    assert.ok(!('get' in json.paths['/runs/{id}/receipt']), 'there is no GET variant');
    const docs = await ledger.call('GET', '/docs/');
    assert.equal(docs.status, 200);
    assert.match(docs.headers.get('content-type')!, /html/);
  });
});

eachLedger(
  'health while storage and mail are away',
  (ledger) => {
    test('is 200 and not ok: the database answers', async () => {
      const { status, json } = await ledger.call('GET', '/healthz');
      assert.equal(status, 200);
      assert.deepEqual({ ...json, version: '' }, { ok: false, db: true, storage: false, email: false, version: '' });
    });
  },
  { LEDGER_STORAGE_URL: 'file:/dev/null/objects', LEDGER_SMTP_URL: 'smtp://127.0.0.1:1' },
);

eachEngine('a ledger whose database goes away', MIGRATIONS, (fresh, engine) => {
  test('answers 503 with Retry-After, and lives on', {
    skip: engine === 'sqlite' && 'a file does not go away',
  }, async (t) => {
    const { url, db } = await fresh();
    const ledger = await running({ url });
    t.after(() => ledger.close());
    const tenant = await ledger.tenant();
    const id = await approvedRun(tenant);
    await db.close();
    await forbidConnections(url);
    const away = await Promise.all([
      tenant.ask('approver', 'POST', `/runs/${id}/receipt`),
      tenant.ask('auditor', 'GET', '/ledger'),
      tenant.ask('auditor', 'GET', '/ledger', { headers: { accept: 'application/x-ndjson' } }),
      tenant.ask('auditor', 'GET', '/ledger/verify'),
      ledger.call('GET', `/share/${'x'.repeat(22)}`),
    ]);
    for (const answer of away) {
      assertProblem(answer, 503, 'database_unavailable');
      assert.ok(Number(answer.headers.get('retry-after')) >= 1);
    }
    const health = await ledger.call('GET', '/healthz');
    assert.deepEqual([health.status, health.json.ok, health.json.db], [503, false, false]);
  });
});

/** The database is there and lets nobody in: as when its server restarts. */
async function forbidConnections(url: string): Promise<void> {
  const [server, name] = [new URL(url), new URL(url).pathname.slice(1)];
  server.pathname = '/postgres';
  const administrator = new Client({ connectionString: server.href });
  await administrator.connect();
  await administrator.query(`alter database ${escapeIdentifier(name)} allow_connections false`);
  await administrator.query('select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [name]);
  await administrator.end();
}
