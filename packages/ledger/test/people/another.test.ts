/** A link that is opened where another person is signed in: the person is asked before they work in another's account. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addMember, browserOf, cookieIn, linkToken, signIn } from '../kit/people.ts';
import { eachLedger } from '../kit/running.ts';

eachLedger(
  'a link of another person',
  (ledger) => {
    const two = async () => {
      const [mine, other] = [await ledger.tenant('Mine'), await ledger.tenant('Other')];
      const [{ id, email }, stranger] = [await addMember(mine, 'agent'), await addMember(other, 'owner')];
      const [browser, token] = [await signIn(ledger, email), await linkToken(ledger, stranger.email)];
      return { id, email, mine, stranger, browser, token };
    };

    test('is refused, names both people, and is neither used up nor changes the session', async () => {
      const { email, stranger, browser, token } = await two();
      for (const replace of [undefined, false]) {
        const asked = await browser.ask('POST', '/session', { body: { token, replace } });
        assert.deepEqual(
          [asked.status, asked.json.code, asked.json.signed_in_as, asked.json.link_for],
          [409, 'signed_in_as_another', email, stranger.email],
        );
        assert.match(asked.json.detail, /"replace": true/);
        assert.deepEqual(asked.headers.getSetCookie(), []);
      }
      assert.equal((await browser.ask('GET', '/session')).json.name, email);
      const page = await browser.ask('GET', `/sign-in?token=${token}`, { headers: { accept: 'text/html' } });
      assert.equal(page.status, 200);
      const opened = await ledger.call('POST', '/session', { body: { token } });
      assert.deepEqual([opened.status, opened.json.name], [200, stranger.email]);
    });

    test('signs the other in where that is wanted, and ends the session before it, once', async () => {
      const { stranger, browser, token } = await two();
      const elsewhere = await browser.ask('GET', '/session');
      const opened = await browser.ask('POST', '/session', { body: { token, replace: true } });
      assert.deepEqual([opened.status, opened.json.name], [200, stranger.email]);
      const replaced = await browser.ask('GET', '/session');
      assert.deepEqual([elsewhere.status, replaced.status, replaced.json.code], [200, 401, 'unauthenticated']);
      const next = browserOf(ledger, cookieIn(opened));
      assert.equal((await next.ask('GET', '/session')).json.name, stranger.email);
      const again = await next.ask('POST', '/session', { body: { token, replace: true } });
      assert.deepEqual([again.status, again.json.code], [401, 'sign_in_link_invalid']);
      assert.equal(
        (await next.ask('GET', '/session')).json.name,
        stranger.email,
        'a link that counts no more ends nothing',
      );
    });

    test('signs in where no session is open any more; so does a person’s own link beside their session', async () => {
      const { email, stranger, browser, token } = await two();
      const own = await browser.ask('POST', '/session', { body: { token: await linkToken(ledger, email) } });
      assert.deepEqual([own.status, own.json.name], [200, email]);
      assert.equal((await browser.ask('GET', '/session')).status, 200, 'of one’s own sessions none ends');
      assert.equal((await browser.ask('DELETE', '/session')).status, 200);
      const opened = await browser.ask('POST', '/session', { body: { token } });
      assert.deepEqual([opened.status, opened.json.name], [200, stranger.email]);
    });

    test('that does not count is refused as such, also where another person is signed in', async () => {
      const { browser, token } = await two();
      await ledger.db.run('update sign_in_links set expires_at = $1', ['2020-01-01T00:00:00.000Z']);
      for (const unknown of [token, 'x'.repeat(43)])
        for (const replace of [false, true]) {
          const { status, json } = await browser.ask('POST', '/session', { body: { token: unknown, replace } });
          assert.deepEqual([status, json.code], [401, 'sign_in_link_invalid']);
        }
      assert.equal((await browser.ask('GET', '/session')).status, 200);
    });

    test('whose person was removed ends no session, though it was wanted', async () => {
      const tenant = await ledger.tenant();
      const { id, email } = await addMember(tenant, 'agent');
      const browser = await signIn(ledger, (await addMember(tenant, 'agent')).email);
      const token = await linkToken(ledger, email);
      await tenant.as('owner')('DELETE', `/members/${id}`);
      const { status, json } = await browser.ask('POST', '/session', { body: { token, replace: true } });
      assert.deepEqual([status, json.code], [403, 'no_organization']);
      assert.equal((await browser.ask('GET', '/session')).status, 200);
    });

    test('is asked about also where the signed-in person belongs nowhere any more', async () => {
      const { id, mine, browser, token } = await two();
      await mine.as('owner')('DELETE', `/members/${id}`);
      const { status, json } = await browser.ask('POST', '/session', { body: { token } });
      assert.deepEqual([status, json.code], [409, 'signed_in_as_another']);
      assert.equal((await browser.ask('POST', '/session', { body: { token, replace: 'yes' } })).status, 422);
    });
  },
  { LEDGER_SIGN_IN_REQUESTS_PER_MINUTE: '100000' },
);
