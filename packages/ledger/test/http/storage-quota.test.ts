/** What an organization may store with us: counted exactly, refused whole, and no longer counted once it is deleted. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { now } from '@rcpt/service/ids.ts';
import { openStorage } from '../../src/outbox/storage.ts';
import { receiveEvidence, sweepEvidence } from '../../src/runs/evidence.ts';
import { attachEvidence } from '../../src/runs/stages.ts';
import { claimObject, limitStorage, nameObject } from '../../src/store/storage.ts';
import { sha256 } from '../kit/independent.ts';
import { rcpt } from '../kit/process.ts';
import { type Answer, eachLedger, type SuiteLedger, type Tenant } from '../kit/running.ts';
import { runAt, SHEET, WORK } from '../kit/story.ts';

const LIMIT = 20_000;
const LATER = '2100-01-01T00:00:00.000Z';

async function usedBy(tenant: Tenant): Promise<number> {
  return (await tenant.as('auditor')('GET', '/organization')).storage.used_bytes;
}

function attach(tenant: Tenant, id: string, content: string, headers: Record<string, string> = {}): Promise<Answer> {
  return tenant.ask('agent', 'POST', `/runs/${id}/evidence`, { body: { kind: 'log', label: 'x', content }, headers });
}

function assertRefused({ status, json }: Answer, used_bytes: number, byte_size: number): void {
  assert.deepEqual([status, json.code], [409, 'storage_quota']);
  assert.deepEqual([json.used_bytes, json.limit_bytes, json.byte_size], [used_bytes, LIMIT, byte_size]);
  assert.match(json.detail, new RegExp(`stores ${used_bytes} bytes and may store ${LIMIT}.*operator`));
}

const text = (bytes: number) => randomBytes(bytes).toString('hex').slice(0, bytes);
const sizeOf = (document: unknown) => Buffer.byteLength(JSON.stringify(document));

eachLedger(
  'storage of an organization',
  (ledger, engine) => {
    /** What its rows hold, counted here. */
    async function heldBy({ organization_id }: Tenant): Promise<number> {
      const rows = await ledger.db.all<{ inputs: string; execution: string | null }>(
        'select inputs, execution from run_documents where organization_id = $1',
        [organization_id],
      );
      const sheets = await ledger.db.all<{ sheet: string }>(
        'select sheet from flight_sheets where organization_id = $1',
        [organization_id],
      );
      const objects = await ledger.db.all<{ byte_size: number }>(
        'select byte_size from evidence_objects where organization_id = $1',
        [organization_id],
      );
      const documents = rows.flatMap(({ inputs, execution }) => [inputs, execution]);
      return (
        [...documents, ...sheets.map(({ sheet }) => sheet)].reduce(
          (sum, one) => sum + Buffer.byteLength(one ?? ''),
          0,
        ) + objects.reduce((sum, { byte_size }) => sum + byte_size, 0)
      );
    }

    test('counts evidence, inputs, executions and sheets; nothing twice, nothing that was refused', async () => {
      const tenant = await ledger.tenant();
      assert.deepEqual((await tenant.as('owner')('GET', '/organization')).storage, {
        used_bytes: 0,
        limit_bytes: LIMIT,
      });
      const id = await runAt(tenant, 'Inputs');
      let used = sizeOf(WORK.generic.inputs);
      assert.equal(await usedBy(tenant), used);
      const key = { 'idempotency-key': 'log-1' };
      for (const answer of [
        await attach(tenant, id, 'one', key),
        await attach(tenant, id, 'one', key),
        await attach(tenant, id, 'one'),
      ])
        assert.equal(answer.status, 201);
      used += 3;
      assert.equal(await usedBy(tenant), used);
      await attach(tenant, await runAt(tenant, 'Inputs'), 'one');
      used += 3 + sizeOf(WORK.generic.inputs);
      assert.equal(await usedBy(tenant), used);
      const elsewhere = { kind: 'url', label: 'x', sha256: sha256('kept elsewhere') };
      assert.equal((await tenant.ask('agent', 'POST', `/runs/${id}/evidence`, { body: elsewhere })).status, 201);
      const wrong = { kind: 'log', label: 'x', content: 'x', sha256: sha256('y') };
      assert.equal((await tenant.ask('agent', 'POST', `/runs/${id}/evidence`, { body: wrong })).status, 422);
      assert.equal(await usedBy(tenant), used);
      await runAt(tenant, 'Receipt', 'eval');
      await tenant.as('owner')('POST', '/flight-sheets', SHEET);
      assert.ok((await usedBy(tenant)) > used + sizeOf(SHEET));
      assert.equal(await usedBy(tenant), await heldBy(tenant));
      const { storage } = await tenant.as('owner')('PATCH', '/organization', { name: 'Renamed' });
      assert.equal(storage.used_bytes, await heldBy(tenant));
    });

    test('beyond it whatever brings bytes is 409, nothing is stored, and what fits still goes', async () => {
      const tenant = await ledger.tenant();
      const id = await runAt(tenant, 'Inputs');
      assert.equal((await attach(tenant, id, text(LIMIT - 2_000))).status, 201);
      const used = await usedBy(tenant);
      const form = new FormData();
      form.append('file', new Blob([new Uint8Array(3_000)]), 'x.bin');
      const file = await tenant.ask('agent', 'POST', `/runs/${id}/evidence`, { raw: form });
      for (const answer of [await attach(tenant, id, text(3_000)), file]) assertRefused(answer, used, 3_000);
      const inputs = { task: text(3_000) };
      assertRefused(
        await tenant.ask('agent', 'POST', '/runs', { body: { lane: 'generic', title: 'x', inputs } }),
        used,
        sizeOf(inputs),
      );
      const output = { ...WORK.generic.execution, output: text(3_000) };
      assertRefused(await tenant.ask('agent', 'POST', `/runs/${id}/execution`, { body: output }), used, sizeOf(output));
      assert.equal((await tenant.as('auditor')('GET', `/runs/${id}`)).stage, 'Evidence');
      assert.deepEqual(objectsOf(ledger, tenant, id).length, 1);
      assert.equal(await usedBy(tenant), used);
      assert.equal((await attach(tenant, id, 'fits')).status, 201);
    });

    test('thirty uploads at once fill it to the byte, and not beyond', async () => {
      const tenant = await ledger.tenant();
      const id = await runAt(tenant, 'Inputs');
      const room = LIMIT - (await usedBy(tenant));
      const size = Math.floor(room / 10);
      const answers = await Promise.all(Array.from({ length: 30 }, () => attach(tenant, id, text(size))));
      assert.equal(answers.filter(({ status }) => status === 201).length, 10);
      assert.equal(answers.filter(({ json }) => json.code === 'storage_quota').length, 20);
      assert.equal(await usedBy(tenant), LIMIT - room + 10 * size);
      assert.equal(objectsOf(ledger, tenant, id).length, 10);
    });

    test('bytes that no Run names are deleted after a while, and then not counted', async () => {
      const tenant = await ledger.tenant();
      const { organization_id } = tenant;
      const id = await runAt(tenant, 'Evidence');
      const by = { organization_id, id: 'key_1', role: 'agent', name: 'x' } as const;
      const storage = openStorage(`file:${ledger.folder}/objects`);
      const config = { evidence_bytes: LIMIT, organization_storage_bytes: LIMIT } as never;
      const own = { db: ledger.db, storage, config, now };
      const before = await usedBy(tenant);
      // As when the Run moves on between the storing of the bytes and their row; or a crash comes there.
      const item = await receiveEvidence(own, by, id, { kind: 'log', label: 'x', content: text(500) }, undefined);
      await tenant.as('agent')('POST', `/runs/${id}/execution`, WORK.generic.execution);
      const refused = ledger.db.transaction((tx) => attachEvidence(tx, by, id, item, now()));
      await assert.rejects(refused, { code: 'run_stage_conflict' });
      const executed = before + sizeOf(WORK.generic.execution);
      assert.equal(await usedBy(tenant), executed + 500);
      await sweepEvidence(own, new Date(Date.now() - 60_000).toISOString());
      assert.equal(await usedBy(tenant), executed + 500);
      await sweepEvidence(own, LATER);
      assert.equal(await usedBy(tenant), executed);
      assert.deepEqual(objectsOf(ledger, tenant, id), [sha256('seen with own eyes')]);
      const { evidence } = await tenant.as('auditor')('GET', `/runs/${id}`);
      const named = await tenant.ask('auditor', 'GET', `/runs/${id}/evidence/${evidence[0].id}`);
      assert.deepEqual([named.status, named.text], [200, 'seen with own eyes']);
    });

    test('bytes that are being deleted are taken again only afterwards', async () => {
      const tenant = await ledger.tenant();
      const { organization_id } = tenant;
      const run_id = await runAt(tenant, 'Inputs');
      const object = { organization_id, run_id, sha256: sha256('x'), byte_size: 1 };
      await ledger.db.transaction((tx) => claimObject(tx, object, LIMIT, now()));
      const away = { async delete() {}, get: null, put: null } as never;
      const during = {
        async delete() {
          for (const again of [
            claimObject.bind(null, ledger.db, object, LIMIT),
            nameObject.bind(null, ledger.db, object),
          ])
            await assert.rejects(again(now()), { code: 'overloaded' });
          throw new Error('storage is away');
        },
      } as never;
      const counted = await usedBy(tenant);
      await assert.rejects(sweepEvidence({ db: ledger.db, storage: during }, LATER), /away/);
      assert.equal(await usedBy(tenant), counted);
      await sweepEvidence({ db: ledger.db, storage: away }, LATER);
      assert.equal(await usedBy(tenant), counted - 1);
      assert.equal((await attach(tenant, run_id, 'x')).status, 201);
      assert.equal(await usedBy(tenant), counted);
    });

    test('an upload whose twin failed is counted all the same', async () => {
      const tenant = await ledger.tenant();
      const { organization_id } = tenant;
      const object = { organization_id, run_id: 'run_1', sha256: sha256('x'), byte_size: 7 };
      await ledger.db.transaction((tx) => nameObject(tx, object, now()));
      assert.equal(await usedBy(tenant), 7);
      await ledger.db.transaction((tx) => nameObject(tx, object, now()));
      assert.equal(await usedBy(tenant), 7);
    });

    test('the operator gives one organization more, or no end, or what all have', async () => {
      const tenant = await ledger.tenant();
      const { organization_id } = tenant;
      const id = await runAt(tenant, 'Inputs');
      const shown = async () => (await tenant.as('auditor')('GET', '/organization')).storage.limit_bytes;
      const said = async (...words: string[]) => {
        const environment = { LEDGER_DATABASE_URL: ledger.database_url, LEDGER_ORGANIZATION_STORAGE_BYTES: `${LIMIT}` };
        const ended = await rcpt(['org', 'storage', '--org', organization_id, ...words, '--json'], environment);
        assert.equal(ended.code, 0, ended.stderr.join('\n'));
        return JSON.parse(ended.stdout).limit_bytes;
      };
      assert.equal((await attach(tenant, id, text(LIMIT))).status, 409);
      assert.equal(await said('--bytes', '50000'), 50_000);
      assert.equal(await shown(), 50_000);
      assert.equal((await attach(tenant, id, text(LIMIT))).status, 201);
      await limitStorage(ledger.db, organization_id, 0);
      assert.equal(await shown(), null);
      assert.equal((await attach(tenant, id, text(LIMIT * 3))).status, 201, engine);
      assert.equal(await said('--default'), LIMIT);
      assertRefused(await attach(tenant, id, 'x'), await usedBy(tenant), 1);
    });
  },
  { LEDGER_ORGANIZATION_STORAGE_BYTES: String(LIMIT) },
);

function objectsOf({ folder }: SuiteLedger, { organization_id }: Tenant, run_id: string): string[] {
  const path = join(folder, 'objects', organization_id, 'evidence', run_id);
  return existsSync(path) ? readdirSync(path) : [];
}

eachLedger(
  'storage that is away',
  (ledger) => {
    test('takes nothing and counts nothing', async () => {
      const tenant = await ledger.tenant();
      const id = await runAt(tenant, 'Inputs');
      const before = await usedBy(tenant);
      assert.deepEqual((await attach(tenant, id, 'x'.repeat(1_000))).json.stored, false);
      assert.equal(await usedBy(tenant), before);
    });
  },
  { LEDGER_STORAGE_URL: 'file:/dev/null/objects' },
);
