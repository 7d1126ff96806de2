/** Which test files run, in which of the two runs, and which of them share a process. */
import { globSync } from 'node:fs';

const FILES = ['packages/*/test/**/*.test.ts', 'test/**/*.test.ts'];

/** The thorough rounds: `npm run test:full` runs these, `npm test` the others. */
const FULL = /\.full\.test\.ts$/;
/** They measure how long things take, so they run after all the others, one at a time. */
const MEASURED = /^test\/faults\/tenants\//;

/** Files that may share a process: what runs in it leaves nothing behind that another could notice. */
const SHARED = /^packages\/(proof|contract|console|service|ledger|router)\//;
/**
 * Files that need a process of their own: they start many processes, change the clock, the environment or a global, or
 * measure processor time and memory.
 */
const ALONE =
  /\/(bin|process|two-processes|sign-in|check-in-browser|hostile|limits|waiting|ids|large-[a-z]+)\.test\.ts$|^packages\/service\/test\/db\//;
const FILES_PER_PROCESS = 12;
/** They wait for leases and timers: begun first, they wait beside the others, and no core stands idle at the end. */
const FIRST = /^packages\/worker\/|\/(waiting|process|sign-in)\.test\.ts$/;

/** What each process of a run begins with: it takes the files as arguments. */
export const TOGETHER = 'test/together.ts';

/** Stands before a file's name in the test that ends it in a shared process. */
export const FILE_ENDED = 'the end of ';

/** One process, and the files it runs one after the other. */
export interface Job {
  files: string[];
  /** No other job runs beside it. */
  measured: boolean;
}

/** @param names parts of paths; with any, every file that matches is taken, of both runs */
export function jobsFor({ full, names }: { full: boolean; names: string[] }): Job[] {
  const all = FILES.flatMap((pattern) => globSync(pattern)).sort();
  const files = all.filter((file) =>
    names.length === 0 ? FULL.test(file) === full : names.some((name) => file.includes(name)),
  );
  const measured = files.filter((file) => MEASURED.test(file));
  const shared = files.filter((file) => SHARED.test(file) && !ALONE.test(file) && !FULL.test(file));
  const alone = files.filter((file) => !measured.includes(file) && !shared.includes(file));
  return [
    ...alone.filter((file) => FIRST.test(file)).map((file) => [file]),
    ...[...Map.groupBy(shared, packageOf).values()].flatMap(inParts),
    ...alone.filter((file) => !FIRST.test(file)).map((file) => [file]),
    ...measured.map((file) => [file]),
  ].map((files) => ({ files, measured: measured.includes(files[0]!) }));
}

function packageOf(file: string): string {
  return file.split('/')[1]!;
}

/** As even as they can be. */
function inParts(files: string[]): string[][] {
  const parts = Math.ceil(files.length / FILES_PER_PROCESS);
  return Array.from({ length: parts }, (_, part) => files.filter((_, i) => i % parts === part));
}
