import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { createProbe } from '@rcpt/service/process/health.ts';
import fc from 'fast-check';
import PostalMime from 'postal-mime';
import { ownPort } from '../../../../test/kit/own-port.ts';
import { MAIL_FROM, MAIL_URL, openMailer } from '../../src/mail/mail.ts';
import { receiptMail } from '../../src/mail/receipt-mail.ts';
import { errorText } from '../../src/outbox/error-text.ts';
import { closedAfterwards, mailServer, silentServer, temporaryFolder, until } from '../kit/copies.ts';

// The same values every time; TEST_SEED=<number> tries others.
fc.configureGlobal({ seed: Number(process.env.TEST_SEED ?? 1) });

const FROM = 'Receipts <receipts@ledger.example>';
const PDF = Buffer.from('%PDF-1.7 stand-in');

function mailOf(changed: { title?: string; to?: string; name?: string; share_url?: string } = {}) {
  return receiptMail({
    receipt: {
      receipt_id: 'RCPT-000012-0a1b2c3d',
      organization: { id: 'org_1', name: changed.name ?? 'Acme & Söhne' },
      receipt_sha256: 'f'.repeat(64),
      created_at: '2026-05-29T20:14:33.123Z',
    },
    title: changed.title ?? 'Quarterly summary',
    bytes: '{"title":"ü"}',
    pdf: PDF,
    to: changed.to ?? 'ada@example.org',
    share_url: changed.share_url ?? 'http://ledger.example/share/abc',
  });
}

describe('the mail of a receipt', () => {
  test('says what was minted, links to it, and carries the PDF and the sealed bytes', async () => {
    const server = await mailServer();
    const mailer = closedAfterwards(openMailer(`smtp://127.0.0.1:${server.port}`, FROM));
    await mailer.send(mailOf());
    const [{ to, mail }] = server.received as [(typeof server.received)[0]];
    assert.deepEqual(to, ['ada@example.org']);
    assert.equal(mail.subject, 'Receipt RCPT-000012-0a1b2c3d · Quarterly summary');
    assert.deepEqual(mail.from, { address: 'receipts@ledger.example', name: 'Receipts' });
    assert.match(mail.messageId ?? '', /^<RCPT-000012-0a1b2c3d\.[0-9a-f]{32}@ledger\.example>$/);
    for (const body of [mail.text, mail.html]) {
      assert.match(body ?? '', /http:\/\/ledger\.example\/share\/abc/);
      assert.match(body ?? '', /Quarterly summary/);
    }
    const [pdf, json] = mail.attachments;
    assert.equal(pdf?.filename, 'RCPT-000012-0a1b2c3d.pdf');
    assert.equal(pdf?.mimeType, 'application/pdf');
    assert.deepEqual(Buffer.from(pdf?.content as ArrayBuffer), PDF);
    assert.equal(json?.filename, 'RCPT-000012-0a1b2c3d.json');
    assert.equal(Buffer.from(json?.content as ArrayBuffer).toString('utf8'), '{"title":"ü"}');
  });

  test('is the same mail when it is made again, and another for another recipient or organization', () => {
    assert.deepEqual(mailOf(), mailOf());
    assert.equal(mailOf({ to: 'ADA@example.org' }).id, mailOf().id);
    assert.notEqual(mailOf({ to: 'bob@example.org' }).id, mailOf().id);
    assert.doesNotMatch(mailOf().id, /ada|example/);
  });

  test('escapes what people wrote', () => {
    const { html, text } = mailOf({ title: '<img src=x onerror=alert(1)>"\'&', name: '</td><script>' });
    assert.doesNotMatch(html, /<img|<script|onerror=alert\(1\)>"/);
    assert.match(html, /&#60;img src=x onerror=alert\(1\)&#62;&#34;&#39;&#38;/);
    assert.match(text, /<img src=x/);
    assert.doesNotMatch(mailOf({ share_url: 'javascript:alert(1)' }).html, /href/);
  });

  test('refuses a recipient that is not one plain address', () => {
    for (const to of ['', 'ada', 'a@b, c@d', 'Ada <a@b>', 'a@b\r\nBcc: c@d', 'a b@c', 'a@b@c', '"a"@b', 'a@b;c'])
      assert.throws(() => mailOf({ to }), /not one plain e-mail address/, to);
  });

  test('has no header that a title could have put there', async () => {
    const folder = temporaryFolder();
    const mailer = closedAfterwards(openMailer(`file:${folder}`, FROM));
    const evil = [
      'x\r\nBcc: eve@example.org',
      'x\nX-Evil: 1',
      'x\r\n\r\n<script>',
      'x\u2028Bcc: y',
      '=?utf-8?q?=0D=0ABcc:_eve?=',
      '\u202Efdp',
    ];
    const titles = fc.oneof(
      fc.constantFrom(...evil),
      fc.string({ unit: 'binary' }),
      fc.array(fc.constantFrom(...evil)).map((t) => t.join('')),
    );
    await fc.assert(
      fc.asyncProperty(titles, async (title) => {
        await mailer.send(mailOf({ title, name: title }));
        const [file] = readdirSync(folder).filter((name) => name.endsWith('.eml'));
        const mail = await PostalMime.parse(readFileSync(join(folder, file!)));
        assert.deepEqual(mail.headers.map(({ key }) => key).sort(), HEADERS);
        assert.ok(mail.subject?.startsWith('Receipt RCPT-000012-0a1b2c3d ·'));
        assert.equal(mail.to?.length, 1);
      }),
      { numRuns: 60 },
    );
  });
});

const HEADERS = ['auto-submitted', 'content-type', 'date', 'from', 'message-id', 'mime-version', 'subject', 'to'];

describe('a mail server', () => {
  test('is spoken to over TLS when it offers it', async () => {
    const server = await mailServer({ disabledCommands: [] });
    const mailer = closedAfterwards(openMailer(`smtp://127.0.0.1:${server.port}?tls.rejectUnauthorized=false`, FROM));
    await mailer.send(mailOf());
    assert.equal(server.received[0]?.secure, true);

    const strict = closedAfterwards(openMailer(`smtp://127.0.0.1:${server.port}`, FROM));
    await assert.rejects(strict.send(mailOf()), /certificate/);
    assert.equal(server.received.length, 1);
  });

  test('gives and takes credentials, which no error repeats', async () => {
    const server = await mailServer({
      authOptional: false,
      disabledCommands: ['STARTTLS'],
      onAuth: ({ username, password }, _session, done) =>
        password === 'se:cret' ? done(null, { user: username }) : done(new Error('wrong credentials')),
    });
    const probe = async (url: string) => {
      const mailer = closedAfterwards(openMailer(url, FROM));
      const errors: unknown[] = [];
      const ok = await createProbe((signal) => mailer.probe(signal), {
        timeout_ms: 60_000,
        onFailure: (error) => errors.push(error),
      }).check();
      return { ok, text: errors.map(errorText).join() };
    };
    assert.deepEqual(await probe(`smtp://ada:se%3Acret@127.0.0.1:${server.port}`), { ok: true, text: '' });
    const { ok, text } = await probe(`smtp://ada:hunter2@127.0.0.1:${server.port}`);
    assert.equal(ok, false);
    assert.match(text, /EAUTH/);
    assert.doesNotMatch(text, /hunter2/);
  });

  test('that is away, or says nothing, fails the probe and every mail within their bounds', async () => {
    const silent = await silentServer();
    for (const port of [await ownPort(), silent.port]) {
      const mailer = closedAfterwards(openMailer(`smtp://127.0.0.1:${port}`, FROM));
      await assert.rejects(mailer.send(mailOf(), AbortSignal.timeout(200)));
      assert.equal(await createProbe((signal) => mailer.probe(signal), { timeout_ms: 200 }).check(), false);
    }
  });

  test('that was away takes the next mail of the same mailer', async () => {
    const port = await ownPort();
    const mailer = closedAfterwards(openMailer(`smtp://127.0.0.1:${port}`, FROM));
    await assert.rejects(mailer.send(mailOf()));
    const server = await mailServer({}, port);
    await until('the mail', () =>
      mailer.send(mailOf()).then(
        () => true,
        () => false,
      ),
    );
    assert.equal(server.received.length, 1);
  });

  test('that restarts between two mails takes the second', async () => {
    const port = await ownPort();
    const first = await mailServer({}, port);
    const mailer = closedAfterwards(openMailer(`smtp://127.0.0.1:${port}`, FROM));
    await mailer.send(mailOf());
    await first.close();
    const second = await mailServer({}, port);
    await until('the mail', () =>
      mailer.send(mailOf()).then(
        () => true,
        () => false,
      ),
    );
    assert.equal(second.received[0]?.mail.messageId, first.received[0]?.mail.messageId);
  });
});

describe('a mail folder', () => {
  test('is closed to other accounts, with every mail in it, wherever it is and whoever made it', async () => {
    const modeOf = (path: string) => statSync(path).mode & 0o7777;
    for (const before of [null, 0o755, 0o1777]) {
      const folder = join(temporaryFolder(), 'deep', 'outbox');
      if (before !== null) {
        mkdirSync(folder, { recursive: true });
        chmodSync(folder, before);
      }
      const mailer = closedAfterwards(openMailer(`file:${folder}`, FROM));
      await mailer.probe(AbortSignal.timeout(60_000));
      await mailer.send(mailOf());
      assert.equal(modeOf(folder), before === 0o1777 ? before : 0o700, 'one that all share stays theirs');
      assert.equal(modeOf(join(folder, '.unfinished')), 0o700);
      assert.equal(modeOf(join(folder, `${mailOf().id}.eml`)), 0o600);
    }
  });

  test('holds one file per mail, however often it is sent', async () => {
    const folder = temporaryFolder();
    const mailer = closedAfterwards(openMailer(`file:${folder}`, FROM));
    for (const to of ['ada@example.org', 'ada@example.org', 'bob@example.org']) await mailer.send(mailOf({ to }));
    await mailer.probe(AbortSignal.timeout(60_000));
    const files = readdirSync(folder).filter((name) => name !== '.unfinished');
    assert.equal(files.length, 2);
    const mail = await PostalMime.parse(readFileSync(join(folder, `${mailOf().id}.eml`)));
    assert.equal(mail.to?.[0]?.address, 'ada@example.org');
    assert.equal(mail.attachments.length, 2);
  });

  test('that cannot be written fails its probe and every mail', async () => {
    const file = join(temporaryFolder(), 'a-file');
    writeFileSync(file, '');
    const mailer = closedAfterwards(openMailer(`file:${file}/outbox`, FROM));
    await assert.rejects(mailer.send(mailOf()), { code: 'ENOTDIR' });
    assert.equal(await createProbe((signal) => mailer.probe(signal)).check(), false);
  });
});

describe('the settings of e-mail', () => {
  test('are addresses of a folder or a server, and a sender', () => {
    for (const url of [
      'file:data/outbox',
      'smtp://mail.example',
      'smtps://u:p@mail.example:465',
      'smtp://h:25?requireTLS=true',
    ])
      assert.match(url, MAIL_URL);
    for (const url of ['', 'file:', 'mail.example', 'http://mail.example', 'smtp://', 'smtp:// x'])
      assert.doesNotMatch(url, MAIL_URL);
    for (const from of ['receipts@localhost', 'Receipts <receipts@example.org>']) assert.match(from, MAIL_FROM);
    for (const from of ['', 'receipts', 'a@b\r\nBcc: c@d', 'a@b, c@d', '<a@b>, <c@d>'])
      assert.doesNotMatch(from, MAIL_FROM);
    assert.throws(() => openMailer('smtp://mail.example', 'receipts'), /the sender/);
  });
});
