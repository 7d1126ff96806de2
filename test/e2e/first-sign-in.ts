/** What the first sign-in asks: the name that receipts will show, and whether one wants to work where one was invited. */
import type { Page } from 'playwright-core';

/** Follows a mailed link. Without a name it is asked again before anything is sealed with one. */
export async function enter(page: Page, link: string, public_name?: string): Promise<void> {
  await page.goto(link);
  await page.getByRole('heading', { name: 'Which name do receipts show?' }).waitFor();
  if (public_name === undefined) await page.getByRole('button', { name: 'Not now' }).click();
  else {
    await page.getByRole('textbox', { name: 'Public name' }).fill(public_name);
    await page.getByRole('button', { name: 'Use this name' }).click();
  }
  await workHere(page);
}

/** Asked once for each organization: a person who chose it before is there at once. */
export async function workHere(page: Page): Promise<void> {
  const asked = page.getByRole('button', { name: 'Work here' });
  await asked
    .or(page.getByRole('navigation', { name: 'Main' }))
    .first()
    .waitFor();
  if (await asked.isVisible()) await asked.click();
  await page.getByRole('navigation', { name: 'Main' }).waitFor();
}
