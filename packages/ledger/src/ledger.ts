/** What every route of the ledger stands on; built once in main.ts. */
import type { PriceTable } from '@rcpt/contract/prices.ts';
import type { Db } from '@rcpt/service/db.ts';
import type { Probe } from '@rcpt/service/health.ts';
import type { Config } from './config.ts';
import type { Storage } from './copies/storage.ts';
import type { Deciders } from './deciders.ts';
import type { Minter } from './mint.ts';
import type { NewsDesk } from './news.ts';
import type { KeptCredentials } from './people/kept.ts';
import type { People } from './people/people.ts';
import type { Printer } from './print/printer.ts';
import type { Verifier } from './verifier.ts';

export interface Ledger {
  config: Config;
  /** What links to this ledger start with: `LEDGER_BASE_URL`, else the listen address. */
  base_url: string;
  db: Db;
  prices: PriceTable;
  deciders: Deciders;
  minter: Minter;
  verifier: Verifier;
  desk: NewsDesk;
  people: People;
  kept: KeptCredentials;
  storage: Storage;
  printer: Printer;
  probes: { db: Probe; storage: Probe; email: Probe };
  now(): string;
}
