/** Receipts leave as the bytes that were stored: joined as text, never parsed and written again. */
import { PassThrough, type Readable } from 'node:stream';
import type { Db } from '@rcpt/service/db.ts';
import type { FastifyReply } from 'fastify';
import { readHead, SCAN_CHAIN } from '../store/chains.ts';

export const JSON_TYPE = 'application/json; charset=utf-8';

export function sendReceipt(reply: FastifyReply, payload: string) {
  return reply.type(JSON_TYPE).send(payload);
}

/** `{"receipts":[…]}` and further members. */
export function sendReceipts(reply: FastifyReply, payloads: string[], members: Record<string, unknown> = {}) {
  const rest = Object.entries(members).map(([name, value]) => `,${JSON.stringify(name)}:${JSON.stringify(value)}`);
  return reply.type(JSON_TYPE).send(`{"receipts":[${payloads.join(',')}]${rest.join('')}}`);
}

/** The whole chain as of one instant, a receipt per line, as fast as the reader takes it. `head` is where it ends. */
export async function streamChain(
  db: Db,
  organization_id: string,
): Promise<{ head: { org_seq: number; receipt_sha256: string } | null; lines: Readable }> {
  const lines = new PassThrough({ highWaterMark: 1 << 18 });
  // Before the start nobody else listens, and an error that nobody hears ends the process.
  lines.on('error', () => undefined);
  const closed = new Promise((resolve) => lines.once('close', resolve));
  return new Promise((started, failed) => {
    db.snapshot(async (read) => {
      const head = await readHead(read, organization_id);
      started({ head, lines });
      for await (const batch of read.scan(SCAN_CHAIN, [organization_id])) {
        if (lines.destroyed) return;
        const text = batch.map((row) => `${row.at(-1)}\n`).join('');
        if (!lines.write(text)) await Promise.race([new Promise((drained) => lines.once('drain', drained)), closed]);
      }
      lines.end();
    }).catch((error: Error) => {
      lines.destroy(error);
      failed(error);
    });
  });
}
