/** How many receipts are mailed in an hour; what is beyond waits in the outbox, with the reason (trust.md, People). */
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Db } from '@rcpt/service/db/db.ts';
import { pino } from 'pino';
import { eachEngine } from '../../../../test/kit/engines.ts';
import { openMailer } from '../../src/mail/mail.ts';
import { hourOf, type MailLimits } from '../../src/mail/mail-hours.ts';
import { openStorage } from '../../src/outbox/storage.ts';
import { startCopier } from '../../src/outbox/worker.ts';
import { forgetHours } from '../../src/store/mail-hours.ts';
import { outboxRows } from '../../src/store/outbox.ts';
import { closedAfterwards, MIGRATIONS, mint, NOON, temporaryFolder, until } from '../kit/copies.ts';
import { eachLedger } from '../kit/running.ts';
import { WORK } from '../kit/story.ts';

const HOUR_MS = 3_600_000;
const LIMITS: MailLimits = { organization_receipt_mails_per_hour: 6, mailbox_receipt_mails_per_hour: 4 };
const mailboxes = (count: number, from = 0) => Array.from({ length: count }, (_, i) => `v${from + i}@example.org`);

/** Copiers over one database and one folder of mails, as several processes have them; their clock is the test's. */
function copiers(db: Db, count: number, clock: { now: number }, mails = temporaryFolder()) {
  for (let i = 0; i < count; i++)
    closedAfterwards(
      startCopier({
        db,
        renderPdf: async () => Buffer.from('%PDF'),
        logger: pino({ level: 'silent' }),
        busy: () => false,
        mail_limits: LIMITS,
        storage: openStorage(`file:${temporaryFolder()}`),
        mailer: openMailer(`file:${mails}`, 'Receipts <receipts@ledger.example>'),
        timing: { poll_ms: 10, gather_ms: 1 },
        now: () => clock.now,
      }),
    );
  return () => readdirSync(mails).filter((name) => name.endsWith('.eml')).length;
}

const waiting = (db: Db) =>
  db.all<{ organization_id: string; next_attempt_at: string; attempts: number; last_error: string }>(
    `select organization_id, next_attempt_at, attempts, last_error from outbox where kind = 'mail' order by next_attempt_at`,
  );
/** All that may go now went, and what is left waits. */
const settled = (db: Db, clock: { now: number }, left: number) =>
  until(`${left} mails wait`, async () => {
    const rows = await waiting(db);
    return (
      rows.length === left && rows.every(({ next_attempt_at }) => next_attempt_at > new Date(clock.now).toISOString())
    );
  });

eachEngine('receipt mails', MIGRATIONS, (fresh) => {
  test('of one organization so many go in an hour, of any number of processes, and the others in theirs', async () => {
    const { db } = await fresh();
    const clock = { now: NOON };
    for (let i = 0; i < 4; i++) await mint(db, { org_seq: i, recipients: mailboxes(4, 4 * i) });
    const mailed = copiers(db, 3, clock);
    await settled(db, clock, 10);
    assert.equal(mailed(), 6);
    const rows = await waiting(db);
    assert.deepEqual(
      rows.map(({ next_attempt_at }) => (Date.parse(next_attempt_at) - NOON) / HOUR_MS),
      [1, 1, 1, 1, 1, 1, 2, 2, 2, 2],
    );
    assert.ok(rows.every(({ last_error, attempts }) => /^waits for its hour/.test(last_error) && attempts === 0));
    clock.now += HOUR_MS;
    await settled(db, clock, 4);
    assert.equal(mailed(), 12);
    clock.now += HOUR_MS;
    await settled(db, clock, 0);
    assert.equal(mailed(), 16, 'none is lost');
  });

  test('to one mailbox so many go from all together, and one organization keeps no other’s from it', async () => {
    const { db } = await fresh();
    const clock = { now: NOON };
    const spellings = ['ada@example.org', 'Ada@Example.org', 'ADA@EXAMPLE.ORG', 'aDa@example.org', 'ada@exAmple.org'];
    for (const [org_seq, recipient] of spellings.entries())
      await mint(db, { organization_id: 'org_spam', org_seq, recipients: [recipient] });
    const mailed = copiers(db, 2, clock);
    await settled(db, clock, 3);
    assert.equal(mailed(), 2, 'half of what a mailbox is sent');
    await mint(db, { organization_id: 'org_b', org_seq: 0, recipients: ['ada@example.org'] });
    await until('the other’s mail', () => mailed() === 3);
    for (const organization_id of ['org_c', 'org_d'])
      await mint(db, { organization_id, recipients: ['ada@example.org'] });
    await settled(db, clock, 4);
    assert.equal(mailed(), 4);
    clock.now += HOUR_MS;
    await settled(db, clock, 1);
    clock.now += HOUR_MS;
    await settled(db, clock, 0);
    assert.equal(mailed(), 8);
  });

  test('a mail that is tried again within its hour counts once; later it counts in that hour', async () => {
    const { db } = await fresh();
    const clock = { now: NOON };
    await mint(db, { recipients: mailboxes(6) });
    let away = true;
    const sent: string[] = [];
    closedAfterwards(
      startCopier({
        db,
        renderPdf: async () => Buffer.from('%PDF'),
        logger: pino({ level: 'silent' }),
        busy: () => false,
        mail_limits: LIMITS,
        storage: openStorage(`file:${temporaryFolder()}`),
        mailer: {
          async send({ to }) {
            if (away) throw Object.assign(new Error('no such mailbox'), { code: 'EENVELOPE' });
            sent.push(to);
          },
          async probe() {},
          close() {},
        },
        timing: { poll_ms: 10, gather_ms: 1, mail_backoff: { first_ms: 1_000, longest_ms: 1_000 } },
        now: () => clock.now,
        chance: () => 1,
      }),
    );
    const tried = (attempts: number) =>
      until(`${attempts} attempts`, async () => (await waiting(db)).every((row) => row.attempts === attempts));
    await tried(1);
    for (let attempts = 2; attempts <= 4; attempts++) {
      clock.now += 2_000;
      await tried(attempts);
    }
    const counted = async () =>
      (
        await db.all<{ hour: string; mails: number }>(
          "select hour, max(mails) as mails from mail_hours where hour > '' group by hour order by hour",
        )
      ).map(({ hour, mails }) => [hour, Number(mails)]);
    assert.deepEqual(await counted(), [[hourOf(NOON), 6]]);
    away = false;
    clock.now += HOUR_MS;
    await settled(db, clock, 0);
    assert.equal(sent.length, 6);
    assert.deepEqual(await counted(), [
      [hourOf(NOON), 6],
      [hourOf(NOON + HOUR_MS), 6],
    ]);
    await forgetHours(db, hourOf(NOON + HOUR_MS));
    assert.deepEqual(await counted(), [[hourOf(NOON + HOUR_MS), 6]]);
  });
});

eachLedger(
  'mails of a ledger',
  (ledger) => {
    test('eight Runs mail as many strangers as an hour takes, and no more', async (t) => {
      const began = hourOf(Date.now());
      const tenant = await ledger.tenant();
      for (let i = 0; i < 8; i++) {
        const inputs = { ...WORK.generic.inputs, notify: mailboxes(20, 20 * i) };
        const { id } = await tenant.as('agent')('POST', '/runs', { lane: 'generic', title: 'x', inputs });
        await tenant.as('agent')('POST', `/runs/${id}/execution`, WORK.generic.execution);
        await tenant.as('agent')('POST', `/runs/${id}/checks`);
        await tenant.as('agent')('POST', `/runs/${id}/verdict`);
        await tenant.as('approver')('POST', `/runs/${id}/approval`, { decision: 'approved' });
        await tenant.as('approver')('POST', `/runs/${id}/receipt`);
      }
      const clock = { now: Date.parse(began) + HOUR_MS - 1 };
      await settled(ledger.db, clock, 150);
      if (hourOf(Date.now()) !== began) return t.skip('an hour struck meanwhile');
      assert.equal(readdirSync(join(ledger.folder, 'outbox')).filter((name) => name.startsWith('RCPT-')).length, 10);
      const inputs = { ...WORK.generic.inputs, notify: mailboxes(21) };
      const many = await tenant.ask('agent', 'POST', '/runs', { body: { lane: 'generic', title: 'x', inputs } });
      assert.deepEqual([many.status, many.json.code], [422, 'invalid']);
    });
  },
  { LEDGER_ORGANIZATION_RECEIPT_MAILS_PER_HOUR: '10' },
  { copies: true },
);

test('a mailbox that is named in several cases is one recipient', () => {
  const rows = outboxRows('org_a', 0, ['ada@example.org', 'Ada@example.org', 'bob@example.org'], 'now');
  assert.deepEqual(
    rows.filter(([, , kind]) => kind === 'mail').map(([, , , recipient]) => recipient),
    ['Ada@example.org', 'bob@example.org'],
  );
});
