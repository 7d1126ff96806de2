/** The compute pages in a real browser: a quote becomes a job that is followed to its receipt; queue, workers, roles, no router. */
import { strict as assert } from 'node:assert';
import { spawnSync } from 'node:child_process';
import { after, before, describe, test } from 'node:test';
import { routerClient } from '@rcpt/contract/client/router.ts';
import { type WorkerClient, workerClient } from '@rcpt/contract/client/worker.ts';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { assertAccessible, openBrowser, visitor, type Watched } from './browser.ts';
import { enter } from './first-sign-in.ts';
import { type House, startHouse } from './house.ts';

const SKU = 'rtx6000_blackwell_96gb';
const HELD = { job_type: 'batch', requested_gpu_sku: SKU, estimated_hours: 2 } as const;

describe('the compute pages in a browser', () => {
  let house: House;
  let browser: Browser;
  let person: Watched;
  let page: Page;
  let router: ReturnType<typeof routerClient>;
  let member_id: string;

  before(async () => {
    [house, browser] = await Promise.all([startHouse(), openBrowser()]);
    router = routerClient({ base_url: house.router_url, token: undefined });
    member_id = (await router.getJob(house.demo.training.job_id)).member_id;
    person = await visitor(browser, house.ledger_url);
    page = person.page;
    await enter(page, house.sign_in_url);
    await page.getByRole('heading', { name: 'Demo Workshop' }).waitFor();
  });
  after(async () => {
    await browser?.close();
    assert.equal(await house?.stop(), 0);
  });

  const open = (path: string) => page.goto(`${house.ledger_url}${path}`);
  const withKey = (key: string, options: BrowserContextOptions = {}, expected: RegExp[] = []) =>
    visitor(browser, house.ledger_url, { ...options, extraHTTPHeaders: { authorization: `Bearer ${key}` } }, expected);

  test('a quote is spelled out and becomes a job, seen from its log to its Run in the ledger', async () => {
    await open('/compute/quotes');
    // What the demo's worker offers is the machine it runs on.
    const { requested_gpu_sku } = await router.getJob(house.demo.training.job_id);
    await page.getByLabel('Hardware').selectOption(requested_gpu_sku);
    await page.getByLabel('Hours').fill('0.75');
    await page.getByText('0.15 USD', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Get a quote' }).click();
    await page.getByText('Quoted', { exact: true }).waitFor();
    await page.getByText('0.20 USD/h × 0.75 h').waitFor();
    await page.getByLabel('Payload').fill('{"title": ');
    await page.getByRole('button', { name: 'Submit as job' }).click();
    await page.getByText('This is no JSON').waitFor();
    await assertAccessible(page, 'a quote with a payload that is no JSON');
    const { training } = house.demo;
    const { input_dataset_ids } = await router.getJob(training.job_id);
    await page.getByLabel('Datasets').fill(input_dataset_ids.join(', '));
    await page.getByLabel('Payload').fill('{"title": "Softmax, once more", "base_model": "demo/softmax-iris"}');
    await page.getByRole('button', { name: 'Submit as job' }).click();

    await page.getByRole('heading', { name: /^Fine-tune [0-9a-f]{8}$/ }).waitFor();
    await page.locator('.log-line', { hasText: 'accuracy' }).last().waitFor();
    await page.getByText('Complete', { exact: true }).waitFor();
    const id = new URL(page.url()).pathname.split('/').at(-1)!;
    const [artifact] = await router.jobArtifacts(id);
    await page.locator('.artifact', { hasText: artifact!.name }).getByText(artifact!.checksum_sha256!).waitFor();
    await page.getByText('0.20 USD/h × 0.75 h =').waitFor();
    await page.getByText('Fine tune job completed').waitFor();
    await page.getByRole('link', { name: /Softmax, once more/ }).waitFor();
    await assertAccessible(page, 'a completed job');
    person.clean();
  });

  test('says why jobs wait; its charts are read by keyboard and as a table', async () => {
    const { id } = await router.createJob({ ...HELD, member_id });
    await open('/compute');
    await page.getByText('No worker that takes work offers RTX PRO 6000 Blackwell Workstation 96GB.').waitFor();
    const chart = page.getByRole('slider', { name: /Jobs ended/ });
    await chart.focus();
    // The hour may end between the one job and the other, or after both.
    const completed: number[] = [];
    for (const key of ['End', 'ArrowLeft', 'ArrowLeft']) {
      await page.keyboard.press(key);
      const said = (await chart.getAttribute('aria-valuetext'))!;
      completed.push(Number(/UTC: (\d+) completed, 0 canceled, 0 failed$/.exec(said)?.[1]));
    }
    const [latest, before, earlier] = completed;
    assert.deepEqual([latest! + before!, earlier], [2, 0], String(completed));
    await assertAccessible(page, 'the overview');
    await page.getByRole('button', { name: 'Show as table' }).click();
    const rows = page.getByRole('table', { name: /Activity/ }).getByRole('row');
    const [now, hourBefore] = [
      await rows.nth(1).getByRole('cell').allTextContents(),
      await rows.nth(2).getByRole('cell').allTextContents(),
    ];
    assert.deepEqual([Number(now[1]) + Number(hourBefore[1]), now.at(-1)], [2, '1']);
    await assertAccessible(page, 'the overview as a table');
    await router.cancelJob(id);
    await page.getByText('Why jobs wait').waitFor({ state: 'detached' });
    person.clean();
  });

  test('drains a worker and resumes it, after asking', async () => {
    await open('/compute');
    await page.getByRole('link', { name: 'Local demo worker' }).click();
    await page.getByRole('heading', { name: 'Local demo worker' }).waitFor();
    for (const [order, desired] of [
      ['Drain', 'drain'],
      ['Resume', 'run'],
    ] as const) {
      await page.getByRole('button', { name: order, exact: true }).click();
      await assertAccessible(page, `the question before: ${order}`);
      await page.getByRole('dialog').getByRole('button', { name: order, exact: true }).click();
      await page.getByRole('dialog').waitFor({ state: 'detached' });
      const [worker] = await router.listWorkers();
      assert.equal(worker!.desired, desired);
    }
    await assertAccessible(page, 'a worker');
    person.clean();
  });

  test('revokes a worker, after asking; its job is given back', async () => {
    const { id } = await router.createJob({ ...HELD, member_id });
    const held = await worker(house.router_url);
    const { id: worker_id } = (await router.listWorkers()).at(-1)!;
    await open(`/compute/workers/${worker_id}`);
    await page.getByRole('button', { name: 'Revoke', exact: true }).click();
    await assertAccessible(page, 'the question before: Revoke');
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke worker' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.getByText('Nothing: it was revoked.').waitFor();
    assert.equal(await page.getByRole('button', { name: 'Revoke' }).count(), 0);
    assert.equal((await router.getJob(id)).status, 'queued');
    await assert.rejects(held.client.heartbeat({ status: 'online' }), /401 worker_revoked/);
    await router.cancelJob(id);
    await assertAccessible(page, 'a revoked worker');
    person.clean();
  });

  test('follows the end of a log unless one scrolls up, and hears at once that the job was canceled', async () => {
    const { id } = await router.createJob({ ...HELD, member_id });
    const held = await worker(house.router_url);
    const write = (from: number, lines: number) =>
      held.client.log(id, {
        lease_token: held.lease_token,
        lines: Array.from({ length: lines }, (_, i) => `line \u001b[1m${from + i}\u001b[0m <b>`),
      });
    await write(1, 5_000);
    await open(`/compute/jobs/${id}`);
    await page.getByText('line 5000 <b>').waitFor();
    assert.ok((await page.locator('.log-line').count()) < 200, 'only the lines that are seen exist');
    await write(5_001, 10);
    await page.getByText('line 5010 <b>').waitFor();
    await page.evaluate(`document.querySelector('.log-lines').scrollTo(0, 0)`);
    await page.getByText('line 1 <b>', { exact: true }).waitFor();
    await write(5_011, 10);
    await page.getByText('5,020 lines').waitFor();
    assert.equal(await page.evaluate(`document.querySelector('.log-lines').scrollTop`), 0);
    await page.getByRole('button', { name: 'To the end' }).click();
    await page.getByText('line 5020 <b>').waitFor();
    await page.getByRole('searchbox', { name: 'Search the log' }).fill('line 4999');
    await page.getByText('1 line of 5,020 match').waitFor();
    await assertAccessible(page, 'a running job');

    await page.getByRole('button', { name: 'Cancel job' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel job' }).click();
    await page.getByText('Nothing was charged').waitFor();
    await page.getByText('Complete', { exact: true }).waitFor();
    assert.equal((await router.getJob(id)).status, 'canceled');
    person.clean();
  });

  test('adds a member, says what activation costs, registers a dataset and grants access', async () => {
    await open('/compute/members');
    await page.getByRole('button', { name: 'Add member' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('Ada');
    await dialog.getByLabel('E-mail').fill('ada@workshop.example');
    await dialog.getByRole('button', { name: 'Add member' }).click();
    await page.getByRole('heading', { name: 'Activate Ada?' }).waitFor();
    assert.match((await dialog.textContent())!, /100\.00 USD.*365 days/);
    await assertAccessible(page, 'the question before a charge');
    await dialog.getByRole('button', { name: 'Charge 100.00 USD' }).click();
    await page.getByRole('row', { name: /Ada.*Active/ }).waitFor();
    await assertAccessible(page, 'members');

    await open('/compute/datasets');
    await page.getByRole('button', { name: 'Register dataset' }).click();
    await assertAccessible(page, 'the form of a dataset');
    const said = { Title: 'Notes', Domain: 'support', 'Quality tier': 'gold', License: 'CC-BY-4.0', Rows: '3' };
    for (const [label, value] of Object.entries(said)) await dialog.getByLabel(label).fill(value);
    await dialog.getByLabel('Address').fill('s3://datasets/notes');
    await dialog.getByLabel('Size in bytes').fill('120');
    await dialog.getByLabel('SHA-256').fill('ab'.repeat(32));
    await dialog.getByRole('button', { name: 'Register dataset' }).click();
    await page.getByRole('button', { name: 'Grant access to Notes' }).click();
    await dialog.getByRole('button', { name: 'Grant access' }).click();
    await dialog.getByText(/^rcpt_/).waitFor();
    await dialog.getByRole('button', { name: 'Done' }).click();
    await assertAccessible(page, 'datasets');
    person.clean();
  });

  test('an auditor sees all of it, and is told why nothing can be pressed', async () => {
    const auditor = await withKey(house.demo.auditor_key, {
      viewport: { width: 360, height: 740 },
      colorScheme: 'dark',
    });
    for (const [path, name] of [
      ['/compute/members', 'Add member'],
      ['/compute/datasets', 'Register dataset'],
      ['/compute/quotes', 'Get a quote'],
    ] as const) {
      await auditor.page.goto(`${house.ledger_url}${path}`);
      const button = auditor.page.getByRole('button', { name }).first();
      await button.waitFor();
      assert.equal(await button.getAttribute('aria-disabled'), 'true', path);
      await assertAccessible(auditor.page, `${path} as an auditor, dark, on a phone`);
      assert.equal(await auditor.page.evaluate('document.documentElement.scrollWidth'), 360, path);
    }
    auditor.clean();
    await auditor.context.close();
  });

  test('an organization without a router is told what connects one; a router that is away is waited for', async () => {
    const rcpt = (...words: string[]) => {
      const { status, stdout, stderr } = spawnSync('./rcpt', [...words, '--data', house.data, '--json']);
      assert.equal(status, 0, String(stderr));
      return JSON.parse(String(stdout));
    };
    const { organization_id, api_key } = rcpt('org', 'create', '--name', 'Newcomers');
    const newcomer = await withKey(api_key, {}, [/404|503/]);
    await newcomer.page.goto(`${house.ledger_url}/compute/jobs`);
    await newcomer.page.getByText(`./rcpt org router --org ${organization_id}`).waitFor();
    await assertAccessible(newcomer.page, 'no router');
    rcpt('org', 'router', '--org', organization_id, '--url', 'http://127.0.0.1:9');
    await newcomer.page.reload();
    await newcomer.page.getByText('The router does not answer').waitFor();
    await newcomer.page.getByText(/^Request /).waitFor();
    await assertAccessible(newcomer.page, 'a router that is away');
    rcpt('org', 'router', '--org', organization_id, '--url', house.router_url);
    await newcomer.page.getByRole('table', { name: 'Jobs, newest first' }).waitFor();
    newcomer.clean();
    await newcomer.context.close();
  });
});

/** A worker that holds the one job there is for its GPU. */
async function worker(base_url: string): Promise<{ client: WorkerClient; lease_token: string }> {
  const capabilities = { gpu_skus: [SKU], supports: [HELD.job_type] };
  const place = { node_id: 'rig', name: 'rig', hostname: 'rig' };
  const { worker_token } = await workerClient({ base_url, token: undefined }).register({ ...place, capabilities });
  const client = workerClient({ base_url, token: worker_token });
  const asked = { supported_job_types: [HELD.job_type], supported_gpu_skus: [SKU] };
  const { job, lease_token } = await client.lease(asked);
  await client.accept(job!.id, lease_token!);
  return { client, lease_token: lease_token! };
}
