/** A router on a database of its own, and what it is asked: a member, workers, and calls over keep-alive connections. */
import { connect } from 'node:net';
import { MIGRATIONS } from '@rcpt/router/migrations.ts';
import type { Database, Engine } from './database.ts';
import { type ServiceProcess, startProcess } from './ledger-process.ts';

export const SKU = 'rog_astral_5090_32gb';
export const JOB_TYPE = 'inference';

export interface Router {
  database: Database;
  process: ServiceProcess;
  member_id: string;
  /** A `POST /jobs`, made once. */
  newJob: string;
  /** A registered worker's token. */
  worker(): Promise<string>;
  /** Ends the process as a crash would and starts another on the same data. Returns milliseconds to its first healthy answer. */
  crashAndRestart(): Promise<number>;
  close(): Promise<void>;
}

export async function openRouter(engine: Engine, name: string): Promise<Router> {
  const database = await engine.create(name, MIGRATIONS);
  const start = () =>
    startProcess('router', '/health', database.folder, {
      ROUTER_PORT: '0',
      ROUTER_DATABASE_URL: database.url,
      ROUTER_RECEIPTS_DIR: `${database.folder}/receipts`,
    });
  let running = await start();
  const ask = async <T>(path: string, body: object): Promise<T> => {
    const wire = await openWire(running.port);
    try {
      return JSON.parse(await wire.ask(post(path, body))) as T;
    } finally {
      wire.close();
    }
  };
  const member = await ask<{ id: string }>('/members', { email: 'bench@example.org', name: 'Bench Member' });
  await ask(`/members/${member.id}/activate`, {});
  return {
    database,
    get process() {
      return running;
    },
    member_id: member.id,
    newJob: post('/jobs', {
      member_id: member.id,
      job_type: JOB_TYPE,
      requested_gpu_sku: SKU,
      estimated_hours: 0.5,
      payload: { prompt: 'What was measured?', temperature: 0.2 },
    }),
    async worker() {
      const { worker_token } = await ask<{ worker_token: string }>('/workers/register', {
        node_id: 'rig-1',
        name: 'bench worker',
        hostname: 'rig-1.local',
        capabilities: { gpu_skus: [SKU], supports: [JOB_TYPE] },
      });
      return worker_token;
    },
    async crashAndRestart() {
      await running.kill();
      running = await start();
      return running.healthy_after_ms;
    },
    async close() {
      await running.stop();
      await database.db.close();
    },
  };
}

/** The bytes of a request. */
export function post(path: string, body: object, token?: string): string {
  const text = JSON.stringify(body);
  const bearer = token === undefined ? '' : `authorization: Bearer ${token}\r\n`;
  const head = `POST ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\n${bearer}content-type: application/json\r\n`;
  return `${head}content-length: ${Buffer.byteLength(text)}\r\n\r\n${text}`;
}

export function leaseRequest(token: string, more: object = {}): string {
  return post('/workers/jobs/lease', { supported_job_types: [JOB_TYPE], supported_gpu_skus: [SKU], ...more }, token);
}

/** One keep-alive connection. */
export interface Wire {
  /** The answer's body; throws unless it is 2xx. One request at a time. */
  ask(request: string): Promise<string>;
  close(): void;
}

export function openWire(port: number): Promise<Wire> {
  return new Promise((opened, failed) => {
    const socket = connect({ host: '127.0.0.1', port, noDelay: true });
    let received = '';
    let waiting: { resolve(body: string): void; reject(error: Error): void } | null = null;
    const end = (error: Error) => {
      waiting?.reject(error);
      failed(error);
    };
    socket.setEncoding('latin1');
    socket.on('data', (chunk: string) => {
      received += chunk;
      const body = received.indexOf('\r\n\r\n') + 4;
      if (body === 3) return;
      const length = Number(/content-length: (\d+)/i.exec(received)?.[1] ?? Number.NaN);
      if (received.length < body + length) return;
      const answer = received;
      const asker = waiting;
      received = '';
      waiting = null;
      if (answer[9] === '2') asker?.resolve(answer.slice(body));
      else asker?.reject(new Error(`not the answer hoped for: ${answer}`));
    });
    socket.on('error', end);
    socket.on('close', () => end(new Error('the server closed a connection')));
    socket.once('connect', () =>
      opened({
        ask: (request) =>
          new Promise((resolve, reject) => {
            waiting = { resolve, reject };
            socket.write(request);
          }),
        close: () => socket.destroy(),
      }),
    );
  });
}

export interface Lease {
  lease_token: string;
  job_id: string;
}

/** What a lease answer grants; empty when there was no job. */
export function leasesIn(answer: string): Lease[] {
  const { leases } = JSON.parse(answer) as { leases: { lease_token: string; job: { id: string } }[] };
  return leases.map(({ lease_token, job }) => ({ lease_token, job_id: job.id }));
}
