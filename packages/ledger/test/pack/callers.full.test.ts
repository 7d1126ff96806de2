/** Who takes a pack and does not read it, or hangs up, is in nobody's way. */
import assert from 'node:assert/strict';
import { get, type IncomingMessage } from 'node:http';
import { test } from 'node:test';
import { until } from '../../../../test/kit/until.ts';
import { eachLedger, type SuiteLedger, type Tenant } from '../kit/running.ts';
import { mintedReceipt as mint } from '../kit/story.ts';

/** The answer, of which nothing is read. */
function opened({ url }: SuiteLedger, { keys }: Tenant): Promise<IncomingMessage> {
  const headers = { authorization: `Bearer ${keys.auditor}` };
  return new Promise((resolve, reject) => {
    get(`${url}/ledger/pack?pdfs=false`, { headers, agent: false }, (answer) => resolve(answer.pause())).on(
      'error',
      reject,
    );
  });
}

eachLedger('who takes a pack', (ledger) => {
  test('and leaves it unread keeps the own organization from another one, until hanging up', async () => {
    const [tenant, other] = [await ledger.tenant(), await ledger.tenant()];
    // More than the connection holds by itself.
    for (let i = 0; i < 16; i++) await mint(tenant, 'generic', { inputs: { notes: 'n'.repeat(900_000) } });
    await mint(other);
    const unread = await opened(ledger, tenant);
    assert.equal(unread.statusCode, 200);
    const refused = await tenant.ask('owner', 'GET', '/ledger/pack?pdfs=false');
    assert.deepEqual([refused.status, refused.json.code], [429, 'rate_limited']);
    assert.equal((await other.ask('owner', 'GET', '/ledger/pack')).status, 200);
    await mint(tenant);
    unread.destroy();
    await until(
      'the next pack',
      async () => (await tenant.ask('owner', 'GET', '/ledger/pack?pdfs=false')).status === 200,
    );
  });
});
