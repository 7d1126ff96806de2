/**
 * The load: a number of keep-alive connections, each sending its next request when the last was answered. Requests are
 * made beforehand; of an answer only status and length are read, so that the load takes little of the machine.
 */
import { connect, type Socket } from 'node:net';

export interface Answers {
  seconds: number;
  /** Milliseconds from sending a request to its last byte, in the order of the requests. */
  latencies: Float64Array;
  /** Processor time that the load itself took, microseconds per request. */
  own_cpu_us: number;
}

export function request(method: string, path: string, headers: Record<string, string> = {}): Buffer {
  const lines = Object.entries({ host: '127.0.0.1', ...headers }).map(([name, value]) => `${name}: ${value}\r\n`);
  const length = method === 'GET' ? '' : 'content-length: 0\r\n';
  return Buffer.from(`${method} ${path} HTTP/1.1\r\n${lines.join('')}${length}\r\n`, 'latin1');
}

/** Throws on the first answer that is not 2xx. */
export async function answer(port: number, connections: number, requests: Buffer[]): Promise<Answers> {
  const latencies = new Float64Array(requests.length);
  const sockets = await Promise.all(Array.from({ length: connections }, () => open(port)));
  const cpu = process.cpuUsage();
  const began = performance.now();
  let next = 0;
  const take = () => (next < requests.length ? next++ : -1);
  await Promise.all(sockets.map((socket) => keepAsking(socket, requests, latencies, take)));
  const seconds = (performance.now() - began) / 1000;
  const { user, system } = process.cpuUsage(cpu);
  for (const { socket } of sockets) socket.destroy();
  return { seconds, latencies, own_cpu_us: (user + system) / requests.length };
}

interface Connection {
  socket: Socket;
  /** Replaced by whoever reads. */
  onChunk: (chunk: Buffer, length: number) => void;
  onEnd: (error: Error) => void;
}

function open(port: number): Promise<Connection> {
  return new Promise((resolve, reject) => {
    const connection: Connection = { socket: null as unknown as Socket, onChunk: () => {}, onEnd: reject };
    const callback = (length: number, chunk: Uint8Array) => {
      connection.onChunk(chunk as Buffer, length);
      return true;
    };
    connection.socket = connect({
      host: '127.0.0.1',
      port,
      noDelay: true,
      onread: { buffer: Buffer.allocUnsafe(1 << 16), callback },
    });
    connection.socket.once('connect', () => resolve(connection));
    connection.socket.on('error', (error) => connection.onEnd(error));
    connection.socket.on('close', () => connection.onEnd(new Error('the server closed a connection')));
  });
}

function keepAsking(
  connection: Connection,
  requests: Buffer[],
  latencies: Float64Array,
  take: () => number,
): Promise<void> {
  return new Promise((resolve, reject) => {
    let current = -1;
    let asked_at = 0;
    let missing = 0;
    const ask = () => {
      current = take();
      if (current === -1) {
        connection.onEnd = () => {};
        return resolve();
      }
      asked_at = performance.now();
      connection.socket.write(requests[current]!);
    };
    connection.onEnd = reject;
    connection.onChunk = (chunk, length) => {
      missing = missing === 0 ? bytesMissing(chunk, length) : missing - length;
      if (missing > 0) return;
      latencies[current] = performance.now() - asked_at;
      ask();
    };
    ask();
  });
}

const HEAD_BYTES = 2_048;

/** Of the answer that begins with this chunk, which holds its head: how many bytes are still to come. */
function bytesMissing(chunk: Buffer, length: number): number {
  const head = chunk.toString('latin1', 0, Math.min(length, HEAD_BYTES));
  const end = head.indexOf('\r\n\r\n');
  const at = head.indexOf('content-length: ');
  if (head.charCodeAt(9) !== 0x32 || end === -1 || at === -1 || at > end)
    throw new Error(`not the answer hoped for: ${head}`);
  return end + 4 + Number.parseInt(head.slice(at + 16, at + 28), 10) - length;
}
