/** What the pool's tests run in its threads. */
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { threadId } from 'node:worker_threads';
import { Refusal } from '@rcpt/service/error.ts';
import { serve } from '../../src/threads/serve.ts';

export const JOBS = {
  double: (value: number) => value * 2,
  refuse(code: string): never {
    throw new Refusal(code, 'No.', { at: 7 });
  },
  fail(_: null): never {
    throw new Error('a failure of its own');
  },
  never(_: null): never {
    for (;;);
  },
  endless(_: null, tell: (begun: true) => void): never {
    tell(true);
    for (;;);
  },
  async steps(count: number, tell: (step: number) => void): Promise<void> {
    for (let step = 1; step <= count; step++) {
      await sleep(200);
      tell(step);
    }
  },
  thread: (_: null) => threadId,
  fill(_: null): number {
    const all: object[] = [];
    for (;;) all.push(new Array(1_000).fill(all.length).map(String));
  },
  niceness: (_: null) =>
    Number(
      readFileSync('/proc/thread-self/stat', 'utf8')
        .replace(/^.*\) /, '')
        .split(' ')[16],
    ),
};

serve(JOBS);
