/**
 * A router inside the test that can be dropped at a chosen instant of a change, as a crash drops it, and opened again on
 * the same database and the same receipts folder. Calls go through the whole of HTTP but the socket.
 */
import { appendFileSync } from 'node:fs';
import { DEFAULT_PRICES, priceTable } from '@rcpt/contract/prices.ts';
import { openDatabase } from '@rcpt/service/db/open.ts';
import { createProbe } from '@rcpt/service/process/health.ts';
import { createLogger } from '@rcpt/service/process/log.ts';
import { createApp } from '../../src/app.ts';
import { createWriter } from '../../src/commit/writer.ts';
import { readRouterConfig } from '../../src/config.ts';
import { sweep } from '../../src/expire-leases.ts';
import { createLongPolls } from '../../src/long-polls.ts';
import { openNotifier } from '../../src/notifier.ts';
import { openReceiptsFolder } from '../../src/receipts/folder.ts';
import { recoverReceipts } from '../../src/receipts/recover.ts';
import { type LedgerReport, verifyReceipts } from '../../src/receipts/verify.ts';
import type { Router } from '../../src/router.ts';
import { createFleet } from '../../src/views/fleet.ts';
import type { Clock } from './running.ts';

/** Where in a change the crash comes. All but the first come after the commit: the change is made, its answer is lost. */
export const INSTANTS = ['before commit', 'before append', 'within append', 'before answer'] as const;
export type Instant = (typeof INSTANTS)[number];

export interface Reply {
  status: number;
  // biome-ignore lint/suspicious/noExplicitAny: a test asserts the shape of what it reads
  json: any;
}

export interface Crashable {
  /** Null: the router crashed before it answered. */
  call(method: 'GET' | 'POST', path: string, body?: object, token?: string): Promise<Reply | null>;
  sweep(): Promise<void>;
  verify(): Promise<LedgerReport>;
  /** The next change that leaves receipts meets a crash at this instant. */
  arm(instant: Instant): void;
  isArmed(): boolean;
  /** Drops everything unfinished and opens again. */
  crash(): Promise<void>;
  close(): Promise<void>;
}

const NEVER = new Promise<never>(() => undefined);

export async function openCrashable(database_url: string, folder_path: string, clock: Clock): Promise<Crashable> {
  const config = readRouterConfig({
    ROUTER_DATABASE_URL: database_url,
    ROUTER_RECEIPTS_DIR: folder_path,
    // A test machine may be busy with others: that is not what is tested here.
    ROUTER_OVERLOAD_DELAY_MS: '60000',
  });
  const logger = createLogger('router', 'silent');
  const now = () => clock.ms;
  let life = await open();

  async function open() {
    const db = openDatabase(database_url);
    const folder = openReceiptsFolder(folder_path);
    if (folder.path !== folder_path) throw new Error('the folder of the life before is still held');
    await recoverReceipts(db, folder);
    const notifier = await openNotifier(db, 'desk_test');
    let armed: Instant | null = null;
    let crashed = () => {};
    const crash = new Promise<null>((resolve) => {
      crashed = () => resolve(null);
    });
    const stop = () => {
      armed = null;
      crashed();
      return NEVER;
    };
    const writer = createWriter({
      db: { ...db, transaction: (work) => (armed === 'before commit' ? stop() : db.transaction(work)) },
      folder: {
        ...folder,
        async append(date, lines) {
          if (armed === 'within append') appendFileSync(folder.fileOf(date), lines.slice(0, (lines.length * 2) / 3));
          if (armed === 'within append' || armed === 'before append') return stop();
          await folder.append(date, lines);
          if (armed === 'before answer') return stop();
        },
      },
      now,
      queue_limit: 1000,
      lease_seconds: config.lease_seconds,
      log_quota: { job_bytes: config.job_log_bytes, member_bytes: config.member_log_bytes },
      notifier_id: notifier.id,
      onChanges: notifier.tell,
    });
    const probe = createProbe(async () => undefined);
    const prices = priceTable(DEFAULT_PRICES);
    const skus = new Set(prices.rows.map(({ gpu_type }) => gpu_type));
    const router: Router = {
      config,
      db,
      writer,
      notifier,
      folder,
      fleet: createFleet(db),
      long_polls: createLongPolls(notifier, skus),
      prices,
      skus,
      probe,
      now,
    };
    const app = await createApp(router, logger);
    return {
      router,
      app,
      crash,
      arm: (instant: Instant) => {
        armed = instant;
      },
      isArmed: () => armed !== null,
      /** What the kernel does for a process that is gone. */
      async drop() {
        void app.close();
        await notifier.close();
        folder.close();
        await db.close();
      },
    };
  }

  async function call(method: 'GET' | 'POST', path: string, body?: object, token?: string): Promise<Reply | null> {
    const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
    const answered = life.app.inject({ method, url: path, headers, ...(body === undefined ? {} : { payload: body }) });
    const reply = await Promise.race([answered, life.crash]);
    return reply && { status: reply.statusCode, json: reply.json() };
  }

  async function crash(): Promise<void> {
    await life.drop();
    life = await open();
  }

  return {
    call,
    async sweep() {
      await Promise.race([sweep(life.router), life.crash]);
    },
    verify: () => verifyReceipts(life.router.db, life.router.folder),
    arm: (instant) => life.arm(instant),
    isArmed: () => life.isArmed(),
    crash,
    async close() {
      await life.router.writer.close();
      await life.drop();
    },
  };
}
