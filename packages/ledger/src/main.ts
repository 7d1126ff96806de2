/** `./rcpt ledger`: the receipt ledger in the foreground. */
import { runService } from '@rcpt/service/lifecycle.ts';
import { readLedgerConfig } from './config.ts';
import { startLedger } from './start.ts';
import { VERSION } from './version.ts';

await runService('ledger', VERSION, process.env, readLedgerConfig, startLedger);
