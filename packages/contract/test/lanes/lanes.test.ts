import assert from 'node:assert/strict';
import { test } from 'node:test';
import { canonicalize } from '@rcpt/proof/canonical.ts';
import { sha256Hex } from '@rcpt/proof/sha256.ts';
import fc from 'fast-check';
import { computeUsd, liftOf } from '../../src/lanes/cook.ts';
import { assignmentOf } from '../../src/lanes/eval.ts';
import { outputSha256, sealOutput } from '../../src/lanes/output.ts';
import { pinnedModelOf } from '../../src/lanes/pinned-model.ts';
import { member } from '../../src/lanes/printed.ts';
import { LANES, laneBySchema } from '../../src/lanes/registry.ts';
import { DEFAULT_PRICES, priceTable } from '../../src/prices.ts';
import { LaneName, SchemaId } from '../../src/vocabulary.ts';
import type { Json, JsonObject } from '../../src/wire.ts';
import { approved, CREATED_AT, MINTED_AT, SOUND, sealedBlock, workOf } from '../kit/works.ts';

// The same values every time; TEST_SEED=<number> tries others.
fc.configureGlobal({ seed: Number(process.env.TEST_SEED ?? 1) });

const json = fc.jsonValue({ maxDepth: 4 }).filter((value) => {
  try {
    return canonicalize(value as Json) !== '' && !JSON.stringify(value).includes('__proto__');
  } catch {
    return false;
  }
}) as fc.Arbitrary<Json>;
const line = fc
  .string({ minLength: 1, maxLength: 40 })
  .filter((text) => text.trim() !== '' && !/[\u0000-\u001f\u007f]/.test(text));
const score = fc.double({ min: 0, max: 1, noNaN: true });
const sha256 = fc.string().map(sha256Hex);

/** Bodies that clients may post, as changes to the sound work of each lane. */
const BODIES: Record<LaneName, fc.Arbitrary<{ inputs: JsonObject; execution: JsonObject }>> = {
  generic: fc.record({
    inputs: fc.record({ task: line, note: json }),
    execution: fc.record({ output: json, agent_name: line }),
  }),
  eval: fc.record({
    inputs: fc.record({ note: json }),
    execution: fc.record({ output: json, agent_name: line, model_name: line }),
  }),
  cook: fc.record({
    inputs: fc.record({ base_model: line, pairs: fc.nat(), eval_before: score }),
    execution: fc.record({
      eval_after: score,
      runner: line,
      metrics: fc.record({ note: json, duration_seconds: json }),
    }),
  }),
  incident: fc.record({
    inputs: fc.record({ kind: line, tier: line, detail: line, response: fc.array(line, { maxLength: 5 }) }),
    execution: fc.record({ agent_name: line, done: json }),
  }),
  'dataset-download': fc.record({
    inputs: fc.record({ name: line, sha256, size_bytes: fc.nat(), row_count: fc.nat(), granted_to: line }),
    execution: fc.constant({}),
  }),
  'model-pin': fc.record({
    inputs: fc.record({
      name: line,
      params_b: fc.double({ min: 0, max: 1e6, noNaN: true }),
      card: json,
      client_ref: line,
    }),
    execution: fc.constant({}),
  }),
};

for (const name of LaneName.options) {
  const lane = LANES[name];

  test(`${name}: what is sealed has exactly the members of its strict schema, canonicalizes, and is never null`, () => {
    fc.assert(
      fc.property(BODIES[name], (change) => {
        const block = sealedBlock(lane, workOf(name, change));
        assert.deepEqual(lane.blocks.parse(block), block);
        assert.equal(canonicalize(JSON.parse(canonicalize(block))), canonicalize(block));
      }),
      { numRuns: 60 },
    );
    assert.ok(!canonicalize(sealedBlock(lane, workOf(name))).includes('null'));
  });

  test(`${name}: a member that is in no table is refused, at the top and inside`, () => {
    const block = sealedBlock(lane, workOf(name));
    assert.ok(!lane.blocks.safeParse({ ...block, anchor: 'elsewhere' }).success);
    for (const [key, value] of Object.entries(block)) {
      if (typeof value !== 'object' || value === null || Array.isArray(value)) continue;
      assert.ok(!lane.blocks.safeParse({ ...block, [key]: { ...value, grade: 'A' } }).success, key);
      assert.ok(!lane.blocks.safeParse({ ...block, [key]: undefined }).success || key === 'pinned_model', key);
    }
  });

  test(`${name}: checks are the same each time, with keys of their own, and none waits for a person`, () => {
    fc.assert(
      fc.property(BODIES[name], (change) => {
        const work = workOf(name, change);
        const executor = { run: () => [] };
        const checks = lane.checks(work, executor);
        assert.deepEqual(checks, lane.checks(structuredClone(work), executor));
        assert.equal(new Set(checks.map((check) => check.key)).size, checks.length);
        assert.ok(checks.every((check) => check.status !== 'open' && check.detail.isWellFormed()));
      }),
      { numRuns: 60 },
    );
  });

  test(`${name}: it prints in words, and an altered receipt prints too`, () => {
    const block = sealedBlock(lane, workOf(name));
    const print = lane.print({ schema: lane.schema, ...block });
    assert.equal(print.kind, lane.label);
    assert.ok(print.title.length > 1 && print.sections.length > 0);
    assert.ok(!JSON.stringify(print).match(/undefined|\[object|NaN/), JSON.stringify(print));
    fc.assert(
      fc.property(json, fc.constantFrom(...Object.keys(block)), (value, key) => {
        lane.print({ ...block, [key]: value });
        lane.print({ [key]: value });
        const inside = block[key];
        if (typeof inside === 'object' && inside !== null && !Array.isArray(inside)) {
          for (const member of Object.keys(inside)) lane.print({ ...block, [key]: { ...inside, [member]: value } });
        }
      }),
    );
  });
}

test('every schema id has its lane, and a foreign one has none', () => {
  assert.deepEqual(
    SchemaId.options.map((id) => laneBySchema(id)?.schema),
    SchemaId.options,
  );
  assert.equal(laneBySchema('service.other-receipt/v1'), undefined);
});

test('addresses to notify are never sealed', () => {
  for (const name of LaneName.options) {
    const work = workOf(name, { inputs: { notify: ['someone@example.com'] } });
    assert.deepEqual(work.inputs.notify, ['someone@example.com']);
    assert.ok(!canonicalize(sealedBlock(LANES[name], work)).includes('someone@'), name);
    assert.throws(() => workOf(name, { inputs: { notify: Array(21).fill('a@example.com') } }));
    assert.throws(() => workOf(name, { inputs: { notify: ['not an address'] } }));
  }
});

test('generic and eval inputs keep what they do not know, the others drop it', () => {
  for (const name of LaneName.options) {
    const kept = name === 'generic' || name === 'eval';
    assert.equal('more' in workOf(name, { inputs: { more: 1 } }).inputs, kept, name);
  }
  assert.equal(workOf('generic', { execution: { more: 1 } }).execution.more, 1);
  assert.equal(workOf('cook', { execution: { more: 1 } }).execution.more, undefined);
});

test('an undeclared agent is undeclared in words, not absent', () => {
  const block = sealedBlock(LANES.incident, workOf('incident', { execution: { agent_name: undefined as never } }));
  assert.deepEqual(block.agent_profile, { name: 'undeclared', capability_tier: 'undeclared' });
});

test('an evaluation that names no model or provider is sealed with empty texts', () => {
  const work = workOf('eval', { execution: { model_name: undefined as never, provider: undefined as never } });
  const { submission } = sealedBlock(LANES.eval, work) as { submission: JsonObject };
  assert.deepEqual([submission.model_name, submission.provider], ['', '']);
});

test('an evaluation is not decided or sealed without its sheet', () => {
  assert.throws(() => LANES.eval.checks(workOf('eval'), null), { code: 'flight_sheet_missing' });
  const work = approved(LANES.eval, workOf('eval'));
  assert.throws(() => LANES.eval.block({ ...work, assignment: null }), { code: 'flight_sheet_missing' });
});

test('a text submission is hashed as its bytes, any other as its canonical JSON', () => {
  assert.equal(outputSha256('héllo'), sha256Hex(new TextEncoder().encode('héllo')));
  assert.equal(outputSha256({ b: 1, a: [1.0, 'x'] }), sha256Hex('{"a":[1,"x"],"b":1}'));
  assert.equal(outputSha256({ a: 1, b: 2 }), outputSha256({ b: 2, a: 1 }));
});

test('a generic receipt seals who did the work and the hash of what they delivered', () => {
  const execution = { agent_name: 'scribe', model_name: 'small-1', provider: 'local', output: 'héllo' };
  const block = sealedBlock(LANES.generic, workOf('generic', { execution }));
  assert.deepEqual(block.execution, {
    agent_name: 'scribe',
    model_name: 'small-1',
    provider: 'local',
    output_sha256: sha256Hex(new TextEncoder().encode('héllo')),
    output_bytes: 6,
  });
  const work = workOf('generic');
  work.execution = {};
  assert.deepEqual(sealedBlock(LANES.generic, work).execution, {
    agent_name: '',
    model_name: '',
    provider: '',
    output_sha256: '',
    output_bytes: 0,
  });
});

test('an output of another form seals its canonical JSON; no output is not an empty one', () => {
  assert.deepEqual(sealOutput({ b: 1, a: 'é' }), { output_sha256: sha256Hex('{"a":"é","b":1}'), output_bytes: 16 });
  assert.deepEqual(sealOutput(''), { output_sha256: sha256Hex(''), output_bytes: 0 });
  for (const none of [undefined, null]) assert.deepEqual(sealOutput(none), { output_sha256: '', output_bytes: 0 });
});

test('the assignment binds the full sheet and the inputs, whatever their order, and not whom to notify', () => {
  const sheet = {
    name: 's',
    version: '1',
    title: 'Sheet',
    assignment: { title: 'Do it', instructions: '' },
    output_schema: { type: 'object' },
    rules: [{ id: 'r', label: 'R', category: 'math' as const, severity: 'high' as const, expr: 'true' }],
    pass_threshold: 80,
    fail_threshold: 50,
  };
  const inputs = { flight_sheet: { name: 's', version: '1' }, limit: 2 };
  const expected = { title: 'Do it', sha256: sha256Hex(canonicalize({ flight_sheet: sheet, inputs })) };
  assert.deepEqual(assignmentOf(sheet, inputs), expected);
  assert.deepEqual(assignmentOf(sheet, { ...inputs, notify: ['a@example.com'] }), expected);
  assert.notEqual(assignmentOf({ ...sheet, pass_threshold: 81 }, inputs).sha256, expected.sha256);
  assert.notEqual(assignmentOf(sheet, { ...inputs, limit: 3 }).sha256, expected.sha256);
});

test('lift is exact to six places', () => {
  assert.equal(liftOf(0.6, 0.7), 0.1);
  assert.equal(liftOf(0.1, 0.3), 0.2);
  assert.equal(liftOf(0, 0.0000005), 0);
  assert.equal(liftOf(0, 0.0000015), 0.000002);
  assert.ok(Object.is(liftOf(0.5, 0.5), 0));
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 10 ** 6 }), fc.integer({ min: 0, max: 10 ** 6 }), (before, after) => {
      assert.equal(liftOf(before / 10 ** 6, after / 10 ** 6), (after - before) / 10 ** 6);
    }),
  );
});

test('compute is the price times the declared seconds; a caller may declare a cost only where there is no price', () => {
  const [larger, smaller] = ['rtx6000_blackwell_96gb', 'rog_astral_5090_32gb'] as const;
  const cost = (runner: string, metrics: JsonObject, compute_usd?: number) =>
    computeUsd({ metrics, compute_usd }, priceTable(DEFAULT_PRICES).of(runner));
  assert.equal(cost(larger, { duration_seconds: 5400 }), 7.5);
  assert.equal(cost(smaller, { duration_seconds: 5400 }, 0.01), 3);
  assert.equal(cost(larger, { duration_seconds: 10.8 }), 0.02);
  assert.equal(cost(larger, { duration_seconds: 5400.9, billed_seconds: 5400 }), 7.5, 'what a router billed');
  for (const billed_seconds of [1, 5399, 5401, 0])
    assert.equal(cost(larger, { duration_seconds: 5400, billed_seconds }), 7.5, 'no other seconds are priced');
  assert.equal(cost(larger, { billed_seconds: 3600 }), 0, 'without a duration nothing is');
  assert.equal(cost(larger, {}, 99), 0);
  assert.equal(cost(larger, { duration_seconds: '5400' }), 0);
  assert.equal(cost(larger, { duration_seconds: -1 }), 0);
  assert.equal(cost('my_laptop', { duration_seconds: 5400 }, 1.005), 1);
  assert.equal(cost('my_laptop', { duration_seconds: 5400 }), 0);
  assert.equal(cost('constructor', {}, 3), 3);
});

test('what is priced is sealed, and printed from the sealed bytes alone', () => {
  const { cook } = LANES;
  const work = { ...workOf('cook'), price: { gpu_type: 'x', gpu_name: 'The X', vram_gb: 0, hourly_rate_usd: '1.00' } };
  const detail = cook.checks(work, null).find(({ key }) => key === 'runner_priced')?.detail;
  assert.equal(detail, 'The X at 1.00 USD per hour.');
  const block = cook.block(approved(cook, work));
  assert.equal((block.cook as JsonObject).compute_usd, 1.5);
  const printed = JSON.stringify(cook.print(block));
  assert.ok(printed.includes('rtx6000_blackwell_96gb'));
  assert.ok(!printed.includes('RTX PRO 6000'), 'no name that is not sealed');
});

test('a cook points to the pin of its base model, and only then', () => {
  const pin = sealedBlock(LANES['model-pin'], workOf('model-pin'));
  const receipt = {
    ...pin,
    receipt_id: 'RCPT-000004-0a1b2c3d',
    receipt_sha256: sha256Hex('pin'),
    share_url: 'https://ledger.example/share/x',
  };
  const pinned_model = pinnedModelOf(receipt);
  assert.equal(pinned_model?.slug, 'llama-3.1-8b');
  assert.equal(pinned_model?.pinned_at, MINTED_AT);
  const cook = LANES.cook;
  const block = cook.block(approved(cook, workOf('cook')));
  assert.equal(member(block, ...cook.needs_pin!), SOUND.cook.inputs.base_model);
  assert.equal(member(pin, ...LANES['model-pin'].pins!), 'llama-3.1-8b');
  const unread = () => assert.fail('the metrics of a cook may be large');
  const sealed = { ...block, ...cook.complete!({ created_at: MINTED_AT, pinned_model }, unread) };
  assert.deepEqual(cook.blocks.parse(sealed), sealed);
  assert.deepEqual(cook.complete!({ created_at: MINTED_AT, pinned_model: null }, unread), {});
  assert.ok(JSON.stringify(cook.print(sealed)).includes('RCPT-000004-0a1b2c3d'));
  assert.equal(pinnedModelOf({ ...receipt, model: { slug: 'x' } }), null);
});

test('a link in an altered pin is printed as a link only when it is one', () => {
  const cook = LANES.cook;
  const print = cook.print({
    pinned_model: { pin_share_url: 'javascript:alert(1)', pin_receipt_id: 'RCPT-000001-00000000' },
  });
  assert.ok(!JSON.stringify(print).includes('javascript:'));
});

test('a model pin seals the hash of the card itself, whatever was declared', () => {
  const { model } = sealedBlock(
    LANES['model-pin'],
    workOf('model-pin', { inputs: { card_sha256: 'b'.repeat(64) } }),
  ) as { model: JsonObject };
  assert.equal(model.card_sha256, sha256Hex(canonicalize(SOUND['model-pin'].inputs.card as Json)));
  assert.throws(() => workOf('model-pin', { inputs: { card: undefined as never, card_sha256: undefined as never } }));
});

test('an incident is open, was opened when its Run was, and has an id of its own', () => {
  const { incident } = sealedBlock(LANES.incident, workOf('incident')) as { incident: JsonObject };
  assert.deepEqual([incident.status, incident.opened_at, incident.id], ['open', CREATED_AT, 'inc_0190a1b2c3d4']);
});

test('a dataset grant keeps its end as a UTC instant, and is sealed with an empty one when it has none', () => {
  const until = (expires_at: string) =>
    (
      sealedBlock(LANES['dataset-download'], workOf('dataset-download', { inputs: { expires_at } })) as {
        package: JsonObject;
      }
    ).package.expires_at;
  assert.equal(until('2026-08-29T00:00:00+02:00'), '2026-08-28T22:00:00.000Z');
  assert.equal(until(undefined as never), '');
  assert.throws(() => until('tomorrow'));
  assert.throws(() => until('2026-02-30T00:00:00Z'));
});
