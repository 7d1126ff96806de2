/** Whose worker token it is. What was read is kept for a while, and forgotten as soon as something about the worker changes. */
import type { Db } from '@rcpt/service/db/db.ts';
import { Refusal } from '@rcpt/service/error.ts';
import { secretSha256, secretsEqual } from '@rcpt/service/ids.ts';
import { instant } from '../domain/time.ts';
import type { Notifier } from '../notifier.ts';
import { workerRevoked } from '../problems.ts';
import { findWorkerByToken, revokedSince, type StoredWorker } from '../store/workers.ts';

/** Longer than workers are silent. Orders to a worker travel with its leases and heartbeats; its token never changes. */
const KEPT_MS = 60_000;
const KEPT_WORKERS = 50_000;
/** Below the five seconds in which a revoked token ends everywhere: word from another process may be lost. */
const LOOK_MS = 2_000;
/** How far the clocks of processes may be apart. */
const CLOCKS_MS = 600_000;

export interface KnownWorkers {
  /** Throws `unauthenticated`, `worker_revoked`. */
  find(token: string): Promise<StoredWorker>;
  close(): void;
}

export function createKnownWorkers(db: Db, notifier: Notifier, now: () => number): KnownWorkers {
  const kept = new Map<string, { worker: StoredWorker; until: number }>();
  const hashes = new Map<string, string>();
  /** What was being read when something was forgotten is not kept: it may be from before. */
  let forgotten = 0;

  function forget(worker_id: string): void {
    forgotten++;
    kept.delete(hashes.get(worker_id) ?? '');
    hashes.delete(worker_id);
  }
  function forgetAll(): void {
    forgotten++;
    kept.clear();
    hashes.clear();
  }
  async function look(): Promise<void> {
    if (kept.size === 0) return;
    for (const id of await revokedSince(db, instant(now() - KEPT_MS - CLOCKS_MS))) forget(id);
  }

  const stop = notifier.onWorker((worker_id) => (worker_id === null ? forgetAll() : forget(worker_id)));
  // Who cannot be asked about is let in by nobody's memory.
  const looking = db.engine === 'sqlite' ? undefined : setInterval(() => void look().catch(forgetAll), LOOK_MS);

  return {
    async find(token) {
      if (!token.startsWith('dwrk_'))
        throw new Refusal('unauthenticated', 'Send the worker token: Authorization: Bearer dwrk_…');
      const hash = secretSha256(token);
      const known = kept.get(hash);
      if (known !== undefined && known.until > performance.now()) return known.worker;
      const before = forgotten;
      const worker = await findWorkerByToken(db, hash);
      if (worker === null || !secretsEqual(worker.token_sha256, hash))
        throw new Refusal('unauthenticated', 'This worker token is unknown.');
      if (worker.revoked_at !== null) throw workerRevoked();
      if (kept.size >= KEPT_WORKERS) forgetAll();
      if (forgotten !== before) return worker;
      kept.set(hash, { worker, until: performance.now() + KEPT_MS });
      hashes.set(worker.id, hash);
      return worker;
    },
    close() {
      stop();
      clearInterval(looking);
    },
  };
}
