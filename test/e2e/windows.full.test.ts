/** Many windows of one browser: a host gets six connections of it over HTTP/1.1, and streams must leave room for the rest. */
import { strict as assert } from 'node:assert';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { routerClient } from '@rcpt/contract/client/router.ts';
import { type WorkerClient, workerClient } from '@rcpt/contract/client/worker.ts';
import type { Browser, Page, Request } from 'playwright-core';
import { openBrowser, visitor, type Watched } from './browser.ts';
import { type House, startHouse } from './house.ts';

const WINDOWS = 7;
const STREAMS = ['/events', '/router/admin/news'];
const PATIENT = { timeout: 120_000 };
const SKU = 'rtx6000_blackwell_96gb';
const KIND = { job_type: 'batch', requested_gpu_sku: SKU } as const;

describe('many windows of one browser', () => {
  let house: House;
  let browser: Browser;
  let person: Watched;
  const pages: Page[] = [];
  const asked = new Set<Request>();
  /** The event streams that are open, and who opened them. */
  const streams = () =>
    [...asked]
      .map((request) => ({ path: new URL(request.url()).pathname, page: request.frame().page() }))
      .filter(({ page }) => !page.isClosed())
      .sort((a, b) => (a.path < b.path ? -1 : 1));
  const paths = () => streams().map(({ path }) => path);

  let held: { client: WorkerClient; job_id: string; lease_token: string };
  const write = (line: string) => held.client.log(held.job_id, { lease_token: held.lease_token, lines: [line] });

  before(async () => {
    [house, browser] = await Promise.all([startHouse(), openBrowser()]);
    const router = routerClient({ base_url: house.router_url, token: undefined });
    const { member_id } = await router.getJob(house.demo.training.job_id);
    const { id } = await router.createJob({ ...KIND, member_id, estimated_hours: 1 });
    held = { ...(await leased(house.router_url)), job_id: id };
    const authorization = `Bearer ${house.demo.owner_key}`;
    person = await visitor(browser, house.ledger_url, { extraHTTPHeaders: { authorization } });
    person.context.setDefaultTimeout(PATIENT.timeout);
    const isStream = (request: Request) => request.resourceType() === 'eventsource';
    person.context.on('request', (request) => isStream(request) && asked.add(request));
    person.context.on('requestfinished', (request) => asked.delete(request));
    person.context.on('requestfailed', (request) => asked.delete(request));
    await person.page.close();
    for (let i = 0; i < WINDOWS; i++) pages.push(await person.context.newPage());
  });
  after(async () => {
    await browser?.close();
    assert.equal(await house?.stop(), 0);
  });

  test('share two streams, and a log arrives in all of them', async () => {
    await write('the first line');
    await Promise.all(
      pages.map(async (page) => {
        await page.goto(`${house.ledger_url}/compute/jobs/${held.job_id}`);
        await page.getByText('the first line').waitFor();
      }),
    );
    await until(() => isDeepStrictEqual(paths(), STREAMS));
    await write('told to everybody');
    await Promise.all(pages.map((page) => page.getByText('told to everybody').waitFor()));
    await until(() => isDeepStrictEqual(paths(), STREAMS));
  });

  test('one that is closed hands its streams over; one that nobody sees lets them go', async () => {
    for (const page of pages.splice(0, WINDOWS - 3)) await page.close();
    await write('told to those who are left');
    await Promise.all(pages.map((page) => page.getByText('told to those who are left').waitFor()));
    const [first, second, last] = pages as [Page, Page, Page];
    for (const page of [first, second]) await look(page, 'hidden');
    await until(() => streams().length === 2 && streams().every(({ page }) => page === last));
    await write('told to the one that is seen');
    await last.getByText('told to the one that is seen').waitFor();
    await look(last, 'hidden');
    await until(() => streams().length === 0);

    await write('told to nobody');
    await look(first, 'visible');
    await first.getByText('told to nobody').waitFor();
    await until(() => isDeepStrictEqual(paths(), STREAMS));
  });
});

/** As when a person turns to another window, or comes back. */
function look(page: Page, visibilityState: 'visible' | 'hidden'): Promise<unknown> {
  return page.evaluate(`
    Object.defineProperty(document, 'visibilityState', { configurable: true, value: '${visibilityState}' });
    document.dispatchEvent(new Event('visibilitychange'));
  `);
}

async function until(holds: () => boolean): Promise<void> {
  for (const started = performance.now(); !holds(); await sleep(50))
    assert.ok(performance.now() - started < PATIENT.timeout, 'it did not come to hold');
}

/** A worker that has accepted the one job there is for its GPU. */
async function leased(base_url: string): Promise<{ client: WorkerClient; lease_token: string }> {
  const capabilities = { gpu_skus: [SKU], supports: [KIND.job_type] };
  const place = { node_id: 'rig', name: 'rig', hostname: 'rig' };
  const { worker_token } = await workerClient({ base_url, token: undefined }).register({ ...place, capabilities });
  const client = workerClient({ base_url, token: worker_token });
  const asked = { supported_job_types: [KIND.job_type], supported_gpu_skus: [SKU] };
  const { job, lease_token } = await client.lease(asked);
  await client.accept(job!.id, lease_token!);
  return { client, lease_token: lease_token! };
}
