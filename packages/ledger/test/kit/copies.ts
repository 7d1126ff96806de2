/** What the tests of the copies stand on: real receipts in the tables, real servers that come and go. */
import { createRequire } from 'node:module';
import { createServer, type Server, type Socket } from 'node:net';
import { afterEach } from 'node:test';
import { fileURLToPath } from 'node:url';
import { receiptIdSuffix, seal } from '@rcpt/proof/receipt.ts';
import type { Db } from '@rcpt/service/db/db.ts';
import { type Email, default as PostalMime } from 'postal-mime';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';
import { temporaryFolder } from '../../../../test/kit/folders.ts';
import { until } from '../../../../test/kit/until.ts';
import { insertReceipts } from '../../src/store/chains.ts';
import { OUTBOX_COLUMNS, outboxRows } from '../../src/store/outbox.ts';

export { temporaryFolder, until };

export const MIGRATIONS = fileURLToPath(new URL('../../migrations', import.meta.url));
export const NOON = Date.parse('2026-05-29T12:00:00.000Z');

type Close = () => unknown;
const closing: Close[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await Promise.resolve(close()).catch(() => undefined);
});

/** Closes it when the test ends, also one that fails: what stays open would keep the process from ending. */
export function closedAfterwards<T extends { close: Close }>(opened: T): T {
  closing.push(() => opened.close());
  return opened;
}

export interface Sealed {
  organization_id: string;
  org_seq: number;
  receipt_id: string;
  share_url: string;
  payload: string;
}

/** A generic receipt as the mint would store it, with its rows in the outbox. */
export async function mint(
  db: Db,
  { organization_id = 'org_a', org_seq = 0, title = 'Quarterly summary', recipients = [] as string[] } = {},
): Promise<Sealed> {
  const run_id = `run_${organization_id}_${org_seq}`;
  const receipt_id = `RCPT-${String(org_seq).padStart(6, '0')}-${receiptIdSuffix(run_id)}`;
  const share_token = `token-${organization_id}-${org_seq}`;
  const share_url = `http://ledger.example/share/${share_token}`;
  const parent_hash = String(org_seq).padStart(64, '0');
  const created_at = new Date(NOON).toISOString();
  const { canonical, receipt_sha256 } = seal({
    schema: 'service.receipt/v1',
    receipt_id,
    org_seq,
    parent_hash,
    created_at,
    organization: { id: organization_id, name: 'Acme & Söhne' },
    run: { id: run_id, lane: 'generic', title, inputs: {} },
    share_url,
  });
  const schema = 'service.receipt/v1';
  await db.transaction(async (tx) => {
    await insertReceipts(tx, [
      { organization_id, org_seq, parent_hash, run_id, schema, receipt_sha256, share_token, payload: canonical },
    ]);
    await tx.insert('outbox', OUTBOX_COLUMNS, outboxRows(organization_id, org_seq, recipients, created_at));
  });
  return { organization_id, org_seq, receipt_id, share_url, payload: canonical };
}

/** Takes connections and never says a word. */
export async function silentServer(): Promise<{ port: number; connections(): number; close(): Promise<void> }> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
  });
  const port = await listen(server);
  return closedAfterwards({
    port,
    connections: () => sockets.size,
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((closed) => server.close(closed));
    },
  });
}

function listen(server: Server): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject).listen(0, '127.0.0.1', () => resolve((server.address() as { port: number }).port));
  });
}

interface S3Rver {
  run(): Promise<{ port: number }>;
  close(): Promise<void>;
}
const S3rver = createRequire(import.meta.url)('s3rver') as new (options: object) => S3Rver;

/** An S3 server with the one bucket `copies`. */
export async function s3Server(port = 0): Promise<{ url: string; close(): Promise<void> }> {
  const directory = temporaryFolder();
  const options = { port, address: '127.0.0.1', silent: true, directory, configureBuckets: [{ name: 'copies' }] };
  const server = new S3rver(options);
  const address = await server.run();
  return closedAfterwards({ url: s3Url(address.port), close: () => server.close() });
}

/** Its credentials come the way operators give them: from the environment. */
export function s3Url(port: number): string {
  process.env.AWS_ACCESS_KEY_ID = 'S3RVER';
  process.env.AWS_SECRET_ACCESS_KEY = 'S3RVER';
  return `s3://copies/ledger/prod?endpoint=http://127.0.0.1:${port}&region=eu-central-1`;
}

export interface Received {
  to: string[];
  secure: boolean;
  raw: string;
  mail: Email;
}

/** A mail server that keeps what it is given. */
export async function mailServer(
  options: SMTPServerOptions = {},
  port = 0,
): Promise<{ port: number; received: Received[]; close(): Promise<void> }> {
  const received: Received[] = [];
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    disableReverseLookup: true,
    closeTimeout: 1,
    onData(stream, session, done) {
      void collect(stream).then(async (raw) => {
        const to = session.envelope.rcptTo.map(({ address }) => address);
        received.push({ to, secure: session.secure, raw: raw.toString('utf8'), mail: await PostalMime.parse(raw) });
        done();
      });
    },
    ...options,
  });
  server.on('error', () => undefined);
  await new Promise<void>((listening) => server.listen(port, '127.0.0.1', listening));
  const address = server.server.address() as { port: number };
  return closedAfterwards({
    port: address.port,
    received,
    close: () => new Promise<void>((closed) => server.close(() => closed())),
  });
}

async function collect(stream: AsyncIterable<Buffer>): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks);
}
