/** Runs: one row each. Every change names the stage it was decided at, and counts rows. */
import type { LaneName, Stage } from '@rcpt/contract/vocabulary.ts';
import type { Queries, Value } from '@rcpt/service/db/db.ts';
import { Refusal } from '@rcpt/service/error.ts';
import type { Run } from '../runs/run.ts';
import type { SealedRun } from '../runs/sealed-block.ts';

/** What stages and the mint change: a small row. */
const ROW = [
  'organization_id',
  'id',
  'lane',
  'title',
  'stage',
  'executed_by',
  'verdict',
  'receipt_id',
  'created_at',
  'updated_at',
] as const;
/** What one stage brings, and all later ones only read: a row beside it. */
const PARSED = [
  'stages',
  'inputs',
  'notify',
  'commitments',
  'agent_profile',
  'evidence',
  'execution',
  'checks',
  'assignment',
  'price',
  'approval',
] as const;
/** Kept as they are: their bytes are what was approved. */
const APPROVED = ['approved_block', 'approved_sha256'] as const;
const DOCUMENTS = [...PARSED, ...APPROVED] as const;
const JSON_COLUMNS = [...PARSED, 'verdict'] as const;
type Column = (typeof ROW)[number] | (typeof DOCUMENTS)[number];

export const WHOLE = 'runs join run_documents using (organization_id, id)';
/** All that a receipt is made of. */
const SELECT_SEALED = `select id, lane, title, verdict, receipt_id, created_at, updated_at, inputs, commitments, agent_profile, evidence,
  execution, checks, assignment, price, approval, approved_block, approved_sha256 from ${WHOLE}`;
const SELECT = `select ${[...ROW, 'minted_by', ...DOCUMENTS].join(', ')} from ${WHOLE}`;
/** What an organization is shown. */
export const SELECT_SHOWN = `select organization_id, id, lane, title, stage, stages, inputs, commitments, agent_profile, evidence, execution, checks, verdict,
  approval, receipt_id, created_at, updated_at, minted_by from ${WHOLE}`;

type Stored = Record<string, string | null>;

/** A Run as it is written: what was posted may be JSON text already. */
export type WrittenRun = Omit<Run, 'inputs' | 'execution'> & {
  inputs: Run['inputs'] | string;
  execution: Run['execution'] | string;
};

/** Returns the row. */
export async function insertRun(tx: Queries, run: WrittenRun): Promise<StoredRun> {
  const row = columnsOf(run);
  await insertColumns(tx, 'runs', row, ROW);
  await insertColumns(tx, 'run_documents', row, ['organization_id', 'id', ...DOCUMENTS]);
  return row as StoredRun;
}

async function insertColumns(tx: Queries, table: string, row: Stored, columns: readonly Column[]): Promise<void> {
  const places = columns.map((_, i) => `$${i + 1}`).join(', ');
  await tx.run(
    `insert into ${table} (${columns.join(', ')}) values (${places})`,
    columns.map((column) => row[column]!),
  );
}

/** A Run as its row holds it: its documents are JSON texts. */
export type StoredRun = Stored & {
  id: string;
  stage: Stage;
  lane: LaneName;
  inputs: string;
  execution: string | null;
  agent_profile: string | null;
};

/** Throws `not_found`, also for another organization's Run. */
export async function loadStoredRun(db: Queries, organization_id: string, id: string): Promise<StoredRun> {
  return found(await db.get<StoredRun>(SELECT_ONE, [organization_id, id]));
}

/** The Run, when its documents have this many bytes at most; those of a larger one are not read. */
export async function findSmallRun(
  db: Queries,
  organization_id: string,
  id: string,
  most_bytes: number,
): Promise<Run | undefined> {
  const row = await db.get<StoredRun>(`${SELECT_ONE} and ${BYTE_SIZE} <= $3`, [organization_id, id, most_bytes]);
  return row && readRun(row);
}

/** As `loadStoredRun`, of what the organization is shown. */
export async function loadShownRun(db: Queries, organization_id: string, id: string): Promise<StoredRun> {
  return found(await db.get<StoredRun>(`${SELECT_SHOWN} ${THIS}`, [organization_id, id]));
}

/** As `loadStoredRun`, read. */
export async function loadRun(db: Queries, organization_id: string, id: string): Promise<Run> {
  return readRun(await loadStoredRun(db, organization_id, id));
}

/**
 * These Runs by their ids, as they are stored now, without the marks of their stages; null for one whose documents cannot be
 * read any more.
 */
export async function loadRunsAsStored(
  db: Queries,
  organization_id: string,
  ids: string[],
): Promise<Map<string, SealedRun | null>> {
  const rows = await db.all<Stored>(`${SELECT_SEALED} where organization_id = $1 and id ${db.dialect.isAmong('$2')}`, [
    organization_id,
    JSON.stringify(ids),
  ]);
  return new Map(rows.map((row) => [row.id!, readable(row)]));
}

function readable(row: Stored): SealedRun | null {
  try {
    return parsed(row) as SealedRun;
  } catch {
    return null;
  }
}

/** As `loadShownRun`, and locks the Run until the transaction ends. */
export async function lockShownRun(tx: Queries, organization_id: string, id: string): Promise<StoredRun> {
  return found(await tx.get<StoredRun>(`${SELECT_SHOWN} ${THIS} ${tx.dialect.forUpdate}`, [organization_id, id]));
}

/** What every change of a Run begins with. */
export type RunMarks = Pick<Run, 'organization_id' | 'id' | 'stage' | 'stages' | 'approval' | 'updated_at'>;

/** As `loadRun`, with those documents alone that the caller reads: the others may be large. */
export function loadMarks<Read extends Column = never>(
  db: Queries,
  organization_id: string,
  id: string,
  ...read: Read[]
): Promise<RunMarks & Pick<Run, Read>> {
  return readMarks(db, [organization_id, id], read, '');
}

/** As `loadMarks`, and locks the Run until the transaction ends. */
export function lockMarks<Read extends Column = never>(
  tx: Queries,
  organization_id: string,
  id: string,
  ...read: Read[]
): Promise<RunMarks & Pick<Run, Read>> {
  return readMarks(tx, [organization_id, id], read, tx.dialect.forUpdate);
}

async function readMarks(db: Queries, key: string[], read: Column[], lock: string): Promise<Run> {
  const columns = ['organization_id', 'id', 'stage', 'stages', 'approval', 'updated_at', ...read].join(', ');
  return parsed(found(await db.get<StoredRun>(`select ${columns} from ${WHOLE} ${THIS} ${lock}`, key)));
}

/** Writes the named members of `change`; the row must still be where `from` was read. */
export async function updateRun<From extends RunMarks>(
  tx: Queries,
  from: From,
  change: Partial<WrittenRun> & Pick<Run, 'updated_at'>,
): Promise<From & typeof change> {
  const run = { ...from, ...change };
  const row = columnsOf(change);
  const key = [run.organization_id, run.id];
  const write = (table: string, columns: readonly Column[], guard: string, params: Value[]) => {
    const sets = columns.map((column, i) => `${column} = $${i + params.length + 1}`).join(', ');
    const values = columns.map((column) => row[column]!);
    return tx.run(`update ${table} set ${sets} where organization_id = $1 and id = $2 ${guard}`, [
      ...params,
      ...values,
    ]);
  };
  const named = (column: Column) => column in change;
  const guarded = [...key, from.stage, from.updated_at];
  const changed = await write('runs', ROW.filter(named), 'and stage = $3 and updated_at = $4', guarded);
  if (changed !== 1) throw new Error('a locked Run changed under its transaction');
  const documents = DOCUMENTS.filter(named);
  if (documents.length > 0) await write('run_documents', documents, '', key);
  return run;
}

/** Of the documents; the rest of a row is small. */
export const BYTE_SIZE = [...JSON_COLUMNS, ...APPROVED]
  .map((column) => `coalesce(octet_length(${column}), 0)`)
  .join(' + ');

const THIS = 'where organization_id = $1 and id = $2';
const SELECT_ONE = `${SELECT} ${THIS}`;

function found(row: StoredRun | undefined): StoredRun {
  if (row === undefined) throw new Refusal('not_found', 'This organization has no such Run.');
  return row;
}

/** What these members are in the row. */
export function columnsOf(run: Partial<WrittenRun>): Stored {
  const row: Stored = {};
  for (const column of [...ROW, ...DOCUMENTS]) if (column in run) row[column] = stored(run[column]);
  return row;
}

function stored(value: unknown): string | null {
  if (value === null || value === undefined) return null;
  return typeof value === 'string' ? value : JSON.stringify(value);
}

export function readRun({ minted_by, ...row }: Stored): Run {
  const run = parsed(row);
  // Nothing changes a Run after its mint.
  if (minted_by) run.stages.push({ stage: 'Receipt', at: run.updated_at, by: minted_by });
  return run;
}

/** The columns that were read. */
function parsed(row: Stored): Run {
  const read: Record<string, unknown> = row;
  for (const column of JSON_COLUMNS) if (row[column] != null) read[column] = JSON.parse(row[column]);
  const run = read as unknown as Run;
  run.checks ??= [];
  run.commitments ??= null;
  fillDeciders(run);
  return run;
}

/** Checks and approvals of before they named their decider get an empty name. Takes altered rows. */
function fillDeciders({ checks, approval }: Run): void {
  for (const check of Array.isArray(checks) ? checks : [])
    if (typeof check === 'object' && check !== null) check.decided_by ??= '';
  if (typeof approval === 'object' && approval !== null) approval.approver_id ??= '';
}
