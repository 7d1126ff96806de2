/** Uploads that stall or drip: they end, they say why, and other organizations upload meanwhile. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseAnswer, type RawClient, rawClient, requestText } from '../../../../test/faults/raw.ts';
import { sha256 } from '../kit/independent.ts';
import { eachLedger, type Tenant } from '../kit/running.ts';
import { runAt } from '../kit/story.ts';

/** One organization holds two of its large uploads in memory at once; the others wait. */
const STALLED = 8;
/** What a form may bring without a turn, and more. */
const LARGE = 200_000;
/** Far less than the two minutes that a whole request may take. */
const SOON_MS = 20_000;

function form(bytes: Uint8Array<ArrayBuffer>): FormData {
  const data = new FormData();
  data.append('kind', 'file');
  data.append('label', 'x');
  data.append('file', new Blob([bytes]), 'x.bin');
  return data;
}

eachLedger('uploads that stall', (ledger, engine) => {
  /** The head of a form, and `bytes` of its file; the rest never comes. */
  async function half(tenant: Tenant, id: string, bytes: number): Promise<RawClient> {
    const client = await rawClient(ledger.url);
    const head = requestText('POST', `/runs/${id}/evidence`, {
      authorization: `Bearer ${tenant.keys.agent}`,
      'content-type': 'multipart/form-data; boundary=b',
      'content-length': '1000000',
    });
    const part = '--b\r\ncontent-disposition: form-data; name="file"; filename="x"\r\n\r\n';
    await client.send(`${head}${part}${'x'.repeat(bytes)}`);
    return client;
  }

  async function uploads(tenant: Tenant, id: string, bytes: number): Promise<number> {
    const began = performance.now();
    const raw = form(new Uint8Array(bytes));
    const { status, text } = await tenant.ask('agent', 'POST', `/runs/${id}/evidence`, { raw });
    assert.equal(status, 201, text);
    return performance.now() - began;
  }

  function assertEnded(text: string, words: RegExp): void {
    const { status, headers, body } = parseAnswer(text);
    assert.deepEqual([status, JSON.parse(body).code], [408, 'request_timeout'], text);
    assert.match(headers, /connection: close/);
    assert.match(JSON.parse(body).detail, words);
  }

  test('are told so within seconds, whatever they had sent, and others upload meanwhile', async () => {
    const [stalling, other] = [await ledger.tenant(), await ledger.tenant()];
    const [theirs, mine] = [await runAt(stalling, 'Inputs'), await runAt(other, 'Inputs')];
    const began = performance.now();
    const small = await Promise.all(Array.from({ length: STALLED }, () => half(stalling, theirs, 300)));
    const large = await Promise.all(Array.from({ length: STALLED }, () => half(stalling, theirs, LARGE)));
    for (const bytes of [5, 3_000_000]) {
      const took = await uploads(other, mine, bytes);
      assert.ok(took < 5_000, `an upload of ${bytes} bytes took ${took} ms`);
    }
    for (const client of small) assertEnded(await client.ended, /Nothing of the body came for 5 seconds/);
    assertEnded(await Promise.race(large.map((client) => client.ended)), /Nothing of the body came for 5 seconds/);
    assert.ok(performance.now() - began < SOON_MS);
    // Those that waited for a turn were not read, and are judged once they have one.
    for (const client of large) client.socket.destroy();
    await uploads(stalling, theirs, LARGE);
    assert.equal((await stalling.as('auditor')('GET', `/runs/${theirs}`)).evidence.length, 1);
  });

  test('are no better off with a byte now and then: whoever holds memory has to go on', async () => {
    const tenant = await ledger.tenant();
    const client = await half(tenant, await runAt(tenant, 'Inputs'), LARGE);
    const drip = setInterval(() => client.socket.write('x'), 500);
    const text = await client.ended;
    clearInterval(drip);
    assertEnded(text, /too slowly.*81920 bytes in 5 seconds.*sha256/);
  });

  test('are told so in JSON, too, when the body is large', async () => {
    const tenant = await ledger.tenant();
    const id = await runAt(tenant, 'Inputs');
    const client = await rawClient(ledger.url);
    const head = requestText('POST', `/runs/${id}/evidence`, {
      authorization: `Bearer ${tenant.keys.agent}`,
      'content-type': 'application/json',
      'content-length': '900000',
    });
    await client.send(`${head}{"kind":"note","label":"x","content":"${'x'.repeat(100)}`);
    assertEnded(await client.ended, /Nothing of the body came/);
    const content = 'x'.repeat(900_000);
    const body = { kind: 'note', label: 'x', content };
    const { status, json } = await tenant.ask('agent', 'POST', `/runs/${id}/evidence`, { body });
    assert.deepEqual([status, json.sha256], [201, sha256(content)]);
  });

  test('many large bodies of one organization at once all arrive', async () => {
    const tenant = await ledger.tenant();
    const inputs = { task: 'x', report: 'x'.repeat(300_000) };
    const bodies = Array.from({ length: 40 }, (_, i) => ({ lane: 'generic', title: `Run ${i}`, inputs }));
    const answers = await Promise.all(bodies.map((body) => tenant.ask('agent', 'POST', '/runs', { body })));
    for (const { status, text } of answers) assert.equal(status, 201, text);
  });

  test('downloads that nobody reads hold up no other organization, and give way when they end', async () => {
    const [deaf, other] = [await ledger.tenant(), await ledger.tenant()];
    const paths = new Map<Tenant, string>();
    for (const tenant of [deaf, other]) {
      const id = await runAt(tenant, 'Inputs');
      const raw = form(new Uint8Array(20_000_000));
      const { json } = await tenant.ask('agent', 'POST', `/runs/${id}/evidence`, { raw });
      paths.set(tenant, `/runs/${id}/evidence/${json.id}`);
    }
    const authorization = `Bearer ${deaf.keys.auditor}`;
    const readers = [];
    for (let i = 0; i < 6; i++) {
      const reader = await rawClient(ledger.url, { deaf: true });
      await reader.send(requestText('GET', paths.get(deaf)!, { authorization }));
      readers.push(reader);
    }
    const download = (tenant: Tenant) => tenant.ask('auditor', 'GET', paths.get(tenant)!);
    assert.equal((await download(other)).status, 200);
    let answered = false;
    const own = download(deaf).then((answer) => {
      answered = true;
      return answer;
    });
    assert.equal((await download(other)).status, 200);
    assert.equal(answered, false);
    for (const { socket } of readers) socket.destroy();
    assert.equal((await own).text.length, 20_000_000);
  });

  test('many large uploads of one organization at once all arrive, two at a time', async () => {
    const tenant = await ledger.tenant();
    const id = await runAt(tenant, 'Inputs');
    await Promise.all(Array.from({ length: 12 }, (_, i) => uploads(tenant, id, 2_000_000 + i)));
    assert.equal((await tenant.as('auditor')('GET', `/runs/${id}`)).evidence.length, 12, engine);
  });
});
