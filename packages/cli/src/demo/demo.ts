/**
 * What the demonstrations have reached, kept in `<data>/demo.json` (0600: it holds keys) after every step, so that a crash is
 * taken up where it happened and a second start finds everything as it was.
 */
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ProblemError } from '@rcpt/contract/client/call.ts';
import { ledgerClient } from '@rcpt/contract/client/ledger.ts';
import type { Benchmark } from './measure.ts';

export interface Demo {
  organization_id: string;
  owner_key: string;
  agent_key: string;
  approver_key: string;
  auditor_key: string;
  /** Whom the printed link signs in. */
  owner_email?: string;
  run_id?: string;
  receipt_id?: string;
  share_url?: string;
  outcome?: string;
  score_100?: number;
  measurements?: Benchmark['measurements'];
  training?: Training;
}

/** The second demonstration, step by step. */
export interface Training {
  member_id?: string;
  membership_expires_at?: string;
  dataset_id?: string;
  quote?: { estimated_hours: number; estimated_cost_usd: number; gpu_display_name: string; receipt_id: string };
  job_id?: string;
  /** Jobs that did not complete; each was followed by another. */
  given_up?: string[];
  job?: { actual_hours: number; actual_cost_usd: number; duration_seconds: number };
  model?: { name: string; uri: string; sha256: string; byte_size: number };
  pin_run_id?: string;
  pin?: MintedReceipt;
  cook_run_id?: string;
  cook?: MintedReceipt;
  eval_before?: number;
  eval_after?: number;
}

export interface MintedReceipt {
  receipt_id: string;
  share_url: string;
}

const OWNER_EMAIL = 'owner@workshop.example';

/** The demo organization with its keys and its owner: the known one, or a new one. */
export async function openDemo(data: string, base_url: string, admin_token: string): Promise<Demo> {
  const file = fileOf(data);
  const demo = existsSync(file)
    ? (JSON.parse(readFileSync(file, 'utf8')) as Demo)
    : await foundDemo(data, base_url, admin_token);
  return demo.owner_email === undefined ? withOwner(data, base_url, demo) : demo;
}

async function foundDemo(data: string, base_url: string, admin_token: string): Promise<Demo> {
  const { organization_id, api_key } = await ledgerClient({ base_url, token: admin_token }).createOrganization({
    name: 'Demo Workshop',
  });
  const owner = ledgerClient({ base_url, token: api_key });
  const key = async (role: 'agent' | 'approver' | 'auditor') =>
    (await owner.createKey({ role, label: `demo ${role}` })).api_key;
  const demo = {
    organization_id,
    owner_key: api_key,
    agent_key: await key('agent'),
    approver_key: await key('approver'),
    auditor_key: await key('auditor'),
  };
  saveDemo(data, demo);
  return demo;
}

/** Also for a demo of an older release; a crash before it is written down finds the member there. */
async function withOwner(data: string, base_url: string, demo: Demo): Promise<Demo> {
  const owner = ledgerClient({ base_url, token: demo.owner_key });
  await owner.addMember({ email: OWNER_EMAIL, role: 'owner' }).catch((error: unknown) => {
    if (!(error instanceof ProblemError && error.problem.code === 'member_exists')) throw error;
  });
  const owned = { ...demo, owner_email: OWNER_EMAIL };
  saveDemo(data, owned);
  return owned;
}

export function saveDemo(data: string, demo: Demo): void {
  const file = fileOf(data);
  writeFileSync(`${file}.new`, `${JSON.stringify(demo, null, 2)}\n`, { mode: 0o600 });
  renameSync(`${file}.new`, file);
}

function fileOf(data: string): string {
  return join(data, 'demo.json');
}
