/**
 * Large answers, in turns of the organizations: a page of small rows takes ten milliseconds of the event loop, and an answer that
 * its caller does not read stays in memory.
 */
import type { App } from '@rcpt/service/http/app.ts';
import type { FastifyRequest } from 'fastify';
import { createTurns } from '../turns/turns.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The answer may be large: an organization is given two at a time. */
    in_turn?: boolean;
  }
}

const READING = { at_once: 64, each: 2, waiting_each: 256, waiting: 2_048, what: 'answers of this organization' };
/** A turn is over when its answer has left, at the latest after this: a caller who does not read keeps the own organization waiting only. */
const TURN_MS = 10_000;

export function answerInTurns(app: App): void {
  const turns = createTurns(READING);
  app.addHook('preHandler', async (request, { raw }) => {
    if (request.routeOptions.config.in_turn !== true || isStreamed(request)) return;
    const over = new AbortController();
    raw.once('close', () => over.abort());
    const leave = await turns.take(request.principal.organization_id, over.signal);
    const late = setTimeout(leave, TURN_MS);
    over.signal.addEventListener('abort', () => {
      clearTimeout(late);
      leave();
    });
  });
}

/** A chain that is streamed is read page by page as its caller takes it. */
function isStreamed({ headers }: FastifyRequest): boolean {
  return headers.accept?.includes('application/x-ndjson') ?? false;
}
