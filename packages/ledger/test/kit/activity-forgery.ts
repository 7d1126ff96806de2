/** What somebody with the database can make of an activity chain. */
import { leafHash } from '@rcpt/proof/log/merkle.ts';
import { appendLeaf } from '@rcpt/proof/log/peaks.ts';
import type { Db } from '@rcpt/service/db/db.ts';
import { encodeHashes } from '../../src/log/encoding.ts';
import type { LogName } from '../../src/store/logs.ts';
import { sealed } from './independent.ts';
import type { Tenant } from './running.ts';

/**
 * The chain written anew, with its tree, by who has the whole database.
 * @param change of each line: false leaves it out, a text is the name of who acted
 */
export async function rewriteActivity(
  db: Db,
  { organization_id }: Pick<Tenant, 'organization_id'>,
  change: (line: number) => boolean | string,
): Promise<void> {
  const stored = await db.all<{ payload: string; kind: string; by_id: string }>(
    'select payload, kind, by_id from activity where organization_id = $1 order by org_seq',
    [organization_id],
  );
  await db.run('delete from activity where organization_id = $1', [organization_id]);
  let [org_seq, parent_hash, peaks] = [0, '0'.repeat(64), [] as Uint8Array[]];
  for (const [line, { payload, kind, by_id }] of stored.entries()) {
    const kept = change(line);
    if (kept === false) continue;
    const { receipt_sha256: _, ...receipt } = JSON.parse(payload);
    if (typeof kept === 'string') receipt.activity.by.name = kept;
    const text = sealed({ ...receipt, org_seq, parent_hash, receipt_id: `ACT-${String(org_seq).padStart(6, '0')}` });
    const { receipt_sha256 } = JSON.parse(text) as { receipt_sha256: string };
    const values = [organization_id, org_seq, parent_hash, receipt_sha256, kind, by_id, text];
    await db.run('insert into activity values ($1, $2, $3, $4, $5, $6, $7)', values);
    peaks = appendLeaf(peaks, org_seq, leafHash(Buffer.from(text)));
    [org_seq, parent_hash] = [org_seq + 1, receipt_sha256];
  }
  await db.run('update activity_chains set org_seq = $2, receipt_sha256 = $3, peaks = $4 where organization_id = $1', [
    organization_id,
    org_seq - 1,
    parent_hash,
    encodeHashes(peaks),
  ]);
}

/** What was signed of a chain. The key stays. */
export async function forgetSigned(
  db: Db,
  { organization_id }: Pick<Tenant, 'organization_id'>,
  log: LogName = 'activity',
): Promise<void> {
  for (const table of ['log_ends', 'log_checkpoints', 'log_tiles'])
    await db.run(`delete from ${table} where organization_id = $1 and log = $2`, [organization_id, log]);
}
