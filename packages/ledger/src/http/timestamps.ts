/** Time stamps of a log's checkpoints, for the organization (docs/spec.md §36). */
import { Refusal } from '@rcpt/service/error.ts';
import type { App } from '@rcpt/service/http/app.ts';
import { binary } from '@rcpt/service/http/openapi.ts';
import { z } from 'zod';
import type { Ledger } from '../ledger.ts';
import type { LogName } from '../store/logs.ts';
import { findTimestamp } from '../store/timestamps.ts';

const OfSize = z.object({ size: z.coerce.number().int().min(1).max(Number.MAX_SAFE_INTEGER).optional() });

/** @param root where the calls of the log stand, `/ledger` or `/activity` */
export function timestampRoutes(
  app: App,
  { db }: Pick<Ledger, 'db'>,
  root: string,
  log: LogName,
  may: 'read' | 'audit',
): void {
  const config = { may: may as 'read', in_turn: true } as const;
  const common = { tags: [root.slice(1)], security: [{ bearer: [] }], querystring: OfSize };

  app.get(
    `${root}/checkpoint/timestamp`,
    {
      config,
      schema: {
        ...common,
        summary: 'The time stamp of the last stamped checkpoint, or of the one of this size',
        description:
          'A TimeStampResp (RFC 3161) over the bytes of `checkpoint/timestamped`; `checkpoint-size` names its size. 404 where none was made.',
        response: { 200: binary('The time stamp', 'application/timestamp-reply') },
      },
    },
    async ({ principal, query }, reply) => {
      const { size, answer } = await load(principal.organization_id, query.size);
      reply.header('checkpoint-size', String(size));
      return reply.type('application/timestamp-reply').send(Buffer.from(answer, 'base64') as never);
    },
  );

  app.get(
    `${root}/checkpoint/timestamped`,
    {
      config,
      schema: {
        ...common,
        summary: 'What was time-stamped: the checkpoint as the log has signed it',
        description: 'With `size` the one of that size, else the last. 404 where none was made.',
        response: { 200: { description: 'The checkpoint', content: { 'text/plain': { schema: z.string() } } } },
      },
    },
    async ({ principal, query }, reply) => {
      const { size, checkpoint } = await load(principal.organization_id, query.size);
      reply.header('checkpoint-size', String(size));
      return reply.type('text/plain; charset=utf-8').send(checkpoint);
    },
  );

  async function load(organization_id: string, size: number | undefined) {
    const stamp = await findTimestamp(db, organization_id, log, size);
    if (stamp === null) throw new Refusal('not_found', 'No such checkpoint was time-stamped.');
    return stamp;
  }
}
