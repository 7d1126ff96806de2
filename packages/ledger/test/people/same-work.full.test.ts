/** What a request for a sign-in link costs is the same for a member and for a stranger (trust.md, People). */
import assert from 'node:assert/strict';
import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import { type TestContext, test } from 'node:test';
import type { Db, Queries, Transaction, Value } from '@rcpt/service/db/db.ts';
import { now } from '@rcpt/service/ids.ts';
import { createLogger } from '@rcpt/service/process/log.ts';
import { eachEngine } from '../../../../test/kit/engines.ts';
import { openBackgroundMail } from '../../src/mail/background.ts';
import type { Message } from '../../src/mail/mail.ts';
import { MIGRATIONS } from '../../src/migrations.ts';
import { addMember } from '../../src/people/members.ts';
import { foundOrganization } from '../../src/people/organizations.ts';
import { requestLink } from '../../src/people/sign-in.ts';
import { newMailbox } from '../kit/people.ts';

eachEngine('the same work', MIGRATIONS, (fresh) => {
  test('a stranger’s request takes the statements, hashes and mails of a member’s, the first and every later one', async (t) => {
    const { db } = await fresh();
    const [member, stranger] = [newMailbox(), newMailbox()];
    await db.transaction(async (tx) => {
      const { id } = await foundOrganization(tx, { name: 'Test Workshop' }, now());
      await addMember(tx, id, { email: member, role: 'agent' }, 'test', now());
    });
    const work = countWork(t, db);
    for (const round of ['first', 'later', 'last before the limit']) {
      const [of_member, of_stranger] = [await work(member), await work(stranger)];
      assert.deepEqual(of_stranger.done, of_member.done, round);
      for (const step of ['insert into sign_in_links', 'hash sha256', 'mail of'])
        assert.ok(
          of_member.done.some((done) => done.includes(step)),
          step,
        );
      assert.deepEqual(
        [of_member.sent.length, of_stranger.sent.length],
        [1, 0],
        'the mail server alone tells them apart',
      );
    }
    const refusals = [];
    for (const email of [member, stranger]) {
      await work(email);
      await work(email);
      refusals.push(await work(email));
    }
    assert.deepEqual(refusals[0], refusals[1]);
    assert.equal(refusals[0]!.answer, 'rate_limited');
  });
});

interface Work {
  /** An expiry, or the code of a refusal. */
  answer: unknown;
  /** In order: statements with the sizes of their values, hashes, mails that were written. */
  done: string[];
  sent: Message[];
}

/** Asks for a link, waits for what goes on behind the answer, and says what was done for it. */
function countWork(t: TestContext, db: Db): (email: string) => Promise<Work> {
  let work: Work = { answer: null, done: [], sent: [] };
  const note = (step: string) => work.done.push(step);

  const hash = crypto.hash;
  t.mock.method(crypto, 'hash', (...args: Parameters<typeof hash>) => {
    note(`hash ${args[0]} of ${kindOf(args[1])}`);
    return hash(...args);
  });
  syncBuiltinESMExports();
  t.after(() => {
    t.mock.restoreAll();
    syncBuiltinESMExports();
  });

  const counted = countingDb(db, note);
  const logger = createLogger('test', 'silent');
  const mailer = {
    send: async (message: Message) => void work.sent.push(message),
    probe: async () => {},
    close: () => {},
  };

  return async (email) => {
    work = { answer: null, done: [], sent: [] };
    const background = openBackgroundMail(mailer, logger);
    const mails: typeof background = {
      ...background,
      send: (write, options) =>
        background.send(() => {
          const message = write();
          note(`mail of ${message.text.length} and ${message.html.length}`);
          return message;
        }, options),
    };
    const ledger = { db: counted, base_url: 'http://127.0.0.1:1', mails, now };
    work.answer = await requestLink(ledger, email).catch((error: { code: string }) => error.code);
    await background.close();
    return work;
  };
}

function countingDb(db: Db, note: (step: string) => void): Db {
  const counting = <Target extends Queries>(target: Target): Target =>
    new Proxy(target, {
      get(_, name) {
        const member = Reflect.get(target, name);
        if (name === 'transaction')
          return (work: (tx: Transaction) => Promise<unknown>) => db.transaction((tx) => work(counting(tx)));
        if (typeof member !== 'function') return member;
        return (sql: string, params: Value[] = []) => {
          note(`${String(name)} ${sql} ${params.length}`);
          return member.call(target, sql, params);
        };
      },
    });
  return counting(db);
}

function kindOf(data: unknown): string {
  return typeof data === 'string' ? `${data.length} characters` : typeof data;
}
