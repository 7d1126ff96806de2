import { Verification } from '@rcpt/contract/ledger/receipts.ts';
import { Refusal } from '@rcpt/service/error.ts';
import type { App } from '@rcpt/service/http/app.ts';
import { type EventStream, type EventStreams, jsonOrEvents, wantsEvents } from '@rcpt/service/http/event-stream.ts';
import { problemBody, SHELL_PROBLEMS, type ShellCode } from '@rcpt/service/http/problem.ts';
import type { Logger } from '@rcpt/service/process/log.ts';
import type { FastifyRequest } from 'fastify';
import type { Ledger } from '../ledger.ts';

const EVENTS =
  'Events `progress`, {"receipts_checked": 512, "receipts": 1000}, at most ten a second; then one `report`, the verification, or one `problem`.';
const IN_TURNS =
  'With `Accept: text/event-stream` as it goes on. An organization’s verifications take turns: 429 `rate_limited` while too many of them wait. A caller that hangs up ends its verification: 408 `request_timeout`.';

const CHAINS = [
  {
    url: '/ledger/verify',
    may: 'read',
    tag: 'ledger',
    summary: 'Verify the whole chain',
    description:
      'Every receipt against its bytes, its predecessor, the columns stored beside it and the blocks that its Run makes when they are built anew; every cook against the pin before it; the end against the recorded head.',
    walk: 'verify',
  },
  {
    url: '/activity/verify',
    may: 'audit',
    tag: 'activity',
    summary: 'Verify the whole activity chain',
    description:
      'Every line against its bytes, its predecessor and the columns stored beside it; the end against the recorded head; and the keys, the members, their roles and four eyes as they are stored now against what the lines tell of them.',
    walk: 'verifyActivity',
  },
] as const;

export function verifyRoutes(
  app: App,
  { verifier }: Pick<Ledger, 'verifier'>,
  streams: EventStreams,
  logger: Logger,
): void {
  for (const { url, may, tag, summary, description, walk } of CHAINS)
    app.get(
      url,
      {
        config: { may },
        schema: {
          tags: [tag],
          security: [{ bearer: [] }],
          summary,
          description: `${description} ${IN_TURNS}`,
          response: { 200: jsonOrEvents(Verification, EVENTS) },
        },
      },
      async (request, reply) => {
        if (wantsEvents(request)) return streams.answer(reply, (stream) => tell(request, stream, walk)) as never;
        const gone = new AbortController();
        request.raw.once('close', () => gone.abort());
        return verifier[walk](request.principal.organization_id, gone.signal);
      },
    );

  async function tell(request: FastifyRequest, stream: EventStream, walk: 'verify' | 'verifyActivity'): Promise<void> {
    let unread = false;
    try {
      const report = await verifier[walk](request.principal.organization_id, stream.ended, async (walked) => {
        // A slow reader misses some; the walk does not wait for it.
        if (unread) return;
        unread = true;
        await stream.send('progress', walked);
        unread = false;
      });
      await stream.send('report', report);
    } catch (error) {
      if (!(error instanceof Refusal)) logger.error({ request_id: request.id, err: error }, 'a verification broke off');
      await stream.send('problem', problemOf(error, request.id));
    }
  }
}

function problemOf(error: unknown, request_id: string) {
  const { code, detail } = error instanceof Refusal ? error : INTERNAL;
  return problemBody(code, SHELL_PROBLEMS[code as ShellCode] ?? SHELL_PROBLEMS.internal, detail, request_id);
}

const INTERNAL = { code: 'internal', detail: 'The verification broke off. Name the request_id when you report it.' };
