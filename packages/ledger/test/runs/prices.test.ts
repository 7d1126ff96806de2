/** What the checks priced is what is approved and sealed, whatever the price file says by then. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { eachEngine } from '../../../../test/kit/engines.ts';
import { ownPort } from '../../../../test/kit/own-port.ts';
import { MIGRATIONS } from '../../src/migrations.ts';
import { running, tenantOf } from '../kit/running.ts';
import { runAt } from '../kit/story.ts';

const ROW = { gpu_type: 'cpu_small', gpu_name: 'A small CPU', vram_gb: 0, hourly_rate_usd: 2.5 };
const COOK = { execution: { runner: ROW.gpu_type, metrics: { duration_seconds: 7200 } } };

interface Check {
  key: string;
  status: string;
  detail: string;
}

eachEngine('prices', MIGRATIONS, (fresh) => {
  test('a restart with another price file between Checks and Approval seals the figure that the checks showed', async (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'ledger-prices-'));
    t.after(() => rmSync(folder, { recursive: true, force: true }));
    const { url } = await fresh();
    const PRICES_FILE = join(folder, 'prices.json');
    const place = { LEDGER_PORT: String(await ownPort()), PRICES_FILE };
    const startWith = (...rows: object[]) => {
      writeFileSync(PRICES_FILE, JSON.stringify(rows));
      return running({ url }, place);
    };
    let ledger = await startWith(ROW);
    const tenant = await tenantOf(ledger.call);
    const before = await runAt(tenant, 'Verdict', 'cook', COOK);
    const unchecked = await runAt(tenant, 'Execution', 'cook', COOK);
    await ledger.close();

    ledger = await startWith({ ...ROW, gpu_name: 'Renamed', hourly_rate_usd: 100 });
    const sealed = async (id: string) => {
      const { checks } = await tenant.as('auditor')('GET', `/runs/${id}`);
      const priced = (checks as Check[]).find(({ key }) => key === 'runner_priced');
      await tenant.as('approver')('POST', `/runs/${id}/approval`, { decision: 'approved' });
      const { cook, share_url } = await tenant.as('approver')('POST', `/runs/${id}/receipt`);
      return { detail: priced?.detail, compute_usd: cook.compute_usd, share_url };
    };
    const first = await sealed(before);
    assert.deepEqual([first.detail, first.compute_usd], ['A small CPU at 2.50 USD per hour.', 5]);
    await tenant.as('agent')('POST', `/runs/${unchecked}/checks`);
    await tenant.as('agent')('POST', `/runs/${unchecked}/verdict`);
    const second = await sealed(unchecked);
    assert.deepEqual([second.detail, second.compute_usd], ['Renamed at 100.00 USD per hour.', 200]);

    const page = await (await fetch(first.share_url, { headers: { accept: 'text/html' } })).text();
    assert.ok(page.includes('cpu_small'));
    assert.doesNotMatch(page, /Renamed|A small CPU/, 'printed from the sealed bytes alone');
    await ledger.close();

    ledger = await startWith();
    const gone = await runAt(tenant, 'Verdict', 'cook', COOK);
    const unpriced = await sealed(gone);
    assert.match(unpriced.detail!, /has no price here/);
    assert.equal(unpriced.compute_usd, 0);
    assert.equal((await tenant.as('auditor')('GET', '/ledger/verify')).ok, true);
    await ledger.close();
  });
});
