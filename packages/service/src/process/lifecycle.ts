/** A service process from its first log line to exit 0. */

import { Refusal } from '../error.ts';
import { ConfigError } from './config.ts';
import { createLogger, type Logger } from './log.ts';

const DRAIN_MS = 15_000;
/** `timeout`, npm and terminals signal the process and its group: what comes so soon after the first is the same signal. */
const SAME_SIGNAL_MS = 200;

/**
 * SIGTERM or SIGINT: `close` stops taking work, finishes what was taken and releases everything; then exit 0.
 * A second signal later on, or a drain that takes too long, exits 1. A crash needs no clean-up: every store recovers at start.
 */
export function drainOnSignals(logger: Logger, close: () => Promise<void>): void {
  let begun: number | null = null;
  const drain = (signal: string) => {
    if (begun !== null) {
      if (performance.now() - begun > SAME_SIGNAL_MS) process.exit(1);
      return;
    }
    begun = performance.now();
    logger.info({ signal }, 'draining');
    const late = setTimeout(() => {
      logger.error('drain took too long');
      leave(logger, 1);
    }, DRAIN_MS);
    late.unref();
    close().then(
      () => {
        logger.info('drained');
        leave(logger, 0);
      },
      (error: unknown) => {
        logger.error({ err: error }, 'drain failed');
        leave(logger, 1);
      },
    );
  };
  process.on('SIGTERM', () => drain('SIGTERM'));
  process.on('SIGINT', () => drain('SIGINT'));
}

const LAST_LINE_MS = 20;

/**
 * Lines are written later than they are logged. That the reader of stderr has gone is reported to the event loop only: a
 * `process.exit` at once would try to write the last line forever.
 */
function leave(logger: Logger, code: number): void {
  logger.flush();
  setTimeout(() => process.exit(code), LAST_LINE_MS);
}

export interface RunningService {
  /** What it listens on, e.g. `http://127.0.0.1:8080`. */
  url: string;
  port: number;
  /** Stops taking requests, answers those in hand, releases everything. */
  close(): Promise<void>;
}

interface Service<Config> {
  name: string;
  version: string;
  help: string;
  readConfig(environment: Record<string, string | undefined>): Config;
  start(config: Config, logger: Logger): Promise<RunningService>;
}

/** A service in the foreground: its first log line says where it listens; one line says why it does not start. */
export async function runService<Config extends { log_level: string }>(
  { name, version, help, readConfig, start }: Service<Config>,
  words: string[],
  environment: Record<string, string | undefined>,
): Promise<void> {
  const [word] = words;
  if (word === '--help' || word === '-h') return void process.stdout.write(help);
  try {
    if (word !== undefined)
      throw new ConfigError(`takes no ${JSON.stringify(word)}; ${settingMeant(name, word, help)}`);
    const config = readConfig(environment);
    const logger = createLogger(name, config.log_level);
    const { url, port, close } = await start(config, logger);
    // A program that reads the next line may send SIGTERM at once.
    drainOnSignals(logger, close);
    logger.info({ url, port, version, pid: process.pid }, 'listening');
  } catch (error) {
    process.stderr.write(`rcpt ${name}: ${startFailure(name, error)}\n`);
    process.exit(error instanceof ConfigError ? 2 : 1);
  }
}

/** `--port` is likely to mean LEDGER_PORT. */
function settingMeant(name: string, word: string, help: string): string {
  const setting = `${name}_${word.replace(/^-+|=.*$/gs, '').replaceAll('-', '_')}`.toUpperCase();
  const known = help.includes(`  ${setting} `);
  return `it is set by the environment, ${known ? `here by ${setting}` : 'see --help'}`;
}

/** One line that tells the operator what to do. */
function startFailure(name: string, error: unknown): string {
  if (error instanceof ConfigError) return error.message;
  if (error instanceof Refusal) {
    const reason = error.cause instanceof Error ? ` (${error.cause.message})` : '';
    return `${error.detail}${reason}`;
  }
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === 'EADDRINUSE') return `${name.toUpperCase()}_PORT: ${message}; takes a free port, or 0 to pick one`;
  return message;
}
