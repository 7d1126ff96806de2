/** Members, datasets and who was granted which. */
import type { Dataset, MemberQuery } from '@rcpt/contract/router/members.ts';
import type { Queries, Value } from '@rcpt/service/db/db.ts';
import { Refusal } from '@rcpt/service/error.ts';
import type { z } from 'zod';
import { refuse } from '../problems.ts';

export interface StoredMember {
  id: string;
  email: string;
  name: string;
  membership_started_at: string | null;
  membership_expires_at: string | null;
  created_at: string;
}

const MEMBER = 'id, email, name, membership_started_at, membership_expires_at, created_at';

/** Throws `email_taken`. */
export async function insertMember(tx: Queries, { id, email, name, created_at }: StoredMember): Promise<void> {
  const inserted = await tx.run(
    'insert into members (id, email, name, created_at) values ($1, $2, $3, $4) on conflict do nothing',
    [id, email, name, created_at],
  );
  if (inserted === 0) throw refuse('email_taken', 'There is a member with this e-mail address already.');
  await tx.run('insert into member_logs (member_id, log_bytes) values ($1, 0)', [id]);
}

/** Throws `not_found`. */
export async function loadMember(db: Queries, id: string): Promise<StoredMember> {
  const member = await db.get<StoredMember>(`select ${MEMBER} from members where id = $1`, [id]);
  if (member === undefined) throw new Refusal('not_found', `There is no member ${id}.`);
  return member;
}

/** Newest first: ids sort by the instant they were made. */
export async function listMembers(
  db: Queries,
  { status, limit, offset }: z.infer<typeof MemberQuery>,
  at: string,
): Promise<{ total: number; members: StoredMember[] }> {
  const active = 'membership_expires_at is not null and membership_expires_at > $1';
  // The instant is part of the statement also without a status: PostgreSQL needs the type of every parameter.
  const where = status === undefined ? "$1 <> ''" : status === 'active' ? active : `not (${active})`;
  const count = await db.get<{ n: number }>(`select count(*) as n from members where ${where}`, [at]);
  const members = await db.all<StoredMember>(
    `select ${MEMBER} from members where ${where} order by id desc limit $2 offset $3`,
    [at, limit, offset],
  );
  return { total: Number(count?.n ?? 0), members };
}

/** As `loadMember`, held until the transaction ends. */
export async function lockMember(tx: Queries, id: string): Promise<StoredMember> {
  const member = await tx.get<StoredMember>(`select ${MEMBER} from members where id = $1 ${tx.dialect.forUpdate}`, [
    id,
  ]);
  if (member === undefined) throw new Refusal('not_found', `There is no member ${id}.`);
  return member;
}

export async function setMembership(tx: Queries, id: string, started_at: string, expires_at: string): Promise<void> {
  await tx.run('update members set membership_started_at = $2, membership_expires_at = $3 where id = $1', [
    id,
    started_at,
    expires_at,
  ]);
}

export async function countActiveMembers(db: Queries, at: string): Promise<number> {
  const row = await db.get<{ n: number }>('select count(*) as n from members where membership_expires_at > $1', [at]);
  return Number(row?.n ?? 0);
}

/** Throws `id_taken`. */
export async function insertDataset(tx: Queries, dataset: Dataset): Promise<void> {
  const inserted = await tx.run(
    'insert into datasets (id, domain, quality_tier, document, created_at) values ($1, $2, $3, $4, $5) on conflict do nothing',
    [dataset.id, dataset.domain, dataset.quality_tier, JSON.stringify(dataset), dataset.created_at],
  );
  if (inserted === 0) throw refuse('id_taken', `There is a dataset ${dataset.id} already.`);
}

/** Throws `not_found`. */
export async function loadDataset(db: Queries, id: string): Promise<Dataset> {
  const row = await db.get<{ document: string }>('select document from datasets where id = $1', [id]);
  if (row === undefined) throw new Refusal('not_found', `There is no dataset ${id}.`);
  return JSON.parse(row.document) as Dataset;
}

export async function listDatasets(
  db: Queries,
  {
    domain,
    quality_tier,
    limit,
    offset,
  }: { domain?: string | undefined; quality_tier?: string | undefined; limit: number; offset: number },
): Promise<{ total: number; datasets: Dataset[] }> {
  const params: Value[] = [];
  const conditions = ['1 = 1'];
  for (const [column, value] of Object.entries({ domain, quality_tier })) {
    if (value === undefined) continue;
    params.push(value);
    conditions.push(`${column} = $${params.length}`);
  }
  const where = conditions.join(' and ');
  const count = await db.get<{ n: number }>(`select count(*) as n from datasets where ${where}`, params);
  const rows = await db.all<{ document: string }>(
    `select document from datasets where ${where} order by created_at, id limit $${params.length + 1} offset $${params.length + 2}`,
    [...params, limit, offset],
  );
  return { total: Number(count?.n ?? 0), datasets: rows.map((row) => JSON.parse(row.document) as Dataset) };
}
