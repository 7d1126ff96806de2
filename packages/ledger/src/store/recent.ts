/** The end of a chain, newest first. No index knows schemas, so that minting pays for none: they are looked for. */
import type { Queries } from '@rcpt/service/db/db.ts';
import { fitting } from '@rcpt/service/db/page.ts';

/** Read in one go while a schema is looked for, without the payloads. */
const WINDOW_ROWS = 1_000;

/** Fewer than `limit` when they are large. */
export async function recentPayloads(
  db: Queries,
  organization_id: string,
  limit: number,
  schema?: string,
): Promise<string[]> {
  const found = await newest(db, organization_id, limit, schema);
  const sizes = await db.all<{ org_seq: number; byte_size: number }>(
    `select org_seq, octet_length(payload) as byte_size ${among(db)}`,
    [organization_id, JSON.stringify(found)],
  );
  const rows = await db.all<{ payload: string }>(`select payload ${among(db)}`, [
    organization_id,
    JSON.stringify(fitting(sizes).map((row) => [row.org_seq])),
  ]);
  return rows.map((row) => row.payload);
}

/** Their positions, each as a row of its own; of one schema as far back as it takes, with room for others in between. */
async function newest(db: Queries, organization_id: string, limit: number, schema?: string): Promise<[number][]> {
  const found: [number][] = [];
  const size = schema === undefined ? limit : WINDOW_ROWS;
  for (let before = Number.MAX_SAFE_INTEGER; ; await new Promise((lap) => setImmediate(lap))) {
    const window = await db.all<{ org_seq: number; schema: string }>(
      'select org_seq, schema from receipts where organization_id = $1 and org_seq < $2 order by org_seq desc limit $3',
      [organization_id, before, size],
    );
    for (const row of window) if ((schema ?? row.schema) === row.schema) found.push([row.org_seq]);
    if (found.length >= limit || window.length < size) return found.slice(0, limit);
    before = window.at(-1)!.org_seq;
  }
}

const among = ({ dialect }: Queries) =>
  `from receipts where organization_id = $1
   and org_seq in (select cast(value ->> 0 as bigint) from ${dialect.jsonRows('$2')}) order by org_seq desc`;
