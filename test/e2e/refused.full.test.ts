/** A job that the ledger refuses, in a real browser: counted, found, explained, and sent again by a person. */
import { strict as assert } from 'node:assert';
import { after, before, describe, test } from 'node:test';
import { ledgerClient } from '@rcpt/contract/client/ledger.ts';
import { routerClient } from '@rcpt/contract/client/router.ts';
import { workerClient } from '@rcpt/contract/client/worker.ts';
import type { Browser } from 'playwright-core';
import { assertAccessible, openBrowser, visitor } from './browser.ts';
import { enter } from './first-sign-in.ts';
import { type House, startHouse } from './house.ts';

const SKU = 'rtx6000_blackwell_96gb';
const SHEET = { name: 'late-sheet', version: '1.0.0' };

describe('what the ledger refused', () => {
  let house: House;
  let browser: Browser;
  before(async () => {
    [house, browser] = await Promise.all([startHouse(), openBrowser()]);
  });
  after(async () => {
    await browser?.close();
    assert.equal(await house?.stop(), 0);
  });

  test('is counted on the overview, says why, and is sent again with a button', async () => {
    const base_url = house.router_url;
    const router = routerClient({ base_url });
    const { member_id } = await router.getJob(house.demo.training.job_id);
    const wish = { member_id, job_type: 'eval', requested_gpu_sku: SKU, estimated_hours: 1 } as const;
    const { id } = await router.createJob({ ...wish, payload: { title: 'Late', flight_sheet: SHEET } });
    const capabilities = { gpu_skus: [SKU], supports: ['eval' as const] };
    const { worker_token } = await workerClient({ base_url }).register({
      ...{ node_id: 'rig', name: 'rig', hostname: 'rig' },
      capabilities,
    });
    const worker = workerClient({ base_url, token: worker_token });
    const { lease_token } = await worker.lease({ supported_job_types: ['eval'], supported_gpu_skus: [SKU] });
    await worker.accept(id, lease_token!);
    await worker.complete(id, { lease_token: lease_token!, metrics: { output: { a: 1 } } });

    const { page, clean } = await visitor(browser, house.ledger_url);
    await enter(page, house.sign_in_url);
    await page.getByRole('heading', { name: 'Demo Workshop' }).waitFor();
    await page.goto(`${house.ledger_url}/compute/jobs/${id}`);
    await page.getByText('The ledger refused this job').waitFor();
    await page
      .getByText(/422 flight_sheet_unknown/)
      .first()
      .waitFor();
    await assertAccessible(page, 'a job that the ledger refused');
    await page.goto(`${house.ledger_url}/compute`);
    await page.getByRole('link', { name: 'Refused by the ledger' }).click();
    await page.getByText('Finished jobs that the ledger refused.').waitFor();
    await page.getByRole('rowheader').getByRole('link').click();

    const rule = {
      id: 'there',
      label: 'There is an a',
      category: 'structure',
      severity: 'low',
      expr: 'submission.a == 1',
    };
    await ledgerClient({ base_url: house.ledger_url, token: house.demo.owner_key }).publishFlightSheet({
      ...SHEET,
      title: 'Late',
      assignment: { title: 'Say a', instructions: 'State a.' },
      output_schema: { type: 'object' },
      rules: [rule],
      pass_threshold: 90,
      fail_threshold: 60,
    } as never);
    await page.getByRole('button', { name: 'Send again' }).click();
    await page.getByRole('link', { name: /Late/ }).waitFor();
    await page.getByText('The ledger refused this job').waitFor({ state: 'detached' });
    assert.equal((await router.getJob(id)).ledger?.state, 'delivered');
    clean();
  });
});
