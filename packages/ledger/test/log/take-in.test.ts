/** A chain that is older than its tree: `./rcpt migrate` takes it in, with progress, and the ledger does where nobody migrated. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openCheckpoint } from '@rcpt/proof/log/checkpoint.ts';
import { parseVerifierKey } from '@rcpt/proof/log/verifier-key.ts';
import type { Db } from '@rcpt/service/db/db.ts';
import { eachEngine } from '../../../../test/kit/engines.ts';
import { MIGRATIONS } from '../../src/migrations.ts';
import { rcpt } from '../kit/process.ts';
import { callerOf, MASTER_KEY, running, type Tenant, tenantOf } from '../kit/running.ts';
import { mintedReceipt } from '../kit/story.ts';

eachEngine('an upgraded chain', MIGRATIONS, (fresh) => {
  test('is taken in by ./rcpt migrate, which says how far it is', async () => {
    const { db, url } = await fresh();
    const tenant = await older(db, url);
    const { organization_id } = tenant;
    const environment = { LEDGER_DATABASE_URL: url, LEDGER_MASTER_KEY: MASTER_KEY };
    const { code, stdout, stderr } = await rcpt(['migrate', '--json'], environment);
    assert.equal(code, 0, stderr.join('\n'));
    assert.deepEqual(JSON.parse(stdout), { applied: [], taken_in: [organization_id] });
    assert.ok(stderr.includes(`${organization_id} (1 of 1): 2 of 2 receipts hashed`), stderr.join('\n'));
    assert.deepEqual(JSON.parse((await rcpt(['migrate', '--json'], environment)).stdout), {
      applied: [],
      taken_in: [],
    });
  });

  test('is taken in when a checkpoint is asked for, and grows on with its mints', async () => {
    const { db, url } = await fresh();
    const { organization_id, keys } = await older(db, url);
    const ledger = await running({ url });
    try {
      const get = async (path: string) => (await ledger.call('GET', path, { token: keys.auditor })).text;
      const key = parseVerifierKey((await get('/ledger/key')).trimEnd());
      assert.equal((await openCheckpoint(await get('/ledger/checkpoint'), key)).size, 2);
      assert.notEqual(await peaksOf(db, organization_id), null);
    } finally {
      await ledger.close();
    }
  });
});

/** As the migration leaves a chain of two receipts from before. */
async function older(db: Db, url: string): Promise<Tenant> {
  const ledger = await running({ url });
  const tenant = await tenantOf(callerOf(ledger.url), 'Older');
  await mintedReceipt(tenant);
  await mintedReceipt(tenant);
  await ledger.close();
  await db.transaction(async (tx) => {
    for (const table of ['log_ends', 'log_checkpoints', 'log_tiles']) await tx.run(`delete from ${table}`);
    await tx.run('update chains set peaks = null');
  });
  assert.equal(await peaksOf(db, tenant.organization_id), null);
  return tenant;
}

async function peaksOf(db: Db, organization_id: string): Promise<string | null> {
  const sql = 'select peaks from chains where organization_id = $1';
  return (await db.get<{ peaks: string | null }>(sql, [organization_id]))!.peaks;
}
