/** A running router from its configuration: everything that has a lifetime is opened here and closed in the opposite order. */
import { ConfigError } from '@rcpt/service/config.ts';
import { DatabaseUnavailable } from '@rcpt/service/error.ts';
import { createProbe } from '@rcpt/service/health.ts';
import { forgetOldKeys } from '@rcpt/service/idempotency.ts';
import { newId } from '@rcpt/service/identity.ts';
import type { Logger } from '@rcpt/service/log.ts';
import { checkSchema, migrate } from '@rcpt/service/migrate.ts';
import { openDatabase } from '@rcpt/service/open.ts';
import { createApp } from './app.ts';
import { startBridge } from './bridge/deliver.ts';
import type { Config } from './config.ts';
import { createFleet } from './fleet.ts';
import { MIGRATIONS } from './migrations.ts';
import { openNewsDesk } from './news.ts';
import { openOrphans, openReceiptsFolder } from './receipts/folder.ts';
import { recoverReceipts } from './receipts/recover.ts';
import type { Router } from './router.ts';
import { keepSweeping } from './sweep.ts';
import { createWaiting } from './waiting.ts';
import { createWriter } from './writer.ts';

const FORGET_EVERY_MS = 600_000;

export interface RunningRouter {
  url: string;
  port: number;
  close(): Promise<void>;
}

/** Throws `schema_behind`, the error of a port that is taken, or `ConfigError` for a setting that cannot be used. */
export async function startRouter(
  config: Config,
  logger: Logger,
  now: () => number = Date.now,
): Promise<RunningRouter> {
  const db = await underSetting(DATABASE, async () => {
    const opened = openDatabase(config.database_url, (error) =>
      logger.warn({ err: error }, 'idle database connection lost'),
    );
    if (opened.engine === 'sqlite') await migrate(opened, MIGRATIONS);
    else await checkSchema(opened, MIGRATIONS);
    return opened;
  });
  const receiptsSetting = { env: 'ROUTER_RECEIPTS_DIR', got: config.receipts_dir, takes: 'a folder it can write to' };
  const folder = await underSetting(receiptsSetting, async () => openReceiptsFolder(config.receipts_dir));
  let recovered = await recoverReceipts(db, folder);
  for (const orphan of openOrphans(config.receipts_dir)) {
    recovered += await recoverReceipts(db, orphan);
    orphan.close();
  }
  const desk = await openNewsDesk(db, newId('desk'));
  const writer = createWriter({
    db,
    folder,
    now,
    queue_limit: config.write_queue,
    lease_seconds: config.lease_seconds,
    desk_id: desk.id,
    watched: desk.watched,
    onNews: desk.tell,
  });
  const probe = createProbe(async () => void (await db.get('select 1 as one')), {
    onFailure: (error) => logger.warn({ dependency: 'db', err: error }, 'probe failed'),
  });
  const waiting = createWaiting(desk);
  const router: Router = { config, db, writer, desk, folder, fleet: createFleet(db), waiting, probe, now };
  const app = await createApp(router, logger);
  const stopSweeping = keepSweeping(router, logger);
  const bridge = startBridge(router, logger);
  const forgetting = setInterval(() => {
    forgetOldKeys(db).catch((error: unknown) => logger.warn({ err: error }, 'old idempotency keys stay for now'));
  }, FORGET_EVERY_MS);

  const listening = {
    env: 'ROUTER_HOST, ROUTER_PORT',
    got: `${config.host} ${config.port}`,
    takes: 'an address of this machine and a port it may use',
  };
  await underSetting(listening, () => app.listen({ host: config.host, port: config.port }));
  const { port } = app.server.address() as { port: number };
  const url = `http://${config.host.includes(':') ? `[${config.host}]` : config.host}:${port}`;
  // The first line says where it listens; whoever started it reads the port there.
  setImmediate(() => {
    if (recovered > 0)
      logger.warn({ receipts: recovered, folder: folder.path }, 'receipts of the last run were appended');
  });
  return {
    url,
    port,
    async close() {
      const closed = app.close();
      router.waiting.close();
      await closed;
      clearInterval(forgetting);
      await Promise.all([stopSweeping(), bridge.close()]);
      await writer.close();
      await desk.close();
      folder.close();
      await db.close();
    },
  };
}

interface Setting {
  env: string;
  got: string | null;
  takes: string;
}

const DATABASE: Setting = { env: 'ROUTER_DATABASE_URL', got: null, takes: 'a database that it can open' };

/** What the system says against a setting is said in the words of a wrong one; a port that is taken is told elsewhere. */
async function underSetting<T>({ env, got, takes }: Setting, attempt: () => Promise<T>): Promise<T> {
  try {
    return await attempt();
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'EADDRINUSE' || code === 'schema_behind' || error instanceof ConfigError) throw error;
    const shown = got === null ? '(not shown)' : JSON.stringify(got);
    const reason = error instanceof DatabaseUnavailable ? `${(error.cause as Error).message}` : message;
    throw new ConfigError(`${env}: got ${shown}, takes ${takes}: ${reason}`);
  }
}
