/** In which organization a session works: one that its person chose, or their only one at the sign-in (trust.md, People). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addMember, type Browser, browserOf, cookieIn, linkToken, mailTo, newMailbox, signIn } from '../kit/people.ts';
import { eachLedger, type Tenant } from '../kit/running.ts';
import { WORK } from '../kit/story.ts';

const newRun = { lane: 'generic', title: 'x', inputs: WORK.generic.inputs };
const NAME = 'Acme Workshop';

eachLedger(
  'places of work',
  (ledger) => {
    const sessionOf = async (browser: Browser) => (await browser.ask('GET', '/session')).json;
    const choose = (browser: Browser, { organization_id }: Tenant) =>
      browser.ask('PATCH', '/session', { body: { organization_id } });
    const runsOf = async (tenant: Tenant) => (await tenant.as('auditor')('GET', '/runs')).runs.length;
    const requireNowhere = async (browser: Browser, tenants: Tenant[]) => {
      const { organization, role, organizations } = await sessionOf(browser);
      assert.deepEqual([organization, role], [null, null]);
      for (const [method, path, body] of [
        ['POST', '/runs', newRun],
        ['GET', '/runs'],
        ['GET', '/ledger'],
        ['GET', '/organization'],
        ['GET', '/events'],
        ['POST', '/members', { email: newMailbox(), role: 'agent' }],
      ] as const) {
        const { status, json } = await browser.ask(method, path, { body });
        assert.deepEqual([status, json.code], [409, 'organization_not_chosen'], path);
        assert.deepEqual(json.organizations, organizations);
      }
      const ids = organizations.map(({ id }: { id: string }) => id);
      assert.deepEqual(
        ids,
        tenants.map(({ organization_id }) => organization_id),
      );
      for (const tenant of tenants) assert.equal(await runsOf(tenant), 0);
    };

    test('a stranger’s equally named organization that invited first gets no work that was meant for another', async () => {
      const [stranger, own] = [await ledger.tenant(NAME), await ledger.tenant(NAME)];
      const email = newMailbox();
      await addMember(stranger, 'owner', email);
      await addMember(own, 'owner', email);
      const opened = await ledger.call('POST', '/session', { body: { token: await linkToken(ledger, email) } });
      assert.deepEqual([opened.status, opened.json.organization], [200, null]);
      const browser = browserOf(ledger, cookieIn(opened));
      await requireNowhere(browser, [stranger, own]);
      const { organizations } = await sessionOf(browser);
      for (const place of organizations) {
        assert.deepEqual(
          [place.name, place.role, place.invited_by, place.accepted_at],
          [NAME, 'owner', 'first owner', null],
        );
        assert.match(place.invited_at, /Z$/);
      }
      const chosen = await choose(browser, own);
      assert.deepEqual(
        [chosen.status, chosen.json.organization.id, chosen.json.role],
        [200, own.organization_id, 'owner'],
      );
      assert.equal((await browser.ask('POST', '/runs', { body: newRun })).status, 201);
      assert.deepEqual([await runsOf(stranger), await runsOf(own)], [0, 1]);
      const joined = async (tenant: Tenant) => (await tenant.as('owner')('GET', '/members')).members[0].joined_at;
      assert.equal(await joined(stranger), null, 'who was not chosen learns of no sign-in');
      assert.match(await joined(own), /Z$/);
      // The next sign-in asks again: several places, and no choice that stands.
      await requireNotChosen(await signIn(ledger, email));
    });

    test('the mail and the session tell two organizations of one name apart', async () => {
      const tenants = [await ledger.tenant(NAME), await ledger.tenant(NAME)];
      const { email: owner } = await addMember(tenants[1]!, 'owner');
      const email = newMailbox();
      await addMember(tenants[0]!, 'agent', email);
      await (await signIn(ledger, owner)).ask('POST', '/members', { body: { email, role: 'agent' } });
      const mails = await mailTo(ledger, email, 'invitation', 2);
      const { organizations } = await sessionOf(await signIn(ledger, email));
      assert.deepEqual(
        organizations.map(({ invited_by }: { invited_by: string }) => invited_by),
        ['first owner', owner],
      );
      for (const { id, invited_by, invited_at } of organizations) {
        const mail = mails.find((text) => text.includes(id));
        assert.ok(mail?.includes(invited_by) && mail.includes(invited_at), id);
      }
    });

    test('a person with one place lands there, and it is told whether they ever chose it', async () => {
      const tenant = await ledger.tenant(NAME);
      const { email } = await addMember(tenant, 'agent');
      const browser = await signIn(ledger, email);
      const { organization, organizations } = await sessionOf(browser);
      assert.equal(organization.id, tenant.organization_id);
      assert.equal(organizations[0].accepted_at, null, 'they were invited, and never asked');
      assert.equal((await browser.ask('POST', '/runs', { body: newRun })).status, 201);
      const { json } = await choose(browser, tenant);
      const [{ accepted_at }] = json.organizations;
      assert.match(accepted_at, /Z$/);
      await choose(browser, tenant);
      assert.equal((await sessionOf(await signIn(ledger, email))).organizations[0].accepted_at, accepted_at);
    });

    test('an invitation moves no session, and the loss of its place moves it nowhere', async () => {
      const [own, stranger] = [await ledger.tenant(NAME), await ledger.tenant(NAME)];
      const { id, email } = await addMember(own, 'owner');
      const browser = await signIn(ledger, email);
      await addMember(stranger, 'owner', email);
      assert.equal((await browser.ask('GET', '/organization')).json.id, own.organization_id);
      await own.as('owner')('DELETE', `/members/${id}`);
      await requireNowhere(browser, [stranger]);
      const named = await browser.ask('PATCH', '/session', { body: { public_name: 'Ada Lovelace' } });
      assert.deepEqual([named.status, named.json.organization, named.json.public_name], [200, null, 'Ada Lovelace']);
      const back = await choose(browser, own);
      assert.deepEqual([back.status, back.json.code], [404, 'not_found']);
      await stranger.as('owner')('DELETE', `/members/${id}`);
      const none = await browser.ask('GET', '/session');
      assert.deepEqual([none.status, none.json.code], [403, 'no_organization']);
      await addMember(stranger, 'owner', email);
      await requireNowhere(browser, [stranger]);
      assert.equal((await choose(browser, stranger)).json.organization.id, stranger.organization_id);
    });

    test('removed from the chosen one of several, a person chooses again; invited back, they are where they were', async () => {
      const tenants = [await ledger.tenant(NAME), await ledger.tenant(NAME), await ledger.tenant(NAME)] as const;
      const email = newMailbox();
      for (const tenant of tenants) await addMember(tenant, 'owner', email);
      const browser = await signIn(ledger, email);
      const { id } = await sessionOf(browser);
      const [first, second, third] = tenants;
      await choose(browser, second);
      await second.as('owner')('DELETE', `/members/${id}`);
      await requireNowhere(browser, [first, third]);
      await addMember(second, 'owner', email);
      assert.equal((await sessionOf(browser)).organization.id, second.organization_id);
    });

    test('keys have their organization, wherever people are invited', async () => {
      const tenant = await ledger.tenant(NAME);
      const { organization, organizations, role } = await tenant.as('agent')('GET', '/session');
      assert.deepEqual([organization.id, role], [tenant.organization_id, 'agent']);
      assert.deepEqual(organizations, [{ id: tenant.organization_id, name: NAME, role: 'agent' }]);
    });

    async function requireNotChosen(browser: Browser): Promise<void> {
      const { status, json } = await browser.ask('GET', '/ledger');
      assert.deepEqual([status, json.code], [409, 'organization_not_chosen']);
    }
  },
  { LEDGER_SIGN_IN_REQUESTS_PER_MINUTE: '100000' },
);
