/** What the pool's tests run in its threads. */
import { readFileSync } from 'node:fs';
import { Refusal } from '@rcpt/service/error.ts';
import { serve } from '../src/threads/serve.ts';

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
