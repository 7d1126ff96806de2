/** Runs: one row each. Every change names the stage it was decided at, and counts rows. */
import type { RunQuery } from '@rcpt/contract/ledger/runs.ts';
import type { Queries, Value } from '@rcpt/service/db.ts';
import { Refusal } from '@rcpt/service/error.ts';
import type { Run } from '../domain/run.ts';
import { fitting } from './page.ts';

const DOCUMENTS = [
  'stages',
  'inputs',
  'notify',
  'agent_profile',
  'evidence',
  'execution',
  'checks',
  'assignment',
  'verdict',
  'approval',
  'approved_block',
] as const;
const PLAIN = [
  'organization_id',
  'id',
  'lane',
  'title',
  'stage',
  'executed_by',
  'receipt_id',
  'created_at',
  'updated_at',
] as const;
const COLUMNS = [...PLAIN, ...DOCUMENTS];

type Stored = Record<string, string | null>;

export async function insertRun(tx: Queries, run: Run): Promise<void> {
  const places = COLUMNS.map((_, i) => `$${i + 1}`).join(', ');
  await tx.run(
    `insert into runs (${COLUMNS.join(', ')}) values (${places})`,
    COLUMNS.map((column) => stored(run, column)),
  );
}

/** Throws `not_found`, also for another organization's Run. */
export async function loadRun(db: Queries, organization_id: string, id: string): Promise<Run> {
  return found(await db.get<Stored>(SELECT_ONE, [organization_id, id]));
}

/** As `loadRun`, and nobody else changes the Run until the transaction ends. */
export async function lockRun(tx: Queries, organization_id: string, id: string): Promise<Run> {
  return found(await tx.get<Stored>(`${SELECT_ONE} ${tx.dialect.forUpdate}`, [organization_id, id]));
}

/** Writes the named members of `change`; the row must still be where `from` was read. */
export async function updateRun(tx: Queries, from: Run, change: Partial<Run>): Promise<Run> {
  const run = { ...from, ...change };
  const columns = COLUMNS.filter((column) => column in change);
  const sets = columns.map((column, i) => `${column} = $${i + 5}`).join(', ');
  const changed = await tx.run(
    `update runs set ${sets} where organization_id = $1 and id = $2 and stage = $3 and updated_at = $4`,
    [run.organization_id, run.id, from.stage, from.updated_at, ...columns.map((column) => stored(run, column))],
  );
  if (changed !== 1) throw new Error('a locked Run changed under its transaction');
  return run;
}

/** Newest first; fewer than `limit` when they are large. `more`: the last of them is not the oldest, or may not be. */
export async function listRuns(
  db: Queries,
  organization_id: string,
  { lane, stage, after, limit }: RunQuery,
): Promise<{ runs: Run[]; more: boolean }> {
  const params: Value[] = [organization_id];
  const conditions = ['organization_id = $1'];
  const add = (condition: string, value: string | undefined) => {
    if (value === undefined) return;
    params.push(value);
    conditions.push(`${condition} $${params.length}`);
  };
  add('lane =', lane);
  add('stage =', stage);
  add('id <', after);
  const where = conditions.join(' and ');
  const sizes = await db.all<{ id: string; byte_size: number }>(
    `select id, ${BYTE_SIZE} as byte_size from runs where ${where} order by id desc limit $${params.length + 1}`,
    [...params, limit],
  );
  const page = fitting(sizes);
  const oldest = page.at(-1);
  if (oldest === undefined) return { runs: [], more: false };
  const rows = await db.all<Stored>(
    `select ${COLUMNS.join(', ')} from runs where ${where} and id >= $${params.length + 1} order by id desc`,
    [...params, oldest.id],
  );
  return { runs: rows.map(fromRow), more: page.length < sizes.length || sizes.length === limit };
}

/** Of the documents; the rest of a row is small. */
const BYTE_SIZE = DOCUMENTS.map((column) => `coalesce(octet_length(${column}), 0)`).join(' + ');

const SELECT_ONE = `select ${COLUMNS.join(', ')} from runs where organization_id = $1 and id = $2`;

function found(row: Stored | undefined): Run {
  if (row === undefined) throw new Refusal('not_found', 'This organization has no such Run.');
  return fromRow(row);
}

function stored(run: Run, column: (typeof COLUMNS)[number]): Value {
  const value = run[column];
  if (value === null) return null;
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function fromRow(row: Stored): Run {
  const run: Record<string, unknown> = { ...row };
  for (const column of DOCUMENTS) run[column] = row[column] === null ? null : JSON.parse(row[column]!);
  run.checks ??= [];
  return run as unknown as Run;
}
