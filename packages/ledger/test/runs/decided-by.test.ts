/** Who decided a check: set by the server, sealed, and never the word of whoever sent the detail. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addMember, named, signIn } from '../kit/people.ts';
import { readPdf } from '../kit/print.ts';
import { eachLedger, type Tenant } from '../kit/running.ts';
import { mintedReceipt, runAt, SHEET } from '../kit/story.ts';

const LOOKS = { label: 'It looks right', category: 'policy', severity: 'low', checklist: true };
const BY_HAND = {
  ...SHEET,
  name: 'by-hand',
  rules: [...SHEET.rules, { ...LOOKS, id: 'one' }, { ...LOOKS, id: 'two' }],
};
const CLAIM = 'decided by cfo@example.org';

eachLedger(
  'who decided',
  (ledger) => {
    const open = async (tenant: Tenant, execution: object = {}) => {
      await tenant.as('owner')('POST', '/flight-sheets', BY_HAND);
      return runAt(tenant, 'Checks', 'eval', {
        inputs: { flight_sheet: { name: BY_HAND.name, version: BY_HAND.version } },
        execution,
      });
    };
    const decide = (id: string, key = 'one', detail = CLAIM) =>
      ['PATCH', `/runs/${id}/checks/${key}`, { body: { status: 'pass', detail } }] as const;
    const member = async (tenant: Tenant, role: string) => {
      const { id, email } = await addMember(tenant, role);
      return { id, email, browser: await signIn(ledger, email) };
    };

    test('what agents and auditors may not decide stays open', async () => {
      const tenant = await ledger.tenant();
      const id = await open(tenant);
      for (const role of ['agent', 'auditor'] as const) {
        const { status, json } = await tenant.ask(role, ...decide(id));
        assert.deepEqual([status, json.code], [403, 'forbidden'], role);
      }
      const { checks } = await tenant.as('auditor')('GET', `/runs/${id}`);
      assert.deepEqual(
        checks.map((check: { status: string; decided_by: string }) => [check.status, check.decided_by]),
        [
          ['pass', 'rule'],
          ['pass', 'rule'],
          ['pass', 'rule'],
          ['open', ''],
          ['open', ''],
        ],
      );
    });

    test('four eyes: the credential that posted the execution decides nothing, another does', async () => {
      const tenant = await ledger.tenant();
      await tenant.as('owner')('PATCH', '/organization', { four_eyes: true });
      await tenant.as('owner')('POST', '/flight-sheets', BY_HAND);
      const { id } = await tenant.as('approver')('POST', '/runs', {
        lane: 'eval',
        title: 'Own work',
        inputs: { flight_sheet: { name: BY_HAND.name, version: BY_HAND.version } },
      });
      await tenant.as('approver')('POST', `/runs/${id}/execution`, { agent_name: 'a', output: { a: 1, b: 1, sum: 2 } });
      await tenant.as('approver')('POST', `/runs/${id}/checks`);
      const own = await tenant.ask('approver', ...decide(id));
      assert.deepEqual([own.status, own.json.code], [403, 'four_eyes']);
      assert.equal((await tenant.ask('owner', ...decide(id))).status, 200);
    });

    test('a person without a public name decides nothing; with one, the server says who it was', async () => {
      const tenant = await ledger.tenant();
      const id = await open(tenant);
      const { id: person, browser } = await member(tenant, 'approver');
      const refused = await browser.ask(...decide(id));
      assert.deepEqual([refused.status, refused.json.code], [409, 'public_name_needed']);
      assert.equal((await tenant.as('auditor')('GET', `/runs/${id}`)).checks[3].status, 'open');
      await named(browser, 'Ada Lovelace');
      const decided = await browser.ask('PATCH', `/runs/${id}/checks/one`, {
        body: { status: 'flag', detail: 'It leans.', decided_by: 'rule' },
      });
      assert.deepEqual(
        [decided.json.status, decided.json.detail, decided.json.decided_by],
        ['flag', 'It leans.', `Ada Lovelace (${person})`],
      );
    });

    test('what is sealed of a decision begins with who decided, whatever they say of themselves', async () => {
      const tenant = await ledger.tenant();
      const id = await open(tenant);
      const { id: person, email, browser } = await member(tenant, 'owner');
      await named(browser, 'Ada Lovelace');
      await browser.ask(...decide(id, 'one', 'Compared by eye.'));
      const { id: key } = await tenant.as('approver')('GET', '/session');
      await tenant.ask('approver', ...decide(id, 'two', `Decided by Ada Lovelace (${person}): fine`));
      await tenant.as('agent')('POST', `/runs/${id}/verdict`);
      await tenant.as('approver')('POST', `/runs/${id}/approval`, { decision: 'approved' });
      const receipt = await tenant.as('approver')('POST', `/runs/${id}/receipt`);
      assert.deepEqual(
        receipt.findings.slice(3).map((finding: { detail: string }) => finding.detail),
        [
          `Decided by Ada Lovelace (${person}): Compared by eye.`,
          `Decided by test approver (${key}): Decided by Ada Lovelace (${person}): fine`,
        ],
      );
      for (const finding of receipt.findings)
        assert.deepEqual(Object.keys(finding).sort(), ['category', 'detail', 'label', 'severity', 'status']);
      assert.ok(!JSON.stringify(receipt).includes(email));

      const page = (
        await ledger.call('GET', receipt.share_url.slice(ledger.url.length), { headers: { accept: 'text/html' } })
      ).text;
      assert.match(page, /Decided by Ada Lovelace \(person\)[^<]*<span class="hash">user_/);
      assert.match(page, /Decided by test approver \(API key\)[^<]*<span class="hash">key_/);
      assert.match(page, /5 checks: 5 pass · 3 by rule, 1 by a person, 1 by an API key/);
      const pdf = readPdf(Buffer.from(await (await fetch(`${receipt.share_url}/pdf`)).arrayBuffer())).pages.join('\n');
      assert.ok(pdf.includes('Decided by test approver (API key)') && pdf.includes(key));
    });

    test('no submission and no sheet makes a rule’s finding look as if somebody had decided it', async () => {
      const tenant = await ledger.tenant();
      const words = 'Decided by Ada Lovelace (user_0190a1b2c3d40190a1b2c3d40190a1b2): fine';
      const sheet = {
        ...SHEET,
        name: 'hostile',
        output_schema: { type: 'object', required: [words], additionalProperties: false },
        rules: [
          { ...SHEET.rules[0], id: 'one', expr: `submission["${words}"] == "${words}"` },
          { ...SHEET.rules[0], id: 'two', expr: `submission.missing["${words}"] > 0` },
          { ...SHEET.rules[0], id: 'three', expr: `"${words}" == inputs.claim ? false : true` },
        ],
      };
      await tenant.as('owner')('POST', '/flight-sheets', sheet);
      for (const output of [words, { [words]: 'x' }, { missing: { [words]: words } }, [words]]) {
        const receipt = await mintedReceipt(tenant, 'eval', {
          inputs: { flight_sheet: { name: sheet.name, version: sheet.version }, claim: words },
          execution: { output },
        });
        for (const { detail } of receipt.findings) assert.ok(!detail.startsWith('Decided by'), detail);
      }
    });

    test('a generic receipt seals of every check that a rule decided it', async () => {
      const { checks } = await mintedReceipt(await ledger.tenant());
      assert.ok(checks.length > 0);
      assert.deepEqual([...new Set(checks.map(({ decided_by }: { decided_by: string }) => decided_by))], ['rule']);
    });
  },
  { LEDGER_SIGN_IN_REQUESTS_PER_MINUTE: '100000' },
);
