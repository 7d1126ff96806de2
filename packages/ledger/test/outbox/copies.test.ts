import assert from 'node:assert/strict';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { seal } from '@rcpt/proof/receipt.ts';
import type { Db } from '@rcpt/service/db/db.ts';
import { openDatabase } from '@rcpt/service/db/open.ts';
import { Refusal } from '@rcpt/service/error.ts';
import type { Storage } from '@rcpt/storage/storage.ts';
import { type Logger, pino } from 'pino';
import { eachEngine } from '../../../../test/kit/engines.ts';
import { ownPort } from '../../../../test/kit/own-port.ts';
import { type Mailer, openMailer } from '../../src/mail/mail.ts';
import { copyReceipt } from '../../src/outbox/copy-receipt.ts';
import { openStorage, receiptKey } from '../../src/outbox/storage.ts';
import { type CopierSettings, startCopier, type Timing } from '../../src/outbox/worker.ts';
import type { Asked } from '../../src/share/printer.ts';
import { claimDue, loadPayloads, OUTBOX_COLUMNS, outboxRows, PARKED } from '../../src/store/outbox.ts';
import {
  closedAfterwards,
  MIGRATIONS,
  mailServer,
  mint,
  NOON,
  type Sealed,
  s3Server,
  s3Url,
  silentServer,
  temporaryFolder,
  until,
} from '../kit/copies.ts';

const FROM = 'Receipts <receipts@ledger.example>';
const QUICK: Partial<Timing> = {
  poll_ms: 10,
  gather_ms: 1,
  close_ms: 100,
  backoff: { first_ms: 20, longest_ms: 40 },
  mail_backoff: { first_ms: 20, longest_ms: 40 },
};
const PDF_OF = (bytes: string) => Buffer.from(`%PDF of ${bytes}`);

async function renderPdf({ organization_id, bytes, share_url }: Asked): Promise<Buffer> {
  assert.equal(JSON.parse(bytes).organization.id, organization_id);
  assert.match(share_url, /\/share\//);
  return PDF_OF(bytes);
}

interface Line {
  level: number;
  msg: string;
  error?: string;
}

function listeningLogger(): { logger: Logger; lines: Line[] } {
  const lines: Line[] = [];
  return { lines, logger: pino({ level: 'debug' }, { write: (line: string) => lines.push(JSON.parse(line)) }) };
}

/** A copier over folders of its own, except for what the test gives it. */
function start(db: Db, given: Partial<CopierSettings> = {}) {
  const [objects, mails] = [temporaryFolder(), temporaryFolder()];
  const { logger, lines } = listeningLogger();
  const storage: Storage = given.storage ?? openStorage(`file:${objects}`);
  const mailer: Mailer = given.mailer ?? openMailer(`file:${mails}`, FROM);
  const copier = closedAfterwards(
    startCopier({
      db,
      renderPdf,
      logger,
      busy: () => false,
      mail_limits: { organization_receipt_mails_per_hour: 100_000, mailbox_receipt_mails_per_hour: 100_000 },
      ...given,
      storage,
      mailer,
      timing: { ...QUICK, ...given.timing },
    }),
  );
  return {
    copier,
    storage,
    lines,
    objects: () =>
      readdirSync(objects, { recursive: true, encoding: 'utf8' }).filter((path) => /receipts.RCPT/.test(path)),
    mailed: () => readdirSync(mails).filter((name) => name.endsWith('.eml')),
  };
}

const left = (db: Db) =>
  db.all<{ kind: string; attempts: number; next_attempt_at: string; last_error: string | null }>(
    'select kind, attempts, next_attempt_at, last_error from outbox order by organization_id, org_seq, kind, recipient',
  );
const empty = async (db: Db) => (await left(db)).length === 0;

async function assertCopied(storage: Storage, { organization_id, receipt_id, payload }: Sealed): Promise<void> {
  assert.equal((await storage.get(receiptKey(organization_id, receipt_id, 'json')))?.toString('utf8'), payload);
  assert.deepEqual(await storage.get(receiptKey(organization_id, receipt_id, 'pdf')), PDF_OF(payload));
}

const alter = (db: Db, org_seq: number, payload: string) =>
  db.run('update receipts set payload = $1 where org_seq = $2', [payload, org_seq]);

eachEngine('the copier', MIGRATIONS, (fresh) => {
  test('copies a minted receipt as JSON and PDF, mails it to each recipient, and leaves the outbox empty', async () => {
    const { db } = await fresh();
    const server = await mailServer();
    const mailer = closedAfterwards(openMailer(`smtp://127.0.0.1:${server.port}`, FROM));
    const { copier, storage } = start(db, { mailer, timing: { poll_ms: 60_000 } });
    const one = await mint(db, { title: 'Überblick', recipients: ['ada@example.org', 'bob@example.org'] });
    const other = await mint(db, { organization_id: 'org_b' });
    copier.wake();
    await until('an empty outbox', () => empty(db));
    for (const receipt of [one, other]) await assertCopied(storage, receipt);
    assert.deepEqual(server.received.flatMap(({ to }) => to).sort(), ['ada@example.org', 'bob@example.org']);
    for (const { mail } of server.received) {
      assert.equal(mail.subject, `Receipt ${one.receipt_id} · Überblick`);
      assert.match(mail.text ?? '', new RegExp(one.share_url));
      const [pdf, json] = mail.attachments.map(({ content }) => Buffer.from(content as ArrayBuffer).toString('utf8'));
      assert.deepEqual([pdf, json], [PDF_OF(one.payload).toString('utf8'), one.payload]);
    }
    await copier.close();
  });

  test('finds without a word what another process has left', async () => {
    const { db } = await fresh();
    const receipt = await mint(db);
    const { copier, storage } = start(db);
    await until('an empty outbox', () => empty(db));
    await assertCopied(storage, receipt);
    await copier.close();
  });

  test('catches up when a storage that refused connections is back, and mail has not waited for it', async () => {
    const { db } = await fresh();
    const port = await ownPort();
    const storage = closedAfterwards(openStorage(s3Url(port)));
    const receipt = await mint(db, { recipients: ['ada@example.org'] });
    const { copier, mailed, lines } = start(db, { storage });
    await until('the mail', () => mailed().length === 1);
    await until('a second failure', async () => (await left(db)).some(({ attempts }) => attempts >= 2));
    assert.match((await left(db)).map(({ last_error }) => last_error).join(), /ECONNREFUSED/);
    await s3Server(port);
    await until('an empty outbox', () => empty(db));
    await assertCopied(storage, receipt);
    assert.ok(lines.some(({ msg }) => msg === 'copies flow again'));
    await copier.close();
  });

  test('is not held up by a storage that never answers', async () => {
    const { db } = await fresh();
    const server = await silentServer();
    const storage = closedAfterwards(openStorage(s3Url(server.port)));
    for (let org_seq = 0; org_seq < 6; org_seq++) await mint(db, { org_seq, recipients: ['ada@example.org'] });
    const { copier, mailed } = start(db, { storage, timing: { destination_ms: 500 } });
    await until('all mails', () => mailed().length === 6);
    await until('only the copies left', async () => (await left(db)).length === 12);
    await until('a failure', async () => (await left(db)).some(({ last_error }) => last_error !== null));
    await copier.close();
  });

  test('keeps what a full or read-only folder does not take', async () => {
    const { db } = await fresh();
    const file = join(temporaryFolder(), 'a-file');
    writeFileSync(file, '');
    await mint(db);
    const { copier, lines } = start(db, { storage: openStorage(`file:${file}/objects`) });
    await until('a second failure', async () => (await left(db)).every(({ attempts }) => attempts >= 2));
    assert.ok((await left(db)).every(({ last_error }) => last_error?.startsWith('ENOTDIR')));
    await copier.close();
    assert.ok(
      lines.every(({ level }) => level <= 40),
      'nothing is given up',
    );
  });

  test('meets a storage that is down once per pause, however much is waiting', async () => {
    const { db } = await fresh();
    let attempts = 0;
    const down: Storage = {
      ...openStorage(`file:${temporaryFolder()}`),
      put: async () => Promise.reject(new Error(`down ${++attempts}`)),
    };
    for (let org_seq = 0; org_seq < 40; org_seq++) await mint(db, { org_seq });
    const clock = { ms: NOON };
    const backoff = { first_ms: 1_000, longest_ms: 900_000 };
    let looks = 0;
    const now = () => {
      looks++;
      return clock.ms;
    };
    const { copier } = start(db, { storage: down, now, timing: { backoff } });
    // With every look for work it asks for the time: a second attempt would have come after a few.
    const settled = () => {
      const before = looks;
      return until('more looks for work', () => looks >= before + 20);
    };
    await until('the first failures', async () => (await left(db)).some(({ last_error }) => last_error !== null));
    await settled();
    assert.ok(attempts <= 8, `${attempts} attempts at first: no more than one handful of receipts`);
    for (let pause = 0; pause < 5; pause++) {
      const before = attempts;
      clock.ms += 3_600_000;
      await until('one more attempt', () => attempts > before);
      await settled();
      assert.ok(attempts <= before + 2, `${attempts - before} attempts after a pause: one for JSON, one for PDF`);
    }
    await copier.close();
    assert.equal((await left(db)).length, 80);
  });

  test('sends later what a mail server that was down did not take', async () => {
    const { db } = await fresh();
    const port = await ownPort();
    const mailer = closedAfterwards(openMailer(`smtp://127.0.0.1:${port}`, FROM));
    await mint(db, { recipients: ['ada@example.org'] });
    const { copier } = start(db, { mailer });
    await until('two failures', async () =>
      (await left(db)).some(({ kind, attempts }) => kind === 'mail' && attempts >= 2),
    );
    const server = await mailServer({}, port);
    await until('an empty outbox', () => empty(db));
    assert.equal(server.received.length, 1);
    await copier.close();
  });

  test('gives up a recipient who is refused twenty times, and no other', async () => {
    const { db } = await fresh();
    const server = await mailServer({
      onRcptTo: ({ address }, _session, done) =>
        done(address.startsWith('nobody') ? Object.assign(new Error('no such mailbox'), { responseCode: 550 }) : null),
    });
    const mailer = closedAfterwards(openMailer(`smtp://127.0.0.1:${server.port}`, FROM));
    await mint(db, { recipients: ['nobody@example.org', 'ada@example.org'] });
    const { copier, lines } = start(db, { mailer, timing: { mail_backoff: { first_ms: 1, longest_ms: 1 } } });
    await until('the end of policy', async () =>
      (await left(db)).some(({ next_attempt_at }) => next_attempt_at === PARKED),
    );
    const [row, ...others] = await left(db);
    assert.deepEqual(others, []);
    assert.equal(row?.attempts, 20);
    assert.match(row?.last_error ?? '', /550/);
    assert.deepEqual(
      server.received.map(({ to }) => to),
      [['ada@example.org']],
    );
    const errors = lines.filter(({ level }) => level >= 50);
    assert.equal(errors.length, 1);
    assert.doesNotMatch(JSON.stringify({ ...errors[0], error: '' }), /nobody@/);
    await copier.close();
  });

  for (const [size, more, fault] of [
    ['small', '', 'not the hash of the payload'],
    ['large', ' and more'.repeat(10_000), 'do not have the hash that is recorded'],
  ] as const)
    test(`neither mails nor copies a ${size} receipt that was altered, and leaves the good copy alone`, async () => {
      const { db } = await fresh();
      const receipt = await mint(db, { title: `paid 100.00${more}`, recipients: ['ada@example.org'] });
      const first = start(db);
      await until('an empty outbox', () => empty(db));
      await first.copier.close();
      assert.equal(first.mailed().length, 1);

      await alter(db, 0, receipt.payload.replace('paid 100.00', 'paid 900.00'));
      const again = outboxRows('org_a', 0, ['ada@example.org'], new Date(NOON).toISOString());
      await db.insert('outbox', OUTBOX_COLUMNS, again);
      const { copier, mailed, lines } = start(db, { storage: first.storage });
      await until('all parked', async () =>
        (await left(db)).every(({ next_attempt_at }) => next_attempt_at === PARKED),
      );
      await copier.close();
      assert.equal((await left(db)).length, 3);
      await assertCopied(first.storage, receipt);
      assert.deepEqual(mailed(), []);
      const errors = lines.filter(({ level }) => level === 50);
      assert.equal(errors.length, 3);
      assert.ok(errors.every(({ error }) => error?.includes(fault)));
    });

  test('parks the copies of a receipt that is gone', async () => {
    const { db } = await fresh();
    await mint(db);
    await db.run('delete from receipts');
    const { copier } = start(db);
    await until('all parked', async () => (await left(db)).every(({ next_attempt_at }) => next_attempt_at === PARKED));
    assert.match((await left(db))[0]?.last_error ?? '', /not in the chain any more/);
    await copier.close();
  });

  for (const title of ['Small', 'Large'.repeat(10_000)])
    test(`does not take another receipt of ${title.length} characters with a seal of its own for the one that was minted`, async () => {
      const { db } = await fresh();
      const { payload } = await mint(db, { title, recipients: ['ada@example.org'] });
      const { receipt_sha256: _, ...members } = JSON.parse(payload);
      await alter(db, 0, seal({ ...members, created_at: '2020-01-01T00:00:00.000Z' }).canonical);
      const { copier, mailed } = start(db);
      await until('all parked', async () =>
        (await left(db)).every(({ next_attempt_at }) => next_attempt_at === PARKED),
      );
      assert.match(
        (await left(db))[0]?.last_error ?? '',
        title === 'Small' ? /replaced by another/ : /do not have the hash that is recorded/,
      );
      await copier.close();
      assert.deepEqual(mailed(), []);
    });

  test('repeats in place what a crash left between the work and its row', async () => {
    const { db } = await fresh();
    const receipt = await mint(db, { recipients: ['ada@example.org'] });
    const folders = [temporaryFolder(), temporaryFolder()] as const;
    const to = {
      storage: openStorage(`file:${folders[0]}`),
      mailer: openMailer(`file:${folders[1]}`, FROM),
      renderPdf,
    };
    const lease = {
      organization_id: 'org_a',
      now: new Date(NOON).toISOString(),
      leased_until: new Date(NOON + 60_000).toISOString(),
      limit: 10,
    };
    const claims = await db.transaction(async (tx) => [
      ...(await claimDue(tx, 'json', lease)),
      ...(await claimDue(tx, 'mail', lease)),
    ]);
    const [stored] = await loadPayloads(db, claims);
    const limits = { destination_ms: 60_000, giving_up: new AbortController().signal };
    const outcomes = await copyReceipt(to, stored, claims, limits);
    assert.deepEqual(
      outcomes.map(({ failure }) => failure),
      [null, null],
    );
    const before = readdirSync(folders[1]).map((name) => [name, messageId(join(folders[1], name))]);

    // The crash: nothing is deleted. The copier that comes next has to wait for the lease.
    const clock = { ms: NOON + 59_999 };
    const { copier } = start(db, { ...to, now: () => clock.ms });
    await until('the PDF, which was not claimed', async () => (await left(db)).length === 2);
    clock.ms += 1;
    await until('an empty outbox', () => empty(db));
    await copier.close();
    await assertCopied(to.storage, receipt);
    assert.deepEqual(
      readdirSync(folders[1]).map((name) => [name, messageId(join(folders[1], name))]),
      before,
    );
  });

  test('shares the work with other processes: every mail is sent once', async () => {
    const { db, url } = await fresh();
    const server = await mailServer();
    const mailer = closedAfterwards(openMailer(`smtp://127.0.0.1:${server.port}`, FROM));
    for (let org_seq = 0; org_seq < 100; org_seq++) await mint(db, { org_seq, recipients: ['ada@example.org'] });
    const others = [openDatabase(url), openDatabase(url)].map(closedAfterwards);
    const copiers = [db, ...others].map((each) => start(each, { mailer }));
    await until('an empty outbox', () => empty(db));
    await Promise.all(copiers.map(({ copier }) => copier.close()));
    const sent = server.received.map(({ mail }) => mail.messageId);
    assert.equal(sent.length, 100);
    assert.equal(new Set(sent).size, 100);
    const objects = copiers.flatMap(({ objects }) => objects());
    assert.equal(objects.length, 200);
    assert.equal(new Set(objects).size, 200);
  });

  test('tries again a PDF that could not be rendered, and copies the JSON meanwhile', async () => {
    const { db } = await fresh();
    const receipt = await mint(db);
    let broken = true;
    const { copier, storage } = start(db, {
      renderPdf: async (input) => (broken ? Promise.reject(new Error('no such glyph')) : renderPdf(input)),
    });
    await until('a second failure of what alone is left', async () => {
      const [row, ...others] = await left(db);
      return row?.kind === 'pdf' && row.attempts >= 2 && others.length === 0;
    });
    assert.match((await left(db))[0]!.last_error!, /no such glyph/);
    broken = false;
    await until('an empty outbox', () => empty(db));
    await assertCopied(storage, receipt);
    await copier.close();
  });

  test('goes round the organizations: a thousand receipts of one do not hold up the first of another', async () => {
    const { db } = await fresh();
    for (let org_seq = 0; org_seq < 60; org_seq++) await mint(db, { org_seq, recipients: ['ada@example.org'] });
    for (const organization_id of ['org_b', 'org_c'])
      await mint(db, { organization_id, recipients: ['bob@example.org'] });
    const drawn: string[] = [];
    const { copier } = start(db, {
      renderPdf: async (of) => {
        drawn.push(of.organization_id);
        return renderPdf(of);
      },
    });
    await until('an empty outbox', () => empty(db));
    await copier.close();
    assert.equal(drawn.length, 62);
    const last = Math.max(drawn.indexOf('org_b'), drawn.indexOf('org_c'));
    assert.ok(last < 4, `drawn as number ${last + 1}`);
  });

  test('copies every JSON while a PDF is being drawn', async () => {
    const { db } = await fresh();
    for (let org_seq = 0; org_seq < 40; org_seq++) await mint(db, { org_seq });
    const { promise: allowed, resolve: allow } = Promise.withResolvers<void>();
    const { copier } = start(db, {
      renderPdf: async (of) => {
        await allowed;
        return renderPdf(of);
      },
    });
    await until('all JSON', async () => (await left(db)).every(({ kind }) => kind === 'pdf'));
    assert.equal((await left(db)).length, 40);
    allow();
    await until('an empty outbox', () => empty(db));
    await copier.close();
  });

  test('takes neither a slow drawing nor a busy printer for a fault of storage or mail', async () => {
    const { db } = await fresh();
    const receipt = await mint(db, { recipients: ['ada@example.org'] });
    let refused = 0;
    const { copier, storage, mailed, lines } = start(db, {
      timing: { destination_ms: 1_000 },
      renderPdf: async (of) => {
        if (refused < 3) throw new Refusal(refused++ % 2 ? 'overloaded' : 'rate_limited', 'Too much is being drawn.');
        await new Promise((slow) => setTimeout(slow, 1_500));
        return renderPdf(of);
      },
    });
    await until('a refusal', () => refused > 0);
    assert.ok((await left(db)).every(({ attempts }) => attempts === 0));
    await until('an empty outbox', () => empty(db));
    await assertCopied(storage, receipt);
    assert.equal(mailed().length, 1);
    assert.equal(refused, 3);
    await copier.close();
    assert.deepEqual(lines, [], 'nothing failed');
  });

  test('parks what cannot be drawn after twenty attempts, with the reason, and keeps on copying for others', async () => {
    const { db } = await fresh();
    await mint(db, { recipients: ['ada@example.org'] });
    const other = await mint(db, { organization_id: 'org_b' });
    const drawn: string[] = [];
    const { copier, storage, lines } = start(db, {
      timing: { mail_backoff: { first_ms: 1, longest_ms: 1 } },
      renderPdf: async (of) => {
        drawn.push(of.organization_id);
        return of.organization_id === 'org_a' ? Promise.reject(new Refusal('receipt_not_drawn', 'No.')) : renderPdf(of);
      },
    });
    await until('both parked', async () => {
      const rows = await left(db);
      return rows.length === 2 && rows.every(({ next_attempt_at }) => next_attempt_at === PARKED);
    });
    await copier.close();
    await assertCopied(storage, other);
    for (const row of await left(db)) {
      assert.equal(row.attempts, 20);
      assert.match(row.last_error ?? '', /the PDF could not be rendered: receipt_not_drawn/);
    }
    assert.equal(drawn.filter((id) => id === 'org_b').length, 1);
    assert.equal(lines.filter(({ level }) => level === 50).length, 2);
  });

  test('works one receipt at a time while mints flow', async () => {
    const { db } = await fresh();
    for (let org_seq = 0; org_seq < 8; org_seq++) await mint(db, { org_seq });
    let [now, most] = [0, 0];
    const { copier } = start(db, {
      busy: () => true,
      renderPdf: async (input) => {
        most = Math.max(most, ++now);
        await new Promise((lap) => setImmediate(lap));
        now -= 1;
        return renderPdf(input);
      },
    });
    await until('an empty outbox', () => empty(db));
    assert.equal(most, 1);
    await copier.close();
  });

  test('ends with the receipt in hand and hands the others back', async () => {
    const { db } = await fresh();
    for (let org_seq = 0; org_seq < 10; org_seq++) await mint(db, { org_seq });
    const { promise: rendering, resolve: begun } = Promise.withResolvers<void>();
    const { promise: allowed, resolve: allow } = Promise.withResolvers<void>();
    const { copier, storage } = start(db, {
      busy: () => true,
      timing: { close_ms: 10_000 },
      renderPdf: async (input) => {
        begun();
        await allowed;
        return renderPdf(input);
      },
    });
    await rendering;
    const closed = copier.close();
    allow();
    await closed;
    const rows = (await left(db)).filter(({ kind }) => kind === 'pdf');
    assert.equal(rows.length, 9);
    assert.ok(
      rows.every(({ attempts, next_attempt_at }) => attempts === 0 && Date.parse(next_attempt_at) <= Date.now()),
    );
    const copied = await Promise.all(Array.from({ length: 10 }, (_, org_seq) => keyed(storage, db, org_seq)));
    assert.equal(copied.filter(Boolean).length, 1);
  });

  test('ends soon when a destination never answers, and the row stays', async () => {
    const { db } = await fresh();
    const server = await silentServer();
    const storage = closedAfterwards(openStorage(s3Url(server.port)));
    await mint(db);
    const { copier } = start(db, { storage });
    await until('a connection', () => server.connections() > 0);
    await copier.close();
    assert.deepEqual(
      (await left(db)).map(({ attempts, last_error }) => [attempts, last_error]),
      [
        [0, null],
        [0, null],
      ],
    );
  });

  test('waits for a database that is away, says so once, and ends all the same', async () => {
    const { url } = await fresh();
    const gone = openDatabase(url);
    await gone.close();
    const { copier, lines } = start(gone);
    await until('the words', () => lines.some(({ msg }) => msg === 'copies wait for the database'));
    for (let i = 0; i < 5; i++) copier.wake();
    await copier.close();
    assert.equal(lines.length, 1);
  });
});

async function keyed(storage: Storage, db: Db, org_seq: number): Promise<boolean> {
  const [row] = await loadPayloads(db, [{ organization_id: 'org_a', org_seq }]);
  const { receipt_id } = JSON.parse(row!.payload);
  return (await storage.get(receiptKey('org_a', receipt_id, 'pdf'))) !== null;
}

function messageId(path: string): string {
  return path.endsWith('.eml') ? (/^Message-ID: (.*)$/im.exec(readFileSync(path, 'utf8'))?.[1] ?? '') : '';
}
