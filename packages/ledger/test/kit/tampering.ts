/** An organization's chain as rows: taken out of the database, tampered with, put back. What no API can do. */
import type { Columns, Db, Value } from '@rcpt/service/db/db.ts';
import type { Receipt } from './independent.ts';
import { hashOf, sealed } from './independent.ts';

export interface Row {
  org_seq: Value;
  parent_hash: string;
  run_id: string;
  schema: string;
  receipt_sha256: string;
  share_token: string;
  payload: string;
}

export interface Head {
  org_seq: Value;
  receipt_sha256: string;
}

/** `head` null: its row is gone. */
export interface StoredChain {
  rows: Row[];
  head: Head | null;
}

const COLUMNS: Columns = {
  organization_id: 'text',
  org_seq: 'bigint',
  parent_hash: 'text',
  run_id: 'text',
  schema: 'text',
  receipt_sha256: 'text',
  share_token: 'text',
  payload: 'text',
};

export async function readChain(db: Db, organization_id: string): Promise<StoredChain> {
  const rows = await db.all<Row>(
    `select org_seq, parent_hash, run_id, schema, receipt_sha256, share_token, payload
     from receipts where organization_id = $1 order by org_seq`,
    [organization_id],
  );
  const head = await db.get<Head>('select org_seq, receipt_sha256 from chains where organization_id = $1', [
    organization_id,
  ]);
  return { rows: rows.map((row) => ({ ...row })), head: head === undefined ? null : { ...head } };
}

/** In place of whatever is stored. */
export async function writeChain(db: Db, organization_id: string, { rows, head }: StoredChain): Promise<void> {
  await db.transaction(async (tx) => {
    await tx.run('delete from receipts where organization_id = $1', [organization_id]);
    await tx.run('delete from chains where organization_id = $1', [organization_id]);
    await tx.insert(
      'receipts',
      COLUMNS,
      rows.map((r) => [
        organization_id,
        r.org_seq,
        r.parent_hash,
        r.run_id,
        r.schema,
        r.receipt_sha256,
        r.share_token,
        r.payload,
      ]),
    );
    if (head !== null)
      await tx.run('insert into chains (organization_id, org_seq, receipt_sha256) values ($1, $2, $3)', [
        organization_id,
        head.org_seq,
        head.receipt_sha256,
      ]);
  });
}

/** The row with its payload changed and sealed anew, its columns made to fit: what a forger with the whole database can do. */
export function resealed(row: Row, change: (payload: Receipt) => Receipt): Row {
  const payload = change(JSON.parse(row.payload));
  return {
    org_seq: payload.org_seq,
    parent_hash: payload.parent_hash,
    run_id: row.run_id,
    schema: payload.schema,
    receipt_sha256: hashOf(payload),
    share_token: payload.share_url.split('/').at(-1),
    payload: sealed(payload),
  };
}
