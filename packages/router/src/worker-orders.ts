/** Orders to a worker: to drain, to run again, and the end of its credential. */
import { endLeases } from './expire-leases.ts';
import type { Changes } from './notifier.ts';
import type { Router } from './router.ts';
import { leasesOfRevoked } from './store/jobs.ts';
import { setDesired, setRevoked } from './store/workers.ts';

type Parts = Pick<Router, 'db' | 'writer' | 'now' | 'fleet'>;

/** Throws `not_found`. */
export async function orderWorker({ writer, fleet }: Parts, id: string, desired: 'run' | 'drain'): Promise<void> {
  await writer.execute({
    kind: 'store',
    async run(tx, _, changes) {
      await setDesired(tx, id, desired);
      tell(changes, id);
    },
  });
  fleet.changed();
}

/**
 * Ends a worker for good: its token first, then the leases it holds. From the first commit on nothing is leased to it, for leasing
 * reads the worker under a lock. If the process crashes before the leases are ended, the next sweep ends them. Throws `not_found`.
 */
export async function revokeWorker(router: Parts, id: string): Promise<void> {
  await router.writer.execute({
    kind: 'store',
    async run(tx, batch, changes) {
      await setRevoked(tx, id, batch.at);
      tell(changes, id);
    },
  });
  router.fleet.changed();
  await endLeases(router, await leasesOfRevoked(router.db, id));
}

function tell(changes: Changes, worker_id: string): void {
  changes.workers.add(worker_id);
  if (changes.visible !== null) changes.visible.workers = true;
}
