/** Runs of a megabyte, prepared in quantity: approved and minted in a burst, and asked for again when all are sealed. */
import type { Db } from '@rcpt/service/db/db.ts';
import type { Run } from '../../../packages/ledger/src/runs/run.ts';
import { fixBlock } from '../../../packages/ledger/src/runs/sealed-block.ts';
import { insertRun, loadRun } from '../../../packages/ledger/src/store/runs.ts';
import { approvedRun } from '../../../packages/ledger/test/kit/story.ts';
import type { Tenants } from './tenants.ts';
import { type Attack, unharmedBy } from './victim.ts';

const MEMBERS = Object.fromEntries(Array.from({ length: 90_000 }, (_, i) => [i.toString(36), 1]));
/** Of each kind; both sides know their names. */
const RUNS = 48;
const LINES = 12;
const toApprove = (i: number) => `run_approve_${i}`;
const toMint = (i: number) => `run_mint_${i}`;

/** As if they had been made over HTTP, which would take minutes. */
async function prepareMany(db: Db, { attacker }: Tenants): Promise<void> {
  const model = await loadRun(
    db,
    attacker.organization_id,
    await approvedRun(attacker, 'generic', { inputs: { MEMBERS }, execution: { output: MEMBERS } }),
  );
  const given: Run = {
    ...model,
    stage: 'Verdict',
    stages: model.stages.slice(0, -1),
    approval: null,
    approved_block: null,
    approved_sha256: null,
  };
  for (let i = 0; i < RUNS; i++)
    await db.transaction(async (tx) => {
      await insertRun(tx, { ...given, id: toApprove(i) });
      const approved = { ...model, id: toMint(i) };
      await insertRun(tx, { ...approved, ...fixBlock(approved) });
    });
}

let approved = 0;
let minted = 0;

export const attack: Attack = async ({ call, tenant, signal }) => {
  const until = async (once: () => Promise<unknown>) => {
    while (!signal.aborted) await once();
  };
  const post = (path: string, body?: unknown) => call('POST', path, { token: tenant.keys.approver, body });
  const approve = () => post(`/runs/${toApprove(approved++ % RUNS)}/approval`, { decision: 'approved' });
  const mint = () => post(`/runs/${toMint(minted++ % RUNS)}/receipt`);
  await Promise.all([...Array(LINES).fill(approve), ...Array(LINES).fill(mint)].map(until));
};

unharmedBy('large Runs that are approved and minted in a burst', import.meta.url, { before: prepareMany });
