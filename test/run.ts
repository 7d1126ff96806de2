/**
 * `npm test` and `npm run test:full`: the tests of the project on both engines, one PostgreSQL server for all of them.
 * test/README.md says what is in which run. `npm test -- mint` runs every file whose path contains `mint`.
 */
import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import { run } from 'node:test';
import { type Job, jobsFor, TOGETHER } from './jobs.ts';
import { startPostgres } from './kit/postgres.ts';
import { createReporter } from './reporter.ts';

/** Tests wait more than they compute: for processes to start, for timers, for a disk. */
const AT_ONCE = availableParallelism() + 2;
/** For what hangs. */
const TEST_MS = 1_200_000;

const asked = process.argv.slice(2);
const names = asked.filter((name) => name !== '--full');
const jobs = jobsFor({ full: asked.includes('--full'), names });
if (jobs.length === 0) {
  process.stderr.write(`no test file matches ${names.join(', ')}\n`);
  process.exit(2);
}

// Every process of the run, and those that the tests start, load what an earlier one has compiled.
process.env.NODE_COMPILE_CACHE ??= resolve('node_modules/.cache/compiled');
const reporter = createReporter(process.stdout, jobs.flatMap(({ files }) => files).length);
const server = process.env.TEST_POSTGRES_URL ? null : await startPostgres();
if (server !== null) process.env.TEST_POSTGRES_URL = server.url;
try {
  const [measured, others] = [jobs.filter((job) => job.measured), jobs.filter((job) => !job.measured)];
  await Promise.all(Array.from({ length: AT_ONCE }, () => runAll(others)));
  await runAll(measured);
} finally {
  await server?.stop();
}
process.exitCode = reporter.end() === 0 ? 0 : 1;

/** Takes one job after the other, as do those beside it. */
async function runAll(waiting: Job[]): Promise<void> {
  for (let job = waiting.shift(); job !== undefined; job = waiting.shift()) {
    const of_job = reporter.job(job.files);
    for await (const event of run({ files: [TOGETHER], argv: job.files, timeout: TEST_MS })) of_job.take(event);
    of_job.end();
  }
}
