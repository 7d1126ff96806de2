/** `./rcpt ledger`: the receipt ledger in the foreground. */
import { runService } from '@rcpt/service/process/lifecycle.ts';
import { LEDGER_HELP, readLedgerConfig } from './config.ts';
import { startLedger } from './start.ts';
import { VERSION } from './version.ts';

const ledger = {
  name: 'ledger',
  version: VERSION,
  help: LEDGER_HELP,
  readConfig: readLedgerConfig,
  start: startLedger,
};
await runService(ledger, process.argv.slice(2), process.env);
