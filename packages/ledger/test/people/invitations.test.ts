/** How many people an organization may ask, and how many mails a mailbox is sent (trust.md, People). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eachEngine } from '../../../../test/kit/engines.ts';
import { MIGRATIONS } from '../../src/migrations.ts';
import { addMember, mailsTo, mailTo, newMailbox, signIn } from '../kit/people.ts';
import { type Answer, eachLedger, running, type Tenant } from '../kit/running.ts';

const AN_HOUR_AGO = () => new Date(Date.now() - 3_600_001).toISOString();
const statuses = (answers: Answer[]) => answers.map(({ status }) => status).sort();

eachLedger(
  'invitations',
  (ledger) => {
    const invite = (tenant: Tenant, email = newMailbox(), headers: Record<string, string> = {}) =>
      tenant.ask('owner', 'POST', '/members', { body: { email, role: 'agent' }, headers });
    const membersOf = async (tenant: Tenant) => (await tenant.as('owner')('GET', '/members')).members;
    const anHourPasses = () => ledger.db.run('update mailbox_requests set requested_at = $1', [AN_HOUR_AGO()]);

    test('an organization has so many open invitations and no more, also when all are sent at once', async () => {
      const tenant = await ledger.tenant();
      const answers = await Promise.all(Array.from({ length: 6 }, () => invite(tenant)));
      assert.deepEqual(statuses(answers), [201, 201, 201, 409, 409, 409]);
      const refused = answers.find(({ status }) => status === 409)!;
      assert.equal(refused.json.code, 'invitation_limit');
      assert.match(refused.json.detail, /^3 people are invited/);
      assert.equal((await membersOf(tenant)).length, 3);
      assert.equal((await invite(await ledger.tenant())).status, 201, 'each organization has its own');
    });

    test('a person who signs in or is removed makes room; a member is not invited again', async () => {
      const tenant = await ledger.tenant();
      const [first, second] = [await addMember(tenant, 'agent'), await addMember(tenant, 'agent')];
      await addMember(tenant, 'agent');
      const known = await invite(tenant, first.email);
      assert.deepEqual([known.status, known.json.code], [409, 'member_exists']);
      const headers = { 'idempotency-key': 'again' };
      const waiting = newMailbox();
      assert.equal((await invite(tenant, waiting, headers)).json.code, 'invitation_limit');
      await signIn(ledger, first.email);
      assert.equal((await invite(tenant, waiting, headers)).status, 201, 'under the same key, for nothing was done');
      assert.equal((await invite(tenant)).status, 409);
      await tenant.as('owner')('DELETE', `/members/${second.id}`);
      assert.equal((await invite(tenant)).status, 201);
    });

    test('inviting and removing in turns ends, too: so many invitations within an hour', async () => {
      const tenant = await ledger.tenant();
      for (let i = 0; i < 4; i++)
        await tenant.as('owner')('DELETE', `/members/${(await addMember(tenant, 'agent')).id}`);
      const { id } = await addMember(tenant, 'agent');
      await tenant.as('owner')('POST', `/members/${id}/invitation`);
      const next = newMailbox();
      for (const refused of [
        await invite(tenant, next),
        await tenant.ask('owner', 'POST', `/members/${id}/invitation`),
      ]) {
        assert.deepEqual([refused.status, refused.json.code], [429, 'rate_limited']);
        assert.ok(Number(refused.headers.get('retry-after')) > 0);
      }
      assert.deepEqual(
        (await membersOf(tenant)).map((member: { id: string }) => member.id),
        [id],
      );
      assert.equal((await invite(await ledger.tenant())).status, 201, 'each organization has its own');
      await anHourPasses();
      assert.equal((await invite(tenant, next)).status, 201);
      await mailTo(ledger, next, 'invitation');
    });

    test('a mailbox is mailed so many invitations an hour by all together; its person is a member all the same', async () => {
      const email = newMailbox();
      for (let i = 0; i < 2; i++) await addMember(await ledger.tenant(), 'agent', email);
      await mailTo(ledger, email, 'invitation', 2);
      const tenant = await ledger.tenant('Third');
      const third = await invite(tenant, email);
      assert.equal(third.status, 201);
      const again = () => tenant.ask('owner', 'POST', `/members/${third.json.id}/invitation`);
      const refused = await again();
      assert.deepEqual([refused.status, refused.json.code], [429, 'rate_limited']);
      assert.match(refused.json.detail, /an hour/);
      const { json } = await (await signIn(ledger, email)).ask('GET', '/session');
      assert.equal(json.organizations.length, 3);
      assert.equal(mailsTo(ledger, email, 'invitation').length, 2);
      await anHourPasses();
      assert.equal((await again()).status, 200);
      await mailTo(ledger, email, 'invitation', 3);
    });
  },
  {
    LEDGER_OPEN_INVITATIONS: '3',
    LEDGER_ORGANIZATION_INVITATIONS_PER_HOUR: '6',
    LEDGER_MAILBOX_INVITATIONS_PER_HOUR: '2',
    LEDGER_SIGN_IN_REQUESTS_PER_MINUTE: '100000',
  },
);

eachEngine('mailboxes, two ledgers', MIGRATIONS, (fresh) => {
  test('a mailbox is written to five times also when two ledgers are asked at once, known or not', async () => {
    const database = await fresh();
    const [one, two] = [await running(database), await running(database)];
    try {
      const { email } = await addMember(await one.tenant(), 'agent');
      for (const asked of [email, newMailbox()]) {
        const answers = await Promise.all(
          Array.from({ length: 14 }, (_, i) => [one, two][i % 2]!.call('POST', '/sign-in', { body: { email: asked } })),
        );
        assert.deepEqual(statuses(answers), [...Array(5).fill(200), ...Array(9).fill(429)]);
      }
    } finally {
      await Promise.all([one.close(), two.close()]);
    }
  });
});
