/** The ledger's operations of the settings pages, typed by the contract. */
import type { FlightSheet, FlightSheetFindings, FlightSheetTrial } from '@rcpt/contract/ledger/flight-sheet.ts';
import type { NewTeamMember, TeamMember } from '@rcpt/contract/ledger/people.ts';
import type {
  CreatedKey,
  Key,
  NewAgentProfile,
  NewKey,
  Organization,
  OrganizationChange,
  OrganizationSettings,
  StoredAgentProfile,
} from '@rcpt/contract/ledger/tenancy.ts';
import type { z } from 'zod';
import { call } from '../../api/call.ts';
import type { Role } from '../../format/vocabulary.ts';

const key = (id: string) => `/keys/${encodeURIComponent(id)}`;
const member = (id: string) => `/members/${encodeURIComponent(id)}`;

export const settings = {
  keys: (signal?: AbortSignal) => call<{ keys: Key[] }>('/keys', { signal }),
  createKey: (body: z.input<typeof NewKey>, idempotency_key: string) =>
    call<z.infer<typeof CreatedKey>>('/keys', { method: 'POST', body, idempotency_key }),
  revokeKey: (id: string) => call<Key>(key(id), { method: 'DELETE' }),

  members: (signal?: AbortSignal) => call<{ members: TeamMember[] }>('/members', { signal }),
  inviteMember: (body: z.input<typeof NewTeamMember>, idempotency_key: string) =>
    call<TeamMember>('/members', { method: 'POST', body, idempotency_key }),
  inviteAgain: (id: string) => call<TeamMember>(`${member(id)}/invitation`, { method: 'POST' }),
  changeRole: ({ id, role }: { id: string; role: Role }) =>
    call<TeamMember>(member(id), { method: 'PATCH', body: { role } }),
  removeMember: (id: string) => call<TeamMember>(member(id), { method: 'DELETE' }),

  organization: (signal?: AbortSignal) => call<OrganizationSettings>('/organization', { signal }),
  changeOrganization: (body: z.input<typeof OrganizationChange>) =>
    call<Organization>('/organization', { method: 'PATCH', body }),

  createAgentProfile: (body: z.input<typeof NewAgentProfile>, idempotency_key: string) =>
    call<StoredAgentProfile>('/agent-profiles', { method: 'POST', body, idempotency_key }),

  flightSheet: (name: string, version: string, signal?: AbortSignal) =>
    call<FlightSheet>(`/flight-sheets/${encodeURIComponent(name)}/${encodeURIComponent(version)}`, { signal }),
  publishSheet: (sheet: FlightSheet, idempotency_key: string) =>
    call<FlightSheet>('/flight-sheets', { method: 'POST', body: sheet, idempotency_key }),
  trySheet: (body: FlightSheetTrial, signal?: AbortSignal) =>
    call<FlightSheetFindings>('/flight-sheets/try', { method: 'POST', body, signal }),
};
