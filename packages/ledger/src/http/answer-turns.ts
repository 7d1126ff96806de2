/**
 * Large answers, in turns of the organizations: a page of small rows takes ten milliseconds of the event loop, and an answer that
 * its caller does not read stays in memory.
 */
import type { ServerResponse } from 'node:http';
import type { App } from '@rcpt/service/http/app.ts';
import type { FastifyRequest } from 'fastify';
import { createTurns, type Turns } from '../turns/turns.ts';

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
    await holdTurn(turns, request.principal.organization_id, raw, TURN_MS, (leave) => leave());
  });
}

/**
 * Takes a turn, which is given back when the answer has left or its caller has gone. Throws as `Turns.take`.
 * @param late called when that takes longer than `longest_ms`
 */
export async function holdTurn(
  turns: Turns,
  organization_id: string,
  raw: ServerResponse,
  longest_ms: number,
  late: (leave: () => void) => void,
): Promise<void> {
  const over = new AbortController();
  raw.once('close', () => over.abort());
  const leave = await turns.take(organization_id, over.signal);
  const timer = setTimeout(late, longest_ms, leave);
  over.signal.addEventListener('abort', () => {
    clearTimeout(timer);
    // The next one begins when everything else that waits has been served.
    setImmediate(leave);
  });
}

/** A chain that is streamed is read page by page as its caller takes it. */
function isStreamed({ headers }: FastifyRequest): boolean {
  return headers.accept?.includes('application/x-ndjson') ?? false;
}
