/** `./rcpt migrate`, `./rcpt org …`, `./rcpt key …`: tenancy from a shell, straight on the ledger's database. */
import { parseArgs } from 'node:util';
import { Role } from '@rcpt/contract/vocabulary.ts';
import { Line } from '@rcpt/contract/wire.ts';
import { ConfigError } from '@rcpt/service/config.ts';
import type { Db } from '@rcpt/service/db.ts';
import { Refusal } from '@rcpt/service/error.ts';
import { now, secretSha256 } from '@rcpt/service/identity.ts';
import { checkSchema, migrate } from '@rcpt/service/migrate.ts';
import { openDatabase } from '@rcpt/service/open.ts';
import { readLedgerConfig } from './config.ts';
import { MIGRATIONS } from './migrations.ts';
import { loadOrganization } from './store/tenancy.ts';
import { foundOrganization, issueKey, withdrawKey } from './tenancy.ts';

const USAGE = `Usage:
  ./rcpt migrate                               bring the ledger's database schema up to date
  ./rcpt org create --name NAME [--four-eyes]  create an organization and its first owner key
  ./rcpt key create --org ORG --role ROLE [--label LABEL]
                                               create a key; ROLE is agent, approver, auditor or owner
  ./rcpt key revoke KEY                        revoke a key, named by its id (key_…) or itself (rk_…)

  --json         print machine-readable JSON on stdout
  --data DIR     the folder of the embedded default (default: data)
LEDGER_DATABASE_URL names the database. Exit codes: 0 done, 1 refused or failed, 2 wrong use.`;

class WrongUse extends Error {}

/** Printed as JSON with --json, else as `name: value` lines. */
type Answer = Record<string, unknown>;

async function main(): Promise<Answer> {
  const { positionals, values } = parseCommandLine();
  const [noun, verb, subject] = positionals;
  return withDatabase(values.data, async (db) => {
    if (noun === 'migrate') return { applied: await migrate(db, MIGRATIONS) };
    if (db.engine === 'sqlite') await migrate(db, MIGRATIONS);
    else await checkSchema(db, MIGRATIONS);
    if (noun === 'org' && verb === 'create') {
      const name = lineOf(values.name, 'org create takes --name NAME');
      return db.transaction(async (tx) => ({
        ...(await foundOrganization(tx, { name, four_eyes: values['four-eyes'] }, now())),
      }));
    }
    if (noun === 'key' && verb === 'create') {
      const role = Role.safeParse(values.role);
      if (!role.success) throw new WrongUse(`key create takes --role ${Role.options.join(', ')}`);
      const label = values.label === undefined ? '' : lineOf(values.label, 'key create takes --label LABEL');
      const org = values.org;
      if (org === undefined) throw new WrongUse('key create takes --org ORG');
      return db.transaction(async (tx) => {
        await loadOrganization(tx, org);
        const { id, ...key } = await issueKey(tx, org, role.data, label, now());
        return { key_id: id, id, ...key };
      });
    }
    if (noun === 'key' && verb === 'revoke' && subject !== undefined) return { ...(await revoke(db, subject)) };
    throw new WrongUse(`unknown command: ${positionals.join(' ')}`);
  });
}

/** It is printed on receipts: the same rule as over HTTP. */
function lineOf(text: string | undefined, usage: string): string {
  const line = Line.safeParse(text);
  if (!line.success) throw new WrongUse(`${usage}, one line of 1 to 500 readable characters`);
  return line.data;
}

/** @param key its id, or the key itself: whoever finds one in the open has only that */
async function revoke(db: Db, key: string) {
  const row = await db.get<{ organization_id: string; id: string }>(
    'select organization_id, id from api_keys where id = $1 or secret_sha256 = $2',
    [key, secretSha256(key)],
  );
  if (row === undefined) throw new Refusal('not_found', 'There is no such key; name it by its id (key_…) or as rk_….');
  return db.transaction((tx) => withdrawKey(tx, row.organization_id, row.id, now()));
}

function parseCommandLine() {
  const options = {
    name: { type: 'string' },
    org: { type: 'string' },
    role: { type: 'string' },
    label: { type: 'string' },
    'four-eyes': { type: 'boolean', default: false },
    data: { type: 'string' },
    json: { type: 'boolean', default: false },
    help: { type: 'boolean', short: 'h', default: false },
  } as const;
  try {
    return parseArgs({ options, allowPositionals: true });
  } catch (error) {
    throw new WrongUse((error as Error).message);
  }
}

async function withDatabase(data: string | undefined, work: (db: Db) => Promise<Answer>): Promise<Answer> {
  const environment = { ...process.env };
  if (data !== undefined) environment.LEDGER_DATABASE_URL ??= `sqlite:${data}/ledger.db`;
  const db = openDatabase(readLedgerConfig(environment).database_url);
  try {
    return await work(db);
  } finally {
    await db.close();
  }
}

function print(answer: Answer): void {
  if (process.argv.includes('--json')) return void process.stdout.write(`${JSON.stringify(answer)}\n`);
  for (const [name, value] of Object.entries(answer))
    process.stdout.write(`${name}: ${Array.isArray(value) ? value.join(', ') || '(nothing)' : value}\n`);
  if ('api_key' in answer) process.stderr.write('The api_key is shown this once; keep it safe.\n');
}

if (process.argv.includes('--help') || process.argv.includes('-h')) process.stdout.write(`${USAGE}\n`);
else
  try {
    print(await main());
  } catch (error) {
    const wrongUse = error instanceof WrongUse || error instanceof ConfigError;
    const said = error instanceof Refusal ? error.detail : (error as Error).message;
    process.stderr.write(`rcpt: ${said}\n${error instanceof WrongUse ? `\n${USAGE}\n` : ''}`);
    process.exitCode = wrongUse ? 2 : 1;
  }
