/** The leases this worker holds, and when it has to let go of one. */
import { EventEmitter, once } from 'node:events';
import type { LeasedJob as LeasedJobSchema } from '@rcpt/contract/router/workers.ts';
import type { z } from 'zod';

export type LeasedJob = z.infer<typeof LeasedJobSchema>;

export type Loss = 'canceled' | 'expired';

export class LeaseLost extends Error {
  readonly loss: Loss;

  constructor(loss: Loss) {
    super(loss === 'canceled' ? 'the job was canceled' : 'the lease was lost');
    this.name = 'LeaseLost';
    this.loss = loss;
  }
}

export interface Held {
  job: LeasedJob;
  lease_token: string;
  /** Aborts with `LeaseLost`: whatever is done for the job stops. */
  lost: AbortSignal;
  lose(loss: Loss): void;
  /** By this clock, milliseconds since 1970: without word from the router until then, the lease is lost. */
  expires_at: number;
}

export interface HeldLeases {
  list(): Held[];
  /** Listed until `release`. */
  hold(lease: { job: LeasedJob; lease_token: string }, expires_at: number): Held;
  release(held: Held): void;
  renew(held: Held, expires_at: number): void;
  /** Resolves when a lease is taken or released. */
  changed(signal: AbortSignal): Promise<unknown>;
}

/** Node's longest timer. */
const LONGEST_MS = 2_147_483_647;

export function createHeldLeases(): HeldLeases {
  const leases = new Map<Held, NodeJS.Timeout>();
  const events = new EventEmitter().setMaxListeners(0);
  return {
    list: () => [...leases.keys()],
    hold({ job, lease_token }, expires_at) {
      const loss = new AbortController();
      const held: Held = {
        job,
        lease_token,
        lost: loss.signal,
        lose: (why) => loss.abort(new LeaseLost(why)),
        expires_at,
      };
      leases.set(held, lossAt(held, expires_at));
      events.emit('change');
      return held;
    },
    release(held) {
      clearTimeout(leases.get(held));
      if (leases.delete(held)) events.emit('change');
    },
    renew(held, expires_at) {
      if (!leases.has(held)) return;
      clearTimeout(leases.get(held));
      held.expires_at = expires_at;
      leases.set(held, lossAt(held, expires_at));
    },
    changed: (signal) => once(events, 'change', { signal }),
  };
}

function lossAt(held: Held, expires_at: number): NodeJS.Timeout {
  const left = Math.min(LONGEST_MS, Math.max(0, expires_at - Date.now()));
  return setTimeout(() => held.lose('expired'), left).unref();
}
