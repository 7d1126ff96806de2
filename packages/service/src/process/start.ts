/** What a service opens as it starts. What the system says against a setting comes in one line that names the setting. */
import type { AddressInfo } from 'node:net';
import type { Db } from '../db/db.ts';
import { checkSchema, migrate } from '../db/migrate.ts';
import { openDatabase } from '../db/open.ts';
import { DatabaseUnavailable, Refusal } from '../error.ts';
import type { App } from '../http/app-type.ts';
import { ConfigError } from './config.ts';
import type { Logger } from './log.ts';

/** @param env e.g. `LEDGER_DATABASE_URL`. Throws `ConfigError`, `schema_behind`, `schema_changed`. */
export function openOwnDatabase(env: string, url: string, migrations: string, logger: Logger): Promise<Db> {
  return underSetting(`${env}: got (not shown), takes a database that it can open`, async () => {
    const db = openDatabase(url, (error) => logger.warn({ err: error }, 'idle database connection lost'));
    if (db.engine === 'sqlite') await migrate(db, migrations);
    else await checkSchema(db, migrations);
    return db;
  });
}

/** @param env e.g. `LEDGER_HOST, LEDGER_PORT`. Throws `ConfigError`, or the system's `EADDRINUSE`. */
export async function listen(
  app: App,
  env: string,
  { host, port }: { host: string; port: number },
): Promise<{ url: string; port: number }> {
  const address = host.replace(/^\[(.*)\]$/, '$1');
  const wrong = `${env}: got "${address} ${port}", takes an address of this machine and a port it may use`;
  await underSetting(wrong, () => app.listen({ host: address, port }));
  const listening = app.server.address() as AddressInfo;
  return { url: `http://${address.includes(':') ? `[${address}]` : address}:${listening.port}`, port: listening.port };
}

/** @param wrong the words for a wrong setting, which the reason follows. A port that is taken and a schema have words of their own. */
export async function underSetting<T>(wrong: string, attempt: () => Promise<T>): Promise<T> {
  try {
    return await attempt();
  } catch (error) {
    const { code, message } = (error instanceof DatabaseUnavailable ? error.cause : error) as NodeJS.ErrnoException;
    if (code === 'EADDRINUSE' || (error instanceof Refusal && !(error instanceof DatabaseUnavailable))) throw error;
    throw new ConfigError(`${wrong}: ${message}`);
  }
}
