/** Receipts leave as the bytes that were stored: joined as text, never parsed and written again. */
import { Readable } from 'node:stream';
import type { Db } from '@rcpt/service/db/db.ts';
import type { FastifyReply } from 'fastify';
import { listActivity, readActivityEnd } from '../store/activity.ts';
import { type End, payloadsAfter, readEnd } from '../store/chains.ts';

/** What a slow reader costs in memory. */
const PAGE_ROWS = 100;

export const JSON_TYPE = 'application/json; charset=utf-8';

export function sendReceipt(reply: FastifyReply, payload: string) {
  return reply.type(JSON_TYPE).send(payload);
}

/** What is JSON already. */
export function sendText(reply: FastifyReply, json: string) {
  return reply.type(JSON_TYPE).send(json as never);
}

/** `{"receipts":[…]}` and further members. */
export function sendReceipts(reply: FastifyReply, payloads: string[], members: Record<string, unknown> = {}) {
  const rest = Object.entries(members).map(([name, value]) => `,${JSON.stringify(name)}:${JSON.stringify(value)}`);
  return reply.type(JSON_TYPE).send(`{"receipts":[${payloads.join(',')}]${rest.join('')}}`);
}

/**
 * The whole chain as of one instant, a receipt per line, as fast as the reader takes it. `head` is where it ends.
 * Receipts never change and are only added, so they are read page by page when the reader wants more: a slow reader holds no
 * connection and no snapshot of the database.
 */
export async function streamChain(db: Db, organization_id: string): Promise<{ head: End['head']; lines: Readable }> {
  const { head, last_seq } = await readEnd(db, organization_id);
  const pageAfter = (after_seq: number) => payloadsAfter(db, organization_id, after_seq, PAGE_ROWS);
  return { head, lines: Readable.from(linesUpTo(last_seq, pageAfter), { objectMode: false }) };
}

/** As `streamChain`, of the activity chain. */
export async function streamActivity(db: Db, organization_id: string): Promise<{ head: End['head']; lines: Readable }> {
  const { head, last_seq } = await readActivityEnd(db, organization_id);
  const pageAfter = async (after_seq: number) =>
    (await listActivity(db, organization_id, { order: 'oldest', after_seq, limit: PAGE_ROWS })).rows;
  return { head, lines: Readable.from(linesUpTo(last_seq, pageAfter), { objectMode: false }) };
}

async function* linesUpTo(
  last_seq: number,
  pageAfter: (after_seq: number) => Promise<{ org_seq: number; payload: string }[]>,
): AsyncGenerator<string> {
  for (let after_seq = -1; after_seq < last_seq; ) {
    const page = await pageAfter(after_seq);
    const rows = page.filter((row) => row.org_seq <= last_seq);
    if (rows.length === 0) return;
    yield `${rows.map((row) => row.payload).join('\n')}\n`;
    after_seq = rows.at(-1)!.org_seq;
  }
}
