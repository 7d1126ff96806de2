import { secretSha256 } from '@rcpt/service/ids.ts';
import type { Holder } from '../domain/lease.ts';
import type { StoredWorker } from '../store/workers.ts';

export function holderOf({ id }: StoredWorker, lease_token: string): Holder {
  return { worker_id: id, lease_sha256: secretSha256(lease_token) };
}
