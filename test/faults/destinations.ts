/** An object storage whose every answer the test decides. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { after } from 'node:test';
import { ownPort } from '../kit/own-port.ts';

export interface ObjectServer {
  port: number;
  /** What LEDGER_STORAGE_URL takes, and the credentials beside it. */
  settings: Record<string, string>;
  /** Key without bucket and prefix → bytes. */
  objects: Map<string, Buffer>;
  /** Writes of receipts that were answered, by key, in order. */
  written: string[];
  /** From now on a request is read and neither carried out nor answered. */
  hold(): void;
  /** Writes of receipts that wait for an answer. */
  held(): number;
  /** Carries out and answers what was held, and everything after it, each after `delay_ms`. */
  release(delay_ms?: number): void;
  /** Cuts every connection. What was held is lost. */
  close(): Promise<void>;
}

const open = new Set<ObjectServer>();
after(() => Promise.all([...open].map((server) => server.close())));

/** On a port of its own, or on that of one that was closed. */
export async function startObjectServer(known_port?: number): Promise<ObjectServer> {
  const port = known_port ?? (await ownPort());
  const objects = new Map<string, Buffer>();
  const written: string[] = [];
  const waiting = new Map<ServerResponse, () => void>();
  let holding = false;
  let delay_ms = 0;

  const server = createServer((request, response) => {
    void bytesOf(request).then((bytes) => {
      const answer = () => carryOut(request, bytes, response);
      if (!holding) return void setTimeout(answer, delay_ms);
      waiting.set(response, answer);
      response.once('close', () => waiting.delete(response));
    });
  });

  function carryOut({ method, url }: IncomingMessage, bytes: Buffer, response: ServerResponse): void {
    const key = keyOf(url);
    if (method === 'PUT') {
      objects.set(key, bytes);
      response.once('finish', () => isReceipt(key) && written.push(key));
    } else if (method === 'DELETE') objects.delete(key);
    const found = method === 'GET' ? objects.get(key) : Buffer.alloc(0);
    response.writeHead(found === undefined ? 404 : 200).end(found);
  }

  await once(server.listen(port, '127.0.0.1'), 'listening');
  const made: ObjectServer = {
    port,
    settings: objectStorageOn(port),
    objects,
    written,
    hold() {
      holding = true;
    },
    held: () => [...waiting.keys()].filter(({ req }) => req.method === 'PUT' && isReceipt(keyOf(req.url))).length,
    release(after_ms = 0) {
      holding = false;
      delay_ms = after_ms;
      for (const answer of waiting.values()) answer();
      waiting.clear();
    },
    async close() {
      open.delete(made);
      server.closeAllConnections();
      if (server.listening) await new Promise((closed) => server.close(closed));
    },
  };
  open.add(made);
  return made;
}

export function objectStorageOn(port: number): Record<string, string> {
  return {
    LEDGER_STORAGE_URL: `s3://copies/prefix?endpoint=http://127.0.0.1:${port}&region=eu-central-1`,
    AWS_ACCESS_KEY_ID: 'test',
    AWS_SECRET_ACCESS_KEY: 'test',
  };
}

function keyOf(url: string | undefined): string {
  return (url ?? '').replace(/^\/copies\/prefix\//, '').replace(/\?.*$/, '');
}

function isReceipt(key: string): boolean {
  return key.includes('/receipts/');
}

async function bytesOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}
