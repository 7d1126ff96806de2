/** What a sign-in costs is the same for a member and a stranger, also for the first who asks after a start (trust.md, People). */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { eachEngine } from '../../../../test/kit/engines.ts';
import { MIGRATIONS } from '../../src/migrations.ts';
import { addMember, newMailbox } from '../kit/people.ts';
import { ledgerProcess } from '../kit/process.ts';
import { type Tenant, tenantOf } from '../kit/running.ts';

const TICK_MS = 10;
const ROUNDS = 2;
/** Longer than the mail behind the answer takes. */
const BEHIND_MS = 1_000;

eachEngine('the same work', MIGRATIONS, (fresh) => {
  test('a first sign-in after a start, and a later one, cost as much processor time for a stranger as for a member', async () => {
    const { db, url } = await fresh();
    const first = await ledgerProcess(url);
    const tenant: Tenant = await tenantOf(first.call);
    const { email: member } = await addMember(tenant, 'agent');
    first.signal('SIGTERM');
    await first.ended;
    const cost = { member: [] as number[][], stranger: [] as number[][] };
    for (let round = 0; round < ROUNDS; round++)
      for (const whom of ['member', 'stranger'] as const) {
        const ledger = await ledgerProcess(url);
        const spent = async () => {
          const before = processorMs(ledger.pid);
          const email = whom === 'member' ? member : newMailbox();
          const asked = await ledger.call('POST', '/sign-in', { body: { email } });
          assert.equal(asked.status, 200, asked.text);
          await sleep(BEHIND_MS);
          return processorMs(ledger.pid) - before;
        };
        await ledger.call('GET', '/healthz');
        await sleep(BEHIND_MS);
        cost[whom].push([await spent(), await spent()]);
        ledger.signal('SIGTERM');
        await ledger.ended;
        await db.run('delete from mailbox_requests');
      }
    for (const [i, which] of ['first', 'second'].entries()) {
      const [of_member, of_stranger] = [least(cost.member, i), least(cost.stranger, i)];
      const allowed = 0.4 * Math.max(of_member, of_stranger) + 3 * TICK_MS;
      assert.ok(Math.abs(of_member - of_stranger) <= allowed, `${which}: ${of_member} and ${of_stranger} ms`);
    }
    const links = await db.all<{ value: string }>('select value from sign_in_links');
    const ofStrangers = links.filter(({ value }) => !value.includes(member));
    assert.deepEqual(
      [links.length, ofStrangers.length],
      [4 * ROUNDS, 2 * ROUNDS],
      'a link each; a stranger’s is for nobody',
    );
  });
});

/** What else goes on in a process only adds to it. */
function least(rounds: number[][], i: number): number {
  return Math.min(...rounds.map((round) => round[i]!));
}

/** User and system time of a process (proc_pid_stat(5)). */
function processorMs(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ');
  return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
}
