/** `./rcpt ledger`: the receipt ledger in the foreground. */
import { ConfigError } from '@rcpt/service/config.ts';
import { Refusal } from '@rcpt/service/error.ts';
import { drainOnSignals } from '@rcpt/service/lifecycle.ts';
import { createLogger } from '@rcpt/service/log.ts';
import { readLedgerConfig } from './config.ts';
import { startLedger } from './start.ts';
import { VERSION } from './version.ts';

try {
  const config = readLedgerConfig(process.env);
  const logger = createLogger('ledger', config.log_level);
  const running = await startLedger(config, logger);
  logger.info({ url: running.url, port: running.port, version: VERSION, pid: process.pid }, 'listening');
  drainOnSignals(logger, running.close);
} catch (error) {
  process.stderr.write(`rcpt ledger: ${startFailure(error)}\n`);
  process.exit(error instanceof ConfigError ? 2 : 1);
}

/** One line that tells the operator what to do. */
function startFailure(error: unknown): string {
  if (error instanceof ConfigError) return error.message;
  if (error instanceof Refusal) return `${error.detail}${error.cause instanceof Error ? ` (${error.cause.message})` : ''}`;
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === 'EADDRINUSE') return `LEDGER_PORT: ${message}; takes a free port, or 0 to pick one`;
  return message;
}
