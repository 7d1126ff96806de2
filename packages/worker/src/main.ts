/** `./rcpt worker`: the reference worker in the foreground. */
import { ProblemError } from '@rcpt/contract/client/call.ts';
import { createLogger } from './log.ts';
import { HELP, type Options, readOptions, UsageError } from './options.ts';
import { takeSecrets } from './secrets.ts';
import { runWorker } from './worker.ts';

takeSecrets(process.env);
process.exitCode = await main();

async function main(): Promise<number> {
  try {
    const options = readOptions(process.argv.slice(2), process.env);
    if (options !== null) return await work(options);
    process.stdout.write(HELP);
    return 0;
  } catch (error) {
    if (!(error instanceof UsageError) && !(error instanceof ProblemError)) throw error;
    process.stderr.write(`rcpt worker: ${error.message}\n`);
    return error instanceof UsageError ? 2 : 1;
  }
}

/** The first signal drains; the second ends the process, and its jobs end with it (run/process.ts). */
async function work(options: Options): Promise<number> {
  const log = createLogger();
  const drain = new AbortController();
  for (const signal of ['SIGTERM', 'SIGINT'] as const)
    process.on(signal, () => {
      if (drain.signal.aborted) process.exit(1);
      log.info({ signal }, 'draining');
      drain.abort();
    });
  try {
    await runWorker(options, log, drain.signal);
  } catch (error) {
    if (error !== drain.signal.reason) throw error;
  }
  log.info('drained');
  return 0;
}
