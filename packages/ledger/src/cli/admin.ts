/** `./rcpt migrate`, `./rcpt org …`, `./rcpt key …`, `./rcpt member …`: tenancy from a shell, straight on the ledger's database. */
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { didYouMean, readArguments, WrongUse } from '@rcpt/proof/cli-arguments.ts';
import type { Db } from '@rcpt/service/db/db.ts';
import { checkSchema, migrate } from '@rcpt/service/db/migrate.ts';
import { openDatabase } from '@rcpt/service/db/open.ts';
import { Refusal } from '@rcpt/service/error.ts';
import { ConfigError } from '@rcpt/service/process/config.ts';
import { openChangeFeed } from '../changes/feed.ts';
import { readLedgerSettings } from '../config.ts';
import { MIGRATIONS } from '../migrations.ts';
import { type Answer, COMMANDS, type Command, OPTIONS } from './commands.ts';

const OF_ALL = { data: { type: 'string' }, json: { type: 'boolean' }, help: { type: 'boolean', short: 'h' } } as const;

const OF_ALL_IN_WORDS = `  --json      print machine-readable JSON on stdout
  --data DIR  the folder of the embedded default (default: data)
LEDGER_DATABASE_URL names the database. Exit codes: 0 done, 1 refused or failed, 2 wrong use.
`;

process.exitCode = await main(process.argv.slice(2));

async function main(words: string[]): Promise<0 | 1 | 2> {
  const typed = parseArgs({ args: words, options: { ...OPTIONS, ...OF_ALL }, allowPositionals: true, strict: false });
  const [noun = '', verb] = typed.positionals;
  const known = COMMANDS.filter((command) => command.words.split(' ')[0] === noun);
  const command = known.find(({ words }) => words === noun || words === `${noun} ${verb}`);
  if (typed.values.help) return print(usageOf(command ? [command] : known));
  try {
    if (command === undefined) throw new WrongUse(unknown(verb, known));
    print(inWords(await run(command, words), words.includes('--json')));
    return 0;
  } catch (error) {
    if (!(error instanceof WrongUse)) {
      process.stderr.write(`rcpt: ${inOneLine(error)}\n`);
      return error instanceof ConfigError ? 2 : 1;
    }
    process.stderr.write(`rcpt ${command?.words ?? noun}: ${error.message}\n\n${usageOf(command ? [command] : known)}`);
    return 2;
  }
}

async function run(command: Command, words: string[]): Promise<Answer> {
  const own = Object.fromEntries(command.options.map((name) => [name, OPTIONS[name]]));
  const { values, positionals } = readArguments({
    args: words,
    options: { ...own, ...OF_ALL },
    allowPositionals: true,
  });
  const rest = positionals.slice(command.words.split(' ').length);
  const tooMany = rest[command.subject ? 1 : 0];
  if (tooMany !== undefined) throw new WrongUse(`takes no ${JSON.stringify(tooMany)}`);
  const { data, 'base-url': base_url } = values as { data?: string; 'base-url'?: string };
  const environment = { ...process.env };
  if (data !== undefined) environment.LEDGER_DATABASE_URL ||= `sqlite:${data}/ledger.db`;
  if (base_url !== undefined) environment.LEDGER_BASE_URL = base_url;
  const settings = readLedgerSettings(environment);
  const work = command.read({ ...values, subject: rest[0], settings });

  const file = /^sqlite:(.+)/.exec(settings.database_url)?.[1];
  if (file !== undefined && !command.begins && !existsSync(file))
    throw new Refusal(
      'not_found',
      `There is no ledger at ${resolve(file)}; name its folder with --data DIR or its database with LEDGER_DATABASE_URL.`,
    );
  const db = openDatabase(settings.database_url);
  try {
    if (command.words !== 'migrate') {
      if (db.engine === 'sqlite') await migrate(db, MIGRATIONS);
      else await checkSchema(db, MIGRATIONS);
    }
    const answer = await work(db);
    const organization_id = (values as { org?: string }).org ?? answer.organization_id;
    if (typeof organization_id === 'string') await tell(db, organization_id).catch(() => undefined);
    return answer;
  } finally {
    await db.close();
  }
}

/** Best effort: it is done. On SQLite no process hears of another, and a console shows it when it is looked at again. */
async function tell(db: Db, organization_id: string): Promise<void> {
  const feed = await openChangeFeed(db, () => {});
  await feed.emitRights();
  feed.emit(organization_id, { runs: [], receipts: false, settings: true });
  await feed.close();
}

function unknown(verb: string | undefined, known: readonly Command[]): string {
  const verbs = known.map(({ words }) => words.split(' ')[1]!);
  if (verb === undefined) return `got nothing more, takes one of ${verbs.join(', ')}`;
  return `takes no ${JSON.stringify(verb)}${didYouMean(verb, verbs)}`;
}

function usageOf(commands: readonly Command[]): string {
  const usages = commands.map(({ words, takes, does }) => `  ./rcpt ${`${words} ${takes}`.trimEnd()}\n      ${does}\n`);
  return `Usage:\n${usages.join('')}\n${OF_ALL_IN_WORDS}`;
}

function inOneLine(error: unknown): string {
  if (!(error instanceof Refusal)) return (error as Error).message;
  return error.cause instanceof Error ? `${error.detail} (${error.cause.message})` : error.detail;
}

function inWords(answer: Answer, asJson: boolean): string {
  if (asJson) return `${JSON.stringify(answer)}\n`;
  if ('api_key' in answer) process.stderr.write('The api_key is shown this once; keep it safe.\n');
  return Object.entries(answer)
    .map(([name, value]) => `${name}: ${Array.isArray(value) ? value.join(', ') || '(nothing)' : value}\n`)
    .join('');
}

function print(text: string): 0 {
  process.stdout.write(text);
  return 0;
}
