/**
 * Server-sent events (WHATWG HTML, 9.2): bounded in number, with a sign of life every 15 seconds, dropped when they
 * are not read, ended when the service stops so that a drain does not wait for them.
 */
import { PassThrough } from 'node:stream';
import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import { Refusal } from '../error.ts';
import type { Logger } from '../process/log.ts';
import type { App } from './app-type.ts';

const ALIVE_MS = 15_000;
/** A reader that takes nothing for so long is gone. */
const SLOW_MS = 30_000;
const AHEAD_BYTES = 65_536;
const MOST = 256;

export interface EventStream {
  /** Aborts when the reader has gone or the service stops. */
  ended: AbortSignal;
  /** Resolves when there is room for the next one, or the stream has ended. */
  send(event: string, data: unknown, id?: string): Promise<void>;
}

export interface EventStreams {
  /** Answers with what `tell` sends until it resolves; what it throws is logged and breaks off the stream. Throws `overloaded`. */
  answer(reply: FastifyReply, tell: (stream: EventStream) => Promise<void>): FastifyReply;
}

export function acceptStreams(app: App, logger: Logger, most: number = MOST, slow_ms: number = SLOW_MS): EventStreams {
  const open = new Set<PassThrough>();
  app.addHook('preClose', async () => {
    for (const out of open) out.end();
  });

  return {
    answer(reply, tell) {
      if (open.size >= most)
        throw new Refusal('overloaded', 'Too many event streams are open. Ask without one, or try again shortly.');
      const out = new PassThrough({ highWaterMark: AHEAD_BYTES });
      open.add(out);
      const ended = new AbortController();
      const alive = setInterval(() => out.writableEnded || out.write(':\n\n'), ALIVE_MS);
      const over = () => {
        clearInterval(alive);
        open.delete(out);
        ended.abort();
      };
      out.once('finish', over).once('close', over);
      // A reader that hangs up is no error.
      out.on('error', () => undefined);
      reply.raw.once('close', () => out.destroy());
      out.write(':\n\n');
      tell(streamOf(out, ended.signal, slow_ms)).then(
        () => out.end(),
        (error: unknown) => {
          if (!ended.signal.aborted)
            logger.warn({ request_id: reply.request.id, err: error }, 'an event stream broke off');
          out.destroy();
        },
      );
      // A proxy that gathers an answer before it passes it on would hold back every event.
      reply.header('cache-control', 'no-store').header('x-accel-buffering', 'no').type('text/event-stream');
      return reply.send(out);
    },
  };
}

function streamOf(out: PassThrough, ended: AbortSignal, slow_ms: number): EventStream {
  return {
    ended,
    async send(event, data, id) {
      if (ended.aborted || out.writableEnded) return;
      const text = `event: ${event}\n${id === undefined ? '' : `id: ${id}\n`}data: ${JSON.stringify(data)}\n\n`;
      if (!out.write(text)) await room(out, ended, slow_ms);
    },
  };
}

function room(out: PassThrough, ended: AbortSignal, slow_ms: number): Promise<void> {
  return new Promise((resolve) => {
    const late = setTimeout(() => out.destroy(), slow_ms);
    const go = () => {
      clearTimeout(late);
      out.off('drain', go);
      ended.removeEventListener('abort', go);
      resolve();
    };
    out.once('drain', go);
    ended.addEventListener('abort', go);
    if (ended.aborted) go();
  });
}

/** A caller that names `text/event-stream` gets the stream, every other the JSON. */
export function wantsEvents(request: { method: string; headers: { accept?: string | undefined } }): boolean {
  const { method, headers } = request;
  return method === 'GET' && /\btext\/event-stream\b/i.test(headers.accept ?? '');
}

/** The response of a route that answers both ways. */
export function jsonOrEvents(schema: z.ZodType, events: string) {
  return {
    description: 'OK',
    content: { 'application/json': { schema }, 'text/event-stream': { schema: z.string().describe(events) } },
  };
}

/** The response of a route that answers with events only. */
export function eventsOnly(events: string) {
  return { description: 'OK', content: { 'text/event-stream': { schema: z.string().describe(events) } } };
}
