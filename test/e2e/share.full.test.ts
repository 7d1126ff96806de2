/** A client opens the link they were sent, in a browser that never saw us. */
import { strict as assert } from 'node:assert';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, describe, test } from 'node:test';
import type { Browser } from 'playwright-core';
import { assertAccessible, openBrowser, visitor } from './browser.ts';
import { type House, startHouse } from './house.ts';

describe('a shared receipt in a fresh browser', () => {
  let house: House;
  let browser: Browser;
  before(async () => {
    [house, browser] = await Promise.all([startHouse(), openBrowser()]);
  });
  after(async () => {
    await browser?.close();
    assert.equal(await house?.stop(), 0);
  });

  for (const [name, options] of [
    ['wide and light', { viewport: { width: 1280, height: 900 }, colorScheme: 'light' }],
    ['on a phone and dark', { viewport: { width: 390, height: 844 }, colorScheme: 'dark', isMobile: true }],
  ] as const)
    test(`is recomputed there: ${name}`, async () => {
      const { page, context, clean } = await visitor(browser, house.ledger_url, options);
      await page.goto(house.demo.share_url);
      await page.locator('#integrity.good').waitFor();
      assert.match(
        (await page.locator('#integrity .found').textContent())!,
        /^[\d,]+ bytes, downloaded at .* have the SHA-256/,
      );
      await page.locator('#inclusion_and_completeness.good').waitFor();
      assert.match((await page.locator('#identity .finding').textContent())!, /it came with what was checked/);
      assert.equal(
        await page.evaluate('document.documentElement.scrollWidth <= document.documentElement.clientWidth'),
        true,
        'nothing is cut off at the side',
      );
      await assertAccessible(page, `the share page ${name}`);
      clean();
      await context.close();
    });

  test('is readable without scripts', async () => {
    const { page, context, clean } = await visitor(browser, house.ledger_url, { javaScriptEnabled: false });
    await page.goto(house.demo.share_url);
    assert.match((await page.locator('main').textContent())!, /Check it by hand/);
    assert.ok(await page.getByRole('link', { name: 'PDF' }).isVisible());
    clean();
    await context.close();
  });

  test('that was altered underneath is called altered, by the server and by the browser', async () => {
    const token = house.demo.training.cook.share_url.split('/').at(-1)!;
    const db = new DatabaseSync(join(house.data, 'ledger.db'), { timeout: 60_000 });
    const changed = db
      .prepare(
        `update receipts set payload = replace(payload, 'Demo Workshop', 'Other Workshop') where share_token = ? and payload like '%Demo Workshop%'`,
      )
      .run(token);
    db.close();
    assert.equal(changed.changes, 1);
    // The log gives no proof of what it did not sign.
    const { page, context, clean } = await visitor(browser, house.ledger_url, {}, [/status of 409/]);
    await page.goto(house.demo.training.cook.share_url);
    await page.getByRole('alert').waitFor();
    await page.locator('#integrity.bad').waitFor();
    assert.match((await page.locator('#integrity .finding').textContent())!, /does not hold/);
    await assertAccessible(page, 'the page of an altered receipt');
    clean();
    await context.close();
  });
});
