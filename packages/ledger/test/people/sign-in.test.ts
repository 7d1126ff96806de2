/** What a sign-in link and a session are good for, how long, and where their secrets are not (trust.md). */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Db } from '@rcpt/service/db/db.ts';
import { secretSha256 } from '@rcpt/service/ids.ts';
import { eachEngine } from '../../../../test/kit/engines.ts';
import { MIGRATIONS } from '../../src/migrations.ts';
import { addMember, browserOf, cookieIn, linkToken, mailsTo, mailTo, newMailbox, signIn } from '../kit/people.ts';
import { ledgerProcess, rcpt } from '../kit/process.ts';
import { eachLedger, running, tenantOf } from '../kit/running.ts';

const LONG_AGO = '2020-01-01T00:00:00.000Z';

eachLedger(
  'sign-in',
  (ledger) => {
    test('a link that has run out opens nothing', async () => {
      const { email } = await addMember(await ledger.tenant(), 'agent');
      const token = await linkToken(ledger, email);
      await ledger.db.run('update sign_in_links set expires_at = $1', [LONG_AGO]);
      const late = await ledger.call('POST', '/session', { body: { token } });
      assert.deepEqual([late.status, late.json.code], [401, 'sign_in_link_invalid']);
    });

    test('a stranger is answered as a member is, and mailed nothing', async () => {
      const { email } = await addMember(await ledger.tenant(), 'agent');
      const stranger = newMailbox();
      const answers = [];
      for (const asked of [email, stranger])
        answers.push(await ledger.call('POST', '/sign-in', { body: { email: asked } }));
      const seen = answers.map(({ status, text, headers }) => [status, text, [...headers.keys()].sort()]);
      assert.deepEqual(seen[0], seen[1]);
      await mailTo(ledger, email, 'sign-in');
      assert.deepEqual(mailsTo(ledger, stranger, 'sign-in'), []);
      const links = await ledger.db.all(`select token_sha256 from sign_in_links where person_id is null`);
      assert.equal(links.length, 1, 'a link for no person');
    });

    test('a mailbox is written to five times in a quarter of an hour, known or not', async () => {
      const { email } = await addMember(await ledger.tenant(), 'agent');
      for (const asked of [email, newMailbox()]) {
        const statuses = [];
        for (let i = 0; i < 6; i++)
          statuses.push((await ledger.call('POST', '/sign-in', { body: { email: asked } })).status);
        assert.deepEqual(statuses, [200, 200, 200, 200, 200, 429]);
      }
      assert.equal((await mailTo(ledger, email, 'sign-in', 5)).length, 5);
      await ledger.db.run('update mailbox_requests set requested_at = $1', [LONG_AGO]);
      assert.equal((await ledger.call('POST', '/sign-in', { body: { email } })).status, 200);
    });

    test('signing out ends this session, signing out everywhere all of this person', async () => {
      const tenant = await ledger.tenant();
      const [{ email }, other] = [await addMember(tenant, 'agent'), await addMember(tenant, 'agent')];
      const [first, second, third] = [
        await signIn(ledger, email),
        await signIn(ledger, email),
        await signIn(ledger, email),
      ];
      const bystander = await signIn(ledger, other.email);
      const out = await first.ask('DELETE', '/session');
      assert.equal(out.status, 200);
      assert.match(out.headers.getSetCookie()[0]!, /^rcpt_session=; Max-Age=0; Path=\/; HttpOnly; SameSite=Lax$/);
      assert.deepEqual(
        [(await first.ask('GET', '/session')).status, (await second.ask('GET', '/session')).status],
        [401, 200],
      );
      assert.equal((await second.ask('DELETE', '/sessions')).status, 200);
      for (const browser of [second, third]) {
        const { status, json } = await browser.ask('GET', '/session');
        assert.deepEqual([status, json.code], [401, 'unauthenticated']);
      }
      assert.equal((await bystander.ask('GET', '/session')).status, 200);
    });

    test('a session ends by itself, and is renewed once a day while it is used', async () => {
      const { email } = await addMember(await ledger.tenant(), 'agent');
      const [kept, lost] = [await signIn(ledger, email), await signIn(ledger, email)];
      const set = async ({ cookie }: { cookie: string }, expires_at: string) => {
        assert.equal(
          await ledger.db.run('update sessions set expires_at = $2 where token_sha256 = $1', [
            secretSha256(cookie.split('=')[1]!),
            expires_at,
          ]),
          1,
        );
      };
      await set(lost, LONG_AGO);
      await set(kept, new Date(Date.now() + 28 * 86_400_000).toISOString());
      assert.equal((await lost.ask('GET', '/session')).status, 401);
      const renewed = await kept.ask('GET', '/session');
      assert.equal(renewed.status, 200);
      assert.equal(cookieIn(renewed), kept.cookie);
      const days = (answer: typeof renewed) => (Date.parse(answer.json.expires_at) - Date.now()) / 86_400_000;
      assert.ok(days(renewed) > 29.9, renewed.json.expires_at);
      const again = await kept.ask('GET', '/session');
      assert.deepEqual([again.headers.getSetCookie(), days(again) > 29.9], [[], true]);
    });

    test('signing out while one switches organizations is an answer, whichever comes first', async () => {
      const [here, there] = [await ledger.tenant(), await ledger.tenant()];
      const both = await Promise.all(
        Array.from({ length: 20 }, async () => {
          const { email } = await addMember(here, 'agent');
          await addMember(there, 'agent', email);
          const browser = await signIn(ledger, email);
          const body = { organization_id: there.organization_id };
          return Promise.all([browser.ask('PATCH', '/session', { body }), browser.ask('DELETE', '/session')]);
        }),
      );
      for (const [switched, out] of both) {
        assert.ok([200, 401, 403, 404].includes(switched.status), switched.text);
        assert.equal(out.status, 200, out.text);
      }
    });

    test('another site cannot sign a visitor in, also where browsers name no more than the origin', async () => {
      const { email } = await addMember(await ledger.tenant(), 'agent');
      const token = await linkToken(ledger, email);
      const elsewhere: Record<string, string>[] = [
        { origin: 'https://evil.example' },
        { origin: 'null' },
        { origin: ledger.url, 'sec-fetch-site': 'same-site' },
        { 'sec-fetch-site': 'cross-site' },
      ];
      for (const headers of elsewhere)
        for (const [path, body] of [
          ['/session', { token }],
          ['/sign-in', { email }],
        ] as const) {
          const { status, json } = await ledger.call('POST', path, { body, headers });
          assert.deepEqual([status, json.code], [403, 'cross_site'], `${path} ${JSON.stringify(headers)}`);
        }
      const opened = await ledger.call('POST', '/session', { body: { token }, headers: { origin: ledger.url } });
      assert.equal(opened.status, 200, opened.text);
    });

    test('a cookie that was made up, cut, or taken from the database is no session', async () => {
      const { email } = await addMember(await ledger.tenant(), 'agent');
      const { cookie } = await signIn(ledger, email);
      const token = cookie.slice('rcpt_session='.length);
      assert.match(token, /^[\w-]{43}$/);
      const [stored] = await ledger.db.all<{ token_sha256: string }>('select token_sha256 from sessions');
      const forged = [
        '',
        token.slice(1),
        `${token}.`,
        `${token}.signature`,
        `${token.startsWith('A') ? 'B' : 'A'}${token.slice(1)}`,
        stored!.token_sha256,
        stored!.token_sha256.slice(0, 43),
        `"${token}"`,
        '%',
        '%00.%00',
        'x'.repeat(4_000),
      ];
      for (const value of forged)
        for (const sent of [value, encodeURIComponent(value)]) {
          const { status, json } = await browserOf(ledger, `rcpt_session=${sent}`).ask('GET', '/session');
          assert.deepEqual([status, json.code], [401, 'unauthenticated'], sent);
        }
      assert.equal((await browserOf(ledger, `other=1; ${cookie}; more=2`).ask('GET', '/session')).status, 200);
    });

    test('a key in the cookie’s place, or a session’s token in the key’s, is no credential, also right after its use', async () => {
      const tenant = await ledger.tenant();
      const key = tenant.keys.owner!;
      const browser = await signIn(ledger, (await addMember(tenant, 'owner')).email);
      const token = browser.cookie.slice('rcpt_session='.length);
      assert.equal((await ledger.call('GET', '/session', { token: key })).json.kind, 'key');
      assert.equal((await browser.ask('GET', '/session')).json.kind, 'person');
      const swapped = [
        await browserOf(ledger, `rcpt_session=${key}`).ask('GET', '/session'),
        await ledger.call('GET', '/session', { token }),
      ];
      assert.deepEqual(
        swapped.map(({ status, json }) => [status, json.code]),
        Array(2).fill([401, 'unauthenticated']),
      );
    });

    test('the session that is opened is never one that the browser brought', async () => {
      const { email } = await addMember(await ledger.tenant(), 'agent');
      const planted = 'p'.repeat(43);
      for (const brought of [`rcpt_session=${planted}`, (await signIn(ledger, email)).cookie]) {
        const body = { token: await linkToken(ledger, email) };
        const opened = await ledger.call('POST', '/session', { body, headers: { cookie: brought } });
        assert.equal(opened.status, 200, opened.text);
        assert.notEqual(cookieIn(opened), brought);
      }
      assert.equal((await browserOf(ledger, `rcpt_session=${planted}`).ask('GET', '/session')).status, 401);
    });
  },
  { LEDGER_SIGN_IN_REQUESTS_PER_MINUTE: '100000' },
);

eachEngine('sign-in, one ledger after another', MIGRATIONS, (fresh, engine) => {
  const folders: string[] = [];
  after(() => {
    for (const folder of folders) rmSync(folder, { recursive: true, force: true });
  });
  const ownFolder = () => {
    const folder = mkdtempSync(join(tmpdir(), 'people-'));
    folders.push(folder);
    return folder;
  };

  test('two ledgers on one database know the same sessions, and what one ends the other refuses, too', async () => {
    const database = await fresh();
    const [one, two] = [await running(database), await running(database)];
    try {
      const tenant = await one.tenant();
      const { id, email } = await addMember(tenant, 'auditor');
      const { cookie } = await signIn(one, email);
      const there = browserOf(two, cookie);
      assert.equal((await there.ask('GET', '/ledger')).status, 200);
      await tenant.as('owner')('DELETE', `/members/${id}`);
      assert.equal((await browserOf(one, cookie).ask('GET', '/ledger')).status, 403, 'here at once');
      const deadline = performance.now() + 60_000;
      while ((await there.ask('GET', '/ledger')).status !== 403) {
        assert.ok(performance.now() < deadline, 'it is still let in');
        await sleep(100);
      }
    } finally {
      await Promise.all([one.close(), two.close()]);
    }
  });

  test('a link that is used at two ledgers at once opens one session', async () => {
    const database = await fresh();
    const ledgers = [await running(database), await running(database)];
    try {
      const [one] = ledgers;
      const { id, email } = await addMember(await one!.tenant(), 'agent');
      for (let sessions = 1; sessions <= 5; sessions++) {
        const token = await linkToken(one!, email);
        const uses = Array.from({ length: 8 }, (_, i) => ledgers[i % 2]!.call('POST', '/session', { body: { token } }));
        const statuses = (await Promise.all(uses)).map(({ status }) => status);
        assert.deepEqual(statuses.toSorted(), [200, 401, 401, 401, 401, 401, 401, 401]);
        const opened = await database.db.all('select id from sessions where person_id = $1', [id]);
        assert.equal(opened.length, sessions);
        await database.db.run('delete from mailbox_requests');
      }
    } finally {
      await Promise.all(ledgers.map((ledger) => ledger.close()));
    }
  });

  test('a person who switches organizations at one ledger has switched at the other, too, at once', {
    skip: engine === 'sqlite',
  }, async (t) => {
    const database = await fresh();
    const [one, two] = [await running(database), await running(database)];
    try {
      const [here, there] = [await one.tenant('Here'), await one.tenant('There')];
      // What was looked up is kept for two seconds, and these do not pass: the other hears of it, or never learns.
      const stopped = performance.now();
      t.mock.method(performance, 'now', () => stopped);
      const { email } = await addMember(here, 'agent');
      await addMember(there, 'agent', email);
      const browser = await signIn(one, email);
      for (const { organization_id } of [there, here, there]) {
        assert.equal((await browserOf(two, browser.cookie).ask('GET', '/session')).status, 200);
        const switched = await browser.ask('PATCH', '/session', { body: { organization_id } });
        assert.equal(switched.json.organization.id, organization_id);
        const there_now = async () =>
          (await browserOf(two, browser.cookie).ask('GET', '/session')).json.organization?.id;
        for (const deadline = Date.now() + 60_000; (await there_now()) !== organization_id; await sleep(5))
          assert.ok(Date.now() < deadline, 'it did not hear of it');
      }
    } finally {
      await Promise.all([one.close(), two.close()]);
    }
  });

  test('one address asks so often and no more', async () => {
    const ledger = await running(await fresh(), { LEDGER_SIGN_IN_REQUESTS_PER_MINUTE: '3' });
    try {
      const statuses = [];
      for (let i = 0; i < 4; i++)
        statuses.push((await ledger.call('POST', '/sign-in', { body: { email: newMailbox() } })).status);
      assert.deepEqual(statuses, [200, 200, 200, 429]);
    } finally {
      await ledger.close();
    }
  });

  test('over https the cookie travels over nothing else, and no subdomain can set another before it', async () => {
    const ledger = await running(await fresh(), { LEDGER_BASE_URL: 'https://ledger.example' });
    try {
      const tenant = await ledger.tenant();
      const { email } = await addMember(tenant, 'agent');
      const opened = await ledger.call('POST', '/session', { body: { token: await linkToken(ledger, email) } });
      assert.match(
        opened.headers.getSetCookie()[0]!,
        /^__Host-rcpt_session=[^;]+; Max-Age=2592000; Path=\/; HttpOnly; Secure; SameSite=Lax$/,
      );
      const browser = browserOf(ledger, cookieIn(opened));
      assert.equal((await browser.ask('GET', '/session')).status, 200);
      assert.match(
        (await browser.ask('DELETE', '/session')).headers.getSetCookie()[0]!,
        /^__Host-rcpt_session=; Max-Age=0; Path=\/; HttpOnly; Secure; SameSite=Lax$/,
      );
      const [, value] = (await signIn(ledger, email)).cookie.split('__Host-');
      const tossed = await ledger.call('GET', '/session', { headers: { cookie: `__Secure-${value}; ${value}` } });
      assert.equal(tossed.status, 401);
      // A cookie whose name begins with another blank than space and tab may be set by any subdomain.
      const owner = await signIn(ledger, (await addMember(tenant, 'agent')).email);
      for (const blank of ['\u00a0', '\u0085', ' \u00a0\t'])
        for (const cookie of [
          `a=1; ${blank}__Host-${value}; ${owner.cookie}`,
          `a=1;${blank}__Host-${value};\t ${owner.cookie} `,
        ]) {
          const { json } = await ledger.call('GET', '/session', { headers: { cookie } });
          assert.notEqual(json.email, email, JSON.stringify(cookie));
          assert.match(json.email, /@/);
        }
    } finally {
      await ledger.close();
    }
  });

  test('neither the log nor the database holds a token, a cookie or an address that was asked for', async () => {
    const { db, url } = await fresh();
    const folder = ownFolder();
    const ledger = await ledgerProcess(url, { LEDGER_SMTP_URL: `file:${folder}/outbox`, LEDGER_LOG_LEVEL: 'debug' });
    const { email } = await addMember(await tenantOf(ledger.call), 'agent');
    const token = await linkToken({ call: ledger.call, folder }, email);
    const stranger = newMailbox();
    await ledger.call('POST', '/sign-in', { body: { email: stranger } });
    const unused = await linkToken({ call: ledger.call, folder }, email);
    const opened = await ledger.call('POST', '/session', { body: { token } });
    await ledger.call('POST', '/session', { body: { token } });
    const cookie = cookieIn(opened).slice('rcpt_session='.length);
    await browserOf(ledger, cookieIn(opened)).ask('GET', '/session');
    ledger.signal('SIGTERM');
    const said = (await ledger.ended).stderr.join('\n');
    assert.match(said, /"route":"\/session"/);
    const stored = await everythingIn(db);
    assert.ok(stored.includes(email));
    for (const secret of [token, unused, cookie, stranger]) {
      assert.ok(!stored.includes(secret), 'in the database');
      assert.ok(!said.includes(secret), 'in the log');
    }
    assert.ok(!said.includes(email), 'in the log');
  });

  test('killed between the mail and the session, it lets the person in after the restart', async () => {
    const { url } = await fresh();
    const folder = ownFolder();
    const settings = { LEDGER_SMTP_URL: `file:${folder}/outbox` };
    const first = await ledgerProcess(url, settings);
    const { email } = await addMember(await tenantOf(first.call), 'agent');
    const [used, kept] = [
      await linkToken({ call: first.call, folder }, email),
      await linkToken({ call: first.call, folder }, email),
    ];
    const answered = first.call('POST', '/session', { body: { token: used } }).catch(() => null);
    first.signal('SIGKILL');
    await Promise.all([answered, first.ended]);

    const second = await ledgerProcess(url, settings);
    const opened = await second.call('POST', '/session', { body: { token: kept } });
    assert.equal(opened.status, 200, opened.text);
    assert.equal((await browserOf(second, cookieIn(opened)).ask('GET', '/session')).json.name, email);
    // Whether the first use came through is open; it was never used twice.
    const again = await second.call('POST', '/session', { body: { token: used } });
    assert.ok([200, 401].includes(again.status), again.text);
    assert.equal((await second.call('POST', '/session', { body: { token: used } })).status, 401);
    second.signal('SIGTERM');
    assert.equal((await second.ended).code, 0);
  });

  test('from a shell a member is added, given a link, and removed', async () => {
    const { url } = await fresh();
    const ledger = await running({ url });
    const tenant = await ledger.tenant();
    const email = newMailbox();
    const environment = { LEDGER_DATABASE_URL: url, LEDGER_BASE_URL: ledger.url };
    const member = (...args: string[]) =>
      rcpt(['member', ...args, '--org', tenant.organization_id, '--email', email, '--json'], environment);
    try {
      const added = JSON.parse((await member('add', '--role', 'auditor')).stdout);
      assert.deepEqual([added.email, added.role, added.invited_by], [email, 'auditor', 'the operator']);
      const again = await member('add', '--role', 'owner');
      assert.deepEqual([again.code, again.stderr], [1, [`rcpt: ${email} belongs to this organization already.`]]);
      const { sign_in_url } = JSON.parse((await member('link')).stdout);
      assert.ok(sign_in_url.startsWith(`${ledger.url}/sign-in#token=`));
      const opened = await ledger.call('POST', '/session', { body: { token: sign_in_url.split('#token=')[1] } });
      assert.deepEqual([opened.json.id, opened.json.role], [added.id, 'auditor']);
      assert.equal((await member('remove')).code, 0);
      assert.deepEqual([(await member('remove')).code, (await member('link')).code], [1, 1]);
      assert.deepEqual((await tenant.as('owner')('GET', '/members')).members, []);
      const wrong = await Promise.all([member('add'), member('rename')]);
      assert.deepEqual(
        wrong.map(({ code }) => code),
        [2, 2],
      );
    } finally {
      await ledger.close();
    }
  });

  test('a mail server that is away delays no answer, and the person asks again when it is back', async () => {
    const { url } = await fresh();
    const away = await running({ url }, { LEDGER_SMTP_URL: 'smtp://127.0.0.1:1' });
    const tenant = await away.tenant();
    const { email } = await addMember(tenant, 'agent');
    assert.equal((await away.call('POST', '/sign-in', { body: { email } })).status, 200);
    await away.close();
    const back = await running({ url });
    assert.equal((await signIn(back, email)).cookie.startsWith('rcpt_session='), true);
    await back.close();
  });
});

/** Every row of every table, as text. */
async function everythingIn(db: Db): Promise<string> {
  const tables = await db.all<{ name: string }>(
    db.engine === 'sqlite'
      ? `select name from sqlite_master where type = 'table'`
      : `select tablename as name from pg_tables where schemaname = current_schema()`,
  );
  assert.ok(tables.some(({ name }) => name === 'sign_in_links'));
  const rows = [];
  for (const { name } of tables) rows.push(JSON.stringify(await db.all(`select * from ${name}`)));
  return rows.join('\n');
}
