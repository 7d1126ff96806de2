/** Writes every vector beside it anew: `node vectors/make.ts`. Deterministic; packages/proof/test reads every one. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import {
  canonicalize,
  GENESIS_HASH,
  ROUTER_RECEIPT_TYPES,
  type RouterRecord,
  receiptIdSuffix,
  seal,
  sealRouterReceipt,
  sha256Hex,
} from '../packages/proof/src/index.ts';
import { expectedAnswers } from './expected.ts';
import { expectedProofs } from './expected-proofs.ts';
import { approvalVectors } from './make-approvals.ts';
import { disclosureVectors } from './make-disclosures.ts';
import { proofVectors } from './make-proofs.ts';

const here = (path: string) => new URL(path, import.meta.url);
for (const folder of ['valid', 'invalid', 'proofs']) {
  rmSync(here(folder), { recursive: true, force: true });
  mkdirSync(here(folder));
}
const write = (path: string, content: string | Uint8Array) => writeFileSync(here(path), content);
const lines = (texts: string[]) => texts.map((text) => `${text}\n`).join('');
const hashOf = (label: string) => sha256Hex(`vector: ${label}`);

// The chain of six is one receipt for each of the first lanes. It is published: it stays as it is, for verifiers elsewhere are tried with it.
// A lane that came later is not in it. It is appended to a copy, and has files of its own.

const sheet = { name: 'support-reply', version: '3' };
const profile = { name: 'helper', capability_tier: 'tier-2', harness: 'undeclared', model: 'small-7b' };
const person = 'user_0190a1b2c3d40190a1b2c3d40190a1b2';
const verdict = {
  outcome: 'review',
  score_100: 86,
  severity: 'medium',
  client_ready: 'after_edits',
  recommended_action: 'Remove the promise of a refund.',
  summary: 'One of two rules is flagged.',
};
const pin = {
  slug: 'small-7b',
  name: 'Small 7B',
  base: 'small-7b-base',
  params_b: 7.2,
  card_sha256: hashOf('model card'),
  pinned_at: '2026-05-29T20:00:00.000Z',
  declaration: 'Trained on public text.',
  client_ref: '',
};

interface Lane {
  schema: string;
  blocks: (earlier: Sealed[]) => object;
}
interface Sealed {
  payload: Record<string, unknown>;
  receipt_sha256: string;
  canonical: string;
}

const lanes: Record<string, Lane> = {
  'model-pin': { schema: 'service.model-pin-receipt/v1', blocks: () => ({ model: pin }) },
  generic: {
    schema: 'service.receipt/v1',
    blocks: () => ({
      run: {
        id: 'run_1',
        lane: 'generic',
        title: 'Grüße übersetzen – 挨拶の翻訳 🙂',
        inputs: { task: 'Translate\t"hello"\n' },
      },
      execution: {
        agent_name: 'translator',
        model_name: 'small-7b',
        provider: '',
        output_sha256: sha256Hex('Grüß Gott – こんにちは'),
        output_bytes: 31,
      },
      evidence: [
        { kind: 'note', label: 'source text', sha256: hashOf('note'), content_type: 'text/plain', byte_size: 5 },
      ],
      checks: [
        {
          key: 'output_present',
          label: 'There is an output',
          category: 'structure',
          status: 'pass',
          severity: 'high',
          detail: '',
          decided_by: 'rule',
        },
      ],
      verdict: { ...verdict, outcome: 'pass', score_100: 100, severity: 'none', client_ready: 'yes' },
      approval: {
        decision: 'approved',
        approved_by: 'Ada Lovelace',
        approver_id: person,
        note: '',
        approved_at: '2026-05-29T20:01:00.000Z',
      },
    }),
  },
  eval: {
    schema: 'service.eval-receipt/v1',
    blocks: () => ({
      flight_sheet: sheet,
      assignment: { title: 'Answer a customer', sha256: hashOf('assignment') },
      submission: { agent_name: 'helper', model_name: 'small-7b', provider: 'local', sha256: hashOf('submission') },
      evidence: [{ kind: 'file', label: 'policy.pdf', sha256: hashOf('policy') }],
      findings: [
        { label: 'Names the order', category: 'structure', status: 'pass', severity: 'low', detail: '' },
        {
          label: 'Promises no refund',
          category: 'policy',
          status: 'flag',
          severity: 'medium',
          detail: `Decided by Ada Lovelace (${person}): Sentence 3.`,
        },
      ],
      verdict,
      ownership: {
        agent_created: 'helper',
        audited_by: 'receipt-ledger',
        referee_logic: 'support-reply v3',
        approval: 'approved',
      },
      agent_profile: profile,
    }),
  },
  cook: {
    schema: 'service.cook-receipt/v1',
    blocks: ([pinned]) => ({
      run: { id: 'run_3', lane: 'cook', title: 'Support replies, second cook' },
      cook: {
        base_model: 'small-7b',
        dataset: 'support-2026',
        pairs: 12000,
        eval_before: 0.61,
        eval_after: 0.734,
        lift: 0.124,
        runner: 'rog_astral_5090_32gb',
        metrics: { duration_seconds: 5400, final_loss: 0.0000025, steps: 1.5e3 },
        compute_usd: 3,
      },
      pinned_model: {
        ...pin,
        pin_receipt_id: pinned!.payload.receipt_id,
        pin_receipt_sha256: pinned!.receipt_sha256,
        pin_share_url: pinned!.payload.share_url,
      },
    }),
  },
  incident: {
    schema: 'service.incident-receipt/v1',
    blocks: () => ({
      incident: {
        id: 'inc_1',
        kind: 'policy_breach',
        tier: 'tier-2',
        title: 'Reply sent without approval',
        detail: '',
        lane: 'eval',
        response: ['lane_locked', 'human_approval_required'],
        status: 'open',
        opened_at: '2026-05-29T20:03:00.000Z',
      },
      agent_profile: { name: 'helper', capability_tier: 'tier-2' },
    }),
  },
  'dataset-download': {
    schema: 'service.dataset-download-receipt/v1',
    blocks: () => ({
      package: {
        slug: 'support-2026',
        name: 'Support replies 2026',
        version: '1',
        sha256: hashOf('dataset'),
        size_bytes: 9007199254740991,
        row_count: 12000,
        granted_to: 'mem_1',
        purpose: '',
        expires_at: '2027-05-29T00:00:00.000Z',
      },
    }),
  },
};

function payloadOf(org_seq: number, parent_hash: string, schema: string, blocks: object): Record<string, unknown> {
  return {
    schema,
    receipt_id: `RCPT-${String(org_seq).padStart(6, '0')}-${receiptIdSuffix(`run_${org_seq}`)}`,
    org_seq,
    parent_hash,
    created_at: `2026-05-29T20:1${org_seq}:00.000Z`,
    organization: { id: 'org_1', name: 'Example Laboratories' },
    ...blocks,
    share_url: `https://ledger.example/share/token-${org_seq}`,
  };
}

/** Seals the lane's receipt on the last one of the chain, and writes it as a file of its own. */
function append(chain: Sealed[], lane: string, { schema, blocks }: Lane): void {
  const parent = chain.at(-1)?.receipt_sha256 ?? GENESIS_HASH;
  const payload = payloadOf(chain.length, parent, schema, blocks(chain));
  const sealed = { payload, ...seal(payload) };
  chain.push(sealed);
  write(`valid/receipt--${lane}.json`, sealed.canonical);
}

const chain: Sealed[] = [];
for (const [name, lane] of Object.entries(lanes)) append(chain, name, lane);
const texts = chain.map((receipt) => receipt.canonical);
const head = { org_seq: 5, receipt_sha256: chain[5]!.receipt_sha256 };
write('valid/chain--six.jsonl', lines(texts));
write('valid/chain--six-without-a-final-line-feed.jsonl', lines(texts).slice(0, -1));
write('valid/chain--six-with-empty-lines.jsonl', `\n${texts.join('\n\n')}\n\n`);
write('valid/chain--six-with-columns.json', pretty({ receipts: texts, records: chain.map(columnsOf), head }));

function columnsOf({ payload, receipt_sha256 }: Sealed): Record<string, unknown> {
  const { org_seq, receipt_id, parent_hash, schema, created_at, organization: _, share_url: __, ...blocks } = payload;
  const beside = { share_token: `token-${org_seq}`, run_id: `run_${org_seq}`, blocks };
  return { org_seq, receipt_id, parent_hash, receipt_sha256, schema, created_at, ...beside };
}

function pretty(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

// Chains that do not hold. The name says what the first violation must be.

const fourth = chain[3]!;
const resealed = seal({ ...chain[2]!.payload, verdict: { ...verdict, score_100: 100 } }).canonical;
const asIs = (body: string, anchor: string) =>
  body.replace(anchor, (found) => `"receipt_sha256":"${sha256Hex(body)}",${found}`);
const doubled = canonicalize(chain[5]!.payload).replace('{', '{"created_at":"2020-01-01T00:00:00.000Z",');
const broken: Record<string, string[]> = {
  'payload_altered--a-score-raised': texts.with(3, texts[3]!.replace('"eval_after":0.734', '"eval_after":0.834')),
  'payload_altered--the-output-exchanged': texts.with(
    1,
    texts[1]!.replace(sha256Hex('Grüß Gott – こんにちは'), sha256Hex('Another text')),
  ),
  'payload_altered--the-agent-exchanged': texts.with(1, texts[1]!.replace('"translator"', '"other"')),
  'payload_altered--the-model-exchanged': texts.with(
    1,
    texts[1]!.replace('"model_name":"small-7b"', '"model_name":"large-70b"'),
  ),
  'payload_altered--a-provider-added': texts.with(1, texts[1]!.replace('"provider":""', '"provider":"cloud"')),
  'payload_altered--the-output-size-changed': texts.with(
    1,
    texts[1]!.replace('"output_bytes":31', '"output_bytes":30'),
  ),
  'payload_altered--the-hash-exchanged': texts.with(3, texts[3]!.replace(fourth.receipt_sha256, hashOf('other'))),
  'payload_altered--a-space-after-a-comma': texts.with(2, texts[2]!.replace(',', ', ')),
  'payload_altered--an-approver-without-id': texts.with(1, texts[1]!.replace(`,"approver_id":"${person}"`, '')),
  'payload_altered--a-person-made-a-key': texts.with(1, texts[1]!.replace(person, person.replace('user_', 'key_'))),
  'payload_altered--a-rule-made-a-persons-decision': texts.with(
    1,
    texts[1]!.replace('"decided_by":"rule"', `"decided_by":"Ada Lovelace (${person})"`),
  ),
  'payload_altered--another-decided': texts.with(2, texts[2]!.replace('Decided by Ada', 'Decided by Eve')),
  'payload_altered--a-line-torn': texts.with(5, texts[5]!.slice(0, 300)),
  'payload_altered--a-member-doubled-and-resealed': texts.with(5, asIs(doubled, '"schema"')),
  'payload_altered--unreadable-in-the-middle': texts.with(2, '{'),
  'payload_altered--one-deleted-before-it': texts
    .with(3, texts[3]!.replace('"eval_after":0.734', '"eval_after":0.834'))
    .toSpliced(2, 1),
  'payload_altered--a-carriage-return': texts.with(2, `${texts[2]}\r`),
  'payload_altered--resealed-without-a-member': texts.with(
    5,
    seal(Object.fromEntries(Object.entries(chain[5]!.payload).filter(([name]) => name !== 'share_url'))).canonical,
  ),
  'sequence_gap--a-later-one-put-in-between': texts.toSpliced(2, 0, texts[4]!),
  'sequence_gap--one-receipt-deleted': texts.toSpliced(2, 1),
  'sequence_gap--the-start-missing': texts.slice(1),
  'sequence_gap--two-receipts-swapped': texts.with(2, texts[3]!).with(3, texts[2]!),
  'sequence_gap--one-receipt-twice': texts.toSpliced(3, 0, texts[2]!),
  'broken_parent_link--a-receipt-altered-and-resealed': texts.with(2, resealed),
  'broken_parent_link--a-start-with-a-parent': [
    seal({ ...chain[0]!.payload, parent_hash: hashOf('parent') }).canonical,
  ],
  'broken_parent_link--another-organization': [
    texts[0]!,
    seal({ ...chain[1]!.payload, organization: { id: 'org_2', name: 'Another' } }).canonical,
  ],
};
for (const [name, receipts] of Object.entries(broken)) write(`invalid/${name}.jsonl`, lines(receipts));

const columns = chain.map(columnsOf);
const generic = columns[1]!.blocks as Record<string, Record<string, unknown>>;
for (const [column, value] of Object.entries({
  share_token: 'token-6',
  schema: 'service.eval-receipt/v1',
  run_id: 'run_9',
  receipt_sha256: hashOf('other'),
})) {
  const records = columns.with(3, { ...columns[3]!, [column]: value });
  write(`invalid/record_mismatch--another-${column}.json`, pretty({ receipts: texts, records, head }));
}
const recordedBlocks = {
  'another-output': { execution: { ...generic.execution, output_sha256: hashOf('another output') } },
  'another-decision': { approval: { ...generic.approval, decision: 'rejected' } },
  'no-agent': { execution: { ...generic.execution, agent_name: '' } },
};
for (const [story, change] of Object.entries(recordedBlocks)) {
  const records = columns.with(1, { ...columns[1]!, blocks: { ...generic, ...change } });
  write(`invalid/record_mismatch--the-run-has-${story}.json`, pretty({ receipts: texts, records, head }));
}
const noRun = columns.with(4, { ...columns[4]!, blocks: null });
write('invalid/record_mismatch--no-run-is-stored.json', pretty({ receipts: texts, records: noRun, head }));
const unreadable = texts.with(2, '{');
const unnamed = columns.with(2, { ...columns[2]!, receipt_id: undefined });
const known = { unreadable: columns, 'unreadable-and-unnamed': unnamed };
for (const [story, records] of Object.entries(known))
  write(`invalid/payload_altered--${story}-with-columns.json`, pretty({ receipts: unreadable, records, head }));
const anew = { receipts: texts.with(2, resealed), records: columns, head };
write('invalid/record_mismatch--resealed-under-its-old-column.json', pretty(anew));
const cut = { receipts: texts.slice(0, 5), records: columns.slice(0, 5), head };
write('invalid/head_mismatch--the-tail-cut-off.json', pretty(cut));
const extended = { receipts: texts, records: columns, head: null };
write('invalid/head_mismatch--no-head-recorded.json', pretty(extended));

// Router receipts.

// 5400 of these seconds at 2.00 USD per hour; no number is a fraction.
const metered = {
  hourly_rate_usd: '2.00',
  billed_seconds: 5400,
  measured_milliseconds: 5400250,
  reported_milliseconds: null,
  metering: 'reported',
};
const routerRecord = (receipt_type: RouterRecord['receipt_type'], i: number): RouterRecord => ({
  receipt_id: `rcpt_${i}`,
  receipt_type,
  member_id: 'mem_1',
  job_id: i % 2 ? `job_${i}` : null,
  dataset_ids: i % 3 ? [] : ['ds_1', 'ds_2'],
  amount_usd: i === 0 ? '100.00' : `${i}.50`,
  metadata: i % 2 ? { phase: 'completed', note: 'Grüße', ...metered } : {},
  created_at: `2026-05-29T20:00:${String(i).padStart(2, '0')}.000+00:00`,
});
const day = ROUTER_RECEIPT_TYPES.map((type, i) => sealRouterReceipt(routerRecord(type, i)));
write('valid/router--one-of-each-type.jsonl', lines(day));
// Sealed before fractions were refused: not every JSON library writes 0.5 and 1e-7 so, but the checksum is over what JCS writes.
const old = { ...routerRecord('compute_quote', 12), metadata: { estimated_hours: 0.5, measured_seconds: 1e-7 } };
const unsealed = canonicalize(old);
write(
  'valid/router--an-old-line-with-fractions.jsonl',
  lines([canonicalize({ ...old, checksum_sha256: sha256Hex(unsealed) })]),
);
const fewer = day[3]!.replace('"billed_seconds":5400', '"billed_seconds":1');
write('invalid/payload_altered--router-seconds-lowered.jsonl', lines(day.with(3, fewer)));
const routerClocks = {
  'the-measured-time': ['"measured_milliseconds":5400250', '"measured_milliseconds":1000'],
  'a-reported-time': ['"reported_milliseconds":null', '"reported_milliseconds":1000'],
  'the-metering': ['"metering":"reported"', '"metering":"measured"'],
} as const;
for (const [story, [from, to]] of Object.entries(routerClocks))
  write(`invalid/payload_altered--router-${story}-changed.jsonl`, lines(day.with(3, day[3]!.replace(from, to))));
const rate = day[3]!.replace('"hourly_rate_usd":"2.00"', '"hourly_rate_usd":2.5');
write('invalid/payload_altered--a-router-rate-as-a-fraction.jsonl', lines(day.with(3, rate)));
// Their checksums are right; their form is not.
const unlike = (change: object) => {
  const record = { ...routerRecord('compute_quote', 2), ...change };
  return day.with(2, canonicalize({ ...record, checksum_sha256: sha256Hex(canonicalize(record)) }));
};
const forms = {
  'a-day-that-does-not-exist': { created_at: '2026-02-29T20:00:00.000+00:00' },
  'a-member-too-many': { org_seq: 2 },
  'an-amount-with-one-decimal': { amount_usd: '2.5' },
  'an-unknown-type': { receipt_type: 'refund' },
};
for (const [story, change] of Object.entries(forms))
  write(`invalid/payload_altered--router-${story}.jsonl`, lines(unlike(change)));
write('invalid/torn_line--router-an-empty-line.jsonl', lines(day.toSpliced(4, 0, '')));
write('invalid/payload_altered--a-router-amount.jsonl', lines(day.with(2, day[2]!.replace('"2.50"', '"2.05"'))));
write('invalid/duplicate_receipt--a-router-line-twice.jsonl', lines([...day, day[4]!]));
write('invalid/torn_line--a-router-file-without-its-end.jsonl', lines(day).slice(0, -1));
write('invalid/torn_line--a-router-line-cut-in-the-middle.jsonl', lines(day).slice(0, -90));

// Canonical form: pairs of a JSON text and its canonical text; and texts that have none.

const canonical: [story: string, input: string][] = [
  ['keys by UTF-16 code units', '{"\\ufb33":1,"\\ud83d\\ude00":2,"b":3,"B":4,"10":5,"9":6,"":7,"\\u00e9":8}'],
  ['keys at every depth', '{"b":[{"d":1,"c":2}],"a":{"y":{},"x":[]}}'],
  ['numbers', '[0,-0,0.0,1.0,-1.50,1e3,1E-3,0.000001,0.0000001,123456789.123,9007199254740991,0.1e1,5e-324]'],
  [
    'large, small and rounded numbers',
    '[1e21,-1.5e300,1.7976931348623157e308,-1e-7,1e-400,9007199254740991.4,1000000000000000000e-6]',
  ],
  ['escapes', '"\\u0041\\/\\u00e9\\u000a\\u0008\\u001F\\u007f\\"\\\\\\u2028"'],
  ['whitespace', ' [ 1 ,\t{ "a" :\r\n null } , true ] '],
  ['an astral character from its surrogates', '"\\ud83d\\ude42"'],
];
const pairs = canonical.map(([story, input]) => {
  const text = canonicalize(JSON.parse(input));
  return { story, input, canonical: text, sha256: sha256Hex(text) };
});
write('valid/canonical--pairs.json', pretty(pairs));

const refused: Record<string, string | Uint8Array> = {
  'duplicate_key--at-the-top': '{"a":1,"a":1}',
  'duplicate_key--spelled-with-an-escape': '{"a":{"b":1,"\\u0062":2}}',
  'lone_surrogate--high-in-a-value': '{"a":"\\ud800"}',
  'lone_surrogate--low-in-a-key': '{"\\udc00":1}',
  'lone_surrogate--the-wrong-way-round': '["\\udc00\\ud800"]',
  'integer_too_large--two-to-the-53': '{"a":9007199254740992}',
  'integer_too_large--negative': '[-9007199254740993]',
  'integer_too_large--with-an-exponent': '[1e16]',
  'integer_too_large--in-digits-beyond-the-exponents': `[1${'0'.repeat(21)}]`,
  'integer_too_large--after-rounding': '[9007199254740991.5]',
  'not_finite--an-exponent-too-large': '{"a":1e400}',
  'too_deep--two-hundred-and-one-arrays': `${'['.repeat(201)}${']'.repeat(201)}`,
  'not_json--a-bad-escape-behind-a-lone-surrogate': '["\\ud800\\x"]',
  'not_json--nothing': '',
  'not_json--a-trailing-comma': '{"a":1,}',
  'not_json--a-leading-zero': '[01]',
  'not_json--NaN': '[NaN]',
  'not_json--a-byte-order-mark': '\ufeff{}',
  'not_json--two-values': '{}{}',
  'not_utf8--a-lone-continuation-byte': Uint8Array.of(0x22, 0x80, 0x22),
  'not_utf8--an-overlong-slash': Uint8Array.of(0x22, 0xc0, 0xaf, 0x22),
  'not_utf8--a-surrogate-in-three-bytes': Uint8Array.of(0x22, 0xed, 0xa0, 0x80, 0x22),
};
for (const [name, text] of Object.entries(refused)) write(`invalid/${name}.json`, text);

// The signed log over the chain of six, and what receipts and exports are held against.

for (const [name, vector] of Object.entries(await proofVectors(texts))) write(`proofs/${name}.json`, pretty(vector));
write('proofs/approval--signed-and-refused.json', pretty(approvalVectors(texts)));
write('proofs/disclosure--committed-members.json', pretty(disclosureVectors()));

write('expected.json', pretty({ ...expectedAnswers(here('./')), ...(await expectedProofs(here('./proofs/'))) }));
