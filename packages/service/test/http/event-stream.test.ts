/** Event streams: what is sent arrives as it is; a reader that hangs up, does not read or comes too many costs nothing. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { type Logger, pino } from 'pino';
import { readEvents } from '../../../../test/kit/events.ts';
import { type App, createHttp } from '../../src/http/app.ts';
import { acceptStreams, type EventStream } from '../../src/http/event-stream.ts';

const SLOW_MS = 300;
const MOST = 2;

describe('an event stream', () => {
  let app: App;
  let port: number;
  /** The streams that were opened, each told by its test. */
  const opened: { stream: EventStream; tell(): void; fail(): void }[] = [];
  const log: { msg: string }[] = [];
  before(async () => {
    const logger = pino({ level: 'warn' }, { write: (line: string) => void log.push(JSON.parse(line)) }) as Logger;
    const options = { title: 'Test', description: 'Test', version: '0.0.0', tags: [], problems: {} };
    app = await createHttp({ ...options, logger, json_body_bytes: 1_000, overload_delay_ms: 60_000 });
    const streams = acceptStreams(app, logger, MOST, SLOW_MS);
    app.get('/events', { exposeHeadRoute: false }, async (_, reply) =>
      streams.answer(
        reply,
        (stream) =>
          new Promise((tell, reject) => {
            opened.push({ stream, tell, fail: () => reject(new Error('on purpose')) });
          }),
      ),
    );
    await app.listen({ port: 0, host: '127.0.0.1' });
    port = (app.server.address() as AddressInfo).port;
  });
  after(() => app.close());

  const open = async () => {
    const reader = await readEvents(`http://127.0.0.1:${port}/events`);
    return { reader, ...opened.at(-1)! };
  };

  test('begins at once, carries any JSON on one line, and ends when all is told', async () => {
    const { reader, stream, tell } = await open();
    assert.equal(reader.headers.get('content-type'), 'text/event-stream');
    assert.equal(reader.headers.get('cache-control'), 'no-store');
    const data = { text: 'a\r\n\r\ndata: b\u2028é', list: [1, null] };
    await stream.send('first', data, 'id-1');
    await stream.send('second', 'x');
    tell();
    assert.equal(await reader.ended, true);
    const shown = reader.events.map(({ event, id, data }) => [event, id, data]);
    assert.deepEqual(shown, [
      ['first', 'id-1', data],
      ['second', undefined, 'x'],
    ]);
    await stream.send('late', 1);
  });

  test('ends for the teller when the reader hangs up', async () => {
    const { reader, stream, tell } = await open();
    reader.stop();
    await once(stream.ended, 'abort');
    await stream.send('into the void', 1);
    tell();
  });

  test('that breaks off is logged, and the reader can tell it from an end', async () => {
    const { reader, fail } = await open();
    fail();
    assert.equal(await reader.ended, false);
    assert.deepEqual(
      log.map(({ msg }) => msg),
      ['an event stream broke off'],
    );
  });

  test('to a reader that does not read is held back, and then given up', async () => {
    const socket = connect(port, '127.0.0.1');
    socket.write('GET /events HTTP/1.1\r\nhost: test\r\naccept: text/event-stream\r\n\r\n');
    const before = opened.length;
    while (opened.length === before) await new Promise((lap) => setTimeout(lap, 5));
    socket.pause();
    const { stream, tell } = opened.at(-1)!;
    let sent = 0;
    while (!stream.ended.aborted && sent < 1_000) {
      await stream.send('much', 'x'.repeat(100_000));
      sent++;
    }
    assert.ok(stream.ended.aborted);
    assert.ok(sent < 500, `${sent} times 100 kB were taken for somebody who does not read`);
    tell();
    socket.destroy();
  });

  test('too many are refused, and there is room again when one ends', async () => {
    const [one, two] = [await open(), await open()];
    assert.equal((await readEvents(`http://127.0.0.1:${port}/events`)).status, 503);
    one.tell();
    await one.reader.ended;
    const three = await open();
    assert.equal(three.reader.status, 200);
    two.tell();
    three.tell();
  });

  test('is ended when the service stops', async () => {
    const { reader, stream } = await open();
    const closed = app.close();
    assert.equal(await reader.ended, true);
    await closed;
    assert.ok(stream.ended.aborted);
  });
});
