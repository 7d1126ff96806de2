/** The activity chains: heads and receipts. The tables refuse a fork. */
import type { Head } from '@rcpt/proof/chain.ts';
import { GENESIS_HASH } from '@rcpt/proof/chain.ts';
import type { Queries } from '@rcpt/service/db/db.ts';
import { Refusal } from '@rcpt/service/error.ts';

/** `org_seq` is -1 while the chain is empty. */
export interface ActivityHead extends Head {
  organization_id: string;
}

export interface StoredActivity {
  organization_id: string;
  org_seq: number;
  parent_hash: string;
  receipt_sha256: string;
  kind: string;
  by_id: string;
  /** The canonical receipt. */
  payload: string;
}

/** With the organization. */
export async function insertActivityChain(tx: Queries, organization_id: string): Promise<void> {
  await tx.run(
    `insert into activity_chains (organization_id, org_seq, receipt_sha256, peaks) values ($1, -1, $2, '')`,
    [organization_id, GENESIS_HASH],
  );
}

/** Held until the transaction ends. Throws `not_found`. */
export async function lockActivityHead(tx: Queries, organization_id: string): Promise<ActivityHead> {
  const head = await tx.get<ActivityHead>(
    `select organization_id, org_seq, receipt_sha256 from activity_chains where organization_id = $1 ${tx.dialect.forUpdate}`,
    [organization_id],
  );
  if (head === undefined) throw new Refusal('not_found', `There is no organization ${organization_id}.`);
  return head;
}

/** The head moves only from where it was read. */
export async function appendActivity(tx: Queries, from: ActivityHead, added: StoredActivity): Promise<void> {
  await tx.insert(
    'activity',
    {
      organization_id: 'text',
      org_seq: 'bigint',
      parent_hash: 'text',
      receipt_sha256: 'text',
      kind: 'text',
      by_id: 'text',
      payload: 'text',
    },
    [
      [
        added.organization_id,
        added.org_seq,
        added.parent_hash,
        added.receipt_sha256,
        added.kind,
        added.by_id,
        added.payload,
      ],
    ],
  );
  await tx.updateAll(
    'activity_chains',
    { organization_id: 'text', receipt_sha256: 'text' },
    { org_seq: 'bigint', receipt_sha256: 'text' },
    [[from.organization_id, from.receipt_sha256, added.org_seq, added.receipt_sha256]],
  );
}

/** What stands when the chain of an older organization begins. */
export async function countCredentials(
  tx: Queries,
  organization_id: string,
): Promise<{ keys: number; members: number }> {
  const row = await tx.get<{ keys: number; members: number }>(
    `select (select count(*) from api_keys where organization_id = $1 and revoked_at is null) as keys,
       (select count(*) from memberships where organization_id = $1) as members`,
    [organization_id],
  );
  return { keys: Number(row!.keys), members: Number(row!.members) };
}
