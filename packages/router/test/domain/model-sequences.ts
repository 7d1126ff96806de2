/**
 * Random sequences of all job and worker calls, with clock jumps and crashes, against `model.ts`: after every call the
 * router says what the model says, no worker is leased beyond what it declared, and after every sequence the receipts files hold exactly what the model wrote down.
 * The sequences are the same every time; TEST_SEED=<number> runs others, and a failure prints its seed and path.
 */
import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { test } from 'node:test';
import fc from 'fast-check';
import { eachEngine } from '../../../../test/kit/engines.ts';
import { MIGRATIONS } from '../../src/migrations.ts';
import { type Crashable, INSTANTS, openCrashable, type Reply } from '../kit/crashable.ts';
import {
  type Capabilities,
  isOver,
  Model,
  type ModelJob,
  type Outcome,
  type Token,
  type WorkerStatus,
} from '../kit/model.ts';
import { inShort, receiptsIn } from '../kit/records.ts';
import { CHEAP_SKU, type Clock, SKU, stoppedClock, temporaryFolder } from '../kit/running.ts';

const RUNS = 250;
const TYPES = ['inference', 'fine_tune', 'eval'];
const REPORTS = ['accept', 'status', 'logs', 'artifacts', 'complete', 'fail'] as const;

interface Workshop {
  router: Crashable;
  clock: Clock;
  folder: string;
  member_id: string;
  workers: { id: string; token: string }[];
}

type Real = Workshop;
type Command = fc.AsyncCommand<Model, Real>;

/** A call that the router answers, or crashes in: then it is opened again, and only a crash before the commit undid it. */
async function calls(
  real: Real,
  request: Parameters<Crashable['call']>,
  happens: () => void,
  answered: (reply: Reply) => void,
): Promise<void> {
  const reply = await real.router.call(...request);
  if (reply !== null) return answered(reply);
  const undone = crashed === 'before commit';
  answers_lost++;
  await real.router.crash();
  if (!undone) happens();
}
let crashed: (typeof INSTANTS)[number] | null = null;
let answers_lost = 0;

function assertOutcome(reply: Reply, expected: Outcome, what: string): void {
  const said = JSON.stringify(reply.json);
  if ('ok' in expected) {
    assert.equal(reply.status, 200, `${what}: ${said}`);
    if (reply.json.status !== undefined) assert.equal(reply.json.status, expected.ok, `${what}: ${said}`);
  } else assert.deepEqual([reply.status, reply.json.code], [expected.refused, expected.code], `${what}: ${said}`);
}

async function assertSame({ router }: Real, job: ModelJob): Promise<void> {
  const { json } = (await router.call('GET', `/jobs/${job.id}`))!;
  assert.deepEqual(
    [json.status, json.attempt, json.actual_cost_usd?.toFixed(2) ?? null],
    [job.status, job.attempt, job.cost],
    job.id,
  );
}

const pick = <T>(list: readonly T[], n: number): T | undefined => list[n % Math.max(1, list.length)];

class Create implements Command {
  readonly job: { type: string; sku: string; priority: number; max_attempts: number };
  readonly hours: number;
  constructor(type: string, sku: string, priority: number, max_attempts: number, hours: number) {
    this.job = { type, sku, priority, max_attempts };
    this.hours = hours;
  }
  check = () => true;
  async run(model: Model, real: Real) {
    const { type, sku, ...rest } = this.job;
    const body = {
      member_id: real.member_id,
      job_type: type,
      requested_gpu_sku: sku,
      estimated_hours: this.hours,
      ...rest,
    };
    let id = '';
    await calls(
      real,
      ['POST', '/jobs', body],
      () => {
        id = 'lost';
      },
      (reply) => {
        assert.equal(reply.status, 201);
        id = reply.json.id;
      },
    );
    if (id === '') return;
    if (id === 'lost') id = (await real.router.call('GET', '/jobs?limit=1'))!.json[0].id;
    await assertSame(real, model.create(id, this.job, this.hours));
  }
  toString = () => `create ${JSON.stringify(this.job)} ${this.hours} h`;
}

class ByHand implements Command {
  readonly verb: 'start' | 'complete' | 'cancel';
  readonly n: number;
  constructor(verb: ByHand['verb'], n: number) {
    this.verb = verb;
    this.n = n;
  }
  check = (model: Readonly<Model>) => model.jobs.length > 0;
  async run(model: Model, real: Real) {
    const job = pick(model.jobs, this.n)!;
    const apply = () => model[this.verb](job, real.clock.ms);
    await calls(real, ['POST', `/jobs/${job.id}/${this.verb}`], apply, (reply) =>
      assertOutcome(reply, apply(), String(this)),
    );
    await assertSame(real, job);
  }
  toString = () => `${this.verb} job ${this.n}`;
}

/** Beside the model's own reckoning: what was leased is what was declared, and the router holds what the model holds. */
async function assertDeclared(model: Model, { router, workers, clock }: Real, n: number, leased: ModelJob[]) {
  const { active_leases } = (await router.call('GET', `/admin/workers/${workers[n]!.id}`))!.json;
  const live = active_leases.filter(({ expires_at }: { expires_at: string }) => Date.parse(expires_at) > clock.ms);
  const held: string[] = live.map(({ job_id }: { job_id: string }) => job_id).sort();
  assert.deepEqual(
    held,
    model
      .live(n, clock.ms)
      .map(({ id }) => id)
      .sort(),
  );
  const { skus, types, most, status, drained } = model.workers[n]!;
  if (leased.length === 0) return;
  assert.ok(!drained && !['draining', 'maintenance', 'offline'].includes(status));
  assert.ok(leased.every(({ sku, type }) => (skus?.includes(sku) ?? true) && (types?.includes(type) ?? true)));
  assert.ok(held.length <= (most ?? held.length), `${held.length} held, ${most} declared`);
}

class Lease implements Command {
  readonly worker: number;
  readonly types: string[];
  readonly skus: string[];
  readonly max_jobs: number;
  constructor(worker: number, types: string[], skus: string[], max_jobs: number) {
    this.worker = worker;
    this.types = types;
    this.skus = skus;
    this.max_jobs = max_jobs;
  }
  check = () => true;
  async run(model: Model, real: Real) {
    const due = model.due(this.worker, this.types, this.skus, this.max_jobs, real.clock.ms);
    const body = { supported_job_types: this.types, supported_gpu_skus: this.skus, max_jobs: this.max_jobs };
    const take = (text: (i: number) => string | null) =>
      due.forEach((job, i) => {
        model.lease(job, this.worker, text(i), real.clock.ms);
      });
    await calls(
      real,
      ['POST', '/workers/jobs/lease', body, real.workers[this.worker]!.token],
      () => take(() => null),
      ({ status, json }) => {
        assert.equal(status, 200);
        assert.deepEqual(
          json.leases.map((lease: { job: { id: string } }) => lease.job.id),
          due.map(({ id }) => id),
        );
        take((i) => json.leases[i].lease_token);
      },
    );
    for (const job of due) await assertSame(real, job);
    await assertDeclared(model, real, this.worker, due);
  }
  toString = () => `worker ${this.worker} leases ${this.max_jobs} of ${this.types} on ${this.skus}`;
}

/** Whose token is shown: of the lease that is held, one that ran out, or one of another job. */
type Shown = 'own' | 'past' | 'foreign' | 'nonsense';

class Report implements Command {
  readonly verb: (typeof REPORTS)[number];
  readonly n: number;
  readonly shown: Shown;
  readonly seconds: number | null;
  constructor(verb: Report['verb'], n: number, shown: Shown, seconds: number | null) {
    this.verb = verb;
    this.n = n;
    this.shown = shown;
    this.seconds = seconds;
  }
  check = (model: Readonly<Model>) => this.token(model) !== undefined;
  token(model: Readonly<Model>): { job: ModelJob; worker: number; text: string } | undefined {
    const held = model.jobs.flatMap(({ lease }) => (lease === null ? [] : [lease]));
    if (this.shown === 'past') return known(pick(model.past, this.n));
    const own = known(pick(held, this.n));
    if (own === undefined || this.shown === 'own') return own;
    if (this.shown === 'nonsense') return { ...own, text: 'dlease_nonsense' };
    return { ...own, worker: (own.worker + 1) % 2 };
  }
  async run(model: Model, real: Real) {
    const { job, worker, text } = this.token(model)!;
    const body = {
      lease_token: text,
      event_type: 'going_on',
      message: 'm',
      artifact_type: 'model',
      name: `artifact ${++names}`,
      uri: `file:///${names}`,
      ...(this.seconds === null ? {} : { metrics: { duration_seconds: this.seconds } }),
    };
    const apply = () => model.underLease(job, worker, text, this.verb, this.seconds, real.clock.ms);
    await calls(
      real,
      ['POST', `/workers/jobs/${job.id}/${this.verb}`, body, real.workers[worker]!.token],
      apply,
      (reply) => assertOutcome(reply, apply(), String(this)),
    );
    await assertSame(real, job);
  }
  toString = () => `${this.verb} under lease ${this.n} with ${this.shown} token, ${this.seconds} s`;
}
let names = 0;

function known(token: Token | undefined) {
  return token?.text == null ? undefined : { job: token.job, worker: token.worker, text: token.text };
}

class Beat implements Command {
  readonly worker: number;
  readonly status: WorkerStatus;
  readonly capabilities: Capabilities | undefined;
  constructor(worker: number, status: WorkerStatus, capabilities: Capabilities | undefined) {
    this.worker = worker;
    this.status = status;
    this.capabilities = capabilities;
  }
  check = () => true;
  async run(model: Model, real: Real) {
    const tokens = [...model.past, ...model.jobs.flatMap(({ lease }) => (lease === null ? [] : [lease]))].flatMap(
      (token) => known(token) ?? [],
    );
    const leases = tokens.map(({ job, text }) => ({ job_id: job.id, lease_token: text }));
    const { status, capabilities } = this;
    const expected = () => {
      model.workers[this.worker]!.status = status;
      model.declare(this.worker, capabilities ?? {});
      return tokens.map(({ job, text }) => model.beat(job, this.worker, text, real.clock.ms));
    };
    const body = { status, leases, ...(capabilities === undefined ? {} : { capabilities }) };
    await calls(
      real,
      ['POST', '/workers/heartbeat', body, real.workers[this.worker]!.token],
      expected,
      ({ status, json }) => {
        assert.equal(status, 200);
        assert.deepEqual(
          json.leases.map(({ state }: { state: string }) => state),
          expected(),
        );
      },
    );
  }
  toString = () => `worker ${this.worker} beats: ${this.status}, ${JSON.stringify(this.capabilities)}`;
}

class Order implements Command {
  readonly worker: number;
  readonly order: 'drain' | 'resume';
  constructor(worker: number, order: Order['order']) {
    this.worker = worker;
    this.order = order;
  }
  check = () => true;
  async run(model: Model, real: Real) {
    const apply = () => model.order(this.worker, this.order);
    await calls(real, ['POST', `/admin/workers/${real.workers[this.worker]!.id}/${this.order}`], apply, (reply) => {
      assert.equal(reply.status, 200);
      apply();
    });
  }
  toString = () => `worker ${this.worker} is told to ${this.order}`;
}

class Pass implements Command {
  readonly seconds: number;
  readonly swept: boolean;
  constructor(seconds: number, swept: boolean) {
    this.seconds = seconds;
    this.swept = swept;
  }
  check = () => true;
  async run(model: Model, real: Real) {
    real.clock.advance(this.seconds);
    if (!this.swept) return;
    await sweepAll(model, real);
  }
  toString = () => `${this.seconds} s pass${this.swept ? ', swept' : ''}`;
}

/** A crash in a sweep may leave part of it: the next one finishes it. */
async function sweepAll(model: Model, real: Real): Promise<void> {
  const wasArmed = real.router.isArmed();
  await real.router.sweep();
  if (wasArmed && !real.router.isArmed()) {
    await real.router.crash();
    await real.router.sweep();
  }
  model.sweep(real.clock.ms);
  for (const job of model.jobs) await assertSame(real, job);
}

class Crash implements Command {
  readonly instant: (typeof INSTANTS)[number] | 'between calls';
  constructor(instant: Crash['instant']) {
    this.instant = instant;
  }
  check = () => true;
  async run(model: Model, real: Real) {
    if (this.instant !== 'between calls') {
      crashed = this.instant;
      real.router.arm(this.instant);
      return;
    }
    await real.router.crash();
    for (const job of model.jobs) await assertSame(real, job);
  }
  toString = () => `crash ${this.instant}`;
}

const nat = fc.nat(40);
/** Mostly all, for the worker's declaration to decide. */
const asked = (all: string[]) => fc.oneof(fc.constant(all), fc.subarray(all, { minLength: 1 }));
const shown = fc.constantFrom<Shown>('own', 'own', 'own', 'own', 'past', 'foreign', 'nonsense');
const seconds = fc.oneof(
  fc.constant(null),
  fc.constantFrom(0.2, 1, 1.5, 9, 45, 3600, 86_400.5),
  fc.integer({ min: 1, max: 200_000 }),
);
const status = fc.constantFrom<WorkerStatus>('online', 'busy', 'online', 'busy', 'draining', 'maintenance', 'offline');
const capabilities: fc.Arbitrary<Capabilities> = fc.record(
  {
    gpu_skus: fc.subarray([SKU, CHEAP_SKU]),
    supports: fc.subarray(TYPES),
    max_concurrent_jobs: fc.integer({ min: 1, max: 4 }),
  },
  { requiredKeys: [] },
);
const COMMANDS = [
  fc
    .tuple(
      fc.constantFrom(...TYPES),
      fc.constantFrom(SKU, CHEAP_SKU),
      fc.integer({ min: -1, max: 1 }),
      fc.integer({ min: 1, max: 3 }),
      fc.integer({ min: 1, max: 99 }),
    )
    .map((args) => new Create(...args)),
  fc
    .tuple(fc.nat(1), asked(TYPES), asked([SKU, CHEAP_SKU]), fc.integer({ min: 1, max: 3 }))
    .map((args) => new Lease(...args)),
  fc
    .tuple(fc.constantFrom('start', 'complete', 'cancel'), nat)
    .map(([verb, n]) => new ByHand(verb as ByHand['verb'], n)),
  fc.tuple(fc.constantFrom(...REPORTS), nat, shown, seconds).map((args) => new Report(...args)),
  fc.tuple(fc.constantFrom(...REPORTS), nat, shown, seconds).map((args) => new Report(...args)),
  fc.tuple(fc.nat(1), status, fc.option(capabilities, { nil: undefined })).map((args) => new Beat(...args)),
  fc
    .tuple(fc.nat(1), fc.constantFrom('drain', 'resume', 'resume'))
    .map(([worker, order]) => new Order(worker, order as Order['order'])),
  fc.tuple(fc.constantFrom(0.001, 1, 59.5, 300, 599, 600, 1200), fc.boolean()).map((args) => new Pass(...args)),
  fc.constantFrom(...INSTANTS, 'between calls' as const).map((instant) => new Crash(instant)),
];

const declared = fc.tuple(capabilities, capabilities);

/** Every job's receipts are the model's, in its order, and there are no others. */
async function assertReceipts(model: Model, { router, folder }: Real, before: number): Promise<void> {
  const receipts = receiptsIn(folder);
  const report = await router.verify();
  assert.deepEqual(report, { ok: true, receipts_checked: receipts.length, violation: null, violations: [] });
  const written = receipts.slice(before);
  for (const job of model.jobs)
    assert.deepEqual(written.filter((receipt) => receipt.job_id === job.id).map(inShort), job.receipts);
  assert.equal(
    written.length,
    model.jobs.reduce((sum, job) => sum + job.receipts.length, 0),
  );
}

/** So that the next sequence finds the queues empty. */
async function putAway(model: Model, real: Real): Promise<void> {
  if (real.router.isArmed()) await real.router.crash();
  await sweepAll(model, real);
  for (const job of model.jobs) {
    if (isOver(job)) continue;
    assertOutcome((await real.router.call('POST', `/jobs/${job.id}/cancel`))!, model.cancel(job), 'put away');
  }
}

/** @param time_ms sequences begun later are left out; also while a failure is made smaller */
export function agreesWithTheModel(time_ms: number): void {
  eachEngine('the router and the model', MIGRATIONS, (fresh) => {
    test('agree after every call, and on every receipt, whatever comes and wherever it crashes', async (t) => {
      const { url } = await fresh();
      const folder = temporaryFolder();
      const clock = stoppedClock();
      const router = await openCrashable(url, folder, clock);
      const post = async (path: string, body?: object) => (await router.call('POST', path, body))!.json;
      const { id: member_id } = await post('/members', { email: 'm@example.org', name: 'M' });
      await post(`/members/${member_id}/activate`);
      const real: Real = { router, clock, folder, member_id, workers: [] };
      const register = async (model: Model, declared: Capabilities[]) => {
        real.workers = [];
        for (const [i, capabilities] of declared.entries()) {
          const registration = { node_id: `rig-${i}`, name: `worker ${i}`, hostname: 'rig', capabilities };
          const { worker_id, worker_token } = await post('/workers/register', registration);
          real.workers.push({ id: worker_id, token: worker_token });
          model.register(capabilities);
        }
      };
      const seed = Number(process.env.TEST_SEED ?? 1);
      const deadline = performance.now() + time_ms;
      let sequences = 0;
      let steps = 0;
      try {
        await fc.assert(
          fc.asyncProperty(
            declared,
            fc.commands(COMMANDS, { maxCommands: 60, size: 'max' }),
            async (both, commands) => {
              if (performance.now() > deadline) return;
              const model = new Model();
              await register(model, both);
              const before = receiptsIn(folder).length;
              await fc
                .asyncModelRun(() => ({ model, real }), commands)
                .finally(async () => {
                  // Also when a sequence fails: the shorter ones that are tried next start clean.
                  await putAway(model, real).catch(() => undefined);
                });
              await assertReceipts(model, real, before);
              sequences++;
              steps += [...commands].length;
            },
          ),
          { seed, numRuns: RUNS, includeErrorInReport: true },
        );
      } finally {
        t.diagnostic(
          `seed ${seed}: ${sequences} sequences, ${steps} commands, ${answers_lost} answers lost in crashes`,
        );
        await router.close();
        rmSync(folder, { recursive: true, force: true });
      }
    });
  });
}
