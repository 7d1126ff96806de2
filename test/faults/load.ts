/** Mint load: approved Runs in any number, and clients that mint them and remember every answer. */
import type { LaneName } from '@rcpt/contract/vocabulary.ts';
import type { Db } from '@rcpt/service/db/db.ts';
import { newId } from '@rcpt/service/ids.ts';
import type { Run } from '../../packages/ledger/src/runs/run.ts';
import { fixBlock } from '../../packages/ledger/src/runs/sealed-block.ts';
import { insertRun, loadRun } from '../../packages/ledger/src/store/runs.ts';
import { type Tenant, tenantOf } from '../../packages/ledger/test/kit/running.ts';
import { approvedRun } from '../../packages/ledger/test/kit/story.ts';
import type { LedgerProcess } from './process.ts';

/** Cook and model-pin together also move the pins. */
const LANES: LaneName[] = ['generic', 'cook', 'model-pin', 'incident', 'eval', 'dataset-download'];

export interface Workshop {
  tenant: Tenant;
  /** One approved Run per lane, made the whole way over HTTP; the others are made like them. */
  models: Run[];
}

export async function openWorkshop(ledger: LedgerProcess, db: Db, inputs: object = {}): Promise<Workshop> {
  const tenant = await tenantOf(ledger.call);
  const models: Run[] = [];
  for (const lane of LANES)
    models.push(await loadRun(db, tenant.organization_id, await approvedRun(tenant, lane, { inputs })));
  return { tenant, models };
}

/** Stores this many Runs at an approved Approval, equal to the models but for their ids; returns those. */
export async function approveMany(db: Db, { models }: Workshop, count: number): Promise<string[]> {
  const runs = Array.from({ length: count }, (_, i) => {
    const model = models[i % models.length]!;
    const run = JSON.parse(JSON.stringify(model).replaceAll(model.id, newId('run'))) as Run;
    return { ...run, ...fixBlock(run) };
  });
  await db.transaction(async (tx) => {
    for (const run of runs) await insertRun(tx, run);
  });
  return runs.map((run) => run.id);
}

export interface MintAnswer {
  status: number;
  retry_after: string | null;
  code: string | null;
  text: string;
}

/** One mint as a client sees it; null when no whole answer came. */
export async function mint(
  ledger: Pick<LedgerProcess, 'call'>,
  { keys }: Tenant,
  run_id: string,
): Promise<MintAnswer | null> {
  const answer = await ledger.call('POST', `/runs/${run_id}/receipt`, { token: keys.approver }).catch(() => null);
  if (answer === null) return null;
  const { status, headers, text, json } = answer;
  return { status, retry_after: headers.get('retry-after'), code: json?.code ?? null, text };
}

/** `clients` at a time, in order; `onAnswer` hears every answer as it comes and ends the load by returning false. */
export async function mintMany(
  ledger: Pick<LedgerProcess, 'call'>,
  tenant: Tenant,
  run_ids: string[],
  onAnswer: (run_id: string, answer: MintAnswer | null) => boolean,
  clients = 24,
): Promise<void> {
  const left = [...run_ids];
  let going = true;
  async function client(): Promise<void> {
    while (going) {
      const run_id = left.shift();
      if (run_id === undefined) return;
      going = onAnswer(run_id, await mint(ledger, tenant, run_id)) && going;
    }
  }
  await Promise.all(Array.from({ length: clients }, client));
}

/** Whole numbers from `low` to `high`. */
export function random(low: number, high: number): number {
  return low + Math.floor(Math.random() * (high - low + 1));
}
