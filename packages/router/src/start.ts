/** A running router from its configuration: all that has to be closed again is opened here, and closed in the opposite order. */

import { forgetOldKeys } from '@rcpt/service/http/idempotency.ts';
import { newId } from '@rcpt/service/ids.ts';
import { openPrices } from '@rcpt/service/prices.ts';
import { createProbe } from '@rcpt/service/process/health.ts';
import type { Logger } from '@rcpt/service/process/log.ts';
import { listen, openOwnDatabase, underSetting } from '@rcpt/service/process/start.ts';
import { createApp } from './app.ts';
import { startBridge } from './bridge/deliver.ts';
import { createWriter } from './commit/writer.ts';
import type { Config } from './config.ts';
import { keepSweeping } from './expire-leases.ts';
import { createLongPolls } from './long-polls.ts';
import { MIGRATIONS } from './migrations.ts';
import { openNotifier } from './notifier.ts';
import { openOrphans, openReceiptsFolder } from './receipts/folder.ts';
import { recoverReceipts } from './receipts/recover.ts';
import type { Router } from './router.ts';
import { unfinishedSkus } from './store/skus.ts';
import { createFleet } from './views/fleet.ts';

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
  const prices = openPrices(config.prices_file);
  const db = await openOwnDatabase('ROUTER_DATABASE_URL', config.database_url, MIGRATIONS, logger);
  const wrong = `ROUTER_RECEIPTS_DIR: got ${JSON.stringify(config.receipts_dir)}, takes a folder it can write to`;
  const folder = await underSetting(wrong, async () => openReceiptsFolder(config.receipts_dir));
  let recovered = await recoverReceipts(db, folder);
  for (const orphan of openOrphans(config.receipts_dir)) {
    recovered += await recoverReceipts(db, orphan);
    orphan.close();
  }
  const notifier = await openNotifier(db, newId('desk'));
  const writer = createWriter({
    db,
    folder,
    now,
    queue_limit: config.write_queue,
    lease_seconds: config.lease_seconds,
    log_quota: { job_bytes: config.job_log_bytes, member_bytes: config.member_log_bytes },
    notifier_id: notifier.id,
    audience: notifier.audience,
    onChanges: notifier.tell,
  });
  const probe = createProbe(async () => void (await db.get('select 1 as one')), {
    onFailure: (error) => logger.warn({ dependency: 'db', err: error }, 'probe failed'),
  });
  const skus = new Set([...prices.rows.map(({ gpu_type }) => gpu_type), ...(await unfinishedSkus(db))]);
  const long_polls = createLongPolls(notifier, skus);
  const router: Router = {
    config,
    db,
    prices,
    skus,
    writer,
    notifier,
    folder,
    fleet: createFleet(db),
    long_polls,
    probe,
    now,
  };
  const app = await createApp(router, logger);
  const stopSweeping = keepSweeping(router, logger);
  const bridge = startBridge(router, logger);
  const forgetting = setInterval(() => {
    forgetOldKeys(db).catch((error: unknown) => logger.warn({ err: error }, 'old idempotency keys stay for now'));
  }, FORGET_EVERY_MS);

  const { url, port } = await listen(app, 'ROUTER_HOST, ROUTER_PORT', config);
  // The first log line is the listening address: the starting process reads the port from it.
  setImmediate(() => {
    if (recovered > 0)
      logger.warn({ receipts: recovered, folder: folder.path }, 'receipts of the last run were appended');
  });
  return {
    url,
    port,
    async close() {
      const closed = app.close();
      router.long_polls.close();
      await closed;
      clearInterval(forgetting);
      await Promise.all([stopSweeping(), bridge.close()]);
      await writer.close();
      await notifier.close();
      folder.close();
      await db.close();
    },
  };
}
