/** What the tests of bad input stand on: places to point at, a digest of all that is stored. */
import { createHash } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { STAGES } from '@rcpt/contract/words.ts';
import type { Case, Operation } from '../../../../test/kit/openapi-cases.ts';
import type { SuiteLedger, Tenant } from './running.ts';
import { runAt, SHEET } from './story.ts';

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
      '*': '0/000.p/1',
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
  // What the ledger itself does in its own time, as making a key, is no answer to a request.
  const acts = await ledger.db.all<{ payload: string }>(`select payload from activity where by_id <> 'ledger'`);
  digests.activity = String(acts.length);
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

export function matchesPath(pattern: string, path: string): boolean {
  return new RegExp(`^${pattern.replace(/\{\w+\}/g, '[^/]+').replace('{*}', '.+')}$`).test(path.split('?')[0]!);
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
