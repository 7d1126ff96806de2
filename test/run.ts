/**
 * `npm test`: every test of the project on both engines, one PostgreSQL server for all of them, and a summary that says
 * how many ran where. `npm test -- mint` runs the files whose path contains `mint`.
 */
import { globSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { run } from 'node:test';
import { startPostgres } from './kit/postgres.ts';
import { reportTo } from './reporter.ts';

const FILES = ['packages/*/test/**/*.test.ts', 'test/**/*.test.ts'];
/** They measure how long things take, so they run after all the others, one at a time. */
const MEASURED = 'test/faults/tenants/';
/** For what hangs: the longest file took twenty minutes beside forty other processes on two cores. */
const TEST_MS = 3_600_000;

const wanted = process.argv.slice(2);
const files = FILES.flatMap((pattern) => globSync(pattern))
  .filter((file) => wanted.length === 0 || wanted.some((part) => file.includes(part)))
  .sort();
if (files.length === 0) {
  process.stderr.write(`no test file matches ${wanted.join(', ')}\n`);
  process.exit(2);
}

const server = process.env.TEST_POSTGRES_URL ? null : await startPostgres();
if (server !== null) process.env.TEST_POSTGRES_URL = server.url;
try {
  process.exitCode = (await reportTo(process.stdout, testEvents(files))) === 0 ? 0 : 1;
} finally {
  await server?.stop();
}

async function* testEvents(all: string[]): AsyncGenerator<unknown> {
  const concurrency = Math.max(1, Math.min(4, availableParallelism()));
  const measured = all.filter((file) => file.startsWith(MEASURED));
  const others = all.filter((file) => !measured.includes(file));
  if (others.length > 0) yield* run({ files: others, concurrency, timeout: TEST_MS });
  if (measured.length > 0) yield* run({ files: measured, concurrency: 1, timeout: TEST_MS });
}
