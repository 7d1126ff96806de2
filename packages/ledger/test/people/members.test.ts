/** Who belongs to an organization, in which role, and what that lets them do (contract: ledger/people.ts). */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { addMember, linkToken, mailTo, named, newMailbox, signIn } from '../kit/people.ts';
import { type CallOptions, eachLedger, type Tenant } from '../kit/running.ts';
import { runAt, WORK } from '../kit/story.ts';

const newRun = { lane: 'generic', title: 'x', inputs: WORK.generic.inputs };

eachLedger(
  'members',
  (ledger) => {
    const member = async (tenant: Tenant, role: string) => {
      const { id, email } = await addMember(tenant, role);
      return { id, email, browser: await signIn(ledger, email) };
    };
    const statusOf = async (answer: Promise<{ status: number; json: { code?: string } }>) => {
      const { status, json } = await answer;
      return [status, json?.code];
    };

    test('an invited person is listed at once, joined from the first sign-in, and mailed no secret', async () => {
      const tenant = await ledger.tenant();
      const email = newMailbox();
      const added = await tenant.ask('owner', 'POST', '/members', {
        body: { email: email.toUpperCase(), role: 'approver' },
      });
      assert.equal(added.status, 201, added.text);
      assert.equal(added.headers.get('location'), `/members/${added.json.id}`);
      assert.match(added.json.id, /^user_[0-9a-f]{32}$/);
      assert.deepEqual([added.json.email, added.json.role, added.json.joined_at], [email, 'approver', null]);
      const [mail] = await mailTo(ledger, email, 'invitation');
      assert.ok(mail!.includes(`${ledger.url}/sign-in`) && !mail!.includes('token'));
      assert.deepEqual((await tenant.as('owner')('GET', '/members')).members, [added.json]);
      await signIn(ledger, email);
      const [listed] = (await tenant.as('owner')('GET', '/members')).members;
      assert.deepEqual({ ...listed, joined_at: null }, added.json);
      assert.match(listed.joined_at, /Z$/);
    });

    test('an inviter learns nothing of earlier invitations: a person’s id does not tell its age', async () => {
      const ids = [];
      // Chance sorts so many once in ten to the eleventh.
      for (let i = 0; i < 14; i++) ids.push((await addMember(await ledger.tenant(), 'agent')).id);
      assert.notDeepEqual(ids.toSorted(), ids);
    });

    test('the same mailbox is a member once; the invitation is sent again when asked for, five times at most', async () => {
      const tenant = await ledger.tenant();
      const { id, email } = await addMember(tenant, 'agent');
      for (const again of [email, email.toUpperCase()])
        assert.deepEqual(
          await statusOf(tenant.ask('owner', 'POST', '/members', { body: { email: again, role: 'owner' } })),
          [409, 'member_exists'],
        );
      await mailTo(ledger, email, 'invitation', 1);
      for (let sent = 2; sent <= 5; sent++)
        assert.equal((await tenant.as('owner')('POST', `/members/${id}/invitation`)).email, email);
      assert.equal((await tenant.ask('owner', 'POST', `/members/${id}/invitation`)).status, 429);
      await mailTo(ledger, email, 'invitation', 5);
      // The limit of one mail does not keep a person from the other.
      assert.equal((await signIn(ledger, email)).cookie.length > 0, true);
    });

    test('under one Idempotency-Key a person is invited once and mailed once', async () => {
      const tenant = await ledger.tenant();
      const email = newMailbox();
      const send = () =>
        tenant.ask('owner', 'POST', '/members', {
          body: { email, role: 'agent' },
          headers: { 'idempotency-key': 'once' },
        });
      const [first, again] = [await send(), await send()];
      assert.deepEqual([first.status, again.status, again.text], [201, 201, first.text]);
      await tenant.as('owner')('POST', `/members/${first.json.id}/invitation`);
      assert.equal((await mailTo(ledger, email, 'invitation', 2)).length, 2);
    });

    test('another role counts at once, and a removed member is out at once', async () => {
      const tenant = await ledger.tenant();
      const { id, email, browser } = await member(tenant, 'auditor');
      const open = () => browser.ask('POST', '/runs', { body: newRun });
      assert.equal((await open()).status, 403);
      assert.equal((await tenant.as('owner')('PATCH', `/members/${id}`, { role: 'agent' })).role, 'agent');
      assert.equal((await open()).status, 201);
      assert.equal((await browser.ask('GET', '/session')).json.role, 'agent');
      await tenant.as('owner')('DELETE', `/members/${id}`);
      assert.deepEqual(await statusOf(open()), [403, 'no_organization']);
      assert.deepEqual((await tenant.as('owner')('GET', '/members')).members, []);
      assert.equal((await browser.ask('DELETE', '/session')).status, 200, 'signing out takes no organization');
      // Invited again they are who they were, for what they did names them.
      assert.equal((await addMember(tenant, 'agent', email)).id, id);
    });

    test('a link that was mailed before the removal does not sign in', async () => {
      const tenant = await ledger.tenant();
      const { id, email } = await addMember(tenant, 'agent');
      const token = await linkToken(ledger, email);
      await tenant.as('owner')('DELETE', `/members/${id}`);
      assert.deepEqual(await statusOf(ledger.call('POST', '/session', { body: { token } })), [403, 'no_organization']);
      assert.deepEqual(await ledger.db.all('select id from sessions where person_id = $1', [id]), []);
    });

    test('a signed-in owner invites, changes and removes as an owner key does; other roles do not', async () => {
      const tenant = await ledger.tenant();
      const { browser, email } = await member(tenant, 'owner');
      const invited = await browser.ask('POST', '/members', { body: { email: newMailbox(), role: 'agent' } });
      assert.deepEqual([invited.status, invited.json.invited_by], [201, email]);
      assert.equal(
        (await browser.ask('PATCH', `/members/${invited.json.id}`, { body: { role: 'owner' } })).status,
        200,
      );
      assert.equal((await browser.ask('DELETE', `/members/${invited.json.id}`)).status, 200);
      for (const role of ['agent', 'approver', 'auditor']) {
        const other = await member(tenant, role);
        for (const [method, path, body] of [
          ['GET', '/members'],
          ['POST', '/members', { email: newMailbox(), role: 'owner' }],
          ['PATCH', `/members/${other.id}`, { role: 'owner' }],
          ['DELETE', `/members/${other.id}`],
          ['POST', '/keys', { role: 'owner' }],
        ] as const)
          assert.deepEqual(
            await statusOf(other.browser.ask(method, path, { body })),
            [403, 'forbidden'],
            `${role} ${path}`,
          );
      }
    });

    test('another organization’s members do not exist', async () => {
      const [mine, other] = [await ledger.tenant(), await ledger.tenant()];
      const { id } = await addMember(mine, 'agent');
      const paths: [string, string, unknown?][] = [
        ['PATCH', `/members/${id}`, { role: 'owner' }],
        ['DELETE', `/members/${id}`],
        ['POST', `/members/${id}/invitation`],
      ];
      const { browser } = await member(other, 'owner');
      for (const [method, path, body] of paths) {
        assert.deepEqual(await statusOf(other.ask('owner', method, path, { body })), [404, 'not_found'], path);
        assert.deepEqual(await statusOf(browser.ask(method, path, { body })), [404, 'not_found'], path);
      }
      const [listed] = (await mine.as('owner')('GET', '/members')).members;
      assert.deepEqual([listed.id, listed.role], [id, 'agent']);
      const run = await runAt(mine, 'Verdict');
      assert.equal((await browser.ask('GET', `/runs/${run}`)).status, 404);
    });

    describe('the last owner', () => {
      const firstKey = async (tenant: Tenant) => (await tenant.as('owner')('GET', '/keys')).keys[0].id;

      test('an owner who has signed in may be the last; an owner who never did may not', async () => {
        const tenant = await ledger.doomedTenant();
        const key = await firstKey(tenant);
        const { id, email } = await addMember(tenant, 'owner');
        assert.deepEqual(await statusOf(tenant.ask('owner', 'DELETE', `/keys/${key}`)), [409, 'last_owner']);
        const browser = await signIn(ledger, email);
        assert.equal((await browser.ask('DELETE', `/keys/${key}`)).status, 200);
        for (const [method, body] of [['DELETE'], ['PATCH', { role: 'auditor' }]] as const)
          assert.deepEqual(await statusOf(browser.ask(method, `/members/${id}`, { body })), [409, 'last_owner']);
        assert.equal((await browser.ask('PATCH', `/members/${id}`, { body: { role: 'owner' } })).status, 200);
        assert.equal((await browser.ask('POST', '/keys', { body: { role: 'owner' } })).status, 201);
        assert.equal((await browser.ask('PATCH', `/members/${id}`, { body: { role: 'auditor' } })).status, 200);
      });

      test('two owners who remove each other at once leave one', async () => {
        const tenant = await ledger.doomedTenant();
        const [one, two] = [await member(tenant, 'owner'), await member(tenant, 'owner')];
        assert.equal((await one.browser.ask('DELETE', `/keys/${await firstKey(tenant)}`)).status, 200);
        const answers = await Promise.all([
          one.browser.ask('DELETE', `/members/${two.id}`),
          two.browser.ask('PATCH', `/members/${one.id}`, { body: { role: 'agent' } }),
        ]);
        // The second may also find that it is no owner any more.
        const refused = answers.find(({ status }) => status !== 200)!;
        assert.deepEqual(answers.filter(({ status }) => status === 200).length, 1);
        assert.ok([403, 409].includes(refused.status), refused.text);
        const owners = await ledger.db.all(
          `select person_id from memberships where organization_id = $1 and role = 'owner'`,
          [tenant.organization_id],
        );
        assert.equal(owners.length, 1);
      });
    });

    describe('several organizations', () => {
      test('a person works in one at a time and switches', async () => {
        const [here, there, elsewhere] = [await ledger.tenant('M'), await ledger.tenant('A'), await ledger.tenant('C')];
        const email = newMailbox();
        await addMember(here, 'owner', email);
        await addMember(there, 'auditor', email);
        const browser = await signIn(ledger, email);
        const switchTo = (organization_id: string) => browser.ask('PATCH', '/session', { body: { organization_id } });
        const first = await switchTo(here.organization_id);
        assert.deepEqual([first.json.organization.name, first.json.role], ['M', 'owner']);
        const switched = await switchTo(there.organization_id);
        assert.deepEqual([switched.status, switched.json.role], [200, 'auditor']);
        assert.deepEqual((await browser.ask('GET', '/session')).json, switched.json);
        assert.equal((await browser.ask('POST', '/runs', { body: newRun })).status, 403);
        for (const organization_id of [elsewhere.organization_id, 'org_x', ''])
          assert.deepEqual(await statusOf(switchTo(organization_id)), [404, 'not_found']);
        assert.equal((await browser.ask('GET', '/session')).json.organization.name, 'A');
      });

      test('a key has one organization and no session', async () => {
        const tenant = await ledger.tenant('A');
        const shown = await tenant.as('agent')('GET', '/session');
        assert.deepEqual([shown.kind, shown.name, shown.role, shown.expires_at], ['key', 'test agent', 'agent', null]);
        assert.match(shown.id, /^key_/);
        assert.deepEqual(shown.organizations, [{ id: tenant.organization_id, name: 'A', role: 'agent' }]);
        for (const [method, path, body] of [
          ['PATCH', '/session', { organization_id: tenant.organization_id }],
          ['DELETE', '/session'],
          ['DELETE', '/sessions'],
        ] as const)
          assert.deepEqual(await statusOf(tenant.ask('owner', method, path, { body })), [403, 'forbidden']);
      });
    });

    test('what a cookie changes comes from the ledger’s own pages; keys and reading are free of that', async () => {
      const tenant = await ledger.tenant();
      const { browser } = await member(tenant, 'owner');
      const { cookie } = browser;
      const open = (headers: Record<string, string>, options: CallOptions = {}) =>
        ledger.call('POST', '/runs', { body: newRun, headers, ...options });
      for (const headers of [
        {},
        { 'sec-fetch-site': 'cross-site' },
        { 'sec-fetch-site': 'same-site' },
        { 'sec-fetch-site': 'none' },
        { 'sec-fetch-site': 'cross-site', origin: ledger.url },
        { origin: 'https://evil.example' },
        { origin: 'null' },
        { origin: `${ledger.url}.evil.example` },
        { origin: ledger.url.replace('http:', 'https:') },
      ] as Record<string, string>[])
        assert.deepEqual(await statusOf(open({ cookie, ...headers })), [403, 'cross_site'], JSON.stringify(headers));
      for (const headers of [{ 'sec-fetch-site': 'same-origin' }, { origin: ledger.url }] as Record<string, string>[])
        assert.equal((await open({ cookie, ...headers })).status, 201, JSON.stringify(headers));
      for (const method of ['PATCH', 'DELETE'])
        assert.deepEqual(
          await statusOf(ledger.call(method, '/session', { headers: { cookie, 'sec-fetch-site': 'cross-site' } })),
          [403, 'cross_site'],
        );
      assert.equal(
        (await ledger.call('GET', '/runs', { headers: { cookie, 'sec-fetch-site': 'cross-site' } })).status,
        200,
      );
      assert.equal((await open({ 'sec-fetch-site': 'cross-site' }, { token: tenant.keys.agent })).status, 201);
      for (const path of ['/sign-in', '/session'])
        assert.deepEqual(
          await statusOf(ledger.call('POST', path, { body: {}, headers: { 'sec-fetch-site': 'cross-site' } })),
          [403, 'cross_site'],
        );
    });

    test('an API key goes before a cookie, and a wrong key is not made good by one', async () => {
      const tenant = await ledger.tenant();
      const { browser } = await member(tenant, 'owner');
      assert.equal((await browser.ask('GET', '/session', { token: tenant.keys.agent })).json.kind, 'key');
      assert.equal((await browser.ask('GET', '/session', { token: 'rk_wrong' })).status, 401);
      // A proxy's own sign-in stands in the same header.
      assert.equal(
        (await browser.ask('GET', '/session', { headers: { authorization: 'Basic eDp5' } })).json.kind,
        'person',
      );
    });

    test('four eyes hold between people, and between a person and a key', async () => {
      const tenant = await ledger.tenant();
      await tenant.as('owner')('PATCH', '/organization', { four_eyes: true });
      const [worker, approver] = [await member(tenant, 'approver'), await member(tenant, 'approver')];
      await named(worker.browser, 'Wanda Worker');
      await named(approver.browser, 'Ada Lovelace');
      const ready = async (execute: (id: string) => Promise<{ status: number }>) => {
        const { id } = await tenant.as('agent')('POST', '/runs', newRun);
        assert.equal((await execute(id)).status, 200);
        await tenant.as('agent')('POST', `/runs/${id}/checks`);
        await tenant.as('agent')('POST', `/runs/${id}/verdict`);
        return id;
      };
      const body = { decision: 'approved' };
      const byPerson = await ready((id) =>
        worker.browser.ask('POST', `/runs/${id}/execution`, { body: WORK.generic.execution }),
      );
      assert.deepEqual(await statusOf(worker.browser.ask('POST', `/runs/${byPerson}/approval`, { body })), [
        403,
        'four_eyes',
      ]);
      const approved = await approver.browser.ask('POST', `/runs/${byPerson}/approval`, { body });
      assert.deepEqual([approved.status, approved.json.approved_by], [200, 'Ada Lovelace']);
      const byKey = await ready((id) =>
        tenant.ask('approver', 'POST', `/runs/${id}/execution`, { body: WORK.generic.execution }),
      );
      assert.equal((await tenant.ask('approver', 'POST', `/runs/${byKey}/approval`, { body })).status, 403);
      assert.equal((await worker.browser.ask('POST', `/runs/${byKey}/approval`, { body })).status, 200);
    });

    test('an Idempotency-Key belongs to the session that sent it', async () => {
      const tenant = await ledger.tenant();
      const [one, two] = [await member(tenant, 'agent'), await member(tenant, 'agent')];
      const send = ({ browser }: typeof one) =>
        browser.ask('POST', '/runs', { body: newRun, headers: { 'idempotency-key': 'same' } });
      const [first, again, other] = [await send(one), await send(one), await send(two)];
      assert.equal(again.text, first.text);
      assert.notEqual(other.json.id, first.json.id);
    });
  },
  { LEDGER_SIGN_IN_REQUESTS_PER_MINUTE: '100000' },
);
