/** `./rcpt verify` of an activity export, by an auditor who comes again: it remembers, and names what was cut or written anew. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { main } from '@rcpt/proof/bin.ts';
import { temporaryFolder } from '../../../../test/kit/folders.ts';
import { forgetSigned, rewriteActivity } from '../kit/activity-forgery.ts';
import { eachLedger, type Tenant } from '../kit/running.ts';

eachLedger('an activity export, verified offline', (ledger) => {
  /** Checkpoint, then export: an export is a line itself, of which the checkpoint before it knows nothing. */
  async function look(tenant: Tenant, folder: string): Promise<{ code: number; text: string }> {
    const get = async (path: string) => (await tenant.ask('auditor', 'GET', path)).text;
    const file = (name: string, content: string) => {
      writeFileSync(join(folder, name), content);
      return join(folder, name);
    };
    const key = file('key', await get('/activity/key'));
    const lines = file('activity.ndjson', await get('/activity/export'));
    const checkpoint = file('checkpoint', await get('/activity/checkpoint'));
    let text = '';
    const out = {
      write(more: string) {
        text += more;
        return true;
      },
    };
    const words = ['--checkpoint', checkpoint, '--key', key, '--state', join(folder, 'state'), lines];
    return { code: await main(words, out, out), text };
  }

  const act = async (tenant: Tenant, times: number) => {
    for (let i = 0; i < times; i++) await tenant.as('owner')('PATCH', '/organization', { four_eyes: i % 2 === 0 });
  };

  test('is whole, as the signed checkpoint says, and continues what was seen last time', async () => {
    const [tenant, folder] = [await ledger.tenant(), temporaryFolder('activity')];
    for (let time = 0; time < 2; time++) {
      const { code, text } = await look(tenant, folder);
      assert.equal(code, 0, text);
      assert.match(text, new RegExp(`/org/${tenant.organization_id}/activity`));
      await act(tenant, 3);
    }
  });

  for (const [done, change] of [
    ['cut off', (line: number) => line < 4],
    ['written anew', (line: number) => (line === 3 ? 'Somebody Else' : true)],
  ] as const)
    test(`is named where the chain was ${done}, signed anew and grown beyond`, async () => {
      const [tenant, folder] = [await ledger.doomedTenant(), temporaryFolder('activity')];
      const before = await look(tenant, folder);
      assert.equal(before.code, 0, before.text);
      await rewriteActivity(ledger.db, tenant, change);
      await forgetSigned(ledger.db, tenant);
      await act(tenant, 6);
      const { code, text } = await look(tenant, folder);
      assert.equal(code, 1, text);
      assert.match(text, /rewritten|does not continue|not begin/i);
    });
});
