/** The live leases of this worker, and when one of them is lost. */
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

export interface ActiveLease {
  job: LeasedJob;
  lease_token: string;
  /** Aborts with `LeaseLost`: all work on the job stops. */
  lost: AbortSignal;
  lose(loss: Loss): void;
  /** By this clock, milliseconds since 1970: the lease is lost then, unless the router renews it. */
  expires_at: number;
}

export interface ActiveLeases {
  list(): ActiveLease[];
  /** Listed until `release`. */
  hold(lease: { job: LeasedJob; lease_token: string }, expires_at: number): ActiveLease;
  release(lease: ActiveLease): void;
  renew(lease: ActiveLease, expires_at: number): void;
  /** Resolves when a lease is taken or released. */
  changed(signal: AbortSignal): Promise<unknown>;
}

/** Node's longest timer. */
const LONGEST_MS = 2_147_483_647;

export function createActiveLeases(): ActiveLeases {
  const leases = new Map<ActiveLease, NodeJS.Timeout>();
  const events = new EventEmitter().setMaxListeners(0);
  return {
    list: () => [...leases.keys()],
    hold({ job, lease_token }, expires_at) {
      const loss = new AbortController();
      const lease: ActiveLease = {
        job,
        lease_token,
        lost: loss.signal,
        lose: (reason) => loss.abort(new LeaseLost(reason)),
        expires_at,
      };
      leases.set(lease, lossAt(lease, expires_at));
      events.emit('change');
      return lease;
    },
    release(lease) {
      clearTimeout(leases.get(lease));
      if (leases.delete(lease)) events.emit('change');
    },
    renew(lease, expires_at) {
      if (!leases.has(lease)) return;
      clearTimeout(leases.get(lease));
      lease.expires_at = expires_at;
      leases.set(lease, lossAt(lease, expires_at));
    },
    changed: (signal) => once(events, 'change', { signal }),
  };
}

function lossAt(lease: ActiveLease, expires_at: number): NodeJS.Timeout {
  const left = Math.min(LONGEST_MS, Math.max(0, expires_at - Date.now()));
  return setTimeout(() => lease.lose('expired'), left).unref();
}
