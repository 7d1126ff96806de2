/** What an approver sees is what is sealed: on the Run, on the receipt and on its shared page, whatever was written there. */
import { strict as assert } from 'node:assert';
import { after, before, describe, test } from 'node:test';
import { sealedText } from '@rcpt/contract/shown.ts';
import type { Browser, Page } from 'playwright-core';
import { assertAccessible, openBrowser, visitor } from './browser.ts';
import { enter } from './first-sign-in.ts';
import { type House, startHouse } from './house.ts';

/** Typed so that a browser alone would show "Pay 100 to Acme" and the like. */
const HOSTILE = {
  title: 'Pay \u202e001\u202c to A\u200bcme',
  task: `Release the payment.${'\u00ad'.repeat(5_000)} Not more than 0.1 of it.\u2028Deliver\u3164y: \u{e0050}\u{e0041}\u{e0059}none e\u0301\u0301\u0302\u0303\u0304`,
  label: 'contract\u200f.pdf\u00a0(signed)',
  note: 'As agreed. \u2066Nothing else\u2069 ',
  agent: 'scribe\u200d',
};
/** The same in languages that need their joiners, and an emoji. */
const LEGITIMATE = 'می‌خواهم 👩‍💻 ❤️ क्‌ष שָׁלוֹם';
const INPUTS = {
  task: HOSTILE.task,
  confidence: 0.9999999999999999,
  limit: 1e21,
  count: '1',
  greeting: LEGITIMATE,
  'a.b': 1,
  a: { b: 1 },
  ...Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`k${i}`, i])),
};
describe('what others wrote', () => {
  let house: House;
  let browser: Browser;
  let run_id: string;

  before(async () => {
    [house, browser] = await Promise.all([startHouse(), openBrowser()]);
    const { id } = await post('/runs', {
      lane: 'generic',
      title: HOSTILE.title,
      inputs: INPUTS,
    });
    run_id = id;
    await post(`/runs/${id}/evidence`, { kind: 'file', label: HOSTILE.label, content: 'signed' });
    await post(`/runs/${id}/execution`, {
      agent_name: HOSTILE.agent,
      output: { note: HOSTILE.note, share: 0.1 + 0.2 },
    });
    await post(`/runs/${id}/checks`, {});
    await post(`/runs/${id}/verdict`, {});
  });
  after(async () => {
    await browser?.close();
    assert.equal(await house?.stop(), 0);
  });

  test('is shown to the approver and to everybody as it is sealed', async () => {
    const { page, context, clean } = await visitor(browser, house.ledger_url);
    await enter(page, house.sign_in_url, 'Ada Lovelace');
    await page.goto(`${house.ledger_url}/runs/${run_id}`);
    await page.getByText('107 more members in the JSON.').waitFor();
    await says(page, [HOSTILE.title, HOSTILE.task, HOSTILE.label, HOSTILE.note, LEGITIMATE]);
    for (const exact of ['0.9999999999999999', '1e+21', '"1"', '"a.b"', 'a.b', '0.30000000000000004'])
      await page.getByText(exact, { exact: true }).first().waitFor();
    assert.match(await page.title(), /^Pay \[U\+202E\]001/);
    await assertAccessible(page, 'a hostile Run');

    await post(`/runs/${run_id}/approval`, { decision: 'approved', note: HOSTILE.note });
    const { receipt_id, share_url } = await post(`/runs/${run_id}/receipt`, {});
    await page.goto(`${house.ledger_url}/receipts/${receipt_id}`);
    await page.getByRole('heading', { name: 'Evidence' }).waitFor();
    await says(page, [HOSTILE.title, HOSTILE.task, HOSTILE.label, HOSTILE.note, LEGITIMATE]);
    await page.getByText('206 more members in the JSON.').waitFor();
    await assertAccessible(page, 'a hostile receipt');

    await page.goto(share_url);
    await page.locator('#integrity.good').waitFor();
    await says(page, [HOSTILE.title, HOSTILE.task, HOSTILE.label, HOSTILE.note, LEGITIMATE]);
    await page.getByText('206 more members stand in the JSON.').waitFor();
    await assertAccessible(page, 'a hostile shared page');
    clean();
    await context.close();
  });

  /** Each text stands on the page, read back from what is seen there; and no invisible character is left. */
  async function says(page: Page, texts: string[]): Promise<void> {
    const seen = (await page.locator('main').first().textContent())!;
    for (const text of texts)
      assert.ok(sealedText(seen).includes(text), `${JSON.stringify(text)} is not said in ${seen}`);
    const left = /\p{Bidi_Control}|[\u00ad\u200b\u3164\u00a0\u2028]|[\u{e0000}-\u{e007f}]/u.exec(seen);
    assert.equal(left && seen.slice(left.index - 60, left.index + 20), null);
  }

  async function post(path: string, body: unknown): Promise<{ id: string; receipt_id: string; share_url: string }> {
    const answer = await fetch(`${house.ledger_url}${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${house.demo.owner_key}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
    return (await answer.json()) as { id: string; receipt_id: string; share_url: string };
  }
});
