/**
 * Runs test files one after the other in this process, and says at the end of each what it took. Loading the ledger costs
 * a third of a second of processor time, and the first calls of everything as much again: files that share a process pay
 * it once.
 */
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { FILE_ENDED } from './jobs.ts';

let began = { wall: 0, processor: 0 };

for (const file of process.argv.slice(2)) {
  await import(pathToFileURL(file).href);
  // Top-level tests run in turn, so this one runs when those of the file have ended.
  test(`${FILE_ENDED}${file}`, async (t) => {
    const ended = { wall: performance.now(), processor: processorMs() };
    t.diagnostic(`${FILE_ENDED}${Math.round(ended.wall - began.wall)} ${ended.processor - began.processor}`);
    began = ended;
    // What was reported leaves this process, also when no test has ever waited.
    await setImmediate();
  });
}

/** Of this process and of the children it has waited for. */
function processorMs(): number {
  const { user, system } = process.cpuUsage();
  return Math.round((user + system) / 1_000) + childrenMs();
}

/** Only Linux tells it. */
function childrenMs(): number {
  try {
    const stat = readFileSync('/proc/self/stat', 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    // Fields 16 and 17 of proc(5), in hundredths of a second.
    return 10 * (Number(fields[13]) + Number(fields[14]));
  } catch {
    return 0;
  }
}
