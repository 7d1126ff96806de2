/** Changes of one thing at the same time: each keeps what it sent, and none writes what another has changed. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { verdict as verdictOn } from '@rcpt/contract/verdict.ts';
import { addMember, newMailbox, signIn } from '../kit/people.ts';
import { eachLedger, type Tenant } from '../kit/running.ts';
import { runAt } from '../kit/story.ts';

const ROUNDS = 20;
const rule = (id: string) => ({ id, label: id, category: 'policy', severity: 'low', checklist: true });
const TWO_RULES = {
  name: 'two',
  version: '1',
  title: 'Two rules for people',
  assignment: { title: 'x', instructions: 'x' },
  output_schema: { type: 'string' },
  rules: [rule('one'), rule('two')],
  pass_threshold: 80,
  fail_threshold: 50,
};

eachLedger(
  'changes at the same time',
  (ledger) => {
    test('four eyes stay on while the organization is renamed', async () => {
      const tenant = await ledger.tenant();
      const patch = (body: unknown) => tenant.ask('owner', 'PATCH', '/organization', { body });
      for (let round = 0; round < ROUNDS; round++) {
        await patch({ four_eyes: false });
        const name = `Name ${round}`;
        const answers = await Promise.all([patch({ name: 'before' }), patch({ four_eyes: true }), patch({})]);
        assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]));
        await Promise.all([patch({ four_eyes: true }), patch({ name })]);
        const { four_eyes, ...rest } = await tenant.as('auditor')('GET', '/organization');
        assert.deepEqual([four_eyes, rest.name], [true, name], `round ${round}`);
      }
    });

    test('a link is switched once, by whom it says, however many switch it at once', async () => {
      const tenant = await ledger.tenant();
      const { receipt_id } = await tenant.as('approver')('POST', `/runs/${await runAt(tenant, 'Approval')}/receipt`);
      const put = (enabled: boolean) =>
        tenant.as('owner')('PUT', `/receipts/${receipt_id}/share`, { enabled }) as Promise<{
          enabled: boolean;
          changed_at: string | null;
        }>;
      assert.equal((await put(true)).changed_at, null, 'it was on');
      for (let round = 0; round < ROUNDS; round++) {
        const answers = await Promise.all(Array.from({ length: 4 }, () => put(round % 2 === 1)));
        assert.equal(new Set(answers.map(({ changed_at }) => changed_at)).size, 1, `round ${round}`);
        assert.ok(answers.every(({ enabled }) => enabled === (round % 2 === 1)));
      }
    });

    test('both checks that two people decide at once are decided', async () => {
      const tenant = await ledger.tenant();
      await checklistSheet(tenant);
      for (let round = 0; round < ROUNDS; round++) {
        const id = await checkedRun(tenant);
        await Promise.all(
          ['one', 'two'].map((key) =>
            tenant.as('approver')('PATCH', `/runs/${id}/checks/${key}`, { status: 'pass', detail: key }),
          ),
        );
        const run = await tenant.as('agent')('GET', `/runs/${id}`);
        const decided = run.checks.filter(({ key }: { key: string }) => ['one', 'two'].includes(key));
        assert.deepEqual(
          decided.map(({ status, detail }: { status: string; detail: string }) => [status, detail]),
          [
            ['pass', 'one'],
            ['pass', 'two'],
          ],
        );
      }
    });

    test('a check that is decided while the verdict is asked for: the verdict counts it, or says that it is open', async () => {
      const tenant = await ledger.tenant();
      await checklistSheet(tenant);
      for (let round = 0; round < ROUNDS; round++) {
        const id = await runWithOneOpen(tenant);
        const path = `/runs/${id}/verdict`;
        const [decided, verdict] = await Promise.all([
          tenant.ask('approver', 'PATCH', `/runs/${id}/checks/two`, { body: { status: 'flag', detail: 'two' } }),
          tenant.ask('agent', 'POST', path),
        ]);
        assert.equal(decided.status, 200, decided.text);
        const { stage, checks } = await tenant.as('agent')('GET', `/runs/${id}`);
        assert.equal(checks.find(({ key }: { key: string }) => key === 'two').status, 'flag');
        if (verdict.status !== 200) {
          assert.deepEqual([verdict.status, verdict.json.code, stage], [409, 'checks_open', 'Checks']);
          assert.deepEqual(verdict.json.open, ['two']);
        }
        const { json } = verdict.status === 200 ? verdict : await tenant.ask('agent', 'POST', path);
        assert.deepEqual(json, verdictOn(checks, TWO_RULES));
      }
    });

    test('a check that two people decide at once is decided by one of them', async () => {
      const tenant = await ledger.tenant();
      await checklistSheet(tenant);
      for (let round = 0; round < ROUNDS; round++) {
        const id = await runWithOneOpen(tenant);
        const answers = await Promise.all(
          ['pass', 'flag'].map((status) =>
            tenant.ask('approver', 'PATCH', `/runs/${id}/checks/two`, { body: { status, detail: status } }),
          ),
        );
        const first = answers.find(({ status }) => status === 200)!;
        const second = answers.find((answer) => answer !== first)!;
        assert.deepEqual([second.status, second.json.code], [409, 'check_decided']);
        const { checks } = await tenant.as('agent')('GET', `/runs/${id}`);
        assert.deepEqual(
          checks.find(({ key }: { key: string }) => key === 'two'),
          first.json,
        );
      }
    });

    test('of two owners who each take the role from the other at once, one stays an owner', async () => {
      for (let round = 0; round < 5; round++) {
        const tenant = await ledger.doomedTenant();
        const [{ id: key }] = (await tenant.as('owner')('GET', '/keys')).keys;
        const owner = async () => {
          const { id, email } = await addMember(tenant, 'owner');
          return { id, ...(await signIn(ledger, email)) };
        };
        const [one, two] = [await owner(), await owner()];
        assert.equal((await one.ask('DELETE', `/keys/${key}`)).status, 200);
        const answers = await Promise.all([
          one.ask('PATCH', `/members/${two.id}`, { body: { role: 'agent' } }),
          two.ask('PATCH', `/members/${one.id}`, { body: { role: 'agent' } }),
        ]);
        const refused = answers.filter(({ status }) => status !== 200);
        assert.equal(refused.length, 1, answers.map(({ text }) => text).join(' '));
        // 403: the other change came first, and took the role of the one who asks.
        assert.ok([403, 409].includes(refused[0]!.status), refused[0]!.text);
        const left = refused[0] === answers[0] ? two : one;
        const { members } = (await left.ask('GET', '/members')).json;
        const owners = members.filter(({ role }: { role: string }) => role === 'owner');
        assert.deepEqual(
          owners.map(({ id }: { id: string }) => id),
          [left.id],
        );
      }
    });

    test('a public name and an organization that are chosen at once are both chosen', async () => {
      const [here, there] = [await ledger.tenant('Here'), await ledger.tenant('There')];
      const email = newMailbox();
      await addMember(here, 'agent', email);
      const browser = await signIn(ledger, email);
      await addMember(there, 'agent', email);
      const patch = (body: unknown) => browser.ask('PATCH', '/session', { body });
      for (let round = 0; round < ROUNDS; round++) {
        const { organization_id } = round % 2 === 0 ? there : here;
        const public_name = `Ada ${'abcdefghijklmnopqrst'[round]}`;
        const answers = await Promise.all([patch({ organization_id }), patch({ public_name })]);
        assert.deepEqual(
          answers.map(({ status }) => status),
          [200, 200],
        );
        const { json } = await browser.ask('GET', '/session');
        assert.deepEqual([json.organization.id, json.public_name], [organization_id, public_name]);
      }
    });

    test('a member who is given a role and removed at once is gone, or was refused', async () => {
      const tenant = await ledger.tenant();
      for (let round = 0; round < ROUNDS; round++) {
        const { id } = await addMember(tenant, 'agent');
        const [changed, removed] = await Promise.all([
          tenant.ask('owner', 'PATCH', `/members/${id}`, { body: { role: 'approver' } }),
          tenant.ask('owner', 'DELETE', `/members/${id}`),
        ]);
        assert.equal(removed.status, 200, removed.text);
        assert.ok([200, 404].includes(changed.status), changed.text);
        assert.deepEqual((await tenant.as('owner')('GET', '/members')).members, []);
      }
    });
  },
  { LEDGER_SIGN_IN_REQUESTS_PER_MINUTE: '100000' },
);

/** At Checks, under `TWO_RULES`: both are open. */
async function checkedRun(tenant: Tenant): Promise<string> {
  const agent = tenant.as('agent');
  const inputs = { flight_sheet: { name: 'two', version: '1' } };
  const { id } = await agent('POST', '/runs', { lane: 'eval', title: 'x', inputs });
  await agent('POST', `/runs/${id}/execution`, { agent_name: 'a', model_name: 'm', provider: 'p', output: 'x' });
  await agent('POST', `/runs/${id}/checks`);
  return id;
}

/** The same, and only the second is open. */
async function runWithOneOpen(tenant: Tenant): Promise<string> {
  const id = await checkedRun(tenant);
  await tenant.as('approver')('PATCH', `/runs/${id}/checks/one`, { status: 'pass', detail: 'one' });
  return id;
}

async function checklistSheet(tenant: Tenant): Promise<void> {
  await tenant.as('owner')('POST', '/flight-sheets', TWO_RULES);
}
