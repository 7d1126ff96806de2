import type { NewAgentProfile, StoredAgentProfile } from '@rcpt/contract/ledger/tenancy.ts';
import type { Queries } from '@rcpt/service/db/db.ts';
import { newId } from '@rcpt/service/ids.ts';
import { changes } from '../changes/transaction.ts';
import { insertAgentProfile } from '../store/tenancy.ts';
import { UNDECLARED } from './run.ts';

/** Describes an agent, to be named by Runs. Throws `agent_profile_limit`. */
export async function describeAgent(
  tx: Queries,
  organization_id: string,
  { name, capability_tier = UNDECLARED, harness = UNDECLARED, model = UNDECLARED }: NewAgentProfile,
  created_at: string,
): Promise<StoredAgentProfile> {
  const profile = { id: newId('ap'), name, capability_tier, harness, model, created_at };
  await insertAgentProfile(tx, organization_id, profile);
  changes(tx, organization_id, { settings: true });
  return profile;
}
