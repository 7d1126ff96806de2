/** What an operator can do who holds the database, the master key and the ledger itself. */
import type { Db } from '@rcpt/service/db/db.ts';
import { resealed, type StoredChain } from '../../../../ledger/test/kit/tampering.ts';

/** The last receipts are gone, and everything that says where the chain ends agrees. */
export function cutTo(chain: StoredChain, count: number): StoredChain {
  const rows = chain.rows.slice(0, count);
  const last = rows.at(-1);
  return { rows, head: last === undefined ? null : { org_seq: last.org_seq, receipt_sha256: last.receipt_sha256 } };
}

/** From `at` on sealed anew: what an operator who holds the database can do, and no verification of it alone can see. */
export function rewrittenFrom(chain: StoredChain, at: number): StoredChain {
  const rows = chain.rows.slice(0, at);
  for (const row of chain.rows.slice(at)) {
    const before = rows.at(-1);
    rows.push(
      resealed(row, (payload) => ({
        ...payload,
        ...(before === undefined ? {} : { parent_hash: before.receipt_sha256 }),
        organization: { ...payload.organization, name: 'Another Name' },
      })),
    );
  }
  return cutTo({ rows, head: null }, rows.length);
}

/** What was signed is forgotten: the ledger signs what is stored now as if it were the first time. */
export async function forgetSigned(db: Db, organization_id: string): Promise<void> {
  for (const table of ['log_ends', 'log_checkpoints', 'log_tiles'])
    await db.run(`delete from ${table} where organization_id = $1`, [organization_id]);
  await db.run('update chains set peaks = null where organization_id = $1', [organization_id]);
}

/** Runs whose receipts are gone would tell. */
export async function forgetRuns(db: Db, organization_id: string): Promise<void> {
  await db.run(
    'delete from runs where organization_id = $1 and id not in (select run_id from receipts where organization_id = $1)',
    [organization_id],
  );
}
