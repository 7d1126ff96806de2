/** `npm run screenshots`: every page as a newcomer finds it after `npm start`, into docs/screenshots. */
import { mkdirSync } from 'node:fs';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { openBrowser, visitor } from './browser.ts';
import { enter } from './first-sign-in.ts';
import { startHouse } from './house.ts';
import { everyPage } from './pages.ts';

const FOLDER = 'docs/screenshots';
const WIDE = { viewport: { width: 1280, height: 800 } };
const PHONE = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true };
/** Beside the light picture of each page. */
const DARK = new Set(['home', 'run', 'ledger', 'compute']);
const ON_A_PHONE = new Set(['home', 'run', 'compute']);

mkdirSync(FOLDER, { recursive: true });
const [house, browser] = await Promise.all([startHouse(), openBrowser()]);
try {
  const pages = await everyPage(house);
  await shared(browser);
  const { page, context } = await visitor(browser, house.ledger_url, { ...WIDE, colorScheme: 'light' });
  await page.goto(`${house.ledger_url}/sign-in`);
  await picture(page, 'sign-in');
  await enter(page, house.sign_in_url, 'Ada Lovelace');
  await page.getByRole('heading', { level: 1, name: 'Demo Workshop' }).waitFor();
  const storageState = await context.storageState();
  await context.close();
  const looks: [string, BrowserContextOptions, (name: string) => boolean][] = [
    ['', { ...WIDE, colorScheme: 'light' }, () => true],
    ['-dark', { ...WIDE, colorScheme: 'dark' }, (name) => DARK.has(name)],
    ['-phone', { ...PHONE, colorScheme: 'light' }, (name) => ON_A_PHONE.has(name)],
  ];
  for (const [suffix, options, wanted] of looks) {
    const looking = await visitor(browser, house.ledger_url, { ...options, storageState, reducedMotion: 'reduce' });
    for (const [name, path] of pages.filter(([name]) => wanted(name))) {
      await looking.page.goto(`${house.ledger_url}${path}`);
      await picture(looking.page, `${name}${suffix}`);
    }
    await looking.context.close();
  }
} finally {
  await browser.close();
  await house.stop();
}

async function shared(browser: Browser): Promise<void> {
  for (const [suffix, options] of [
    ['', { ...WIDE, colorScheme: 'light' }],
    ['-dark-phone', { ...PHONE, colorScheme: 'dark' }],
  ] as const) {
    const { page, context } = await visitor(browser, house.ledger_url, options);
    await page.goto(house.demo.share_url);
    await page.locator('#integrity.good').waitFor();
    await page.screenshot({ path: `${FOLDER}/share${suffix}.png` });
    if (suffix === '') {
      await page.goto(`${house.demo.share_url}/card.png`);
      await page.locator('img').screenshot({ path: `${FOLDER}/share-card.png` });
    }
    await context.close();
  }
}

async function picture(page: Page, name: string): Promise<void> {
  await page.getByRole('heading', { level: 1 }).first().waitFor();
  await page.locator('.skeleton, [aria-busy="true"]').first().waitFor({ state: 'detached' });
  await page.waitForTimeout(400);
  await page.screenshot({ path: `${FOLDER}/${name}.png` });
  process.stdout.write(`${FOLDER}/${name}.png\n`);
}
