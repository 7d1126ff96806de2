/**
 * Pictures of the console's pages as people see them: light, dark and on a phone.
 * `node packages/console/test/kit/look.ts --ledger URL [--key rk_…] [--out FOLDER] [--pages /,/runs] [--looks light,dark,phone]`
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { Browser, BrowserContextOptions } from 'playwright-core';
import { openBrowser } from '../../../../test/e2e/browser.ts';

const WIDE = { width: 1360, height: 860 };
const LOOKS: Record<string, BrowserContextOptions> = {
  light: { viewport: WIDE, colorScheme: 'light' },
  dark: { viewport: WIDE, colorScheme: 'dark' },
  phone: { viewport: { width: 390, height: 844 }, colorScheme: 'light', hasTouch: true, isMobile: true },
};

export interface Sitting {
  /** Where the console is served. */
  url: string;
  /** Sent with every request; without it the pages show what someone without a session sees. */
  key?: string | undefined;
  folder: string;
  pages: readonly string[];
  looks: readonly string[];
}

/** Takes one whole-page picture per page and look; says what the pages complained about. */
export async function look({ url, key, folder, pages, looks }: Sitting): Promise<string[]> {
  mkdirSync(folder, { recursive: true });
  const browser = await openBrowser();
  const complaints: string[] = [];
  try {
    for (const name of looks)
      complaints.push(
        ...(await takeAll(browser, LOOKS[name]!, url, key, pages, (path) =>
          join(folder, `${fileOf(path)}-${name}.png`),
        )),
      );
  } finally {
    await browser.close();
  }
  return complaints;
}

async function takeAll(
  browser: Browser,
  options: BrowserContextOptions,
  url: string,
  key: string | undefined,
  pages: readonly string[],
  pictureOf: (path: string) => string,
): Promise<string[]> {
  const headers = key === undefined ? {} : { extraHTTPHeaders: { authorization: `Bearer ${key}` } };
  const context = await browser.newContext({ ...options, ...headers, locale: 'en-GB', reducedMotion: 'reduce' });
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on('console', (message) => message.type() === 'error' && complaints.push(`${page.url()}: ${message.text()}`));
  page.on('pageerror', (error) => complaints.push(`${page.url()}: ${error.message}`));
  for (const path of pages) {
    await page.goto(`${url}${path}`);
    await page.locator('h1').waitFor();
    await page
      .locator('main [aria-busy]')
      .first()
      .waitFor({ state: 'detached', timeout: 10_000 })
      .catch(() => {});
    await page.screenshot({ path: pictureOf(path), fullPage: true });
  }
  await context.close();
  return complaints;
}

function fileOf(path: string): string {
  return (
    path
      .replace(/^\//, '')
      .replace(/\?.*$/, '')
      .replaceAll(/[^\w-]+/g, '-') || 'home'
  );
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: {
      ledger: { type: 'string' },
      key: { type: 'string' },
      out: { type: 'string', default: 'screenshots' },
      pages: { type: 'string', default: '/,/runs,/receipts,/ledger' },
      looks: { type: 'string', default: 'light,dark,phone' },
    },
  });
  const complaints = await look({
    url: values.ledger ?? 'http://127.0.0.1:8080',
    key: values.key,
    folder: values.out,
    pages: values.pages.split(','),
    looks: values.looks.split(','),
  });
  for (const line of complaints) process.stderr.write(`${line}\n`);
}
