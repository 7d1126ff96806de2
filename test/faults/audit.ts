/**
 * Everything that must hold in a ledger at any moment, whatever happened before: asked of the service, recomputed from
 * its export without it, and read in its tables.
 */

import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { canonicalize } from '@rcpt/proof/canonical.ts';
import { ChainVerifier, GENESIS_HASH } from '@rcpt/proof/chain.ts';
import type { Db } from '@rcpt/service/db/db.ts';
import type { Answer, Tenant } from '../../packages/ledger/test/kit/running.ts';
import { auditLog } from './audit-log.ts';
import type { LedgerProcess } from './process.ts';

/** Run id → the receipt a client was answered with, to the byte. */
export type Acknowledged = Map<string, string>;

/** Run id → receipt as stored. */
export type Minted = Map<string, string>;

/**
 * Returns what is minted.
 * @param options.signs false: nothing can be written just now, so nothing new is signed, and no export recorded
 */
export async function audit(
  ledger: Pick<LedgerProcess, 'call'>,
  db: Db,
  tenant: Tenant,
  acknowledged: Acknowledged,
  { signs = true } = {},
): Promise<Minted> {
  const exported = await auditExport(ledger, tenant, signs);
  await auditActivity(ledger, tenant);
  if (signs) await auditLog(db, ledger, tenant, exported);
  const minted = await auditTables(db, tenant.organization_id);
  assert.deepEqual([...minted.values()], exported, 'the export is the table');
  for (const [run_id, receipt] of acknowledged)
    assert.equal(minted.get(run_id), receipt, `the acknowledged receipt of ${run_id}`);
  return minted;
}

/** The service's own verification, and one that trusts nothing but the exported bytes and the head in its header. */
async function auditExport(
  { call }: Pick<LedgerProcess, 'call'>,
  { keys }: Tenant,
  exports: boolean,
): Promise<string[]> {
  const verified = await call('GET', '/ledger/verify', { token: keys.auditor });
  assert.equal(verified.status, 200, verified.text);
  assert.equal(verified.json.ok, true, verified.text);
  if (!exports) return inPages(call, keys.auditor);
  const { text, headers } = await call('GET', '/ledger', {
    token: keys.auditor,
    headers: { accept: 'application/x-ndjson' },
  });
  const lines = text.split('\n').slice(0, -1);
  const verifier = new ChainVerifier();
  for (const line of lines) verifier.push(line);
  const [org_seq, receipt_sha256] = headers.get('ledger-head')?.split(':') ?? [];
  const report = verifier.finish(receipt_sha256 === undefined ? null : { org_seq: Number(org_seq), receipt_sha256 });
  assert.deepEqual(report.violations, []);
  assert.equal(lines.length, verified.json.receipts_checked);
  assert.deepEqual(report.head, verified.json.head);
  return lines;
}

/** An export would be recorded; a page is not. */
async function inPages(call: LedgerProcess['call'], token: string): Promise<string[]> {
  const lines: string[] = [];
  for (let after: number | null = -1; after !== null; ) {
    const { status, text, json }: Answer = await call('GET', `/ledger?limit=500&after_seq=${after}`, { token });
    assert.equal(status, 200, text);
    lines.push(...json.receipts.map(canonicalize));
    after = json.next_after_seq;
  }
  return lines;
}

/** Every act has its line, and every line its act. */
export async function auditActivity({ call }: Pick<LedgerProcess, 'call'>, { keys }: Tenant): Promise<void> {
  const { status, json, text } = await call('GET', '/activity/verify', { token: keys.auditor });
  assert.equal(status, 200, text);
  assert.deepEqual(json.violations, []);
}

/** Receipts, Runs, head, pins and outbox agree. */
export async function auditTables(db: Db, organization_id: string): Promise<Minted> {
  const receipts = await db.all<{ run_id: string; org_seq: number; receipt_sha256: string; payload: string }>(
    'select run_id, org_seq, receipt_sha256, payload from receipts where organization_id = $1 order by org_seq',
    [organization_id],
  );
  const minted = new Map(receipts.map(({ run_id, payload }) => [run_id, payload]));
  assert.equal(minted.size, receipts.length, 'one receipt per Run');

  const head = await db.get('select org_seq, receipt_sha256 from chains where organization_id = $1', [organization_id]);
  const last = receipts.at(-1);
  assert.deepEqual({ ...head }, { org_seq: last?.org_seq ?? -1, receipt_sha256: last?.receipt_sha256 ?? GENESIS_HASH });

  await auditRuns(db, organization_id, minted);
  await auditPins(db, organization_id, receipts);
  const orphans = await db.all(
    `select o.org_seq, o.kind from outbox o left join receipts r on r.organization_id = o.organization_id and r.org_seq = o.org_seq
     where o.organization_id = $1 and r.org_seq is null`,
    [organization_id],
  );
  assert.deepEqual(orphans, [], 'every copy to be made is of a receipt that exists');
  return minted;
}

async function auditRuns(db: Db, organization_id: string, minted: Minted): Promise<void> {
  const runs = await db.all<{ id: string; stage: string; receipt_id: string | null; minted_by: string | null }>(
    'select id, stage, receipt_id, minted_by from runs where organization_id = $1',
    [organization_id],
  );
  for (const { id, stage, receipt_id, minted_by } of runs) {
    const receipt = minted.get(id);
    assert.equal(stage === 'Receipt', receipt !== undefined, `${id} is at ${stage}`);
    assert.equal(receipt_id, receipt === undefined ? null : JSON.parse(receipt).receipt_id);
    assert.equal(minted_by !== null, receipt !== undefined);
  }
  const known = new Set(runs.map(({ id }) => id));
  for (const run_id of minted.keys()) assert.ok(known.has(run_id), `${run_id} exists`);
}

/** A pin points to the last receipt that pins its slug. */
async function auditPins(
  db: Db,
  organization_id: string,
  receipts: { org_seq: number; payload: string }[],
): Promise<void> {
  const expected = new Map<string, number>();
  for (const { org_seq, payload } of receipts) {
    const { schema, model } = JSON.parse(payload) as { schema: string; model?: { slug: string } };
    if (schema === 'service.model-pin-receipt/v1') expected.set(model!.slug, org_seq);
  }
  const pins = await db.all<{ slug: string; org_seq: number }>(
    'select slug, org_seq from model_pins where organization_id = $1',
    [organization_id],
  );
  assert.deepEqual(new Map(pins.map(({ slug, org_seq }) => [slug, org_seq])), expected);
}

/** PostgreSQL finishes what a client told it before it was killed; true once it has. */
export async function noOpenTransactions(db: Db): Promise<boolean> {
  if (db.engine === 'sqlite') return true;
  const others = await db.all(
    `select 1 from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid() and xact_start is not null`,
  );
  return others.length === 0;
}

/** Every copy of every receipt is whole in the storage folder, or still to be made; ask while no ledger runs. */
export async function auditCopies(db: Db, organization_id: string, minted: Minted, folder: string): Promise<void> {
  const due = await db.all<{ org_seq: number; kind: string }>(
    'select org_seq, kind from outbox where organization_id = $1',
    [organization_id],
  );
  const to_be_made = new Set(due.map(({ org_seq, kind }) => `${org_seq}.${kind}`));
  for (const receipt of minted.values()) {
    const { org_seq, receipt_id } = JSON.parse(receipt) as { org_seq: number; receipt_id: string };
    const path = join(folder, organization_id, 'receipts', receipt_id);
    const json = readIfThere(`${path}.json`);
    const pdf = readIfThere(`${path}.pdf`);
    assert.ok(json !== null || to_be_made.has(`${org_seq}.json`), `the JSON of ${receipt_id}`);
    assert.ok(pdf !== null || to_be_made.has(`${org_seq}.pdf`), `the PDF of ${receipt_id}`);
    if (json !== null) assert.equal(json, Buffer.from(receipt).toString('latin1'));
    if (pdf !== null) assert.match(pdf, /^%PDF-[\s\S]*%%EOF\s*$/);
  }
}

function readIfThere(path: string): string | null {
  return existsSync(path) ? readFileSync(path, 'latin1') : null;
}
