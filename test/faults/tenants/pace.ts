/** The victim: five kinds of request, each at a fixed pace, each timed. */
import { Agent, request as httpRequest } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

export const KINDS = ['organization', 'upload', 'mint', 'page', 'pdf'] as const;
export type Kind = (typeof KINDS)[number];

export interface Request {
  method: string;
  path: string;
  headers: Record<string, string>;
  body?: string;
  /** The only status that serves the victim. */
  wanted: number;
}

export interface Sample {
  kind: Kind;
  ms: number;
  /** 0: no answer within `PATIENCE_MS`, or none at all. */
  status: number;
  served: boolean;
}
export type Samples = Sample[];

export interface Victim {
  url: string;
  /** A new one each time: nothing is asked for twice but the organization. */
  next(kind: Kind): Request;
}

/** Between two of the same kind, at least. */
const PACE_MS = 50;
/** Times what a page and a PDF take together: the victim alone keeps a drawing thread busy for a third of the time at most. */
const DRAWING_SHARE = 3;
export const PATIENCE_MS = 10_000;
const agent = new Agent({ keepAlive: true });

/** What a slow or busy machine can keep up with, in milliseconds: asked one after the other. */
export async function paceFor(victim: Victim, times: number): Promise<number> {
  let drawing_ms = 0;
  for (let i = 0; i < times; i++) {
    for (const kind of KINDS) {
      const { ms } = await ask(victim, kind);
      if (kind === 'page' || kind === 'pdf') drawing_ms += ms;
    }
  }
  return Math.max(PACE_MS, DRAWING_SHARE * (drawing_ms / times));
}

/**
 * Resolves when all are answered, or have waited too long. The kinds take their turns evenly within one pace.
 * @param pace_ms between two of the same kind
 */
export async function askEach(victim: Victim, times: number, pace_ms: number): Promise<Samples> {
  const asked: Promise<Sample>[] = [];
  const start = performance.now();
  for (let i = 0; i < times * KINDS.length; i++) {
    await sleep(Math.max(0, start + (i * pace_ms) / KINDS.length - performance.now()));
    asked.push(ask(victim, KINDS[i % KINDS.length]!));
  }
  return Promise.all(asked);
}

/** From the moment it is sent to the last byte of the answer. */
export async function ask({ url, next }: Victim, kind: Kind): Promise<Sample> {
  const { method, path, headers, body, wanted } = next(kind);
  const start = performance.now();
  const status = await new Promise<number>((resolve) => {
    const signal = AbortSignal.timeout(PATIENCE_MS);
    const request = httpRequest(`${url}${path}`, { agent, method, headers, signal }, (response) => {
      response.on('error', () => resolve(0));
      response.on('end', () => resolve(response.statusCode!));
      response.resume();
    });
    request.on('error', () => resolve(0));
    request.end(body);
  });
  return { kind, ms: performance.now() - start, status, served: status === wanted };
}
