/**
 * FairCache for bodies that arrive and time to read them, in turns of the organizations. A small body needs no turn: it holds its
 * connection and some kilobytes. A larger one takes a turn when its bytes come, keeps it until it is answered, and is refused when
 * they stop coming or only drip. Until then it is not read, and waits with the caller. A megabyte of JSON can take the event loop
 * 30 ms to read. Routes that are dearer still leave their bytes to a thread; for the others an organization has one such body read
 * at a time, and then rests.
 */
import { Refusal } from '@rcpt/service/error.ts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { createTurns, type Turns } from '../turns/turns.ts';

/** Of one body without a turn, and of all those. Beyond either a body takes a turn. */
const SMALL_BYTES = 65_536;
const SMALL_BYTES_IN_ALL = 33_554_432;
/** Forms that are held in memory, 25 MiB each. */
const FORMS = { at_once: 6, each: 2, waiting_each: 32, waiting: 256, what: 'uploads of this organization' };
/** JSON bodies of more than `SMALL_BYTES`, 1 MiB each. */
const LARGE_BODIES = {
  at_once: 128,
  each: 16,
  waiting_each: 128,
  waiting: 512,
  what: 'large requests of this organization',
};
/** JSON bodies of more than `SMALL_BYTES` that the event loop reads. */
const READ_HERE = { ...LARGE_BODIES, each: 1 };
/** Times what a body took to read: one organization's bodies take a twentieth of the event loop. */
const REST = 19;
/** Something of a body has to come in each of these stretches; with a turn this much (16 KiB/s). */
const STRETCH_MS = 5_000;
const LEAST_BYTES = 81_920;

declare module 'fastify' {
  interface FastifyContextConfig {
    /** This route is given a large body as bytes, and reads them beside the event loop. */
    reads_in_thread?: boolean;
  }
}

export interface BodyLimits {
  /** A JSON body, before it is read. Throws as `Turns.take`. */
  ofBody(request: FastifyRequest, reply: FastifyReply): Promise<void>;
  /** A JSON body that came: what it says, or its bytes for the route to read. Throws as `Turns.take` and as `parse`. */
  readBody(request: FastifyRequest, bytes: Buffer, parse: (bytes: Uint8Array) => unknown): unknown;
  ofForm(request: FastifyRequest, reply: FastifyReply): Arrival;
}

export interface Arrival {
  /** Counts bytes that have come, and waits for the turn that they need. Throws as `Turns.take`. */
  count(bytes: number): Promise<void>;
  /** Rejects with `request_timeout` when the bytes stop coming, or come too slowly for a turn. */
  late: Promise<never>;
}

export function createBodyLimits(): BodyLimits {
  const forms = createTurns(FORMS);
  const bodies = createTurns(LARGE_BODIES);
  const here = createTurns(READ_HERE);
  /** Aborted when the request is over. */
  const over = new WeakMap<FastifyRequest, AbortSignal>();
  let small_in_all = 0;

  return {
    async ofBody(request, reply) {
      if (!isLarge(request)) return;
      const arrival = arriving(request, reply, bodies);
      arrival.late.catch((refusal: unknown) => void reply.send(refusal));
      over.set(request, arrival.over);
      await arrival.takeTurn();
    },
    readBody(request, bytes, parse) {
      if (bytes.length <= SMALL_BYTES) return parse(bytes);
      return request.routeOptions.config.reads_in_thread ? bytes : readInTurn(request, bytes, parse);
    },
    ofForm(request, reply) {
      const arrival = arriving(request, reply, forms);
      let small = 0;
      let has_turn = false;
      const forget = () => {
        small_in_all -= small;
        small = 0;
      };
      reply.raw.once('close', forget);
      return {
        late: arrival.late,
        async count(bytes) {
          if (has_turn) return;
          if (small + bytes <= SMALL_BYTES && small_in_all + bytes <= SMALL_BYTES_IN_ALL) {
            small += bytes;
            small_in_all += bytes;
            return;
          }
          await arrival.takeTurn();
          has_turn = true;
          forget();
        },
      };
    },
  };

  async function readInTurn(request: FastifyRequest, bytes: Buffer, parse: (bytes: Uint8Array) => unknown) {
    const giveBack = await here.take(whose(request), over.get(request));
    const begun = performance.now();
    try {
      return parse(bytes);
    } finally {
      setTimeout(giveBack, REST * (performance.now() - begun)).unref();
    }
  }
}

/** Also where the caller does not say how much comes. */
function isLarge({ headers }: FastifyRequest): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > SMALL_BYTES;
}

/** Judged from now until the body is there or the request is over. */
function arriving(request: FastifyRequest, reply: FastifyReply, turns: Turns) {
  const { raw } = request;
  const { socket } = raw;
  const over = new AbortController();
  reply.raw.once('close', () => over.abort());
  const { promise: late, reject } = Promise.withResolvers<never>();
  // The reader of the body handles it; without a reader it is no unhandled rejection.
  late.catch(() => undefined);
  /** What has to come in a stretch, unless it was waited for a turn in it: then nothing was read. */
  let least = 1;
  let waits = false;
  let waited = false;
  let read = socket.bytesRead;

  function look(): void {
    const came = socket.bytesRead - read;
    const isJudged = !waited && !raw.complete && !over.signal.aborted;
    read = socket.bytesRead;
    waited = waits;
    if (!isJudged || came >= least) return;
    clearInterval(looking);
    reply.header('connection', 'close');
    reject(tooSlow(came));
  }
  // What has arrived meanwhile is read first.
  const looking = setInterval(() => setImmediate(look), STRETCH_MS);
  over.signal.addEventListener('abort', () => clearInterval(looking));

  return {
    late,
    over: over.signal,
    async takeTurn(): Promise<void> {
      waits = waited = true;
      const leave = await turns.take(whose(request), over.signal);
      waits = false;
      least = LEAST_BYTES;
      over.signal.addEventListener('abort', leave);
    },
  };
}

/** Callers without an organization share one turn. */
function whose({ principal }: FastifyRequest): string {
  return principal?.organization_id ?? '';
}

function tooSlow(came: number): Refusal {
  const seconds = STRETCH_MS / 1_000;
  return new Refusal(
    'request_timeout',
    came === 0
      ? `Nothing of the body came for ${seconds} seconds. Nothing was stored; send it again, whole.`
      : `The body came too slowly: a large one has to bring ${LEAST_BYTES} bytes in ${seconds} seconds. Nothing was stored; send it again on a faster line, or send the sha256 of evidence that is kept elsewhere.`,
  );
}
