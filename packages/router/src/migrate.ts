/** `./rcpt migrate`, the router's half: the schema of `ROUTER_DATABASE_URL` up to date. */
import { ConfigError } from '@rcpt/service/config.ts';
import { Refusal } from '@rcpt/service/error.ts';
import { migrate } from '@rcpt/service/migrate.ts';
import { openDatabase } from '@rcpt/service/open.ts';
import { readRouterConfig } from './config.ts';
import { MIGRATIONS } from './migrations.ts';

try {
  const db = openDatabase(readRouterConfig({ ROUTER_DATABASE_URL: process.env.ROUTER_DATABASE_URL }).database_url);
  try {
    const applied = await migrate(db, MIGRATIONS);
    const said = process.argv.includes('--json')
      ? JSON.stringify({ component: 'router', applied })
      : `router: ${applied.join(', ') || '(nothing)'}`;
    process.stdout.write(`${said}\n`);
  } finally {
    await db.close();
  }
} catch (error) {
  const said = error instanceof Refusal ? error.detail : (error as Error).message;
  process.stderr.write(`rcpt migrate: ${said}\n`);
  process.exitCode = error instanceof ConfigError ? 2 : 1;
}
