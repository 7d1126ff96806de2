/** `./rcpt migrate`, the router's half: the schema of `ROUTER_DATABASE_URL` up to date. */
import { readArguments, WrongUse } from '@rcpt/proof/cli-arguments.ts';
import { migrate } from '@rcpt/service/db/migrate.ts';
import { openDatabase } from '@rcpt/service/db/open.ts';
import { Refusal } from '@rcpt/service/error.ts';
import { ConfigError } from '@rcpt/service/process/config.ts';
import { readRouterConfig } from './config.ts';
import { MIGRATIONS } from './migrations.ts';

try {
  const options = { json: { type: 'boolean' }, data: { type: 'string' } } as const;
  const { values } = readArguments({ args: process.argv.slice(3), options });
  const db = openDatabase(readRouterConfig({ ROUTER_DATABASE_URL: process.env.ROUTER_DATABASE_URL }).database_url);
  try {
    const applied = await migrate(db, MIGRATIONS);
    const said = values.json
      ? JSON.stringify({ component: 'router', applied })
      : `router: ${applied.join(', ') || '(nothing)'}`;
    process.stdout.write(`${said}\n`);
  } finally {
    await db.close();
  }
} catch (error) {
  const said = error instanceof Refusal ? error.detail : (error as Error).message;
  process.stderr.write(`rcpt migrate: ${said}\n`);
  process.exitCode = error instanceof ConfigError || error instanceof WrongUse ? 2 : 1;
}
