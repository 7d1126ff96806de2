import { strict as assert } from 'node:assert';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, test } from 'node:test';
import { AnswerError, ask, call, FormError, isProblem, ProblemError, UnreachableError } from '../src/client/call.ts';
import { ledgerClient } from '../src/client/ledger.ts';
import { routerClient } from '../src/client/router.ts';
import { workerClient } from '../src/client/worker.ts';
import { Problem } from '../src/problem.ts';

const PROBLEM = { type: 'x', title: 'No', status: 409, detail: 'Not now.', code: 'not_now', request_id: 'r-1' };

describe('a call', () => {
  test('answers the parsed body of a success, and undefined for an empty one', async () => {
    await using json = await serving((_, response) => response.end('{"ok":true}'));
    assert.deepEqual(await call(json, '/'), { ok: true });
    await using empty = await serving((_, response) => response.writeHead(204).end());
    assert.equal(await call(empty, '/'), undefined);
  });

  test('sends its credential, its idempotency key and its body, and no more than it has', async () => {
    const seen: unknown[] = [];
    await using service = await serving(async (request, response) => {
      const body = (await request.toArray()).join('');
      const { authorization, 'idempotency-key': key, 'content-type': type } = request.headers;
      seen.push([request.method, request.url, authorization, key, type, body]);
      response.end('null');
    });
    await ledgerClient({ ...service, token: 'rk_1' }).openRun({ lane: 'generic', title: 'T', inputs: {} }, 'k-1');
    await routerClient(service).getJob('a/../b');
    const body = '{"lane":"generic","title":"T","inputs":{}}';
    assert.deepEqual(seen, [
      ['POST', '/runs', 'Bearer rk_1', 'k-1', 'application/json', body],
      ['GET', '/jobs/a%2F..%2Fb', undefined, undefined, undefined, ''],
    ]);
  });

  test('throws the problem that the service answers', async () => {
    await using service = await serving((_, response) => response.writeHead(409).end(JSON.stringify(PROBLEM)));
    for (const asked of [call, ask])
      await assert.rejects(asked(service, '/'), (error) => {
        assert.ok(error instanceof ProblemError);
        assert.deepEqual(error.problem, PROBLEM);
        return true;
      });
  });

  for (const [story, status, text] of [
    ['a failure without a problem body', 502, '<html>Bad gateway</html>'],
    ['a failure with another body', 404, '{"code":"not_found","detail":"No."}'],
    ['a success that is no JSON', 200, '<html>Please sign in</html>'],
    ['a success that is cut off', 200, '{"ok":'],
  ] as const)
    test(`does not take ${story} for the service’s own answer`, async () => {
      await using service = await serving((_, response) => {
        response.writeHead(status, { 'x-request-id': 'r-2' }).end(text);
      });
      await assert.rejects(call(service, '/'), (error) => {
        assert.ok(error instanceof AnswerError);
        assert.deepEqual([error.status, error.request_id], [status, 'r-2']);
        return true;
      });
    });

  test('follows no redirect', async () => {
    let asked = 0;
    await using service = await serving((_, response) => {
      asked++;
      response.writeHead(307, { location: '/elsewhere' }).end();
    });
    await assert.rejects(call(service, '/'), /HTTP 307 redirects to another address/);
    assert.equal(asked, 1);
  });

  test('reads no more than 8 MiB, of a success or of a refusal', async () => {
    for (const status of [200, 500]) {
      let closed = () => {};
      const over = new Promise<void>((resolve) => {
        closed = resolve;
      });
      await using service = await serving((_, response) => {
        response.writeHead(status);
        const send = () => {
          while (!response.destroyed && response.write(Buffer.alloc(65_536, 'x')));
        };
        response.on('drain', send).on('close', closed);
        send();
      });
      await assert.rejects(
        call(service, '/'),
        (error) => error instanceof FormError && /longer than 8388608/.test(error.message),
      );
      await over;
    }
  });

  test('says that nothing answered, or only a part, and throws the reason of its signal', async () => {
    await using broken = await serving((_, response) => {
      response.writeHead(200, { 'content-length': '100' }).write('{');
      setTimeout(() => response.destroy(), 20);
    });
    const gone = { base_url: broken.base_url };
    await assert.rejects(call(broken, '/'), UnreachableError);
    await assert.rejects(call(broken, '/', { signal: AbortSignal.abort(new Error('enough')) }), /enough/);
    await broken[Symbol.asyncDispose]();
    await assert.rejects(call(gone, '/'), (error) => {
      assert.ok(error instanceof UnreachableError);
      return (error.cause as NodeJS.ErrnoException).code === 'ECONNREFUSED';
    });
  });

  test('takes for a problem what the schema takes', () => {
    const errors = [{ path: 'title', message: 'is required' }];
    const cases: unknown[] = [
      PROBLEM,
      { ...PROBLEM, errors },
      { ...PROBLEM, signed_in_as: 'a@b.c' },
      null,
      [],
      'x',
      {},
    ];
    for (const name of Object.keys(PROBLEM)) {
      const { [name]: _, ...without } = PROBLEM as Record<string, unknown>;
      cases.push(without);
      for (const value of [null, 1, 1.5, 'x', [], {}]) cases.push({ ...PROBLEM, [name]: value });
    }
    for (const value of [null, 1, {}, [{}], [null], [{ path: 'a' }], [{ path: 'a', message: 1 }]])
      cases.push({ ...PROBLEM, errors: value });
    for (const value of cases) assert.equal(isProblem(value), Problem.safeParse(value).success, JSON.stringify(value));
  });
});

describe('a worker', () => {
  test('takes no answer that is not of the contract’s form', async () => {
    const registered = { worker_id: 'worker_1', worker_token: 'dwrk_1', status: 'registered', contract_version: '0.2' };
    let answer: object = registered;
    await using service = await serving((_, response) => response.end(JSON.stringify(answer)));
    const register = () => workerClient(service).register({ node_id: 'n', name: 'n', hostname: 'n' });
    assert.deepEqual(await register(), registered);
    answer = { ...registered, worker_id: 'worker_1/../2' };
    await assert.rejects(register(), FormError);
  });
});

async function serving(listener: RequestListener) {
  const server = createServer(listener);
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  return {
    base_url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
}
