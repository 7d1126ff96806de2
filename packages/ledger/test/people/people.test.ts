/** People sign in by mailed link and act as one principal beside the keys (trust.md, People). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addMember, browserOf, cookieIn, linkToken, mailTo, tokenIn } from '../kit/people.ts';
import { eachLedger } from '../kit/running.ts';
import { runAt } from '../kit/story.ts';

eachLedger(
  'people',
  (ledger) => {
    test('a member is mailed a link, signs in, and takes a Run from Inputs to its receipt', async () => {
      const tenant = await ledger.tenant();
      const { id, email } = await addMember(tenant, 'owner');
      const asked = await ledger.call('POST', '/sign-in', { body: { email: email.toUpperCase() } });
      assert.deepEqual([asked.status, asked.json], [200, { sent: true, expires_in_seconds: 900 }]);
      const [mail] = await mailTo(ledger, email, 'sign-in');
      assert.match(mail!, new RegExp(`${ledger.url}/sign-in#token=`));
      const opened = await ledger.call('POST', '/session', { body: { token: tokenIn(mail!) } });
      assert.equal(opened.status, 200, opened.text);
      assert.match(
        opened.headers.getSetCookie()[0]!,
        /^rcpt_session=.*Max-Age=2592000; Path=\/; HttpOnly; SameSite=Lax$/,
      );
      assert.equal(opened.headers.get('cache-control'), 'no-store');
      const browser = browserOf(ledger, cookieIn(opened));
      const shown = await browser.ask('GET', '/session');
      assert.deepEqual(shown.json, opened.json);
      assert.deepEqual(
        [shown.json.kind, shown.json.id, shown.json.name, shown.json.role, shown.json.organization.id],
        ['person', id, email, 'owner', tenant.organization_id],
      );
      const { json } = await browser.ask('PATCH', '/session', { body: { public_name: 'Ada Lovelace' } });
      assert.deepEqual([json.name, json.email, json.public_name], ['Ada Lovelace', email, 'Ada Lovelace']);
      tenant.ask = (_, method, path, options) => browser.ask(method, path, options);
      tenant.as = () => async (method, path, body) => {
        const answer = await browser.ask(method, path, { body });
        assert.ok(answer.status < 300, answer.text);
        return answer.json;
      };
      const run = await tenant.as('owner')('GET', `/runs/${await runAt(tenant, 'Receipt')}`);
      assert.deepEqual([run.approval.approved_by, run.approval.approver_id], ['Ada Lovelace', id]);
      assert.ok(run.stages.every(({ by }: { by: string }) => by === id));
    });

    test('a link opens one session, also when two follow it at once', async () => {
      const tenant = await ledger.tenant();
      const { email } = await addMember(tenant, 'agent');
      const token = await linkToken(ledger, email);
      const answers = await Promise.all(
        Array.from({ length: 6 }, () => ledger.call('POST', '/session', { body: { token } })),
      );
      assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 401, 401, 401, 401, 401]);
      const again = await ledger.call('POST', '/session', { body: { token } });
      assert.deepEqual([again.status, again.json.code], [401, 'sign_in_link_invalid']);
      assert.equal(again.headers.getSetCookie().length, 0);
    });
  },
  { LEDGER_SIGN_IN_REQUESTS_PER_MINUTE: '100000' },
);
