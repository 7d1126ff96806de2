/** The Runs of an organization in pages, newest first. */
import type { RunQuery } from '@rcpt/contract/ledger/runs.ts';
import type { Queries, Value } from '@rcpt/service/db/db.ts';
import { fitting } from '@rcpt/service/db/page.ts';
import { isPartOf } from '../chain/search-terms.ts';
import type { Run } from '../runs/run.ts';
import { STRETCH_ROWS, WINDOW_ROWS } from './page.ts';
import { BYTE_SIZE, SELECT_SHOWN, type StoredRun, WHOLE } from './runs.ts';

export interface RunPage {
  runs: StoredRun[];
  /** The Run to go on after; null at the end. */
  next_after: string | null;
}

/** As stored, of what the organization is shown: newest first; fewer than `limit` when they are large, or when a search has read its stretch. */
export async function listRuns(db: Queries, organization_id: string, query: RunQuery): Promise<RunPage> {
  if (query.outcome === undefined && !query.search?.trim()) return pageOfRuns(db, organization_id, query);
  const { ids, next_after } = await findRuns(db, organization_id, query);
  const these = `where organization_id = $1 and id ${db.dialect.isAmong('$2')}`;
  const [runs, all] = await fittingRuns(db, these, [organization_id, JSON.stringify(ids)]);
  return { runs, next_after: all ? next_after : runs.at(-1)!.id! };
}

async function pageOfRuns(db: Queries, organization_id: string, query: RunQuery): Promise<RunPage> {
  const { where, params } = conditionsOf(organization_id, query);
  const [runs, all] = await fittingRuns(db, where, params, query.limit);
  return { runs, next_after: all ? null : runs.at(-1)!.id! };
}

/** Newest first, as many as one answer holds, and whether these are all there are. */
async function fittingRuns(db: Queries, where: string, params: Value[], limit = MOST): Promise<[StoredRun[], boolean]> {
  const n = params.length + 1;
  const sizes = await db.all<{ id: string; byte_size: number }>(
    `select id, ${BYTE_SIZE} as byte_size from ${WHOLE} ${where} order by id desc limit $${n}`,
    [...params, limit + 1],
  );
  const page = fitting(sizes.slice(0, limit));
  const oldest = page.at(-1);
  if (oldest === undefined) return [[], true];
  const rows = await db.all<StoredRun>(`${SELECT_SHOWN} ${where} and id >= $${n} order by id desc`, [
    ...params,
    oldest.id,
  ]);
  return [rows, page.length === sizes.length];
}

/** The most that one page is asked for. */
const MOST = 500;
/** No index knows titles and outcomes: newest first, a bounded stretch per call. */
async function findRuns(
  db: Queries,
  organization_id: string,
  query: RunQuery,
): Promise<{ ids: string[]; next_after: string | null }> {
  const words = query.search?.trim().toLowerCase() ?? '';
  const ids: string[] = [];
  let { after } = query;
  for (let read = 0; read < STRETCH_ROWS; read += WINDOW_ROWS) {
    const { where, params } = conditionsOf(organization_id, { ...query, after });
    const rows = await db.all<{ id: string; title: string; verdict: string | null }>(
      `select id, title, verdict from runs ${where} order by id desc limit ${WINDOW_ROWS}`,
      params,
    );
    for (const { id, title, verdict } of rows) {
      if (ids.length === query.limit) return { ids, next_after: ids.at(-1)! };
      if (isPartOf(title, words) && (query.outcome === undefined || outcomeOf(verdict) === query.outcome)) ids.push(id);
    }
    if (rows.length < WINDOW_ROWS) return { ids, next_after: null };
    after = rows.at(-1)!.id;
    await new Promise((lap) => setImmediate(lap));
  }
  return { ids, next_after: after! };
}

function outcomeOf(verdict: string | null): string | null {
  return verdict === null ? null : (JSON.parse(verdict) as Run['verdict'])!.outcome;
}

function conditionsOf(organization_id: string, { lane, stage, after }: RunQuery): { where: string; params: Value[] } {
  const params: Value[] = [organization_id];
  const conditions = ['organization_id = $1'];
  const add = (condition: string, value: string | undefined) => {
    if (value === undefined) return;
    params.push(value);
    conditions.push(`${condition} $${params.length}`);
  };
  add('lane =', lane);
  add('stage =', stage);
  // SQLite takes the index of unfinished Runs only when it is told what that index leaves out.
  if (stage !== undefined && stage !== 'Receipt') conditions.push("stage <> 'Receipt'");
  add('id <', after);
  return { where: `where ${conditions.join(' and ')}`, params };
}
