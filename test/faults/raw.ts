/** HTTP by hand on a socket, for clients that do not behave. */
import { Buffer } from 'node:buffer';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { after } from 'node:test';

export interface RawClient {
  socket: Socket;
  /** Resolves once the operating system has taken it. */
  send(text: string): Promise<void>;
  /** What came so far. */
  heard(): string;
  /** Resolves with everything, once the server has closed the connection. */
  ended: Promise<string>;
}

const sockets = new Set<Socket>();
after(() => {
  for (const socket of sockets) socket.destroy();
});

export async function rawClient(url: string, { deaf = false } = {}): Promise<RawClient> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  sockets.add(socket);
  const chunks: Buffer[] = [];
  const closed = Promise.withResolvers<string>();
  const heard = () => Buffer.concat(chunks).toString('utf8');
  socket.on('error', () => undefined);
  socket.once('close', () => {
    sockets.delete(socket);
    closed.resolve(heard());
  });
  if (!deaf) socket.on('data', (chunk) => chunks.push(chunk));
  await once(socket, 'connect');
  return {
    socket,
    send: (text) => new Promise((taken) => socket.write(text, () => taken())),
    heard,
    ended: closed.promise,
  };
}

export function requestText(method: string, path: string, headers: Record<string, string> = {}): string {
  const lines = Object.entries({ host: 'ledger.example', ...headers }).map(([name, value]) => `${name}: ${value}`);
  return `${[`${method} ${path} HTTP/1.1`, ...lines].join('\r\n')}\r\n\r\n`;
}

/** `connection: close`: the answer is whole when the connection ends. */
export function mintText(run_id: string, api_key: string, headers: Record<string, string> = {}): string {
  const authorization = `Bearer ${api_key}`;
  return requestText('POST', `/runs/${run_id}/receipt`, { authorization, connection: 'close', ...headers });
}

/** The last of the answers in `text`; those that only say "go on" come before it. */
export function parseAnswer(text: string): { status: number; headers: string; body: string } {
  const at = text.lastIndexOf('HTTP/1.1 ');
  const [head = '', body = ''] = text.slice(at).split(/\r\n\r\n(.*)/s);
  return { status: Number(head.slice(9, 12)), headers: head.toLowerCase(), body };
}
