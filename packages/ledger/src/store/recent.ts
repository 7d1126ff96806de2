/** The end of a chain, newest first. No index knows schemas, so that minting pays for none. */
import type { Queries } from '@rcpt/service/db.ts';
import { fitting, STRETCH_ROWS, WINDOW_ROWS } from './page.ts';

interface Sized {
  org_seq: number;
  schema: string;
  byte_size: number;
}

/** Fewer than `limit` when they are large. Those of one schema are looked for among the newest `STRETCH_ROWS`. */
export async function recentPayloads(
  db: Queries,
  organization_id: string,
  limit: number,
  schema?: string,
): Promise<string[]> {
  const sizes =
    schema === undefined
      ? await sizesBefore(db, organization_id, Number.MAX_SAFE_INTEGER, limit)
      : await sizesOf(schema, db, organization_id, limit);
  const oldest = fitting(sizes).at(-1);
  if (oldest === undefined) return [];
  const ofSchema = schema === undefined ? '' : 'and schema = $3';
  const rows = await db.all<{ payload: string }>(
    `select payload from receipts where organization_id = $1 and org_seq >= $2 ${ofSchema} order by org_seq desc`,
    [organization_id, oldest.org_seq, ...(schema === undefined ? [] : [schema])],
  );
  return rows.slice(0, limit).map((row) => row.payload);
}

async function sizesOf(schema: string, db: Queries, organization_id: string, limit: number): Promise<Sized[]> {
  const found: Sized[] = [];
  let before = Number.MAX_SAFE_INTEGER;
  for (let read = 0; read < STRETCH_ROWS && found.length < limit; read += WINDOW_ROWS) {
    const window = await sizesBefore(db, organization_id, before, WINDOW_ROWS);
    found.push(...window.filter((row) => row.schema === schema));
    if (window.length < WINDOW_ROWS) break;
    before = window.at(-1)!.org_seq;
    await new Promise((lap) => setImmediate(lap));
  }
  return found.slice(0, limit);
}

function sizesBefore(db: Queries, organization_id: string, before: number, limit: number): Promise<Sized[]> {
  return db.all<Sized>(
    `select org_seq, schema, octet_length(payload) as byte_size from receipts
     where organization_id = $1 and org_seq < $2 order by org_seq desc limit $3`,
    [organization_id, before, limit],
  );
}
