/** A large body is read in a thread, or in its turn: what that may never change, and what nobody may make the ledger read. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FastifyRequest } from 'fastify';
import { createBodyLimits } from '../../src/http/body-limits.ts';
import { type Answer, eachLedger, type Tenant } from '../kit/running.ts';

/** White space says nothing, and makes the same body a large one. */
const PADDING = ' '.repeat(70_000);
const JSON_TYPE = { 'content-type': 'application/json' };

const TASK = {
  lane: 'generic',
  title: ' A task ',
  inputs: { task: 'Count', b: [1.5, null], a: { z: 1, y: 'é' }, notify: null },
};
const REFUSED = {
  'no JSON': '{"lane": generic}',
  'a member twice': '{"lane":"generic","lane":"eval"}',
  'a number that others read differently': '{"lane":"generic","title":"x","inputs":{"task":"x","n":9007199254740993}}',
  'half a surrogate pair': '{"lane":"generic","title":"x","inputs":{"task":"\\ud800"}}',
  'no object': '[1]',
  'no such lane': '{"lane":"generics","title":"x","inputs":{}}',
  'several members': '{"lane":"generic","title":"","inputs":[],"agent_profile_id":"/"}',
  'inputs the lane does not take': '{"lane":"eval","title":"x","inputs":{"flight_sheet":{"name":1}}}',
  'no such sheet': '{"lane":"eval","title":"x","inputs":{"flight_sheet":{"name":"none","version":"1"}}}',
  'no such profile': '{"lane":"generic","title":"x","inputs":{"task":"x"},"agent_profile_id":"none"}',
  'a name that hashes differently': '{"lane":"generic","title":"x","inputs":{"task":"x","a":{"__proto__":1}}}',
};
const REFUSED_EXECUTION = {
  'no JSON': '{"output": }',
  'no object': '"text"',
  'an agent that is no text': '{"agent_name":{},"model_name":[]}',
};

eachLedger('a large body', (ledger) => {
  const post = (tenant: Tenant, path: string, raw: string, headers: Record<string, string> = {}) =>
    tenant.ask('agent', 'POST', path, { raw, headers: { ...JSON_TYPE, ...headers } });
  const open = async (tenant: Tenant) => (await post(tenant, '/runs', JSON.stringify(TASK))).json.id as string;

  test('is refused with the words of a small one', async () => {
    const tenant = await ledger.tenant();
    for (const [what, body] of Object.entries(REFUSED)) await assertRefusedAlike(tenant, '/runs', body, what);
    const path = `/runs/${await open(tenant)}/execution`;
    for (const [what, body] of Object.entries(REFUSED_EXECUTION)) await assertRefusedAlike(tenant, path, body, what);
    await assertRefusedAlike(tenant, '/runs/run_0/execution', '{}', 'no such Run');
    assert.equal((await post(tenant, path, '{}')).status, 200);
    await assertRefusedAlike(tenant, path, '{}', 'a Run that has its execution');
  });

  async function assertRefusedAlike(tenant: Tenant, path: string, body: string, what: string): Promise<void> {
    const small = await post(tenant, path, body);
    const large = await post(tenant, path, body + PADDING);
    assert.ok(small.status >= 400 && small.status < 500, `${what}: ${small.status}`);
    const said = ({ status, json: { request_id: _, ...problem } }: Answer) => ({ status, problem });
    assert.deepEqual(said(large), said(small), what);
  }

  test('is stored, counted and shown as a small one', async () => {
    const answers = [];
    for (const padding of ['', PADDING]) {
      const tenant = await ledger.tenant();
      const opened = await post(tenant, '/runs', JSON.stringify(TASK) + padding);
      assert.deepEqual([opened.status, opened.headers.get('location')], [201, `/runs/${opened.json.id}`]);
      const execution = JSON.stringify({ agent_name: 'scribe', output: { n: [0.1, 'ü'] }, model_name: null, more: 1 });
      const executed = await post(tenant, `/runs/${opened.json.id}/execution`, execution + padding);
      assert.equal(executed.status, 200);
      const read = await tenant.as('auditor')('GET', `/runs/${opened.json.id}`);
      assert.deepEqual(read, executed.json);
      const { storage } = await tenant.as('auditor')('GET', '/organization');
      answers.push(
        [opened, executed].map(({ json }) => withoutNames(json)),
        storage.used_bytes,
      );
    }
    const [small, used, large, used_by_large] = answers;
    assert.deepEqual([large, used_by_large], [small, used]);
  });

  test('with an Idempotency-Key is answered again as it was, byte for byte, and done once', async () => {
    const tenant = await ledger.tenant();
    const key = { 'idempotency-key': 'once' };
    const body = JSON.stringify(TASK) + PADDING;
    const [first, second] = await Promise.all([post(tenant, '/runs', body, key), post(tenant, '/runs', body, key)]);
    const third = await post(tenant, '/runs', body, key);
    assert.deepEqual([second.text, third.text], [first.text, first.text]);
    assert.deepEqual([third.status, third.headers.get('location')], [201, `/runs/${first.json.id}`]);
    assert.equal((await tenant.as('auditor')('GET', '/runs')).runs.length, 1);
    const other = await post(tenant, '/runs', `${body} `, key);
    assert.deepEqual([other.status, other.json.code], [422, 'idempotency_key_reused']);

    const path = `/runs/${first.json.id}/execution`;
    const executed = await post(tenant, path, `{"output":1}${PADDING}`, { 'idempotency-key': 'done' });
    const again = await post(tenant, path, `{"output":1}${PADDING}`, { 'idempotency-key': 'done' });
    assert.deepEqual([again.status, again.text], [200, executed.text]);
    assert.equal(executed.json.stage, 'Execution');
  });

  test('is not read where no credential allows it', async () => {
    const unread = { raw: `{${PADDING}`, headers: JSON_TYPE };
    const told = async (path: string, token?: string) => {
      const { status, json } = await ledger.call('POST', path, { ...unread, token });
      return [status, json.code];
    };
    assert.deepEqual(await told('/runs'), [401, 'unauthenticated']);
    assert.deepEqual(await told('/runs', `rk_${'0'.repeat(32)}_${'a'.repeat(43)}`), [401, 'unauthenticated']);
    assert.deepEqual(await told('/organizations'), [401, 'unauthenticated']);
    assert.deepEqual(await told('/nowhere'), [404, 'not_found']);
    assert.deepEqual(await told('/sign-in'), [413, 'payload_too_large']);
    assert.deepEqual(await told('/session'), [413, 'payload_too_large']);
    const { keys } = await ledger.tenant();
    assert.deepEqual(await told('/runs', keys.auditor), [403, 'forbidden']);
    assert.deepEqual(await told('/runs', keys.agent), [400, 'malformed_json']);
  });
});

test('an organization whose large body the event loop has read rests, and the others do not wait', async () => {
  const { readBody } = createBodyLimits();
  const body = Buffer.alloc(70_000);
  const read: string[] = [];
  const readFor = (organization_id: string, bytes = body, reads_in_thread = false) =>
    readBody(
      { principal: { organization_id }, routeOptions: { config: { reads_in_thread } } } as unknown as FastifyRequest,
      bytes,
      () => {
        const until = performance.now() + 10;
        while (performance.now() < until);
        read.push(organization_id);
        return until;
      },
    );
  const first = readFor('busy') as Promise<number>;
  const second = readFor('busy') as Promise<number>;
  await Promise.all([first, readFor('other')]);
  assert.deepEqual(read, ['busy', 'other']);
  const rested = (await second) - 10 - (await first);
  assert.ok(rested >= 10 * 18, `${rested} ms after 10 ms of reading`);
  assert.equal(typeof readFor('busy', body.subarray(0, 60_000)), 'number', 'a small one is read at once');
  assert.equal(readFor('busy', body, true), body, 'what a thread reads is left as it came');
});

/** What differs between two Runs that say the same. */
function withoutNames(run: Record<string, unknown>) {
  const { id: _, organization_id: __, created_at: ___, updated_at: ____, stages, ...rest } = run;
  return { ...rest, stages: (stages as { stage: string }[]).map(({ stage }) => stage) };
}
