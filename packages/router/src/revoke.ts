/** Ending a worker for good: its token first, then the leases it holds. */

import { endLeases } from './expire-leases.ts';
import type { Router } from './router.ts';
import { leasesOfRevoked } from './store/jobs.ts';
import { setRevoked } from './store/workers.ts';

/**
 * From the first commit on nothing is leased to it, for leasing reads the worker
 * under a lock; what a crash leaves held after that, the next sweep frees. Throws `not_found`.
 */
export async function revokeWorker(router: Pick<Router, 'db' | 'writer' | 'now' | 'fleet'>, id: string): Promise<void> {
  await router.writer.execute({
    kind: 'store',
    async run(tx, batch, changes) {
      await setRevoked(tx, id, batch.at);
      changes.workers.add(id);
      if (changes.visible !== null) changes.visible.workers = true;
    },
  });
  router.fleet.changed();
  await endLeases(router, await leasesOfRevoked(router.db, id));
}
