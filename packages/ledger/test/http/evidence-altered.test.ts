/** Bytes in object storage that are not what was attached are never served as evidence. */
import assert from 'node:assert/strict';
import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { sha256 } from '../kit/independent.ts';
import { eachLedger, type SuiteLedger, type Tenant } from '../kit/running.ts';
import { runAt } from '../kit/story.ts';

const CONTENT = 'Two tiles are broken.';
const OTHER = 'No tile is broken. ..';
const LIMIT = 10_000;

interface Attached {
  tenant: Tenant;
  path: string;
  file: string;
}

async function attached(ledger: SuiteLedger): Promise<Attached> {
  const tenant = await ledger.tenant();
  const id = await runAt(tenant, 'Inputs');
  const body = { kind: 'note', label: 'Roof', content: CONTENT, content_type: 'text/html' };
  const item = await tenant.as('agent')('POST', `/runs/${id}/evidence`, body);
  const file = join(ledger.folder, 'objects', tenant.organization_id, 'evidence', id, item.sha256);
  return { tenant, path: `/runs/${id}/evidence/${item.id}`, file };
}

eachLedger(
  'evidence that was altered in storage',
  (ledger) => {
    test('is served as verified while it is what was attached', async () => {
      const { tenant, path } = await attached(ledger);
      for (const query of ['', '?altered=serve']) {
        const { status, headers, text } = await tenant.ask('auditor', 'GET', `${path}${query}`);
        assert.deepEqual([status, text, headers.get('evidence-verified')], [200, CONTENT, 'true']);
        assert.match(headers.get('content-type')!, /^text\/html/);
      }
    });

    test('is refused, with both hashes, whether its size differs or not; nothing of it is in the answer', async () => {
      const { tenant, path, file } = await attached(ledger);
      for (const other of [OTHER, '', `${CONTENT} `]) {
        writeFileSync(file, other);
        const { status, json, text } = await tenant.ask('auditor', 'GET', path);
        assert.deepEqual([status, json.code], [409, 'evidence_altered']);
        assert.deepEqual(json.recorded, { sha256: sha256(CONTENT), byte_size: CONTENT.length });
        assert.deepEqual(json.stored, { sha256: sha256(other), byte_size: other.length });
        for (const part of [sha256(CONTENT), sha256(other), '?altered=serve']) assert.ok(json.detail.includes(part));
        assert.ok(!text.includes('No tile'));
        assert.equal((await tenant.ask('auditor', 'HEAD', path)).status, 409);
      }
    });

    test('is handed to those who ask for it as altered, and says so in header, name and type', async () => {
      const { tenant, path, file } = await attached(ledger);
      writeFileSync(file, OTHER);
      const { status, headers, text } = await tenant.ask('auditor', 'GET', `${path}?altered=serve`);
      assert.deepEqual([status, text, headers.get('evidence-verified')], [200, OTHER, 'false']);
      assert.match(headers.get('content-disposition')!, /^attachment; filename="ev_\w+\.altered"$/);
      assert.equal(headers.get('content-type'), 'application/octet-stream');
      assert.equal((await tenant.ask('auditor', 'GET', `${path}?altered=yes`)).status, 422);
    });

    test('is not even read when it is larger than any evidence', async () => {
      const { tenant, path, file } = await attached(ledger);
      writeFileSync(file, 'x'.repeat(LIMIT + 1));
      for (const query of ['', '?altered=serve']) {
        const { status, json } = await tenant.ask('auditor', 'GET', `${path}${query}`);
        assert.deepEqual([status, json.code], [409, 'evidence_altered']);
        assert.deepEqual(json.stored, { sha256: null, byte_size: LIMIT + 1 });
      }
    });

    test('that is gone is 404, and while storage is away it is 503 with a time to come back', async () => {
      const { tenant, path, file } = await attached(ledger);
      const objects = join(ledger.folder, 'objects');
      renameSync(objects, `${objects}-away`);
      try {
        writeFileSync(objects, 'a file in the place of the folder');
        const { status, headers, json } = await tenant.ask('auditor', 'GET', path);
        assert.deepEqual([status, json.code, headers.get('retry-after')], [503, 'storage_unavailable', '5']);
      } finally {
        rmSync(objects);
        renameSync(`${objects}-away`, objects);
      }
      rmSync(file);
      const { status, json } = await tenant.ask('auditor', 'GET', path);
      assert.deepEqual([status, json.code], [404, 'not_found']);
      assert.match(json.detail, /were stored here, and are not there any more/);
    });
  },
  { LEDGER_EVIDENCE_BYTES: String(LIMIT) },
);
