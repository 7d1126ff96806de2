/** Every page of the console as it stands: readable by everybody, on every screen, and asking nobody else. */
import { strict as assert } from 'node:assert';
import { readdirSync, readFileSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';
import { routerClient } from '@rcpt/contract/client/router.ts';
import { workerClient } from '@rcpt/contract/client/worker.ts';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { assertAccessible, openBrowser, visitor } from './browser.ts';
import { enter } from './first-sign-in.ts';
import { type House, startHouse } from './house.ts';
import { everyPage } from './pages.ts';

type State = Awaited<ReturnType<BrowserContext['storageState']>>;

const FIRST_LOAD_BYTES = 200_000;
const SKU = 'rtx6000_blackwell_96gb';

describe('every page of the console', () => {
  let house: House;
  let browser: Browser;
  let storageState: State;
  let pages: Awaited<ReturnType<typeof everyPage>>;

  before(async () => {
    [house, browser] = await Promise.all([startHouse(), openBrowser()]);
    pages = await everyPage(house);
    const { page, context } = await visitor(browser, house.ledger_url);
    await enter(page, house.sign_in_url);
    await page.getByRole('heading', { level: 1, name: 'Demo Workshop' }).waitFor();
    storageState = await context.storageState();
    await context.close();
  });
  after(async () => {
    await browser?.close();
    assert.equal(await house?.stop(), 0);
  });

  for (const [look, options] of [
    ['wide and light', { viewport: { width: 1440, height: 900 }, colorScheme: 'light' }],
    [
      'on a phone and dark',
      { viewport: { width: 360, height: 740 }, colorScheme: 'dark', isMobile: true, hasTouch: true },
    ],
  ] as const)
    test(`is accessible, complains of nothing and fits: ${look}`, async () => {
      const { page, context, clean } = await visitor(browser, house.ledger_url, { ...options, storageState });
      for (const [name, path] of pages) {
        await page.goto(`${house.ledger_url}${path}`);
        await drawn(page);
        await assertAccessible(page, `${name}, ${look}`);
        const [inner, outer] = (await page.evaluate(
          '[document.documentElement.scrollWidth, document.documentElement.clientWidth]',
        )) as [number, number];
        assert.ok(inner <= outer, `${name} is ${inner} pixels wide on a screen of ${outer}`);
      }
      clean();
      await context.close();
    });

  test('comes with less than 200 kB of compressed script at first', async () => {
    const { page, context } = await visitor(browser, house.ledger_url, { storageState });
    await page.goto(house.ledger_url);
    await drawn(page);
    const scripts = (await page.evaluate(`performance.getEntriesByType('resource')
      .filter(({ name }) => new URL(name).pathname.endsWith('.js')).map(({ encodedBodySize }) => encodedBodySize)`)) as number[];
    const bytes = scripts.reduce((sum, each) => sum + each, 0);
    assert.ok(bytes > 10_000 && bytes < FIRST_LOAD_BYTES, `${scripts.length} scripts of ${bytes} bytes`);
    await context.close();
  });

  test('holds no inline script or style', () => {
    const index = readFileSync('packages/console/dist/index.html', 'utf8');
    assert.doesNotMatch(index, /<script(?![^>]*\bsrc=)|<style| style=| on[a-z]+="/);
    assert.ok(readdirSync('packages/console/dist/console/assets').some((name) => name.endsWith('.js.br')));
  });

  test('shows the log of a job line by line as it is written', async () => {
    const router = routerClient({ base_url: house.router_url });
    const node = await router.registerNode({ hostname: 'bench', gpu_type: SKU });
    const open = workerClient({ base_url: house.router_url });
    const { worker_token } = await open.register({ node_id: node.id, name: 'by hand', hostname: 'bench' });
    const worker = workerClient({ base_url: house.router_url, token: worker_token });
    const members = (await (await fetch(`${house.router_url}/members`)).json()) as { id: string }[];
    const job = await router.createJob({
      member_id: members[0]!.id,
      job_type: 'inference',
      requested_gpu_sku: SKU,
      estimated_hours: 0.1,
    });
    const { page, context, clean } = await visitor(browser, house.ledger_url, { storageState });
    await page.goto(`${house.ledger_url}/compute/jobs/${job.id}`);
    await page.getByRole('heading', { level: 1 }).waitFor();
    const { lease_token } = await worker.lease({ supported_job_types: ['inference'], supported_gpu_skus: [SKU] });
    await worker.accept(job.id, lease_token!);
    for (const [sequence, line] of ['loading the model', 'first batch done', 'second batch done'].entries()) {
      await worker.log(job.id, { lease_token: lease_token!, lines: [line], stream: 'stdout', sequence });
      await page.getByText(line).waitFor();
    }
    await assertAccessible(page, 'a job that runs');
    await worker.complete(job.id, { lease_token: lease_token!, metrics: { duration_seconds: 3 } });
    // The log says so when the job has ended and all of it is there; until then it is live.
    await page.getByText('Complete', { exact: true }).waitFor();
    clean();
    await context.close();
  });
});

async function drawn(page: Page): Promise<void> {
  await page.getByRole('heading', { level: 1 }).first().waitFor();
  // What is asked for has arrived: nothing is drawn as a placeholder any more.
  await page.locator('.skeleton, [aria-busy="true"]').first().waitFor({ state: 'detached' });
}
