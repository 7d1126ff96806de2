/** A witness over HTTP. Small bodies, short times: whoever sends slowly is cut off, and holds up nobody. */
import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { formatVerifierKey } from '@rcpt/proof/log/verifier-key.ts';
import { addCheckpoint, type Witness } from './witness.ts';

/** 63 hashes, and a checkpoint with its signatures: 16 of the largest kind that there is have 80 kB. */
const MOST_BYTES = 131_072;
const HEADERS_MS = 5_000;
/** A whole request, its body included. */
const REQUEST_MS = 10_000;
const IDLE_MS = 15_000;
const MOST_CONNECTIONS = 500;
/** A drain waits so long for requests that do not end. */
const DRAIN_MS = 2_000;

const TEXT = 'text/plain; charset=utf-8';
const SIZE = 'text/x.tlog.size';

export type Log = (level: 'info' | 'warn' | 'error', message: string, facts: object) => void;

interface Response {
  status: number;
  type?: string;
  text: string;
}

export function createWitnessServer(witness: Witness, log: Log, request_ms = REQUEST_MS): Server {
  const options = {
    headersTimeout: Math.min(HEADERS_MS, request_ms),
    requestTimeout: request_ms,
    connectionsCheckingInterval: Math.min(1_000, request_ms),
    keepAliveTimeout: IDLE_MS,
    maxHeaderSize: 8_192,
  };
  const server = createServer(options, async (request, response) => {
    try {
      send(response, await answer(witness, request, log));
    } catch (error) {
      if (error instanceof TooLarge) return send(response, { status: 413, text: `${error.message}\n` }, true);
      if (request.destroyed && !request.complete) return;
      log('error', 'a request failed', { err: String(error) });
      send(response, { status: 503, text: 'the witness cannot keep its record now; nothing was cosigned\n' }, true);
    }
  });
  server.maxConnections = MOST_CONNECTIONS;
  server.timeout = IDLE_MS;
  return server;
}

/** Stops taking connections, answers what is in hand. */
export async function drain(server: Server): Promise<void> {
  const closed = new Promise((resolve) => server.close(resolve));
  server.closeIdleConnections();
  const late = setTimeout(() => server.closeAllConnections(), DRAIN_MS);
  await closed;
  clearTimeout(late);
}

async function answer(witness: Witness, request: IncomingMessage, log: Log): Promise<Response> {
  const { method } = request;
  const path = (request.url ?? '').split('?')[0];
  if (path === '/add-checkpoint') {
    if (method !== 'POST') return { status: 405, text: 'this is posted to\n' };
    const { status, text, checkpoint } = await addCheckpoint(witness, await bodyOf(request));
    log(status === 422 ? 'warn' : 'info', 'submission', {
      status,
      ...checkpoint,
      ...(status === 422 && { why: text }),
    });
    return { status, text, type: status === 409 ? SIZE : TEXT };
  }
  if (method !== 'GET' && method !== 'HEAD') return { status: 405, text: 'this is read only\n' };
  if (path === '/') return { status: 200, text: `${formatVerifierKey(witness.key.public)}\n` };
  const [, wanted] = /^\/([0-9a-f]{64})\/checkpoint$/.exec(path ?? '') ?? [];
  const origin = wanted && witness.record.origins().find((known) => sha256(known) === wanted);
  const note = origin && witness.record.latest(origin)?.note;
  return note ? { status: 200, text: note } : { status: 404, text: 'nothing is known under this address\n' };
}

class TooLarge extends Error {}

async function bodyOf(request: IncomingMessage): Promise<Uint8Array> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > MOST_BYTES) throw new TooLarge(`a submission has at most ${MOST_BYTES} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function send(response: ServerResponse, { status, type = TEXT, text }: Response, last = false): void {
  if (response.destroyed) return;
  if (last) response.setHeader('connection', 'close');
  if (status === 405) response.setHeader('allow', response.req.url === '/add-checkpoint' ? 'POST' : 'GET, HEAD');
  response.writeHead(status, {
    'content-type': type,
    'x-content-type-options': 'nosniff',
    'cache-control': 'no-store',
  });
  response.end(text);
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
