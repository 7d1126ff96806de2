/** Changes of one thing at the same time: each keeps what it sent, and none writes what another has changed. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addMember, newMailbox, signIn } from './people-kit.ts';
import { eachLedger, type Tenant } from './running.ts';
import { runAt } from './story.ts';

const ROUNDS = 20;

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
        const { id } = await tenant.as('agent')('POST', '/runs', {
          lane: 'eval',
          title: 'x',
          inputs: { flight_sheet: { name: 'two', version: '1' } },
        });
        await tenant.as('agent')('POST', `/runs/${id}/execution`, {
          agent_name: 'a',
          model_name: 'm',
          provider: 'p',
          output: 'x',
        });
        await tenant.as('agent')('POST', `/runs/${id}/checks`);
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

async function checklistSheet(tenant: Tenant): Promise<void> {
  const rule = (id: string) => ({ id, label: id, category: 'policy', severity: 'low', checklist: true });
  await tenant.as('owner')('POST', '/flight-sheets', {
    name: 'two',
    version: '1',
    title: 'Two rules for people',
    assignment: { title: 'x', instructions: 'x' },
    output_schema: { type: 'string' },
    rules: [rule('one'), rule('two')],
    pass_threshold: 80,
    fail_threshold: 50,
  });
}
