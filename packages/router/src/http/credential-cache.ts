/** Worker tokens that were checked lately. An entry is dropped after a minute, and as soon as something about its worker changes. */
import type { Db } from '@rcpt/service/db/db.ts';
import { Refusal } from '@rcpt/service/error.ts';
import { secretSha256, secretsEqual } from '@rcpt/service/ids.ts';
import { instant } from '../domain/time.ts';
import type { Notifier } from '../notifier.ts';
import { workerRevoked } from '../problems.ts';
import { findWorkerByToken, revokedSince, type StoredWorker } from '../store/workers.ts';

/** Longer than the pause between two calls of a worker. */
const CACHED_MS = 60_000;
const CACHED_WORKERS = 50_000;
/** Below the five seconds in which a revoked token ends everywhere: a notification from another process may be lost. */
const REVOKED_LOOK_MS = 2_000;
/** How far the clocks of processes may be apart. */
const CLOCKS_MS = 600_000;

interface CredentialCache {
  /** Throws `unauthenticated`, `worker_revoked`. */
  find(token: string): Promise<StoredWorker>;
  close(): void;
}

export function createCredentialCache(db: Db, notifier: Notifier, now: () => number): CredentialCache {
  /** By the token's hash. */
  const workers = new Map<string, { worker: StoredWorker; until: number }>();
  const hashes = new Map<string, string>();
  /** Counts what was dropped: a worker that was read across a drop may be out of date and is not cached. */
  let dropped = 0;

  function drop(worker_id: string): void {
    dropped++;
    workers.delete(hashes.get(worker_id) ?? '');
    hashes.delete(worker_id);
  }
  function dropAll(): void {
    dropped++;
    workers.clear();
    hashes.clear();
  }
  async function dropRevoked(): Promise<void> {
    if (workers.size === 0) return;
    for (const id of await revokedSince(db, instant(now() - CACHED_MS - CLOCKS_MS))) drop(id);
  }

  const stop = notifier.onWorker((worker_id) => (worker_id === null ? dropAll() : drop(worker_id)));
  // When the database cannot be asked, every token is checked against it again.
  const looking = db.dialect.isShared
    ? setInterval(() => void dropRevoked().catch(dropAll), REVOKED_LOOK_MS)
    : undefined;

  return {
    async find(token) {
      if (!token.startsWith('dwrk_'))
        throw new Refusal('unauthenticated', 'Send the worker token: Authorization: Bearer dwrk_…');
      const hash = secretSha256(token);
      const cached = workers.get(hash);
      if (cached !== undefined && cached.until > performance.now()) return cached.worker;
      const dropped_before = dropped;
      const worker = await findWorkerByToken(db, hash);
      if (worker === null || !secretsEqual(worker.token_sha256, hash))
        throw new Refusal('unauthenticated', 'This worker token is unknown.');
      if (worker.revoked_at !== null) throw workerRevoked();
      if (dropped !== dropped_before) return worker;
      if (workers.size >= CACHED_WORKERS) dropAll();
      workers.set(hash, { worker, until: performance.now() + CACHED_MS });
      hashes.set(worker.id, hash);
      return worker;
    },
    close() {
      stop();
      clearInterval(looking);
    },
  };
}
