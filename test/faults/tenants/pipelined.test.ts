/** Anybody: hundreds of requests at once on each connection, of which no answer is read. */
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Attack, unharmedBy } from './victim.ts';

const REQUEST = 'GET /openapi.json HTTP/1.1\r\nhost: ledger.test\r\n\r\n';

export const attack: Attack = async ({ url, signal }) => {
  const { port, hostname } = new URL(url);
  while (!signal.aborted) {
    const sockets = Array.from({ length: 10 }, (): Socket => {
      const socket = connect(Number(port), hostname).on('error', () => undefined);
      socket.pause();
      socket.write(REQUEST.repeat(900));
      return socket;
    });
    await sleep(3_000, undefined, { signal }).catch(() => undefined);
    for (const socket of sockets) socket.destroy();
  }
};

unharmedBy('requests that are sent without reading an answer', import.meta.url);
