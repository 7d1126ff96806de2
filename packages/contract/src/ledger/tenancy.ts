/** Organizations, keys and agent profiles on the ledger's wire. */
import { z } from 'zod';
import { KeyLabel } from '../public-name.ts';
import { LaneName, Role } from '../vocabulary.ts';
import { Instant, Line } from '../wire.ts';
import { PasskeyApprovals } from './passkeys.ts';

export const NewOrganization = z.object({ name: Line, four_eyes: z.boolean().optional() });
export const Organization = z.object({
  id: z.string(),
  name: z.string(),
  /** On: the credential that posted a Run's execution can neither approve it nor decide its open checks. */
  four_eyes: z.boolean(),
  passkey_approvals: PasskeyApprovals.describe(
    'Whether people sign approvals with their passkeys: `off`; `offered`; `required`: an approval without one is refused, also of an API key',
  ),
  passkey_lanes: z.array(LaneName).describe('The lanes that `required` means; in the others it is `offered`'),
  created_at: Instant,
});
export type Organization = z.infer<typeof Organization>;
/** Bytes that count: evidence, what Runs were sent, flight sheets. */
export const StorageUse = z.object({
  used_bytes: z.int().nonnegative(),
  limit_bytes: z.int().positive().nullable().describe('null: without end'),
});
export type StorageUse = z.infer<typeof StorageUse>;
export const OrganizationSettings = Organization.extend({ storage: StorageUse });
export type OrganizationSettings = z.infer<typeof OrganizationSettings>;
/** `api_key` is the first owner key; it is shown here once. */
export const CreatedOrganization = Organization.extend({
  organization_id: z.string(),
  key_id: z.string(),
  api_key: z.string(),
});
export const OrganizationChange = z.object({
  name: Line.optional(),
  four_eyes: z.boolean().optional(),
  passkey_approvals: PasskeyApprovals.optional(),
  passkey_lanes: z.array(LaneName).min(1).max(50).optional(),
});
export type OrganizationChange = z.infer<typeof OrganizationChange>;

export const NewKey = z.object({
  role: Role,
  label: KeyLabel.describe('Sealed, in public, when the key approves or decides; without one its id is').optional(),
});
export const Key = z.object({
  id: z.string(),
  organization_id: z.string(),
  role: Role,
  label: z.string(),
  created_at: Instant,
  revoked_at: Instant.nullable(),
});
export type Key = z.infer<typeof Key>;
export const CreatedKey = Key.extend({ api_key: z.string() });
export const KeyList = z.object({ keys: z.array(Key) });

export const NewAgentProfile = z.object({
  name: Line,
  capability_tier: Line.optional(),
  harness: Line.optional(),
  model: Line.optional(),
});
export type NewAgentProfile = z.infer<typeof NewAgentProfile>;
export const StoredAgentProfile = z.object({
  id: z.string(),
  name: z.string(),
  capability_tier: z.string(),
  harness: z.string(),
  model: z.string(),
  created_at: Instant,
});
export type StoredAgentProfile = z.infer<typeof StoredAgentProfile>;
export const AgentProfileList = z.object({ agent_profiles: z.array(StoredAgentProfile) });
