/** `./rcpt migrate`, `./rcpt org …`, `./rcpt key …`, `./rcpt member …`: tenancy from a shell, straight on the ledger's database. */
import { parseArgs } from 'node:util';
import { EmailAddress } from '@rcpt/contract/ledger/people.ts';
import { RouterAddress } from '@rcpt/contract/ledger/router.ts';
import { Role } from '@rcpt/contract/vocabulary.ts';
import { Line } from '@rcpt/contract/wire.ts';
import { ConfigError } from '@rcpt/service/config.ts';
import type { Db } from '@rcpt/service/db.ts';
import { Refusal } from '@rcpt/service/error.ts';
import { newSecret, now, secretSha256 } from '@rcpt/service/identity.ts';
import { createLogger } from '@rcpt/service/log.ts';
import { checkSchema, migrate } from '@rcpt/service/migrate.ts';
import { openDatabase } from '@rcpt/service/open.ts';
import { readLedgerConfig } from './config.ts';
import { MIGRATIONS } from './migrations.ts';
import { makeLink, openAuth } from './people/auth.ts';
import { addMember, removeMember } from './people/members.ts';
import { connectRouter } from './router/connect.ts';
import { findMemberByEmail } from './store/people.ts';
import { loadOrganization } from './store/tenancy.ts';
import { foundOrganization, issueKey, withdrawKey } from './tenancy.ts';

const USAGE = `Usage:
  ./rcpt migrate                               bring the ledger's database schema up to date
  ./rcpt org create --name NAME [--four-eyes]  create an organization and its first owner key
  ./rcpt org router --org ORG --url URL|--none
                                               connect an organization with its compute router, or with none
  ./rcpt key create --org ORG --role ROLE [--label LABEL]
                                               create a key; ROLE is agent, approver, auditor or owner
  ./rcpt key revoke KEY                        revoke a key, named by its id (key_…) or itself (rk_…)
  ./rcpt member add --org ORG --email EMAIL --role ROLE
                                               let a person sign in; nothing is mailed
  ./rcpt member remove --org ORG --email EMAIL
                                               the person's sessions are refused within five seconds
  ./rcpt member link --org ORG --email EMAIL [--base-url URL]
                                               print a link that signs a member in, once, within 15 minutes

  --json         print machine-readable JSON on stdout
  --data DIR     the folder of the embedded default (default: data)
LEDGER_DATABASE_URL names the database, LEDGER_BASE_URL what a link starts with. Exit codes: 0 done, 1 refused or failed, 2 wrong use.`;

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
    if (noun === 'org' && verb === 'router') return router(db, values);
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
    if (noun === 'key' && verb === 'revoke') {
      if (subject === undefined) throw new WrongUse('key revoke takes KEY, its id (key_…) or itself (rk_…)');
      return { ...(await revoke(db, subject)) };
    }
    if (noun === 'member') return member(db, verb, values);
    throw new WrongUse(`unknown command: ${positionals.join(' ')}`);
  });
}

/** It is printed on receipts: the same rule as over HTTP. */
function lineOf(text: string | undefined, usage: string): string {
  const line = Line.safeParse(text);
  if (!line.success) throw new WrongUse(`${usage}, one line of 1 to 500 readable characters`);
  return line.data;
}

async function router(db: Db, { org, url, none }: { org?: string; url?: string; none: boolean }): Promise<Answer> {
  if (org === undefined || (url === undefined) !== none)
    throw new WrongUse('org router takes --org ORG and --url URL or --none');
  const address = RouterAddress.safeParse(url);
  if (!none && !address.success) throw new WrongUse(`--url: ${address.error.issues[0]?.message}`);
  return db.transaction(async (tx) => ({ ...(await connectRouter(tx, org, address.data ?? null, now())) }));
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

type Options = ReturnType<typeof parseCommandLine>['values'];

async function member(db: Db, verb: string | undefined, values: Options): Promise<Answer> {
  if (!['add', 'remove', 'link'].includes(verb ?? '')) throw new WrongUse(`unknown command: member ${verb ?? ''}`);
  const { org } = values;
  const email = EmailAddress.safeParse(values.email);
  if (org === undefined || !email.success) throw new WrongUse('member takes --org ORG and --email EMAIL');
  await loadOrganization(db, org);
  if (verb === 'add') {
    const role = Role.safeParse(values.role);
    if (!role.success) throw new WrongUse(`member add takes --role ${Role.options.join(', ')}`);
    const asked = { email: email.data, role: role.data };
    return db.transaction(async (tx) => ({ ...(await addMember(tx, org, asked, 'the operator', now())) }));
  }
  const known = await findMemberByEmail(db, org, email.data);
  if (known === undefined) throw new Refusal('not_found', `${email.data} is no member of this organization.`);
  if (verb === 'remove') return db.transaction(async (tx) => ({ ...(await removeMember(tx, org, known.id)) }));
  return { sign_in_url: await linkFor(db, known.email, values['base-url']) };
}

/** For an operator whose ledger cannot send mail yet. */
async function linkFor(db: Db, email: string, given: string | undefined): Promise<string> {
  const { base_url, log_level } = readLedgerConfig(
    given === undefined ? process.env : { ...process.env, LEDGER_BASE_URL: given },
  );
  if (base_url === undefined) throw new WrongUse('member link takes --base-url URL, or LEDGER_BASE_URL');
  // No cookie is signed here.
  const auth = await openAuth({ db, secret: newSecret(), secure: false, logger: createLogger('rcpt', log_level) });
  return makeLink(auth, base_url, email);
}

function parseCommandLine() {
  const options = {
    name: { type: 'string' },
    org: { type: 'string' },
    role: { type: 'string' },
    label: { type: 'string' },
    email: { type: 'string' },
    'base-url': { type: 'string' },
    url: { type: 'string' },
    none: { type: 'boolean', default: false },
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
