/** A service process from its first log line to exit 0. */
import type { Logger } from './log.ts';

const DRAIN_MS = 15_000;

/**
 * SIGTERM or SIGINT: `close` stops taking work, finishes what was taken and releases everything; then exit 0.
 * A second signal, or a drain that takes too long, exits 1. A crash needs no clean-up: every store recovers at start.
 */
export function drainOnSignals(logger: Logger, close: () => Promise<void>): void {
  let draining = false;
  const drain = (signal: string) => {
    if (draining) process.exit(1);
    draining = true;
    logger.info({ signal }, 'draining');
    const late = setTimeout(() => {
      logger.error('drain took too long');
      logger.flush();
      process.exit(1);
    }, DRAIN_MS);
    late.unref();
    close().then(
      () => {
        logger.info('drained');
        logger.flush();
        process.exit(0);
      },
      (error: unknown) => {
        logger.error({ err: error }, 'drain failed');
        logger.flush();
        process.exit(1);
      },
    );
  };
  process.on('SIGTERM', () => drain('SIGTERM'));
  process.on('SIGINT', () => drain('SIGINT'));
}
