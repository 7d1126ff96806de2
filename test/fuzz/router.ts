/** The router: two sides of a member, a worker and a SKU each, and the operator who acts for both. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  ADMIN_TOKEN,
  assertLedger,
  CHEAP_SKU,
  running,
  SKU,
  stoppedClock,
  type TestRouter,
} from '../../packages/router/test/kit/running.ts';
import type { Operation } from '../kit/openapi-cases.ts';
import type { Random } from './random.ts';
import { newSide, remember, type Side } from './sides.ts';
import type { Caller, Target } from './target.ts';

const JSON_LIMIT = 60_000;
const SKUS = [SKU, CHEAP_SKU];

interface Party {
  side: Side;
  sku: string;
  worker: Caller;
}

export async function startRouterTarget(
  database: { url: string; db: TestRouter['db'] },
  random: Random,
): Promise<Target> {
  const folder = mkdtempSync(join(tmpdir(), 'fuzz-'));
  const clock = stoppedClock();
  const environment = { ROUTER_ADMIN_TOKEN: ADMIN_TOKEN, ROUTER_JSON_BODY_BYTES: String(JSON_LIMIT) };
  const router = await running({ environment, database, folder, clock });
  const parties = [await partyOf(router, 'a', SKU, random), await partyOf(router, 'b', CHEAP_SKU, random)];
  const skuOf = (side: Side) => parties.find((party) => party.side === side)!.sku;

  return {
    url: router.url,
    sides: parties.map(({ side }) => side),
    json_limit: JSON_LIMIT,
    bodies: bodiesOf(skuOf),
    often: [
      'POST /jobs',
      'POST /workers/jobs/lease',
      'POST /workers/jobs/{id}/accept',
      'POST /workers/jobs/{id}/status',
      'POST /workers/jobs/{id}/logs',
      'POST /workers/jobs/{id}/artifacts',
      'POST /workers/jobs/{id}/complete',
      'POST /workers/jobs/{id}/fail',
    ],
    placeNames(path) {
      if (path.startsWith('/members')) return ['mem'];
      if (path.startsWith('/datasets')) return ['ds', 'id'];
      if (path.startsWith('/workers')) return ['leased', 'job'];
      return [path.startsWith('/admin/workers') ? 'worker' : 'job'];
    },
    tamed: (body, { side }) => tamed(body, skuOf(side)),
    isShared: () => false,
    callerFor(operation, random) {
      const { side, worker } = random.pick(parties);
      if (random.chance(0.08))
        return {
          name: 'nobody',
          side,
          credential: random.pick([null, '', 'dwrk_x', `dwrk_${random.letters(43)}`]),
          sees: 'nothing',
        };
      if (!operation.secured) return { name: 'nobody', side, credential: null, sees: 'nothing' };
      if (isWorkers(operation) !== random.chance(0.05)) return worker;
      return { name: 'the operator', side, credential: ADMIN_TOKEN, sees: 'all' };
    },
    pass(random) {
      if (random.chance(0.02)) clock.advance(random.between(1, 60));
      if (random.chance(0.001)) clock.advance(700);
      if (random.chance(0.0001)) clock.advance(370 * 86_400);
    },
    async renew(caller) {
      const party = parties.find(({ worker }) => worker === caller);
      if (party !== undefined) caller.credential = await register(router, party.side, party.sku);
    },
    verify: () => assertLedger(router),
    async close() {
      await router.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

const isWorkers = ({ name }: Operation) => name.includes(' /workers/') && name !== 'POST /workers/register';

async function partyOf(router: TestRouter, name: string, sku: string, random: Random): Promise<Party> {
  const side = newSide(name, random);
  const post = async (path: string, body?: unknown) => {
    const { status, json, text } = await router.call('POST', path, { token: ADMIN_TOKEN, body: body ?? {} });
    if (status >= 300) throw new Error(text);
    return json;
  };
  const { id } = await post('/members', { email: `member.${side.mark}@example.org`, name: side.mark });
  await post(`/members/${id}/activate`);
  remember(side, 'mem', id);
  remember(side, 'member_id', id);
  side.owned.add(id);
  const worker: Caller = {
    name: `${side.mark} worker`,
    side,
    credential: await register(router, side, sku),
    sees: 'own',
  };
  return { side, sku, worker };
}

async function register(router: TestRouter, side: Side, sku: string): Promise<string> {
  const body = {
    node_id: `rig-${side.mark}`,
    name: `rig ${side.mark}`,
    hostname: `${side.mark}.local`,
    capabilities: { gpu_skus: [sku] },
  };
  const { status, json, text } = await router.call('POST', '/workers/register', { token: ADMIN_TOKEN, body });
  if (status >= 300) throw new Error(text);
  remember(side, 'worker', json.worker_id);
  side.owned.add(json.worker_id).add(json.worker_token);
  return json.worker_token;
}

/** A worker may lease whatever is queued for its SKUs: each side keeps to its own. No call asks to wait for a job. */
function tamed(value: unknown, sku: string): unknown {
  if (typeof value === 'string') return SKUS.includes(value) ? sku : value;
  if (Array.isArray(value)) return value.map((item) => tamed(item, sku));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [
      name,
      name === 'wait_seconds' && typeof inner === 'number' && inner > 0 && inner <= 30 ? 0 : tamed(inner, sku),
    ]),
  );
}

const JOB_TYPES = ['inference', 'fine_tune', 'eval', 'dataset_build', 'embedding', 'batch'];

function bodiesOf(skuOf: (side: Side) => string): Target['bodies'] {
  const words = ({ mark }: Side, random: Random) => `${random.letters(5)} ${mark}`;
  const known = ({ known }: Side, name: string, random: Random) =>
    random.pick((known.get(name) ?? ['nothing']).slice(-4));
  const lease = (side: Side, random: Random, path = '') => ({
    lease_token: known(side, `lease of ${path.split('/')[3]}`, random),
  });
  return {
    'POST /jobs': (side, random) => ({
      member_id: known(side, 'mem', random),
      job_type: random.pick(JOB_TYPES),
      requested_gpu_sku: skuOf(side),
      estimated_hours: random.between(1, 40) / 4,
      max_attempts: random.between(1, 3),
      priority: random.between(-3, 3),
      input_dataset_ids: random.chance(0.3) ? [known(side, 'ds', random)] : [],
      payload: { note: words(side, random), eval_before: 0.5, base_model: side.mark },
      output_uri: `s3://${side.mark}/out`,
    }),
    'POST /compute/quote': (side, random) => ({
      member_id: known(side, 'mem', random),
      job_type: random.pick(JOB_TYPES),
      requested_gpu_sku: skuOf(side),
      estimated_hours: random.between(1, 40) / 4,
    }),
    'POST /compute/register-node': (side, random) => ({
      id: `node-${side.mark}-${random.letters(1)}`,
      hostname: side.mark,
      gpu_type: skuOf(side),
      tags: [side.mark],
    }),
    'POST /workers/register': (side, random) => ({
      node_id: `rig-${side.mark}-${random.letters(1)}`,
      name: words(side, random),
      hostname: side.mark,
      capabilities: { gpu_skus: [skuOf(side)] },
    }),
    'POST /workers/heartbeat'(side, random) {
      const job_id = known(side, 'leased', random);
      return {
        status: random.pick(['online', 'busy', 'online', 'online']),
        leases: [{ job_id, ...lease(side, random, `/workers/jobs/${job_id}`) }],
      };
    },
    'POST /workers/jobs/lease': (side, random) => ({
      supported_job_types: JOB_TYPES,
      supported_gpu_skus: [skuOf(side)],
      max_jobs: random.between(1, 3),
    }),
    'POST /workers/jobs/{id}/accept': lease,
    'POST /workers/jobs/{id}/status': (side, random, path) => ({
      ...lease(side, random, path),
      event_type: 'progress',
      message: words(side, random),
      payload: { step: random.between(1, 9) },
    }),
    'POST /workers/jobs/{id}/logs': (side, random, path) => ({
      ...lease(side, random, path),
      lines: [words(side, random)],
      sequence: random.between(0, 5),
    }),
    'POST /workers/jobs/{id}/artifacts': (side, random, path) => ({
      ...lease(side, random, path),
      artifact_type: 'model',
      name: words(side, random),
      uri: `s3://${side.mark}/model`,
      checksum_sha256: random.hex(64),
      size_bytes: random.between(0, 1_000),
    }),
    'POST /workers/jobs/{id}/complete': (side, random, path) => ({
      ...lease(side, random, path),
      metrics: { duration_seconds: random.between(0, 500), eval_after: 0.7 },
      final_message: words(side, random),
    }),
    'POST /workers/jobs/{id}/fail': (side, random, path) => ({
      ...lease(side, random, path),
      message: words(side, random),
    }),
  };
}
