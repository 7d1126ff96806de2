/**
 * The least a verification has to do: read the receipts of one organization in order and take SHA-256 of each, in the
 * simplest way that is fast on the engine. `read-and-hash.ts DATABASE_URL ORGANIZATION`; JSON on stdout.
 */
import { hash } from 'node:crypto';
import { DatabaseSync } from 'node:sqlite';
import { Client } from 'pg';

const ROWS = 1_000;
const COLUMNS = 'org_seq, parent_hash, run_id, schema, receipt_sha256, share_token, payload';

const [url, organization_id] = process.argv.slice(2) as [string, string];
const began = performance.now();
const receipts = url.startsWith('sqlite:') ? readFile(url.slice('sqlite:'.length)) : await readServer();
console.log(JSON.stringify({ receipts, seconds: (performance.now() - began) / 1000 }));

function readFile(path: string): number {
  const db = new DatabaseSync(path, { readOnly: true });
  const select = db.prepare(`select ${COLUMNS} from receipts where organization_id = ? order by org_seq`);
  select.setReturnArrays(true);
  let count = 0;
  for (const row of select.iterate(organization_id) as Iterable<unknown>) {
    hash('sha256', (row as unknown[])[6] as string);
    count++;
  }
  return count;
}

async function readServer(): Promise<number> {
  const client = new Client(url);
  await client.connect();
  await client.query('begin');
  const select = `select ${COLUMNS} from receipts where organization_id = $1 order by org_seq`;
  await client.query(`declare c no scroll cursor for ${select}`, [organization_id]);
  let count = 0;
  for (;;) {
    const { rows } = await client.query<unknown[]>({ text: `fetch ${ROWS} from c`, rowMode: 'array' });
    for (const row of rows) hash('sha256', row[6] as string);
    count += rows.length;
    if (rows.length < ROWS) break;
  }
  await client.end();
  return count;
}
