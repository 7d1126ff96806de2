/** What every route of the ledger stands on; built once in main.ts. */
import type { PriceTable } from '@rcpt/contract/prices.ts';
import type { Db } from '@rcpt/service/db/db.ts';
import type { Probe } from '@rcpt/service/process/health.ts';
import type { Storage } from '@rcpt/storage/storage.ts';
import type { Minter } from './chain/mint.ts';
import type { Verifier } from './chain/verifier.ts';
import type { ChangeFeed } from './changes/feed.ts';
import type { Config } from './config.ts';
import type { Logs } from './log/logs.ts';
import type { BackgroundMail } from './mail/background.ts';
import type { CredentialCache } from './people/credential-cache.ts';
import type { SessionCookie } from './people/session-cookie.ts';
import type { Deciders } from './runs/deciders.ts';
import type { Printer } from './share/printer.ts';
import type { Submitter } from './witnesses/submitter.ts';

export interface Ledger {
  config: Config;
  /** What links to this ledger start with: `LEDGER_BASE_URL`, else the listen address. */
  base_url: string;
  db: Db;
  prices: PriceTable;
  deciders: Deciders;
  minter: Minter;
  verifier: Verifier;
  logs: Logs;
  submitter: Submitter;
  /** Witnesses are called at public addresses alone. */
  only_public_witnesses: boolean;
  feed: ChangeFeed;
  mails: BackgroundMail;
  session_cookie: SessionCookie;
  credentials: CredentialCache;
  storage: Storage;
  printer: Printer;
  probes: { db: Probe; storage: Probe; email: Probe };
  now(): string;
}
