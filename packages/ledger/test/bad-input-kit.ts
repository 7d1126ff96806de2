/** What the tests of bad input stand on: places to point at, a digest of all that is stored, bodies that are strange. */
import { createHash } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { STAGES } from '@rcpt/contract/vocabulary.ts';
import type { Case, Operation } from './openapi-cases.ts';
import type { SuiteLedger, Tenant } from './running.ts';
import { runAt, SHEET, WORK } from './story.ts';

/** A sheet with a rule that waits for a person. */
export const OPEN_SHEET = {
  ...SHEET,
  name: 'by-hand',
  rules: [
    ...SHEET.rules,
    { id: 'looks-right', label: 'It looks right', category: 'policy', severity: 'low', checklist: true },
  ],
};

/** What path parameters can point at, by the stage of the Run it belongs to. */
export async function placesOf(of: Tenant): Promise<Record<string, Record<string, string>>> {
  await of.as('owner')('POST', '/flight-sheets', OPEN_SHEET);
  const all: Record<string, Record<string, string>> = {};
  for (const stage of STAGES) {
    const open = { inputs: { flight_sheet: { name: OPEN_SHEET.name, version: OPEN_SHEET.version } } };
    const id = stage === 'Checks' ? await runAt(of, stage, 'eval', open) : await runAt(of, stage);
    const run = await of.as('owner')('GET', `/runs/${id}`);
    const { receipts } = await of.as('owner')('GET', '/receipts/recent');
    all[stage] = {
      id,
      evidence_id: run.evidence[0]?.id ?? 'ev_none',
      key: run.checks.find((check: { status: string }) => check.status === 'open')?.key ?? 'looks-right',
      name: OPEN_SHEET.name,
      version: OPEN_SHEET.version,
      receipt_id: receipts[0]?.receipt_id ?? 'RCPT-000000-00000000',
      token: receipts[0]?.share_url.split('/').at(-1) ?? 'none',
    };
  }
  return all;
}

/** A digest of all that is stored, but for copies that are made in their own time. */
export async function storedIn(ledger: SuiteLedger): Promise<Record<string, string>> {
  const tables = [
    'organizations',
    'organization_routers',
    'api_keys',
    'agent_profiles',
    'flight_sheets',
    'runs',
    'run_documents',
    'chains',
    'receipts',
    'model_pins',
    'shares',
    'idempotency_keys',
    'people',
    'memberships',
    'sessions',
    'sign_in_links',
  ];
  const digests: Record<string, string> = {};
  for (const table of tables) {
    const rows = await ledger.db.all(`select * from ${table}`);
    const lines = rows.map((row) => JSON.stringify(row)).sort();
    digests[table] = `${rows.length} ${createHash('sha256').update(lines.join('\n')).digest('hex')}`;
  }
  const files = readdirSync(ledger.folder, { recursive: true }) as string[];
  digests.evidence = String(files.filter((file) => file.includes('/evidence/')).length);
  return digests;
}

/** A form is read by another reader, and an unreadable one is refused by that. */
export function takesForms({ path }: Operation, { headers }: Case): boolean {
  return path.endsWith('/evidence') && headers?.['content-type'] === undefined;
}

export function bodyCase(base: unknown): Pick<Case, 'body' | 'headers'> {
  return base === undefined ? {} : { body: JSON.stringify(base), headers: { 'content-type': 'application/json' } };
}

/** Well-formed and strange: taken or refused, never an error. */
export function hostileBodies(base: unknown): Case[] {
  const strange = {
    ...(isObject(base) ? base : {}),
    lane: 'generic',
    title: 'toString',
    inputs: WORK.generic.inputs,
    agent_profile_id: '\u0000',
    label: 'constructor',
    kind: 'note',
    role: 'agent',
    name: 'hasOwnProperty',
  };
  const json = (what: string, body: string): Case => ({
    what,
    body,
    headers: { 'content-type': 'application/json' },
    statuses: [],
  });
  const values = [
    '\u0000',
    '\u0000'.repeat(300),
    '\ufffe',
    '\u202e',
    '😀'.repeat(100),
    '%s%n',
    '#{7*7}',
    '<script>',
    'a\r\nb: c',
    '../../etc/passwd',
    -0,
    5e-324,
    1e-7,
    9007199254740991,
  ];
  return [
    json('__proto__', `{"__proto__":{"admin":true},${JSON.stringify(strange).slice(1)}`),
    json('constructor.prototype', JSON.stringify({ ...strange, constructor: { prototype: { admin: true } } })),
    json(
      '__proto__ inside',
      `{"a":{"__proto__":{"b":1}},"inputs":{"task":"x","__proto__":null},${JSON.stringify(strange)
        .slice(1)
        .replace(/"inputs":\{[^}]*\},/, '')}`,
    ),
    json('sixty levels', JSON.stringify({ ...strange, output: nested(60) })),
    json('a hundred and ninety levels', JSON.stringify({ ...strange, inputs: nested(190), output: nested(190) })),
    json(
      'ten thousand items',
      JSON.stringify({ ...strange, output: Array(10_000).fill(0), rules: Array(5_000).fill({}) }),
    ),
    json(
      'ten thousand members',
      JSON.stringify({ ...strange, output: Object.fromEntries(Array.from({ length: 5_000 }, (_, i) => [`m${i}`, i])) }),
    ),
    ...values.flatMap((value) => [
      json(`every text as ${JSON.stringify(value).slice(0, 30)}`, JSON.stringify(everyText(strange, value))),
      json(
        `an output of ${JSON.stringify(value).slice(0, 30)}`,
        JSON.stringify({ ...strange, output: value, detail: value, note: value, content: value }),
      ),
    ]),
  ];
}

function nested(depth: number): unknown {
  return depth === 0 ? 1 : { a: nested(depth - 1) };
}

/** Words of closed lists stay, so that the rest is looked at. */
function everyText(value: unknown, by: unknown): unknown {
  if (!isObject(value)) return typeof value === 'string' ? by : value;
  const kept = ['lane', 'kind', 'role', 'status', 'decision'];
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [name, kept.includes(name) ? inner : everyText(inner, by)]),
  );
}

export function matchesPath(pattern: string, path: string): boolean {
  return new RegExp(`^${pattern.replace(/\{\w+\}/g, '[^/]+')}$`).test(path.split('?')[0]!);
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
