/** The parts of a running router, which every route gets; built once in start.ts. */
import type { PriceTable } from '@rcpt/contract/prices.ts';
import type { Db } from '@rcpt/service/db/db.ts';
import type { Probe } from '@rcpt/service/process/health.ts';
import type { Writer } from './commit/writer.ts';
import type { Config } from './config.ts';
import type { LongPolls } from './long-polls.ts';
import type { Notifier } from './notifier.ts';
import type { ReceiptsFolder } from './receipts/folder.ts';
import type { Fleet } from './views/fleet.ts';

export interface Router {
  config: Config;
  db: Db;
  prices: PriceTable;
  /** The SKUs that have queues: those with a price, and those that unfinished jobs still ask for. */
  skus: ReadonlySet<string>;
  writer: Writer;
  notifier: Notifier;
  folder: ReceiptsFolder;
  fleet: Fleet;
  long_polls: LongPolls;
  probe: Probe;
  /** Milliseconds since 1970. */
  now(): number;
}
