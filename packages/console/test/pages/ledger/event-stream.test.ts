/** Event streams are read as they arrive, in whatever pieces, and a verification ends with a report or with a reason. */
import { strict as assert } from 'node:assert';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, test } from 'node:test';
import { ProblemError } from '@rcpt/contract/client/call.ts';
import fc from 'fast-check';
import { eventParser, eventsFrom, type StreamEvent } from '../../../src/pages/ledger/event-stream.ts';
import { reportOf } from '../../../src/pages/ledger/verification.ts';

// The same values every time; TEST_SEED=<number> tries others.
fc.configureGlobal({ seed: Number(process.env.TEST_SEED ?? 1) });

const STREAM = [
  ': hello\n\n',
  'event: progress\ndata: {"receipts_checked":1,"receipts":2}\n\n',
  'data: first\ndata:second\ndata\n\n',
  'id: 7\nretry: 100\n\n',
  'event: report\r\ndata: {"ok":true}\r\n\r\n',
].join('');
const EVENTS: StreamEvent[] = [
  { event: 'progress', data: '{"receipts_checked":1,"receipts":2}' },
  { event: 'message', data: 'first\nsecond\n' },
  { event: 'report', data: '{"ok":true}' },
];

describe('event streams', () => {
  test('the same events come out, however the text is cut', () => {
    assert.deepEqual(eventParser().push(STREAM), EVENTS);
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: STREAM.length }), { maxLength: 12 }), (cuts) => {
        const lines = eventParser();
        const at = [0, ...cuts.sort((a, b) => a - b), STREAM.length];
        const events = at.slice(1).flatMap((end, piece) => lines.push(STREAM.slice(at[piece], end)));
        assert.deepEqual(events, EVENTS);
      }),
    );
  });

  test('an event that was not ended is none', () => {
    assert.deepEqual(eventParser().push('event: report\ndata: {}\n'), []);
  });

  test('over HTTP: letters that are cut in two, the end, a refusal, and being stopped', async () => {
    await using service = await serving((path, response) => {
      if (path === '/refused') {
        response.writeHead(403, { 'content-type': 'application/problem+json' });
        return response.end(
          '{"code":"role_not_allowed","detail":"No.","status":403,"title":"Not allowed","type":"x","request_id":"1"}',
        );
      }
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      const bytes = Buffer.from('data: Ärger\n\n');
      response.write(bytes.subarray(0, 7));
      setTimeout(() => (path === '/open' ? response.write(bytes.subarray(7)) : response.end(bytes.subarray(7))), 20);
      return response;
    });
    const read = async (path: string, stop = new AbortController()) => {
      const events: StreamEvent[] = [];
      for await (const event of eventsFrom(`${service.url}${path}`, stop.signal)) {
        events.push(event);
        if (path === '/open') stop.abort();
      }
      return events;
    };
    assert.deepEqual(await read('/whole'), [{ event: 'message', data: 'Ärger' }]);
    await assert.rejects(read('/refused'), (error: ProblemError) => error.problem.code === 'role_not_allowed');
    await assert.rejects(read('/open'), { name: 'AbortError' });
  });
});

describe('a verification as a stream', () => {
  const report = { ok: true, receipts_checked: 2, head: null, violation: null, violations: [] };
  async function* stream(...events: [event: string, data: unknown][]): AsyncGenerator<StreamEvent> {
    for (const [event, data] of events) yield { event, data: JSON.stringify(data) };
  }

  test('tells how far it is and then what it found', async () => {
    const seen: unknown[] = [];
    const progress = { receipts_checked: 1, receipts: 2 };
    const answer = await reportOf(stream(['progress', progress], ['unheard', {}], ['report', report]), (at) =>
      seen.push(at),
    );
    assert.deepEqual([answer, seen], [report, [progress]]);
  });

  test('a problem, or an end without a report, is no result', async () => {
    const problem = {
      type: 'x',
      title: 'Away',
      status: 503,
      detail: 'Later.',
      code: 'database_unavailable',
      request_id: '',
    };
    const codeOf = (code: string) => (error: unknown) => error instanceof ProblemError && error.problem.code === code;
    await assert.rejects(
      reportOf(stream(['problem', problem]), () => {}),
      codeOf('database_unavailable'),
    );
    await assert.rejects(
      reportOf(stream(), () => {}),
      codeOf('verification_broke_off'),
    );
  });
});

async function serving(answer: (path: string, response: ServerResponse) => unknown) {
  const server = createServer((request, response) => answer(request.url!, response));
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    [Symbol.asyncDispose]: () =>
      new Promise<void>((closed) => {
        server.close(() => closed());
        server.closeAllConnections();
      }),
  };
}
