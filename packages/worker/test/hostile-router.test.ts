/** A router that wants to reach the worker's disk: what it sends is matched against its form before it becomes a path. */
import { strict as assert } from 'node:assert';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { LeaseAnswer } from '@rcpt/contract/router/workers.ts';
import { openStore } from '../src/store.ts';
import { SKU, spawnWorker, startWorker, temporaryFolder, until } from './kit/worker.ts';

const servers: Server[] = [];
after(() => {
  for (const server of servers) server.close().closeAllConnections();
});

/** Its address. */
async function serving(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  servers.push(server.listen(0, '127.0.0.1'));
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Whether it has answered. */
type Answering = (request: IncomingMessage, response: ServerResponse) => boolean;

/** Leases `jobs`, one at a time, and takes all that the worker says; `first` may answer before it. */
async function hostileRouter(jobs: object[], registered: object = {}, first: Answering = () => false) {
  const calls: string[] = [];
  let asked = 0;
  const url = await serving(async (request, response) => {
    for await (const _ of request);
    calls.push(request.url!);
    if (first(request, response)) return;
    const instant = (ms: number) => new Date(Date.now() + ms).toISOString().replace('Z', '+00:00');
    const answers: Record<string, () => object> = {
      '/workers/register': () => ({
        worker_id: 'worker_1',
        worker_token: 'dwrk_1',
        status: 'registered',
        contract_version: '0.2',
        ...registered,
      }),
      '/workers/heartbeat': () => ({
        ok: true,
        worker_id: 'worker_1',
        server_time: instant(0),
        next_heartbeat_seconds: 30,
        desired: 'run',
        leases: [],
      }),
      '/workers/jobs/lease': () => {
        const job = jobs[asked++];
        const none = { lease_id: null, lease_token: null, job: null, expires_at: null };
        if (job === undefined) return { ...none, leases: [], message: 'no_matching_jobs' };
        const lease = { lease_id: 'lease_1', lease_token: 'dlease_1', job, expires_at: instant(600_000) };
        return { ...lease, leases: [lease], message: 'leased' };
      },
    };
    const answer = answers[request.url!]?.() ?? { event_id: 'event_1', artifact_id: 'art_1' };
    response.setHeader('content-type', 'application/json').end(JSON.stringify(answer));
  });
  return { url, calls, asked: () => asked };
}

const JOB = {
  id: 'job_1',
  job_type: 'batch',
  requested_gpu_sku: SKU,
  estimated_hours: 1,
  input_dataset_ids: [],
  datasets: [],
  payload: {},
  attempt: 1,
};
const HOSTILE: [string, object][] = [
  ['climbs out', { id: '../../victim' }],
  ['climbs out behind its prefix', { id: 'job_/../../../victim' }],
  ['is an absolute path', { id: '/victim' }],
  ['is a folder and no name', { id: '..' }],
  ['ends a path early', { id: 'job_1\u0000' }],
  ['has a separator of another system', { id: 'job_1\\..\\victim' }],
  ['has a line end', { id: 'job_1\n' }],
  ['is no text', { id: { toString: 'job_1' } }],
  ['comes with an attempt that is a path', { attempt: '/../../../victim' }],
  ['comes with an attempt below the first', { attempt: -1 }],
  [
    'comes with a checksum that is a path',
    { datasets: [{ id: 'ds_1', object_uri: 'x', checksum_sha256: '../../victim', size_bytes: 1 }] },
  ],
  [
    'comes with a dataset that is a path',
    { datasets: [{ id: '../../victim', object_uri: 'x', checksum_sha256: 'a'.repeat(64), size_bytes: 1 }] },
  ],
];

describe('a hostile router', () => {
  test('makes the worker neither delete nor write outside its folders', async () => {
    const base = temporaryFolder();
    const victims = ['victim-1', 'worker/victim-1', 'victim', 'victim/1'].map((name) => join(base, name));
    for (const victim of victims) {
      mkdirSync(victim, { recursive: true });
      writeFileSync(join(victim, 'keep.txt'), 'mine');
    }
    const before = readdirSync(base, { recursive: true }).sort();
    const climbing = HOSTILE.slice(0, 3).map(([, change]) => ({ ...JOB, ...change }));
    const router = await hostileRouter([...climbing, JOB]);
    const worker = await startWorker(router.url, {
      exec: { batch: 'sh -c "echo made > $JOB_ARTIFACTS/keep.txt"' },
      state: join(base, 'worker/state'),
      artifacts: join(base, 'worker/artifacts'),
    });
    await until('the honest job came through', () => router.calls.includes('/workers/jobs/job_1/complete'));
    await until('its folder is gone', () => readdirSync(join(base, 'worker/state/jobs')).length === 0);
    const after = (readdirSync(base, { recursive: true }) as string[]).filter(
      (name) => !name.startsWith('worker/state') && !name.startsWith('worker/artifacts'),
    );
    assert.deepEqual(after.sort(), before);
    assert.ok(existsSync(join(base, 'worker/artifacts/job_1/1/keep.txt')), 'what the honest job made');
    const refused = worker.log.filter(({ msg }) => msg === 'no lease could be asked for');
    assert.equal(refused.length, climbing.length);
    assert.ok(
      refused.every(({ reason }) =>
        /^POST \/workers\/jobs\/lease: .* job\.id must be an id such as job_/.test(String(reason)),
      ),
    );
    const called = router.calls.filter((path) => path.startsWith('/workers/jobs/') && !path.endsWith('/lease'));
    assert.ok(
      called.every((path) => path.startsWith('/workers/jobs/job_1/')),
      'nor do they become addresses',
    );
  });

  for (const [story, change] of HOSTILE)
    test(`whose job ${story} is not understood`, () => {
      const lease = { lease_id: 'lease_1', lease_token: 'dlease_1', expires_at: '2026-05-29T20:00:00.000+00:00' };
      const answer = (job: unknown) => ({ ...lease, job, message: 'leased', leases: [{ ...lease, job }] });
      assert.equal(LeaseAnswer.safeParse(answer(JOB)).success, true);
      assert.equal(LeaseAnswer.safeParse(answer({ ...JOB, ...change })).success, false);
    });

  for (const path of ['/workers/register', '/workers/heartbeat', '/workers/jobs/lease'])
    test(`that redirects ${path} makes the worker ask no other service`, async () => {
      const asked: string[] = [];
      const other = await serving((request, response) => {
        asked.push(`${request.method} ${request.url}`);
        response.setHeader('content-type', 'application/json').end('{}');
      });
      let redirected = 0;
      const router = await hostileRouter([], {}, (request, response) => {
        if (request.url !== path) return false;
        // The third time it answers as it should: the worker has gone on asking.
        if (++redirected > 2) return false;
        response.writeHead(307, { location: `${other}/admin/delete-everything` }).end();
        return true;
      });
      const worker = spawnWorker(router.url, { exec: { batch: 'true' }, state: temporaryFolder() });
      await until('it asks again', () => redirected > 2);
      await until('it is registered', () => worker.log.some(({ msg }) => msg === 'registered'));
      assert.deepEqual(asked, []);
      const said = worker.log.filter(({ reason }) => /HTTP 307 redirects to another address/.test(String(reason)));
      assert.equal(said.length, 2);
    });

  test('that answers without end fills no memory', async () => {
    let [sent, cut] = [0, 0];
    const chunk = Buffer.alloc(65_536, 'x');
    const router = await hostileRouter([], {}, (request, response) => {
      if (request.url !== '/workers/jobs/lease') return false;
      response.setHeader('content-type', 'application/json').write('{"message":"');
      const send = () => {
        do sent += chunk.length;
        while (!response.destroyed && response.write(chunk));
      };
      response.on('drain', send).on('close', () => cut++);
      send();
      return true;
    });
    const worker = await startWorker(router.url, { exec: { batch: 'true' } });
    const toldOf = () =>
      worker.log.filter(({ reason }) => /lease: the answer is longer than 8388608 bytes$/.test(String(reason))).length;
    await until('it gives up twice', () => toldOf() >= 2 && cut >= 2);
    // What the connection holds in both systems’ buffers was sent, too.
    assert.ok(sent / cut < 32 * 1_048_576, `${sent} bytes in ${cut} answers`);
  });

  test('names no artifact out of its store', async () => {
    const [folder, path] = [temporaryFolder(), join(temporaryFolder(), 'a')];
    writeFileSync(path, 'x');
    const file = { path, byte_size: 1, sha256: 'a'.repeat(64) };
    for (const url of [`file:${folder}/store`, 's3://bucket/prefix?endpoint=http://127.0.0.1:1'])
      for (const key of ['../x', 'a/../../x', '/x', 'a//x', 'a/.', '..', '', 'a\u0000/x']) {
        const put = openStore(url).putFile(key, file, new AbortController().signal);
        await assert.rejects(put, /^Error: not an object key/, key);
      }
    assert.deepEqual(readdirSync(folder), []);
  });

  test('registers no worker under a token that is none', async () => {
    for (const registered of [{ worker_token: 'dwrk_a\r\nx-other: 1' }, { worker_id: '../x' }]) {
      const state = temporaryFolder();
      const router = await hostileRouter([], registered);
      const worker = spawnWorker(router.url, { exec: { batch: 'true' }, state });
      await until('three attempts', () => router.calls.length >= 3);
      assert.ok(worker.log.every(({ msg }) => msg !== 'registered'));
      assert.equal(existsSync(join(state, 'worker.json')), false);
    }
  });
});
