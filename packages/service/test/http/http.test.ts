/** The HTTP shell by itself: problems in one shape, whatever goes wrong; strict JSON; limits; load shedding. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { Problem } from '@rcpt/contract/problem.ts';
import { pino } from 'pino';
import { z } from 'zod';
import { DatabaseUnavailable, Refusal } from '../../src/error.ts';
import { type App, createHttp } from '../../src/http/app.ts';
import { validationMessage } from '../../src/http/validation-messages.ts';

describe('the HTTP shell', () => {
  let app: App;
  const addresses: (string | undefined)[] = [];
  const log: { level: number; msg: string; route?: string; request_id?: string; err?: { message: string } }[] = [];

  before(async () => {
    app = await createHttp({
      title: 'Test',
      description: 'Test',
      version: '0.0.0',
      tags: [],
      logger: pino({ level: 'debug' }, { write: (line: string) => void log.push(JSON.parse(line)) }),
      problems: { tea_only: { status: 409, title: 'Only tea here' } },
      json_body_bytes: 1_000,
      overload_delay_ms: 60_000,
    });
    const failures: Record<string, () => Error> = {
      ours: () => new Refusal('tea_only', 'There is no coffee.', { drinks: ['tea'] }),
      unlisted: () => new Refusal('never_listed', 'A secret detail.'),
      unknown: () => new TypeError('inside /srv/app/secret.ts select * from keys'),
      away: () => new DatabaseUnavailable(new Error('ECONNREFUSED 10.0.0.7')),
    };
    app.get('/fail/:how', { schema: { params: z.object({ how: z.string() }) } }, (request) => {
      throw failures[request.params.how]!();
    });
    app.post(
      '/echo',
      { schema: { body: z.object({ n: z.int().positive(), list: z.array(z.object({ a: z.string() })).optional() }) } },
      (request) => request.body,
    );
    app.get('/slow', async () => {
      await sleep(20);
      return {};
    });
    app.get('/address', (request) => {
      addresses.push(request.ip);
      return {};
    });
    await app.listen({ host: '127.0.0.1', port: 0 });
  });
  after(() => app.close());

  const post = (payload: string | Buffer, headers: Record<string, string> = { 'content-type': 'application/json' }) =>
    app.inject({ method: 'POST', url: '/echo', payload, headers });

  test('whoever still sends a body that is too large can send all of it, and reads the answer', async () => {
    const { port } = app.server.address() as AddressInfo;
    const socket = connect(port, '127.0.0.1').setEncoding('utf8');
    const rest = 5_000_000;
    socket.write(
      `POST /echo HTTP/1.1\r\nhost: test\r\ncontent-type: application/json\r\ncontent-length: ${rest}\r\n\r\n`,
    );
    let answers = '';
    socket.on('data', (part: string) => {
      answers += part;
    });
    const answered = async (status: number) => {
      while (!answers.includes(`HTTP/1.1 ${status} `)) await once(socket, 'data');
    };
    await answered(413);
    // What a caller had under way by then; on a connection that was closed it would end in a reset.
    socket.write('x'.repeat(rest));
    socket.write('GET /address HTTP/1.1\r\nhost: test\r\n\r\n');
    await answered(200);
    socket.destroy();
    assert.match(answers, /"code":"payload_too_large"/);
  });

  test('answers a refusal with its own status, code, detail and members', async () => {
    const answer = await app.inject({ url: '/fail/ours', headers: { 'x-request-id': 'r-1' } });
    assert.equal(answer.statusCode, 409);
    assert.match(String(answer.headers['content-type']), /^application\/problem\+json/);
    assert.deepEqual(answer.json(), {
      type: 'urn:problem:tea-only',
      title: 'Only tea here',
      status: 409,
      detail: 'There is no coffee.',
      code: 'tea_only',
      request_id: 'r-1',
      drinks: ['tea'],
    });
  });

  test('tells nothing of an error nobody foresaw, and logs it once with the request id', async () => {
    for (const how of ['unknown', 'unlisted']) {
      log.length = 0;
      const answer = await app.inject({ url: `/fail/${how}`, headers: { 'x-request-id': `r-${how}` } });
      assert.equal(answer.statusCode, 500);
      const problem = Problem.parse(answer.json());
      assert.doesNotMatch(answer.body, /secret\.ts|select \*|TypeError/);
      assert.equal(problem.request_id, `r-${how}`);
      if (how === 'unknown')
        assert.deepEqual(
          log.filter((line) => line.msg === 'unknown error').map((line) => line.request_id),
          ['r-unknown'],
        );
    }
  });

  test('says when to come back to a database that is away, and does not say where it is', async () => {
    const answer = await app.inject('/fail/away');
    assert.equal(answer.statusCode, 503);
    assert.ok(Number(answer.headers['retry-after']) >= 1);
    assert.doesNotMatch(answer.body, /10\.0\.0\.7/);
  });

  test('logs one line per request, with the route and not the address', async () => {
    log.length = 0;
    await app.inject('/fail/ours?token=secret-token');
    const lines = log.filter((line) => line.msg === 'request');
    assert.deepEqual(
      lines.map((line) => line.route),
      ['/fail/:how'],
    );
    assert.doesNotMatch(JSON.stringify(log), /secret-token/);
  });

  test('names every invalid member by its path', async () => {
    const answer = await post('{"n":-1,"list":[{"a":"x"},{"a":1}]}');
    assert.equal(answer.statusCode, 422);
    const { code, errors } = Problem.parse(answer.json());
    assert.equal(code, 'invalid');
    assert.deepEqual(errors!.map(({ path }) => path).sort(), ['list.1.a', 'n']);
    assert.deepEqual(errors!.map(({ message }) => message).sort(), [
      'must be a string, got a number',
      'must be more than 0',
    ]);
  });

  test('drops members it does not know', async () => {
    assert.deepEqual((await post('{"n":1,"rate":0.01}')).json(), { n: 1 });
  });

  test('refuses JSON that two readers could read differently', async () => {
    for (const [payload, status, code] of [
      ['{"n":1,"n":2}', 422, 'not_representable'],
      ['{"n":9007199254740993}', 422, 'not_representable'],
      ['{"n":"\\ud800"}', 422, 'not_representable'],
      ['{"n":1', 400, 'malformed_json'],
      ["{'n':1}", 400, 'malformed_json'],
      ['{"n":01}', 400, 'malformed_json'],
      [Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x7d]), 400, 'malformed_json'],
    ] as const) {
      const answer = await post(payload as string | Buffer);
      assert.deepEqual([answer.statusCode, answer.json().code], [status, code], String(payload));
    }
  });

  test('refuses what is too large or of another type before it looks at it', async () => {
    assert.equal((await post(`{"n":1,"x":"${'y'.repeat(1_000)}"}`)).statusCode, 413);
    for (const type of ['text/plain', 'application/xml', 'application/x-www-form-urlencoded'])
      assert.equal((await post('{"n":1}', { 'content-type': type })).statusCode, 415);
  });

  test('has every code’s type, title and status from one table', async () => {
    const answers = await Promise.all([
      app.inject('/nowhere'),
      post(''),
      post('{'),
      app.inject('/fail/%zz'),
      app.inject('/fail/ours'),
      app.inject({ method: 'DELETE', url: '/echo' }),
    ]);
    for (const answer of answers) {
      const problem = Problem.parse(answer.json());
      assert.equal(problem.status, answer.statusCode);
      assert.equal(problem.type, `urn:problem:${problem.code.replaceAll('_', '-')}`);
      assert.equal(answer.headers['x-request-id'], problem.request_id);
    }
  });

  test('a connection has four requests in hand: what is sent beyond that is refused, and ends the connection', async () => {
    const { port } = app.server.address() as AddressInfo;
    const socket = connect(port, '127.0.0.1').setEncoding('utf8');
    let answers = '';
    socket.on('data', (part: string) => {
      answers += part;
    });
    socket.write('GET /slow HTTP/1.1\r\nhost: test\r\n\r\n'.repeat(500));
    await once(socket, 'close');
    // What was answered at once left the connection free for the next.
    const statuses = answers.match(/HTTP\/1.1 \d+/g) ?? [];
    assert.equal(statuses.at(-1), 'HTTP/1.1 429');
    assert.ok(statuses.length < 10, statuses.join());
    assert.match(answers, /"code":"rate_limited"/);
  });

  test('a connection that waits for each answer is served again and again', async () => {
    const { port } = app.server.address() as AddressInfo;
    const socket = connect(port, '127.0.0.1').setEncoding('latin1');
    for (let i = 0; i < 200; i++) {
      socket.write('GET /openapi.json HTTP/1.1\r\nhost: test\r\n\r\n');
      let answer = '';
      const length = () => Number(/content-length: (\d+)/.exec(answer)?.[1] ?? Number.POSITIVE_INFINITY);
      while (answer.length < answer.indexOf('\r\n\r\n') + 4 + length()) answer += await once(socket, 'data');
      assert.match(answer, /^HTTP\/1.1 200 /);
    }
    socket.destroy();
  });

  test('the description is sent once to those who keep it', async () => {
    const first = await app.inject({ url: '/openapi.json' });
    assert.equal(first.json().openapi, '3.1.0');
    const again = await app.inject({
      url: '/openapi.json',
      headers: { 'if-none-match': first.headers.etag as string },
    });
    assert.deepEqual([again.statusCode, again.body], [304, '']);
  });

  test('nothing is done for a caller who has gone before the request is read: there is no address to count by', async () => {
    const { port } = app.server.address() as AddressInfo;
    for (let i = 0; i < 20; i++) {
      const socket = connect(port, '127.0.0.1');
      await once(socket, 'connect');
      socket.write('GET /address HTTP/1.1\r\nhost: here\r\n\r\n');
      socket.resetAndDestroy();
    }
    const asked = await fetch(`http://127.0.0.1:${port}/address`);
    assert.equal(asked.status, 200);
    assert.deepEqual(new Set(addresses), new Set(['127.0.0.1']));
  });
});

describe('what is wrong with a request', () => {
  const wrong = (schema: z.ZodType, value: unknown) =>
    schema
      .safeParse(value, { error: validationMessage })
      .error?.issues.map(({ path, message }) => `${path.join('.')}: ${message}`)
      .join('; ');
  const role = z.enum(['agent', 'owner']);

  test('is said in plain words: what is missing, what each member must be, and what came instead', () => {
    for (const [schema, value, words] of [
      [z.object({ title: z.string() }), {}, 'title: is missing'],
      [z.object({ title: z.string() }), { title: 7 }, 'title: must be a string, got a number'],
      [z.object({ title: z.string() }), { title: null }, 'title: must be a string, got null'],
      [z.object({ four_eyes: z.boolean() }), { four_eyes: 'yes' }, 'four_eyes: must be true or false, got a string'],
      [z.object({ tags: z.array(z.string()) }), { tags: {} }, 'tags: must be a list, got a JSON object'],
      [z.object({ n: z.int() }), { n: 1.5 }, 'n: must be a whole number'],
      [z.object({ limit: z.coerce.number().int() }), { limit: 'ten' }, 'limit: must be a number'],
      [z.object({ role }), {}, 'role: is missing; it takes one of agent, owner'],
      [z.object({ role }), { role: 'king' }, 'role: must be one of agent, owner'],
      [z.object({ checklist: z.literal(true) }), { checklist: false }, 'checklist: must be true'],
      [z.object({ limit: z.number().min(1).max(500) }), { limit: 0 }, 'limit: must be at least 1'],
      [z.object({ limit: z.number().min(1).max(500) }), { limit: 501 }, 'limit: must be at most 500'],
      [z.object({ hours: z.number().positive() }), { hours: 0 }, 'hours: must be more than 0'],
      [z.object({ name: z.string().min(1) }), { name: '' }, 'name: must not be empty'],
      [z.object({ rules: z.array(z.string()).min(1) }), { rules: [] }, 'rules: must not be empty'],
      [z.object({ name: z.string().max(3) }), { name: 'long' }, 'name: must have at most 3 characters'],
      [z.object({ email: z.email() }), { email: 'x' }, 'email: must be an e-mail address'],
      [z.object({ name: z.string().regex(/^x/, 'must begin with x') }), { name: 'y' }, 'name: must begin with x'],
      [z.object({}), [], ': must be a JSON object, got a list'],
      [z.object({}), null, ': is missing'],
    ] as const)
      assert.equal(wrong(schema, value), words);
  });

  test('of several forms, each says what it asks for first', () => {
    const rule = z.union([z.object({ expr: z.string() }), z.object({ checklist: z.literal(true) })]);
    assert.equal(wrong(rule, {}), ': expr: is missing, or checklist: is missing; it takes true');
  });
});
