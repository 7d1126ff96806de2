/** The receipt of every lane, member by member (docs/spec.md §4, §6): nothing is missing, nothing is added. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { LaneName } from '@rcpt/contract/vocabulary.ts';
import { assertReceipt, canonicalText, ENVELOPE, type Receipt, sha256 } from '../kit/independent.ts';
import { eachLedger, type SuiteLedger, type Tenant } from '../kit/running.ts';
import { approvedRun, type Change, mintedReceipt, SHEET, WORK } from '../kit/story.ts';

/** A shape: the members and the type of each; an array means "each item". */
type Shape = 'string' | 'integer' | 'number' | 'hash' | 'instant' | 'object' | [Shape] | { [member: string]: Shape };

const VERDICT = {
  outcome: 'string',
  score_100: 'integer',
  severity: 'string',
  client_ready: 'string',
  recommended_action: 'string',
  summary: 'string',
} as const;
const IDENTITY = {
  slug: 'string',
  name: 'string',
  base: 'string',
  params_b: 'number',
  card_sha256: 'hash',
  pinned_at: 'instant',
  declaration: 'string',
  client_ref: 'string',
} as const;

const BLOCKS: Record<LaneName, Record<string, Shape>> = {
  generic: {
    run: { id: 'string', lane: 'string', title: 'string', inputs: 'object' },
    execution: {
      agent_name: 'string',
      model_name: 'string',
      provider: 'string',
      output_sha256: 'hash',
      output_bytes: 'integer',
    },
    evidence: [{ kind: 'string', label: 'string', sha256: 'hash', content_type: 'string', byte_size: 'integer' }],
    checks: [
      {
        key: 'string',
        label: 'string',
        category: 'string',
        status: 'string',
        severity: 'string',
        detail: 'string',
        decided_by: 'string',
      },
    ],
    verdict: VERDICT,
    approval: {
      decision: 'string',
      approved_by: 'string',
      approver_id: 'string',
      note: 'string',
      approved_at: 'instant',
    },
  },
  eval: {
    flight_sheet: { name: 'string', version: 'string' },
    assignment: { title: 'string', sha256: 'hash' },
    submission: { agent_name: 'string', model_name: 'string', provider: 'string', sha256: 'hash' },
    evidence: [{ kind: 'string', label: 'string', sha256: 'hash' }],
    findings: [{ label: 'string', category: 'string', status: 'string', severity: 'string', detail: 'string' }],
    verdict: VERDICT,
    ownership: { agent_created: 'string', audited_by: 'string', referee_logic: 'string', approval: 'string' },
    agent_profile: { name: 'string', capability_tier: 'string', harness: 'string', model: 'string' },
  },
  cook: {
    run: { id: 'string', lane: 'string', title: 'string' },
    cook: {
      base_model: 'string',
      dataset: 'string',
      pairs: 'integer',
      eval_before: 'number',
      eval_after: 'number',
      lift: 'number',
      runner: 'string',
      metrics: 'object',
      compute_usd: 'number',
    },
  },
  incident: {
    incident: {
      id: 'string',
      kind: 'string',
      tier: 'string',
      title: 'string',
      detail: 'string',
      lane: 'string',
      response: ['string'],
      status: 'string',
      opened_at: 'instant',
    },
    agent_profile: { name: 'string', capability_tier: 'string' },
  },
  'dataset-download': {
    package: {
      slug: 'string',
      name: 'string',
      version: 'string',
      sha256: 'hash',
      size_bytes: 'integer',
      row_count: 'integer',
      granted_to: 'string',
      purpose: 'string',
      expires_at: 'string',
    },
  },
  'model-pin': { model: IDENTITY },
};

const IS: Record<string, (value: unknown) => boolean> = {
  string: (value) => typeof value === 'string',
  integer: (value) => Number.isSafeInteger(value),
  number: (value) => Number.isFinite(value),
  hash: (value) => /^[0-9a-f]{64}$/.test(String(value)),
  instant: (value) => new Date(String(value)).toISOString() === value,
  object: (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
};

function assertShape(value: Receipt, shape: Shape, at: string): void {
  if (typeof shape === 'string') assert.ok(IS[shape]!(value), `${at} is ${JSON.stringify(value)}, not ${shape}`);
  else if (Array.isArray(shape)) {
    assert.ok(Array.isArray(value), `${at} is no array`);
    for (const [i, item] of value.entries()) assertShape(item, shape[0], `${at}[${i}]`);
  } else {
    assert.deepEqual(Object.keys(value).sort(), Object.keys(shape).sort(), at);
    for (const [member, inner] of Object.entries(shape)) assertShape(value[member], inner, `${at}.${member}`);
  }
}

async function minted(tenant: Tenant, lane: LaneName, change: Change = {}): Promise<Receipt> {
  const id = await approvedRun(tenant, lane, change);
  const receipt = assertReceipt((await tenant.ask('approver', 'POST', `/runs/${id}/receipt`)).text);
  return { run_id: id, ...receipt };
}

/** The block of a cook. */
async function cooked(ledger: SuiteLedger, change: Change): Promise<Receipt> {
  return (await minted(await ledger.tenant(), 'cook', change)).cook;
}

eachLedger('the receipt of each lane', (ledger) => {
  for (const [lane, blocks] of Object.entries(BLOCKS) as [LaneName, Record<string, Shape>][])
    test(`${lane}: exactly the envelope and its own blocks`, async () => {
      const { run_id: _, ...receipt } = await minted(await ledger.tenant(), lane);
      assert.equal(receipt.schema, lane === 'generic' ? 'service.receipt/v1' : `service.${lane}-receipt/v1`);
      assert.deepEqual(Object.keys(receipt).sort(), [...ENVELOPE, ...Object.keys(blocks)].sort());
      for (const [block, shape] of Object.entries(blocks)) assertShape(receipt[block], shape, block);
      assert.doesNotMatch(canonicalText(receipt), /"(?:tx_?id|transaction_id|anchor|grade|pdf)"/i);
    });

  test('generic: what was posted is what is sealed', async () => {
    const receipt = await minted(await ledger.tenant(), 'generic', {
      title: 'Roof',
      inputs: { task: 'Look at the roof', floor: 3, notify: ['someone@example.org'] },
    });
    assert.deepEqual(receipt.run, {
      id: receipt.run_id,
      lane: 'generic',
      title: 'Roof',
      inputs: { ...WORK.generic.inputs, task: 'Look at the roof', floor: 3 },
    });
    assert.deepEqual(receipt.execution, {
      agent_name: 'scribe',
      model_name: 'small-1',
      provider: 'local',
      output_sha256: sha256('The roof needs two new tiles.'),
      output_bytes: 29,
    });
    assert.deepEqual(receipt.evidence, [
      {
        kind: 'note',
        label: 'What was seen',
        sha256: sha256('seen with own eyes'),
        content_type: 'text/plain; charset=utf-8',
        byte_size: 18,
      },
    ]);
    assert.deepEqual(
      [receipt.approval.decision, receipt.approval.approved_by, receipt.approval.note],
      ['approved', 'test approver', ''],
    );
    assert.match(receipt.approval.approver_id, /^key_[0-9a-f]{32}$/);
    assert.ok(receipt.checks.every((check: { decided_by: string }) => check.decided_by === 'rule'));
    assert.doesNotMatch(canonicalText(receipt), /example\.org/, 'addresses stay off public pages');
  });

  test('eval: sheet, assignment, submission, evidence and ownership', async () => {
    const receipt = await minted(await ledger.tenant(), 'eval', { inputs: { hint: 'short' } });
    assert.deepEqual(receipt.flight_sheet, { name: 'arithmetic', version: '1.0.0' });
    const inputs = { ...WORK.eval.inputs, hint: 'short' };
    assert.deepEqual(receipt.assignment, {
      title: 'Add two numbers',
      sha256: sha256(canonicalText({ flight_sheet: SHEET, inputs })),
    });
    assert.deepEqual(receipt.submission, {
      agent_name: 'adder',
      model_name: 'small-1',
      provider: 'local',
      sha256: sha256('{"a":2,"b":3,"sum":5}'),
    });
    assert.deepEqual(receipt.evidence, [
      { kind: 'note', label: 'What was seen', sha256: sha256('seen with own eyes') },
    ]);
    assert.deepEqual(receipt.ownership, {
      agent_created: 'adder',
      audited_by: 'receipt-ledger',
      referee_logic: 'arithmetic v1.0.0',
      approval: 'approved',
    });
    assert.deepEqual(receipt.agent_profile, {
      name: 'adder',
      model: 'small-1',
      harness: 'undeclared',
      capability_tier: 'undeclared',
    });
  });

  test('eval: a text is hashed as its UTF-8 bytes, and what nobody declared is the empty text', async () => {
    const tenant = await ledger.tenant();
    const sheet = {
      ...SHEET,
      version: '0.1.0',
      output_schema: { type: 'string' },
      rules: [{ ...SHEET.rules[0], expr: 'size(submission) > 0' }],
    };
    await tenant.as('owner')('POST', '/flight-sheets', sheet);
    const output = 'fünf — 🧾';
    const receipt = await minted(tenant, 'eval', {
      inputs: { flight_sheet: { name: sheet.name, version: sheet.version } },
      execution: { output, model_name: undefined, provider: undefined },
    });
    assert.deepEqual(receipt.submission, { agent_name: 'adder', model_name: '', provider: '', sha256: sha256(output) });
  });

  test('cook: the lift is the exact difference of the scores, to six places', async () => {
    for (const [before, after, lift] of [
      [0.6, 0.7, 0.1],
      [0.1, 0.3, 0.2],
      [1, 0.9999999, 0],
      [0.61, 0.74, 0.13],
      [70.1, 65, -5.1],
      [0, 0.0000005, 0],
      [0, 0.0000015, 0.000002],
    ] as const)
      assert.equal(
        (await cooked(ledger, { inputs: { eval_before: before }, execution: { eval_after: after } })).lift,
        lift,
        `${before} → ${after}`,
      );
  });

  test('cook: the server computes the lift and the price, whatever the caller says', async () => {
    const cook = await cooked(ledger, {
      inputs: { lift: 9, rate: 0.01, hourly_rate_usd: 0.01 },
      execution: { lift: 9, compute_usd: 0.01, rate: 0.01, metrics: { duration_seconds: 5400, hourly_rate_usd: 0.01 } },
    });
    assert.deepEqual([cook.lift, cook.compute_usd], [0.13, 3]);
  });

  test('cook: money is rate × seconds / 3600, half to even, never a binary float', async () => {
    const cost = async (runner: string, duration_seconds: number) =>
      (await cooked(ledger, { execution: { runner, metrics: { duration_seconds } } })).compute_usd;
    assert.equal(await cost('rog_astral_5090_32gb', 3600), 2);
    assert.equal(await cost('rtx6000_blackwell_96gb', 3600), 5);
    assert.equal(await cost('rtx6000_blackwell_96gb', 1), 0);
    assert.equal(await cost('rtx6000_blackwell_96gb', 3.6), 0, '0.005 goes to the even cent');
    assert.equal(await cost('rtx6000_blackwell_96gb', 10.8), 0.02, '0.015 goes to the even cent');
    assert.equal(await cost('rog_astral_5090_32gb', 1234.5), 0.69);
  });

  test('cook: an unpriced runner’s declared figure is taken, and a check flags it', async () => {
    const tenant = await ledger.tenant();
    const receipt = await minted(tenant, 'cook', { execution: { runner: 'my_own_gpu', compute_usd: 12.345 } });
    assert.equal(receipt.cook.compute_usd, 12.34);
    const { checks } = await tenant.as('auditor')('GET', `/runs/${receipt.run_id}`);
    assert.equal(checks.find((check: { key: string }) => check.key === 'runner_priced').status, 'flag');
  });

  test('incident: open, since the Run was opened, with an id of its own', async () => {
    const tenant = await ledger.tenant();
    const { incident, agent_profile, run_id } = await minted(tenant, 'incident', { title: 'Payment outside the lane' });
    const run = await tenant.as('auditor')('GET', `/runs/${run_id}`);
    assert.match(incident.id, /^inc_[0-9a-f]{32}$/);
    assert.deepEqual(
      { ...incident, id: '' },
      { id: '', ...WORK.incident.inputs, title: 'Payment outside the lane', status: 'open', opened_at: run.created_at },
    );
    assert.deepEqual(agent_profile, { name: 'undeclared', capability_tier: 'undeclared' });
  });

  test('dataset-download: the grant as it was asked for; a grant without end has an empty expires_at', async () => {
    const tenant = await ledger.tenant();
    assert.deepEqual((await minted(tenant, 'dataset-download')).package, {
      ...WORK['dataset-download'].inputs,
      expires_at: '',
    });
    const until = (await minted(tenant, 'dataset-download', { inputs: { expires_at: '2099-01-01T00:00:00+02:00' } }))
      .package.expires_at;
    assert.equal(until, '2098-12-31T22:00:00.000Z');
  });

  test('model-pin: pinned at the instant of minting, with the declared hash or that of the card itself', async () => {
    const tenant = await ledger.tenant();
    const declared = await minted(tenant, 'model-pin');
    assert.deepEqual(declared.model, { ...WORK['model-pin'].inputs, client_ref: '', pinned_at: declared.created_at });
    const card = { name: 'Acme Tiny', layers: [1, 2], licence: 'open' };
    const carded = await minted(tenant, 'model-pin', { inputs: { card, card_sha256: undefined, client_ref: 'A-7' } });
    assert.equal(carded.model.card_sha256, sha256(canonicalText(card)));
    assert.equal(carded.model.client_ref, 'A-7');
  });

  describe('a cook’s pinned model', () => {
    const PINNED = [
      'slug',
      'name',
      'base',
      'params_b',
      'card_sha256',
      'pinned_at',
      'declaration',
      'client_ref',
      'pin_receipt_id',
      'pin_receipt_sha256',
      'pin_share_url',
    ];
    const mint = (tenant: Tenant, id: string) => tenant.as('approver')('POST', `/runs/${id}/receipt`);

    test('is absent while the organization holds no pin of that slug', async () => {
      const tenant = await ledger.tenant();
      await mintedReceipt(tenant, 'model-pin', { inputs: { slug: 'acme/other' } });
      await mintedReceipt(await ledger.tenant(), 'model-pin');
      assert.ok(!('pinned_model' in (await mintedReceipt(tenant, 'cook'))));
    });

    test('is the most recent pin, and points to its receipt', async () => {
      const tenant = await ledger.tenant();
      await mintedReceipt(tenant, 'model-pin', { inputs: { declaration: 'The first declaration.' } });
      const pin = await mintedReceipt(tenant, 'model-pin', { inputs: { declaration: 'The second declaration.' } });
      await mintedReceipt(tenant, 'model-pin', { inputs: { slug: 'acme/other' } });
      const { pinned_model } = await mintedReceipt(tenant, 'cook');
      assert.deepEqual(Object.keys(pinned_model).sort(), [...PINNED].sort());
      assert.deepEqual(pinned_model, {
        ...pin.model,
        pin_receipt_id: pin.receipt_id,
        pin_receipt_sha256: pin.receipt_sha256,
        pin_share_url: pin.share_url,
      });
    });

    test('is resolved when the cook is minted, not when it was approved', async () => {
      const tenant = await ledger.tenant();
      const cook = await approvedRun(tenant, 'cook');
      const pin = await mintedReceipt(tenant, 'model-pin');
      assert.equal((await mint(tenant, cook)).pinned_model.pin_receipt_id, pin.receipt_id);
    });

    test('may be a pin that is minted in the same instant: a cook after it in the chain points to it, one before it does not', async () => {
      const tenant = await ledger.tenant();
      const ids = [];
      for (const lane of ['cook', 'model-pin', 'cook', 'model-pin', 'cook', 'cook'] as const)
        ids.push(
          await approvedRun(
            tenant,
            lane,
            lane === 'model-pin' ? { inputs: { declaration: `Pin ${ids.length} of this model.` } } : {},
          ),
        );
      const receipts = (await Promise.all(ids.map((id) => mint(tenant, id)))).sort((a, b) => a.org_seq - b.org_seq);
      let latest: Receipt;
      for (const receipt of receipts) {
        if (receipt.model) latest = receipt;
        else assert.equal(receipt.pinned_model?.pin_receipt_id, latest?.receipt_id, `receipt ${receipt.org_seq}`);
      }
    });

    test('stays as it was sealed when the model is pinned anew', async () => {
      const tenant = await ledger.tenant();
      await mintedReceipt(tenant, 'model-pin');
      const cook = await mintedReceipt(tenant, 'cook');
      await mintedReceipt(tenant, 'model-pin', { inputs: { declaration: 'Another one altogether.' } });
      assert.deepEqual(await tenant.as('auditor')('GET', `/receipts/${cook.receipt_id}`), cook);
    });
  });
});
