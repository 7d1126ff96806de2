/** Checkpoints are time-stamped beside the mint, by a real authority; what it answers is served and is verified by openssl. */
import { strict as assert } from 'node:assert';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { openCheckpoint } from '@rcpt/proof/log/checkpoint.ts';
import { verifyProofFile } from '@rcpt/proof/log/proof-file.ts';
import { parseVerifierKey } from '@rcpt/proof/log/verifier-key.ts';
import { createLogger } from '@rcpt/service/process/log.ts';
import { until } from '../../../../test/kit/until.ts';
import type { LogName, SignedEnd } from '../../src/store/logs.ts';
import { startStamper } from '../../src/timestamps/stamper.ts';
import { eachLedger, running, type Tenant } from '../kit/running.ts';
import { mintedReceipt } from '../kit/story.ts';
import { lacksOpenssl, startAuthority, type TimeStampAuthority } from '../kit/time-stamp-authority.ts';

const logger = createLogger('ledger', 'silent');
const bytesOf = async (response: Response) => new Uint8Array(await response.arrayBuffer());

describe('time stamps of checkpoints', { skip: lacksOpenssl() }, () => {
  let authority: TimeStampAuthority;
  before(async () => {
    authority = await startAuthority();
  });
  after(() => authority.close());

  eachLedger('time stamps', (ledger) => {
    const checkpointOf = async (tenant: Tenant) => (await tenant.ask('auditor', 'GET', '/ledger/checkpoint')).text;
    const get = (tenant: Tenant, path: string) =>
      fetch(`${ledger.url}${path}`, { headers: { authorization: `Bearer ${tenant.keys.auditor}` } });

    /** As a ledger with LEDGER_TSA_URL has it; a checkpoint is announced by hand. */
    function stamping(interval_seconds: number) {
      let announce: (organization_id: string, log: LogName, end: SignedEnd) => void = () => undefined;
      const onSigned = (listener: typeof announce) => {
        announce = listener;
        return () => true;
      };
      const stamper = startStamper({
        db: ledger.db,
        logs: { onSigned },
        logger,
        url: authority.url,
        interval_seconds,
        gather_ms: 1,
      });
      return { stamper, announce: (tenant: Tenant) => announce(tenant.organization_id, 'receipts', {} as SignedEnd) };
    }

    const sizesOf = async ({ organization_id }: Tenant) => {
      const rows = await ledger.db.all<{ size: number }>(
        `select size from timestamps where organization_id = $1 and log = 'receipts' order by size`,
        [organization_id],
      );
      return rows.map(({ size }) => size);
    };

    test('the last checkpoint is stamped, served with what was stamped, and verified by openssl', async () => {
      const tenant = await ledger.tenant();
      const first = await mintedReceipt(tenant);
      assert.equal((await get(tenant, '/ledger/checkpoint/timestamp')).status, 404);
      await checkpointOf(tenant);
      const { stamper, announce } = stamping(1);
      await until('stamped', async () => (await sizesOf(tenant)).length === 1);
      const second = await mintedReceipt(tenant);
      await checkpointOf(tenant);
      announce(tenant);
      await until('stamped', async () => (await sizesOf(tenant)).length === 2);
      await stamper.close();

      const key = parseVerifierKey((await tenant.ask('auditor', 'GET', '/ledger/key')).text.trim());
      for (const [query, size] of [
        ['', 2],
        ['?size=1', 1],
      ] as const) {
        const answer = await get(tenant, `/ledger/checkpoint/timestamp${query}`);
        assert.equal(answer.headers.get('content-type'), 'application/timestamp-reply');
        assert.equal(answer.headers.get('checkpoint-size'), String(size));
        const stamped = await (await get(tenant, `/ledger/checkpoint/timestamped${query}`)).text();
        assert.equal((await openCheckpoint(stamped, key)).size, size);
        assert.ok(authority.verifies(await bytesOf(answer), stamped));
      }
      assert.equal((await get(tenant, '/ledger/checkpoint/timestamp?size=3')).status, 404);

      for (const [receipt, size] of [
        [first, 1],
        [second, 2],
      ] as const) {
        const link = `${ledger.url}${new URL(receipt.share_url).pathname}`;
        const proof = await (await fetch(`${link}/timestamp/proof`)).text();
        const stored = await bytesOf(await fetch(`${link}/download`));
        const { checkpoint } = await verifyProofFile(proof, stored, key);
        assert.equal(checkpoint.size, size, 'the first checkpoint that holds it');
        const stamped = proof.slice(proof.indexOf('\n\n') + 2);
        assert.ok(authority.verifies(await bytesOf(await fetch(`${link}/timestamp`)), stamped));
      }
    });

    test('a log is stamped once in its interval, however many processes ask, and not again where it has not grown', async () => {
      const tenant = await ledger.tenant();
      await mintedReceipt(tenant);
      await checkpointOf(tenant);
      const asked = authority.asked.length;
      const several = [stamping(3_600), stamping(3_600), stamping(3_600)];
      await until('stamped', async () => (await sizesOf(tenant)).length === 1);
      await mintedReceipt(tenant);
      await checkpointOf(tenant);
      for (const { announce } of several) announce(tenant);
      await Promise.all(several.map(({ stamper }) => stamper.close()));
      const eager = stamping(1);
      eager.announce(tenant);
      await until('stamped', async () => (await sizesOf(tenant)).length === 2);
      eager.announce(tenant);
      await eager.stamper.close();
      assert.deepEqual(await sizesOf(tenant), [1, 2]);
      assert.ok(authority.asked.length >= asked + 2);
    });

    test('an authority that is wrong is not believed: nothing is stored, and the next one to ask has a turn', async () => {
      const tenant = await ledger.tenant();
      await mintedReceipt(tenant);
      await checkpointOf(tenant);
      const asked = authority.asked.length;
      authority.instead = (answer) => Buffer.from(answer).fill(0, 200);
      const wrong = stamping(3_600);
      await until('stamped', async () => authority.asked.length > asked);
      await wrong.stamper.close();
      assert.deepEqual(await sizesOf(tenant), []);
      authority.instead = null;
      const right = stamping(3_600);
      await until('stamped', async () => (await sizesOf(tenant)).length === 1);
      await right.stamper.close();
    });

    test('of another organization, and behind a link that is switched off, they do not exist', async () => {
      const [tenant, other] = [await ledger.tenant(), await ledger.tenant()];
      const receipt = await mintedReceipt(tenant);
      await checkpointOf(tenant);
      const { stamper } = stamping(3_600);
      await until('stamped', async () => (await sizesOf(tenant)).length === 1);
      await stamper.close();
      for (const what of ['timestamp', 'timestamped']) {
        assert.equal((await get(other, `/ledger/checkpoint/${what}`)).status, 404);
        assert.equal((await fetch(`${ledger.url}/ledger/checkpoint/${what}`)).status, 401);
        assert.equal((await get(tenant, `/ledger/checkpoint/${what}?size=0`)).status, 422);
      }
      const link = `${ledger.url}${new URL(receipt.share_url).pathname}`;
      await tenant.as('owner')('PUT', `/receipts/${receipt.receipt_id}/share`, { enabled: false });
      for (const what of ['timestamp', 'timestamp/proof', 'statement'])
        assert.equal((await fetch(`${link}/${what}`)).status, 410);
    });
  });

  test('a ledger with LEDGER_TSA_URL stamps what it signs; one without asks nobody', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'stamping-'));
    const asked = authority.asked.length;
    for (const [name, environment, stamps] of [
      ['without', {}, false],
      ['with', { LEDGER_TSA_URL: authority.url }, true],
    ] as const) {
      const ledger = await running({ url: `sqlite:${folder}/${name}.db` }, environment);
      const tenant = await ledger.tenant();
      const { share_url } = await mintedReceipt(tenant);
      const signed = (await tenant.ask('auditor', 'GET', '/ledger/checkpoint')).text;
      const link = `${ledger.url}${new URL(share_url).pathname}/timestamp`;
      if (stamps) {
        const answer = await until('stamped', async () => {
          const response = await fetch(link);
          return response.status === 200 ? bytesOf(response) : null;
        });
        assert.ok(authority.verifies(answer, signed));
      }
      await ledger.close();
      assert.equal(authority.asked.length > asked, stamps);
    }
    rmSync(folder, { recursive: true, force: true });
  });
});
