/** Which member was granted which dataset, in which membership. */
import type { Dataset } from '@rcpt/contract/router/members.ts';
import type { Queries } from '@rcpt/service/db/db.ts';

interface Grant {
  dataset_id: string;
  member_id: string;
  /** Of the membership it was given in, and holds for. */
  membership_started_at: string;
  receipt_id: string;
  object_uri: string;
}
type Key = Pick<Grant, 'dataset_id' | 'member_id' | 'membership_started_at'>;

export async function findGrant(db: Queries, { dataset_id, member_id, membership_started_at }: Key) {
  const row = await db.get<Pick<Grant, 'receipt_id' | 'object_uri'>>(
    `select receipt_id, object_uri from dataset_grants
     where dataset_id = $1 and member_id = $2 and membership_started_at = $3`,
    [dataset_id, member_id, membership_started_at],
  );
  return row ?? null;
}

export async function insertGrant(tx: Queries, grant: Grant, created_at: string): Promise<void> {
  const { dataset_id, member_id, membership_started_at, receipt_id, object_uri } = grant;
  await tx.run(
    `insert into dataset_grants (dataset_id, member_id, membership_started_at, receipt_id, object_uri, created_at)
     values ($1, $2, $3, $4, $5, $6)`,
    [dataset_id, member_id, membership_started_at, receipt_id, object_uri, created_at],
  );
}

/** Those of `ids` that are registered, each with the address the member was given; null: not granted in this membership. */
export async function registeredAmong(
  db: Queries,
  ids: string[],
  member: Omit<Key, 'dataset_id'>,
): Promise<{ dataset: Dataset; object_uri: string | null }[]> {
  const rows = await db.all<{ document: string; object_uri: string | null }>(
    `select d.document, g.object_uri from datasets d
     left join dataset_grants g on g.dataset_id = d.id and g.member_id = $2 and g.membership_started_at = $3
     where d.id ${db.dialect.isAmong('$1')} order by d.id`,
    [JSON.stringify(ids), member.member_id, member.membership_started_at],
  );
  return rows.map(({ document, object_uri }) => ({ dataset: JSON.parse(document) as Dataset, object_uri }));
}
