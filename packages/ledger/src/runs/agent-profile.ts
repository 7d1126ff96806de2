import type { NewAgentProfile, StoredAgentProfile } from '@rcpt/contract/ledger/tenancy.ts';
import type { Queries } from '@rcpt/service/db/db.ts';
import { newId } from '@rcpt/service/ids.ts';
import { actorOf } from '../activity/actor.ts';
import { recordActivity } from '../activity/record.ts';
import { changes } from '../changes/transaction.ts';
import type { Principal } from '../people/principal.ts';
import { insertAgentProfile } from '../store/tenancy.ts';
import { UNDECLARED } from './run.ts';

/** Describes an agent, to be named by Runs. Throws `agent_profile_limit`. */
export async function describeAgent(
  tx: Queries,
  by: Principal,
  { name, capability_tier = UNDECLARED, harness = UNDECLARED, model = UNDECLARED }: NewAgentProfile,
  created_at: string,
): Promise<StoredAgentProfile> {
  const { organization_id } = by;
  const profile = { id: newId('ap'), name, capability_tier, harness, model, created_at };
  await insertAgentProfile(tx, organization_id, profile);
  changes(tx, organization_id, { settings: true });
  const details = { agent_profile: { id: profile.id, name } };
  const act = { by: actorOf(by), kind: 'agent_profile_described', details } as const;
  await recordActivity(tx, organization_id, act, created_at);
  return profile;
}
