/**
 * The least a verification has to do: read the receipts of one organization in order, each with what is stored of its Run,
 * and take SHA-256 of each payload, in the simplest way that is fast on the engine. `read-and-hash.ts DATABASE_URL ORGANIZATION`; JSON on stdout.
 */
import { hash } from 'node:crypto';
import { DatabaseSync } from 'node:sqlite';
import { Client } from 'pg';

const ROWS = 1_000;
const RECEIPT = 'org_seq, parent_hash, run_id, schema, receipt_sha256, share_token, payload';
const RUN = `lane, title, verdict, r.receipt_id, created_at, updated_at, inputs, agent_profile, evidence, execution, checks, assignment,
  approval, approved_block, approved_sha256`;
const SELECT = (organization: string) => `select ${RECEIPT}, ${RUN} from receipts c
  join runs r on r.organization_id = c.organization_id and r.id = c.run_id
  join run_documents d on d.organization_id = c.organization_id and d.id = c.run_id
  where c.organization_id = ${organization} order by org_seq`;

const [url, organization_id] = process.argv.slice(2) as [string, string];
const began = performance.now();
const receipts = url.startsWith('sqlite:') ? readFile(url.slice('sqlite:'.length)) : await readServer();
console.log(JSON.stringify({ receipts, seconds: (performance.now() - began) / 1000 }));

function readFile(path: string): number {
  const db = new DatabaseSync(path, { readOnly: true });
  const select = db.prepare(SELECT('?'));
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
  await client.query(`declare c no scroll cursor for ${SELECT('$1')}`, [organization_id]);
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
