/**
 * The way of a Run from Inputs to Verdict, one verb per call. Each verb locks the Run, asks the rules, and writes the
 * Run's next stage; Checks are decided beside the event loop (checks.ts), what is approved is fixed before its transaction
 * (approval.ts), the Receipt stage is minting's (mint.ts).
 */
import type { Lane } from '@rcpt/contract/lanes/lane.ts';
import { LANES } from '@rcpt/contract/lanes/registry.ts';
import type { FlightSheet } from '@rcpt/contract/ledger/flight-sheet.ts';
import type { CheckDecision, Evidence } from '@rcpt/contract/ledger/runs.ts';
import { signed } from '@rcpt/contract/signer.ts';
import { verdict } from '@rcpt/contract/verdict.ts';
import type { LaneName } from '@rcpt/contract/vocabulary.ts';
import type { JsonObject } from '@rcpt/contract/wire.ts';
import type { AgentProfile, Check, Verdict } from '@rcpt/contract/work.ts';
import type { Queries } from '@rcpt/service/db/db.ts';
import { Refusal } from '@rcpt/service/error.ts';
import { newId } from '@rcpt/service/ids.ts';
import { changes } from '../changes/transaction.ts';
import type { Ledger } from '../ledger.ts';
import type { Principal } from '../people/principal.ts';
import { signatureOf } from '../people/signature.ts';
import { refuse } from '../problems.ts';
import { loadSheetText } from '../store/flight-sheets.ts';
import {
  columnsOf,
  insertRun,
  loadMarks,
  lockMarks,
  lockShownRun,
  readRun,
  type StoredRun,
  updateRun,
} from '../store/runs.ts';
import { nameObject } from '../store/storage.ts';
import { findAgentProfile, loadOrganization } from '../store/tenancy.ts';
import type { ParsedExecution, ParsedInputs } from './parse-body.ts';
import { profileOf, type Run, reach, requireStage } from './run.ts';

/** Evidence items on one Run at most. */
const EVIDENCE_LIMIT = 500;

/** Inputs. Returns the Run as stored. Throws `agent_profile_unknown`, `flight_sheet_unknown`. */
export async function openRun(tx: Queries, by: Principal, parsed: ParsedInputs, at: string): Promise<StoredRun> {
  const { organization_id } = by;
  const { lane, title, inputs, notify, commitments, sheet } = parsed;
  const agent_profile = await profileNamed(tx, organization_id, parsed.agent_profile_id);
  if (sheet !== null) await loadSheetText(tx, organization_id, sheet);
  const run = await insertRun(tx, {
    id: newId('run'),
    organization_id,
    lane,
    title,
    stage: 'Inputs',
    stages: reach([], 'Inputs', at, by.id),
    inputs,
    notify,
    commitments,
    agent_profile,
    evidence: [],
    execution: null,
    executed_by: null,
    checks: [],
    assignment: null,
    price: null,
    verdict: null,
    approval: null,
    approved_block: null,
    approved_sha256: null,
    receipt_id: null,
    created_at: at,
    updated_at: at,
  });
  changes(tx, organization_id, { runs: [run.id] });
  return run;
}

/** What takes no more now never takes more again. */
export function takesEvidence({ stage, evidence }: Pick<Run, 'stage' | 'evidence'>): boolean {
  return (stage === 'Inputs' || stage === 'Evidence') && evidence.length < EVIDENCE_LIMIT;
}

/** Evidence, as often as needed. Throws `run_stage_conflict`, `evidence_limit`. */
export async function attachEvidence(
  tx: Queries,
  by: Principal,
  id: string,
  item: Evidence,
  at: string,
): Promise<void> {
  const { organization_id } = by;
  const run = await lockMarks(tx, organization_id, id, 'evidence');
  requireStage(run, 'Inputs', 'Evidence');
  if (run.evidence.length >= EVIDENCE_LIMIT)
    throw refuse('evidence_limit', `A Run takes ${EVIDENCE_LIMIT} pieces of evidence; bundle what belongs together.`);
  const { sha256, byte_size, stored } = item;
  if (stored) await nameObject(tx, { organization_id, run_id: id, sha256, byte_size }, at);
  await updateRun(tx, run, {
    stage: 'Evidence',
    stages: reach(run.stages, 'Evidence', at, by.id),
    evidence: [...run.evidence, item],
    updated_at: at,
  });
  changes(tx, organization_id, { runs: [id] });
}

/** The lane of a Run that takes its execution now. Throws `not_found`, `run_stage_conflict`. */
export async function loadExecutable(db: Queries, { organization_id }: Principal, id: string): Promise<LaneName> {
  const run = await loadMarks(db, organization_id, id, 'lane');
  requireStage(run, 'Inputs', 'Evidence');
  return run.lane;
}

/**
 * Execution: the work done, as the Run's lane reads it. Returns the Run as stored; its inputs are not read. Throws
 * `run_stage_conflict`, and what `read` throws.
 */
export async function postExecution(
  tx: Queries,
  by: Principal,
  id: string,
  read: (lane: LaneName) => ParsedExecution,
  at: string,
): Promise<StoredRun> {
  const row = await lockShownRun(tx, by.organization_id, id);
  const run = readRun({ ...row, inputs: '{}', execution: null });
  requireStage(run, 'Inputs', 'Evidence');
  const { execution, agent } = read(run.lane);
  const change = {
    stage: 'Execution',
    stages: reach(run.stages, 'Execution', at, by.id),
    execution,
    agent_profile: profileOf(run, agent),
    executed_by: by.id,
    updated_at: at,
  } as const;
  await updateRun(tx, run, change);
  changes(tx, by.organization_id, { runs: [id] });
  return { ...row, ...columnsOf(change) };
}

/**
 * An approver applies a rule that the machine left open; who it was is set here, whatever they say. Throws
 * `run_stage_conflict`, `not_found`, `check_decided`, `four_eyes`, `public_name_needed`.
 */
export function decideCheck(
  { db, now }: Pick<Ledger, 'db' | 'now'>,
  by: Principal,
  id: string,
  key: string,
  { status, detail = '' }: CheckDecision,
): Promise<Check> {
  return db.transaction(async (tx) => {
    const run = await lockMarks(tx, by.organization_id, id, 'checks', 'executed_by');
    requireStage(run, 'Checks');
    const open = run.checks.find((check) => check.key === key);
    if (open === undefined) throw new Refusal('not_found', `This Run has no check ${key}.`);
    if (open.status !== 'open') throw refuse('check_decided', `The check ${key} is not open: it is ${open.status}.`);
    await requireFourEyes(tx, by, run);
    const decided: Check = { ...open, status, detail, decided_by: signed(await signatureOf(tx, by)) };
    const checks = run.checks.map((check) => (check === open ? decided : check));
    await updateRun(tx, run, { checks, updated_at: now() });
    changes(tx, by.organization_id, { runs: [id] });
    return decided;
  });
}

/** Throws `four_eyes`. */
export async function requireFourEyes(tx: Queries, by: Principal, run: Pick<Run, 'executed_by'>): Promise<void> {
  if (run.executed_by === by.id && (await loadOrganization(tx, by.organization_id)).four_eyes)
    throw refuse(
      'four_eyes',
      'This organization wants four eyes: the credential that posted the execution cannot decide on it.',
    );
}

/** Verdict. Throws `run_stage_conflict`, `checks_open`. */
export async function giveVerdict(tx: Queries, by: Principal, id: string, at: string): Promise<Verdict> {
  const run = await lockMarks(tx, by.organization_id, id, 'lane', 'checks');
  requireStage(run, 'Checks');
  const open = run.checks.filter((check) => check.status === 'open').map((check) => check.key);
  if (open.length > 0)
    throw refuse('checks_open', `Decide these checks first (PATCH /runs/${id}/checks/{key}): ${open.join(', ')}.`, {
      open,
    });
  const lane = LANES[run.lane];
  const { inputs } = lane.sheet ? await lockMarks(tx, by.organization_id, id, 'inputs') : { inputs: {} };
  const given = verdict(run.checks, await sheetNamed(tx, by.organization_id, lane, inputs));
  await updateRun(tx, run, {
    stage: 'Verdict',
    stages: reach(run.stages, 'Verdict', at, by.id),
    verdict: given,
    updated_at: at,
  });
  changes(tx, by.organization_id, { runs: [id] });
  return given;
}

async function profileNamed(
  tx: Queries,
  organization_id: string,
  id: string | undefined,
): Promise<AgentProfile | null> {
  if (id === undefined) return null;
  const profile = await findAgentProfile(tx, organization_id, id);
  if (profile === undefined) throw refuse('agent_profile_unknown', `This organization has no agent profile ${id}.`);
  const { name, capability_tier, harness, model } = profile;
  return { name, capability_tier, harness, model };
}

/** The sheet a Run of the eval lane names; null on the other lanes. Throws `flight_sheet_unknown`. */
async function sheetNamed(tx: Queries, organization_id: string, lane: Lane, inputs: JsonObject) {
  const named = lane.sheet?.(inputs);
  if (named === undefined) return null;
  return JSON.parse(await loadSheetText(tx, organization_id, named)) as FlightSheet;
}
