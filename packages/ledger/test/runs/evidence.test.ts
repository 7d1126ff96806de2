/** Evidence (docs/spec.md §13.2): text, bytes or a declared hash; the server hashes what it is given. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sha256 } from '../kit/independent.ts';
import { type Answer, eachLedger, type Tenant } from '../kit/running.ts';
import { runAt } from '../kit/story.ts';

const LIMIT = 100_000;

function attach(tenant: Tenant, id: string, body: object): Promise<Answer> {
  return tenant.ask('agent', 'POST', `/runs/${id}/evidence`, { body });
}

function form(members: Record<string, string>, bytes?: Uint8Array<ArrayBuffer>, type = 'image/png'): FormData {
  const data = new FormData();
  for (const [name, value] of Object.entries(members)) data.append(name, value);
  if (bytes !== undefined) data.append('file', new Blob([bytes], { type }), 'roof.png');
  return data;
}

function upload(tenant: Tenant, id: string, raw: FormData): Promise<Answer> {
  return tenant.ask('agent', 'POST', `/runs/${id}/evidence`, { raw });
}

async function evidenceOf(tenant: Tenant, id: string): Promise<{ id: string }[]> {
  return (await tenant.as('auditor')('GET', `/runs/${id}`)).evidence;
}

eachLedger(
  'evidence',
  (ledger) => {
    test('text is hashed as its UTF-8 bytes and stored', async () => {
      const tenant = await ledger.tenant();
      const id = await runAt(tenant, 'Inputs');
      const content = 'Zwei Ziegel fehlen — 🧾';
      const { status, headers, json } = await attach(tenant, id, { kind: 'observation', label: 'Roof', content });
      assert.equal(status, 201);
      assert.match(json.id, /^ev_[0-9a-f]{32}$/);
      assert.equal(headers.get('location'), `/runs/${id}/evidence/${json.id}`);
      assert.deepEqual(json, {
        id: json.id,
        kind: 'observation',
        label: 'Roof',
        sha256: sha256(content),
        byte_size: Buffer.byteLength(content),
        content_type: 'text/plain; charset=utf-8',
        stored: true,
      });
      assert.deepEqual(await evidenceOf(tenant, id), [json]);
      const fetched = await tenant.ask('auditor', 'GET', headers.get('location')!);
      assert.equal(fetched.text, content);
      assert.match(fetched.headers.get('content-security-policy')!, /sandbox/);
      assert.equal(fetched.headers.get('x-content-type-options'), 'nosniff');
      assert.match(fetched.headers.get('content-disposition')!, /^attachment/);
    });

    test('a file arrives as multipart/form-data, byte for byte', async () => {
      const tenant = await ledger.tenant();
      const id = await runAt(tenant, 'Inputs');
      const bytes = new Uint8Array(4096).map((_, i) => i % 256);
      const { status, json } = await upload(tenant, id, form({ kind: 'file', label: 'Photo' }, bytes));
      assert.equal(status, 201, JSON.stringify(json));
      assert.deepEqual(
        { ...json, id: '' },
        {
          id: '',
          kind: 'file',
          label: 'Photo',
          sha256: sha256(bytes),
          byte_size: 4096,
          content_type: 'image/png',
          stored: true,
        },
      );
      const response = await fetch(`${ledger.url}/runs/${id}/evidence/${json.id}`, {
        headers: { authorization: `Bearer ${tenant.keys.auditor}` },
      });
      assert.equal(response.headers.get('content-type'), 'image/png');
      assert.equal(sha256(new Uint8Array(await response.arrayBuffer())), json.sha256);
    });

    test('a file that is named nothing else is of kind file and labelled by its name', async () => {
      const tenant = await ledger.tenant();
      const id = await runAt(tenant, 'Inputs');
      const { json } = await upload(tenant, id, form({}, new Uint8Array([1])));
      assert.deepEqual([json.kind, json.label], ['file', 'roof.png']);
    });

    test('a declared hash that differs from the bytes is 422 and nothing is attached', async () => {
      const tenant = await ledger.tenant();
      const id = await runAt(tenant, 'Inputs');
      const wrong = sha256('something else');
      const answers = [
        await attach(tenant, id, { kind: 'note', label: 'x', content: 'this', sha256: wrong }),
        await upload(tenant, id, form({ kind: 'file', label: 'x', sha256: wrong }, new Uint8Array([1, 2, 3]))),
      ];
      for (const { status, json } of answers) assert.deepEqual([status, json.code], [422, 'evidence_mismatch']);
      assert.deepEqual(await evidenceOf(tenant, id), []);
      const right = await attach(tenant, id, { kind: 'note', label: 'x', content: 'this', sha256: sha256('this') });
      assert.equal(right.status, 201);
    });

    test('a hash alone declares evidence that is kept elsewhere', async () => {
      const tenant = await ledger.tenant();
      const id = await runAt(tenant, 'Inputs');
      const { status, json } = await attach(tenant, id, {
        kind: 'url',
        label: 'Video',
        sha256: sha256('v'),
        content_type: 'video/mp4',
      });
      assert.equal(status, 201);
      assert.deepEqual(
        { ...json, id: '' },
        {
          id: '',
          kind: 'url',
          label: 'Video',
          sha256: sha256('v'),
          byte_size: 0,
          content_type: 'video/mp4',
          stored: false,
        },
      );
      assert.equal((await tenant.ask('auditor', 'GET', `/runs/${id}/evidence/${json.id}`)).status, 404);
    });

    test('evidence of nothing, of an unknown kind or without a label is 422', async () => {
      const tenant = await ledger.tenant();
      const id = await runAt(tenant, 'Inputs');
      const bad = [
        {},
        { kind: 'note', label: 'x' },
        { kind: 'rumour', label: 'x', content: 'x' },
        { kind: 'note', label: '  ', content: 'x' },
        { kind: 'note', label: 'x', sha256: 'ABC' },
        { kind: 'note', label: 'x', content: 'x', content_type: 'text/html\r\nx: y' },
      ];
      for (const body of bad) {
        const { status, json } = await attach(tenant, id, body);
        assert.deepEqual([status, json.code], [422, 'invalid'], JSON.stringify(body));
      }
      assert.equal((await upload(tenant, id, form({ kind: 'file', label: 'x' }))).status, 422);
      assert.deepEqual(await evidenceOf(tenant, id), []);
    });

    test('every kind of evidence is taken, repeatedly, and kept in order', async () => {
      const tenant = await ledger.tenant();
      const id = await runAt(tenant, 'Inputs');
      const kinds = ['file', 'note', 'url', 'observation', 'tool_output', 'model_output', 'log'];
      for (const kind of kinds)
        assert.equal((await attach(tenant, id, { kind, label: kind, content: kind })).status, 201);
      const run = await tenant.as('auditor')('GET', `/runs/${id}`);
      assert.deepEqual(
        run.evidence.map((item: { kind: string }) => item.kind),
        kinds,
      );
      assert.deepEqual(
        run.stages.map((mark: { stage: string }) => mark.stage),
        ['Inputs', 'Evidence'],
      );
    });

    test('evidence attached by many at once is all there', async () => {
      const tenant = await ledger.tenant();
      const id = await runAt(tenant, 'Inputs');
      const answers = await Promise.all(
        Array.from({ length: 20 }, (_, i) => attach(tenant, id, { kind: 'log', label: `line ${i}`, content: `${i}` })),
      );
      for (const { status, text } of answers) assert.equal(status, 201, text);
      assert.equal((await evidenceOf(tenant, id)).length, 20);
    });

    test('bytes above the limit are 413, as JSON and as a file, and nothing is attached', async () => {
      const tenant = await ledger.tenant();
      const id = await runAt(tenant, 'Inputs');
      const answers = [
        await attach(tenant, id, { kind: 'log', label: 'x', content: 'x'.repeat(LIMIT + 70_000) }),
        await attach(tenant, id, { kind: 'log', label: 'x', content: 'x'.repeat(LIMIT + 1) }),
        await attach(tenant, id, { kind: 'log', label: 'x', content: 'ü'.repeat(LIMIT / 2 + 1) }),
        await upload(tenant, id, form({ kind: 'file', label: 'x' }, new Uint8Array(LIMIT + 1))),
        await upload(tenant, id, form({ kind: 'file', label: 'x' }, new Uint8Array(LIMIT * 20))),
      ];
      for (const { status, json } of answers) assert.deepEqual([status, json?.code], [413, 'payload_too_large']);
      assert.deepEqual(await evidenceOf(tenant, id), []);
      assert.equal((await upload(tenant, id, form({ kind: 'file', label: 'x' }, new Uint8Array(LIMIT)))).status, 201);
    });

    test('a form is only taken where files are: elsewhere it is 415', async () => {
      const tenant = await ledger.tenant();
      const { status, json } = await tenant.ask('agent', 'POST', '/runs', { raw: form({ lane: 'generic' }) });
      assert.deepEqual([status, json.code], [415, 'unsupported_media_type']);
    });

    test('a form that breaks off or names no boundary is 400 or 422, never 500', async () => {
      const tenant = await ledger.tenant();
      const id = await runAt(tenant, 'Inputs');
      const part = '--b\r\ncontent-disposition: form-data; name="file"; filename="x"\r\n\r\nhalf';
      for (const [type, raw] of [
        ['multipart/form-data; boundary=b', part],
        ['multipart/form-data', part],
        ['multipart/form-data; boundary=b', ''],
      ] as const) {
        const { status, text } = await tenant.ask('agent', 'POST', `/runs/${id}/evidence`, {
          raw,
          headers: { 'content-type': type },
        });
        assert.ok([400, 415, 422].includes(status), `${status} ${text}`);
      }
      assert.deepEqual(await evidenceOf(tenant, id), []);
    });

    test('a retry with its Idempotency-Key attaches once, and another file under that key is 422', async () => {
      const tenant = await ledger.tenant();
      const id = await runAt(tenant, 'Inputs');
      const send = (byte: number) =>
        tenant.ask('agent', 'POST', `/runs/${id}/evidence`, {
          raw: form({ kind: 'file', label: 'x' }, new Uint8Array([byte])),
          headers: { 'idempotency-key': 'photo-1' },
        });
      const [first, again, other] = [await send(1), await send(1), await send(2)];
      assert.equal(again.text, first.text);
      assert.deepEqual([other.status, other.json.code], [422, 'idempotency_key_reused']);
      assert.equal((await evidenceOf(tenant, id)).length, 1);
    });
  },
  { LEDGER_EVIDENCE_BYTES: String(LIMIT) },
);

eachLedger(
  'evidence whose storage is away',
  (ledger) => {
    test('is recorded as not stored, and the Run goes on to its receipt', async () => {
      const tenant = await ledger.tenant();
      const id = await runAt(tenant, 'Inputs');
      const { status, json } = await attach(tenant, id, { kind: 'note', label: 'x', content: 'x' });
      assert.equal(status, 201);
      assert.deepEqual([json.stored, json.sha256], [false, sha256('x')]);
      await runAt(tenant, 'Receipt');
    });
  },
  { LEDGER_STORAGE_URL: 'file:/dev/null/objects' },
);
