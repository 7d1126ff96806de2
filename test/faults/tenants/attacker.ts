/** The attacker's process, seen from the test. */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { constants, setPriority } from 'node:os';
import { fileURLToPath } from 'node:url';
import type { Tenants } from './tenants.ts';

/** True in the attacker's own process. */
export const isAttacker = process.env.TENANTS_ATTACKER === '1';

export interface Told {
  file: string;
  url: string;
  pid: number;
  organization_id: string;
  keys: Tenants['attacker']['keys'];
}

/** What the two processes say to each other. */
export type Word = { is: 'begin' | 'end' };
export type Said =
  | { is: 'ready' | 'begun' }
  | { is: 'ended'; statuses: Record<string, number> }
  | { is: 'failed'; why: string };

export interface AttackerProcess {
  /** Resolves once the attack runs. */
  begin(): Promise<void>;
  /** Resolves once the attack has stopped; rejects when it had stopped before, or failed. */
  end(): Promise<void>;
  statuses(): Record<string, number>;
  kill(): void;
}

export async function startAttacker({ ledger, attacker }: Tenants, file: string): Promise<AttackerProcess> {
  const child = fork(fileURLToPath(new URL('attacker-process.ts', import.meta.url)), {
    // A test runner's own settings would make it a test.
    env: { ...process.env, NODE_TEST_CONTEXT: '', TENANTS_ATTACKER: '1' },
    execArgv: [],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  // Its processor time is the attacker's, which would have a machine of its own.
  setPriority(child.pid!, constants.priority.PRIORITY_BELOW_NORMAL);
  const { organization_id, keys } = attacker;
  child.send({ file, url: ledger.url, pid: ledger.pid, organization_id, keys } satisfies Told);
  await heard(child, 'ready');
  let statuses: Record<string, number> = {};
  return {
    async begin() {
      child.send({ is: 'begin' } satisfies Word);
      await heard(child, 'begun');
    },
    async end() {
      child.send({ is: 'end' } satisfies Word);
      ({ statuses } = await heard(child, 'ended'));
    },
    statuses: () => statuses,
    kill: () => void child.kill('SIGKILL'),
  };
}

async function heard<W extends Exclude<Said['is'], 'failed'>>(
  child: ChildProcess,
  word: W,
): Promise<Extract<Said, { is: W }>> {
  const ended = once(child, 'exit').then(([code]) => ({ is: 'failed', why: `it ended with ${code}` }));
  const said = (await Promise.race([once(child, 'message').then(([message]) => message), ended])) as Said;
  if (said.is !== word) throw new Error(`the attack: ${said.is === 'failed' ? said.why : said.is}`);
  return said as Extract<Said, { is: W }>;
}
