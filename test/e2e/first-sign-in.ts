/** What the first sign-in asks: the name that receipts will show. */
import type { Page } from 'playwright-core';

/** Follows a mailed link. Without a name it is asked again before anything is sealed with one. */
export async function enter(page: Page, link: string, public_name?: string): Promise<void> {
  await page.goto(link);
  await page.getByRole('heading', { name: 'Which name do receipts show?' }).waitFor();
  if (public_name === undefined) return page.getByRole('button', { name: 'Not now' }).click();
  await page.getByRole('textbox', { name: 'Public name' }).fill(public_name);
  await page.getByRole('button', { name: 'Use this name' }).click();
}
