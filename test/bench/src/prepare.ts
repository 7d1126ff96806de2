/** Organizations, approved Runs and whole chains, written straight into the database before anything is measured. */
import { createHash } from 'node:crypto';
import { evaluation } from '@rcpt/contract/lanes/eval.ts';
import type { Stage } from '@rcpt/contract/vocabulary.ts';
import type { JsonObject } from '@rcpt/contract/wire.ts';
import { STAGES } from '@rcpt/contract/words.ts';
import { foundOrganization } from '@rcpt/ledger/people/organizations.ts';
import { insertReceipts, type StoredReceipt } from '@rcpt/ledger/store/chains.ts';
import { canonicalize } from '@rcpt/proof/canonical.ts';
import { GENESIS_HASH } from '@rcpt/proof/chain.ts';
import { receiptIdSuffix, seal } from '@rcpt/proof/receipt.ts';
import type { Columns, Db, Queries, Value } from '@rcpt/service/db/db.ts';
import { newId, newSortedSecret } from '@rcpt/service/ids.ts';

const AT = '2026-01-05T09:30:00.000Z';
const ROWS_AT_ONCE = 2_000;

export interface Tenant {
  organization_id: string;
  name: string;
  api_key: string;
  key_id: string;
}

export async function found(db: Db, name: string): Promise<Tenant> {
  const { organization_id, api_key, key_id } = await db.transaction((tx) => foundOrganization(tx, { name }, AT));
  return { organization_id, name, api_key, key_id };
}

/** Runs at Approval, opened by the organizations in turn; their receipts are about 1.5 kB. */
export async function approvedRuns(
  db: Db,
  tenants: Tenant[],
  count: number,
): Promise<{ id: string; api_key: string }[]> {
  const stages = tenants.map(({ key_id }) =>
    JSON.stringify(STAGES.slice(0, -1).map((stage) => ({ stage, at: AT, by: key_id }))),
  );
  const runs: { id: string; api_key: string }[] = [];
  while (runs.length < count) {
    const rows: Value[][] = [];
    const documents: Value[][] = [];
    while (rows.length < ROWS_AT_ONCE && runs.length < count) {
      const turn = runs.length % tenants.length;
      const { organization_id, api_key } = tenants[turn]!;
      const id = newId('run');
      runs.push({ id, api_key });
      rows.push(runRow(organization_id, id, 'Approval', null));
      documents.push(documentsOf(organization_id, id, stages[turn]!));
    }
    await insertRuns(db, rows, documents);
  }
  return runs;
}

/** A chain of `count` receipts with its Runs and its head, as if it had been minted long ago. */
export async function chainOf(db: Db, tenant: Tenant, count: number, progress: (done: number) => void): Promise<void> {
  const { organization_id, name, key_id } = tenant;
  const stages = JSON.stringify(STAGES.map((stage) => ({ stage, at: AT, by: key_id })));
  let parent_hash = GENESIS_HASH;
  for (let org_seq = 0; org_seq < count; ) {
    const receipts: StoredReceipt[] = [];
    const runs: Value[][] = [];
    const documents: Value[][] = [];
    for (const end = Math.min(count, org_seq + ROWS_AT_ONCE); org_seq < end; org_seq++) {
      const run_id = newId('run');
      const share_token = newSortedSecret();
      const receipt_id = `RCPT-${String(org_seq).padStart(6, '0')}-${receiptIdSuffix(run_id)}`;
      const { receipt_sha256, canonical } = seal({
        schema: evaluation.schema,
        receipt_id,
        org_seq,
        parent_hash,
        created_at: AT,
        organization: { id: organization_id, name },
        ...blockOf(run_id),
        share_url: `https://ledger.example/share/${share_token}`,
      });
      receipts.push({
        organization_id,
        org_seq,
        parent_hash,
        run_id,
        schema: evaluation.schema,
        receipt_sha256,
        share_token,
        payload: canonical,
      });
      runs.push(runRow(organization_id, run_id, 'Receipt', receipt_id));
      documents.push(documentsOf(organization_id, run_id, stages));
      parent_hash = receipt_sha256;
    }
    await db.transaction(async (tx) => {
      await insertReceipts(tx, receipts);
      await insertRuns(tx, runs, documents);
      await tx.run('update chains set org_seq = $2, receipt_sha256 = $3, peaks = null where organization_id = $1', [
        organization_id,
        org_seq - 1,
        parent_hash,
      ]);
    });
    progress(org_seq);
  }
}

const columnsOf = (names: string): Columns => Object.fromEntries(names.split(' ').map((column) => [column, 'text']));
const RUN_COLUMNS = columnsOf('organization_id id stage receipt_id verdict lane title created_at updated_at');
const DOCUMENT_COLUMNS = columnsOf(
  'organization_id id stages execution approved_block approved_sha256 inputs evidence checks approval assignment notify',
);

const runRow = (organization_id: string, id: string, stage: Stage, receipt_id: string | null): Value[] => [
  organization_id,
  id,
  stage,
  receipt_id,
  VERDICT,
  'eval',
  'Invoice 2026-0117 against the sheet',
  AT,
  AT,
];

function documentsOf(organization_id: string, id: string, stages: string): Value[] {
  const approved_block = canonicalize(blockOf(id));
  const execution = JSON.stringify(executionOf(id));
  const written = [stages, execution, approved_block, sha256(approved_block)];
  return [organization_id, id, ...written, INPUTS, EVIDENCE, CHECKS, APPROVAL, ASSIGNMENT, '[]'];
}

async function insertRuns(db: Queries, runs: Value[][], documents: Value[][]): Promise<void> {
  await db.insert('runs', RUN_COLUMNS, runs);
  await db.insert('run_documents', DOCUMENT_COLUMNS, documents);
}

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

const inputs = { flight_sheet: { name: 'invoice-totals', version: '1.2.0' } };
const evidence = ['source document'].map((label) => ({
  kind: 'file' as const,
  label,
  sha256: sha256(label),
  content_type: 'text/plain',
  byte_size: 4_211,
}));
const checks = [
  ['totals-add-up', 'The line items add up to the total', 'math'],
  ['currency-named', 'A currency is named', 'schema'],
].map(([key, label, category]) => ({
  key: key!,
  label: label!,
  category: category as 'math',
  status: 'pass' as const,
  severity: 'medium' as const,
  detail: '',
  decided_by: 'rule',
}));
const verdict = {
  outcome: 'pass' as const,
  score_100: 100,
  severity: 'none' as const,
  client_ready: 'yes' as const,
  recommended_action: 'Release the work.',
  summary: 'Both rules passed.',
};
const approval = {
  decision: 'approved' as const,
  approved_by: 'first owner',
  approver_id: 'key_1',
  note: '',
  approved_at: AT,
};
const execution = {
  agent_name: 'invoice-reader',
  model_name: 'small-1',
  provider: 'local',
  output: { total: 1171.5, currency: 'EUR' },
};
const assignment = { title: 'Read the invoice and state its total', sha256: sha256('assignment') };
const agent_profile = {
  name: 'invoice-reader',
  capability_tier: 'undeclared',
  harness: 'undeclared',
  model: 'small-1',
};

const INPUTS = JSON.stringify(inputs);
const EVIDENCE = JSON.stringify(evidence);
const CHECKS = JSON.stringify(checks);
const VERDICT = JSON.stringify(verdict);
const APPROVAL = JSON.stringify(approval);
const ASSIGNMENT = JSON.stringify(assignment);

/** Every Run's output differs. */
const executionOf = (run_id: string) => ({ ...execution, output: run_id });

/** What the eval lane has approved for this Run; every Run's differs. */
function blockOf(run_id: string): JsonObject {
  return evaluation.block({
    run: { id: run_id, lane: 'eval', title: 'Invoice 2026-0117 against the sheet', created_at: AT },
    inputs,
    execution: executionOf(run_id),
    evidence,
    checks,
    verdict,
    approval,
    assignment,
    agent_profile,
    price: null,
  });
}
