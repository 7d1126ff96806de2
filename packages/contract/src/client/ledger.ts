/** The ledger's API as functions, one per call: for programs, the command line, the bridge and the console. */
import type { ActivityPage, ActivityQuery } from '../activity.ts';
import type { Beside, DisclosureList, NewErasure } from '../ledger/disclosures.ts';
import type {
  FlightSheet,
  FlightSheetFindings,
  FlightSheetList,
  FlightSheetQuery,
  FlightSheetTrial,
} from '../ledger/flight-sheet.ts';
import type { AssertionOptions, CreationOptions, Passkey, PasskeyList } from '../ledger/passkeys.ts';
import type {
  NewSession,
  NewTeamMember,
  Session,
  SessionChange,
  SignInAnswer,
  TeamMember,
  TeamMemberList,
} from '../ledger/people.ts';
import type { Receipt, Verification } from '../ledger/receipts.ts';
import type { RouterConnection } from '../ledger/router.ts';
import type {
  CheckDecision,
  CheckList,
  Evidence,
  NewEvidence,
  NewRun,
  Run,
  RunList,
  RunQuery,
} from '../ledger/runs.ts';
import type { ReceiptPage, ReceiptQuery, Share } from '../ledger/search.ts';
import type {
  AgentProfileList,
  CreatedKey,
  CreatedOrganization,
  Key,
  KeyList,
  NewAgentProfile,
  NewKey,
  NewOrganization,
  Organization,
  OrganizationChange,
  OrganizationSettings,
  StoredAgentProfile,
} from '../ledger/tenancy.ts';
import type { NewWitness, Witness, WitnessList } from '../ledger/witnesses.ts';
import type { Decision, Role } from '../vocabulary.ts';
import type { JsonObject } from '../wire.ts';
import type { Approval, Check, Verdict } from '../work.ts';
import { type ClientSettings, callsOf, type In, type Out, type Signal, segment } from './call.ts';

const run = (id: string) => `/runs/${segment(id)}`;
const receipt = (id: string) => `/receipts/${segment(id)}`;
const member = (id: string) => `/members/${segment(id)}`;

export function ledgerClient(settings: ClientSettings) {
  const { send, post, get } = callsOf(settings);
  return {
    /** Takes no credential: the link goes to the mailbox, if it is a member's. */
    requestSignIn: (email: string) => post<Out<typeof SignInAnswer>>('/sign-in', { email }),
    openSession: (body: In<typeof NewSession>) => post<Session>('/session', body),
    getSession: (signal?: Signal) => get<Session>('/session', signal),
    changeSession: (body: In<typeof SessionChange>) => send<Session>('PATCH', '/session', body),
    signOut: () => send<undefined>('DELETE', '/session'),
    signOutEverywhere: () => send<undefined>('DELETE', '/sessions'),

    createOrganization: (body: In<typeof NewOrganization>) =>
      post<Out<typeof CreatedOrganization>>('/organizations', body),
    connectRouter: (organization_id: string, url: string | null) =>
      send<RouterConnection>('PUT', `/organizations/${segment(organization_id)}/router`, { url }),
    getOrganization: (signal?: Signal) => get<OrganizationSettings>('/organization', signal),
    changeOrganization: (body: In<typeof OrganizationChange>) => send<Organization>('PATCH', '/organization', body),

    listKeys: (signal?: Signal) => get<Out<typeof KeyList>>('/keys', signal),
    createKey: (body: In<typeof NewKey>, key?: string) => post<Out<typeof CreatedKey>>('/keys', body, key),
    revokeKey: (id: string) => send<Key>('DELETE', `/keys/${segment(id)}`),

    listMembers: (signal?: Signal) => get<Out<typeof TeamMemberList>>('/members', signal),
    addMember: (body: In<typeof NewTeamMember>, key?: string) => post<TeamMember>('/members', body, key),
    inviteAgain: (id: string) => post<TeamMember>(`${member(id)}/invitation`),
    changeRole: ({ id, role }: { id: string; role: Role }) => send<TeamMember>('PATCH', member(id), { role }),
    removeMember: (id: string) => send<TeamMember>('DELETE', member(id)),

    passkeyOptions: () => post<CreationOptions>('/passkeys/options'),
    enrolPasskey: (body: object) => post<Passkey>('/passkeys', body),
    listPasskeys: (signal?: Signal) => get<Out<typeof PasskeyList>>('/passkeys', signal),
    renamePasskey: ({ id, name }: { id: string; name: string }) =>
      send<Passkey>('PATCH', `/passkeys/${segment(id)}`, { name }),
    removePasskey: (id: string) => send<Passkey>('DELETE', `/passkeys/${segment(id)}`),

    listWitnesses: (signal?: Signal) => get<Out<typeof WitnessList>>('/witnesses', signal),
    addWitness: (body: In<typeof NewWitness>, key?: string) => post<Witness>('/witnesses', body, key),
    removeWitness: (id: string) => send<Witness>('DELETE', `/witnesses/${segment(id)}`),

    listAgentProfiles: (signal?: Signal) => get<Out<typeof AgentProfileList>>('/agent-profiles', signal),
    createAgentProfile: (body: In<typeof NewAgentProfile>, key?: string) =>
      post<StoredAgentProfile>('/agent-profiles', body, key),

    listFlightSheets: (query: Partial<In<typeof FlightSheetQuery>> = {}, signal?: Signal) =>
      get<Out<typeof FlightSheetList>>('/flight-sheets', signal, query),
    getFlightSheet: (name: string, version: string, signal?: Signal) =>
      get<FlightSheet>(`/flight-sheets/${segment(name)}/${segment(version)}`, signal),
    publishFlightSheet: (sheet: FlightSheet, key?: string) => post<FlightSheet>('/flight-sheets', sheet, key),
    tryFlightSheet: (body: FlightSheetTrial, signal?: Signal) =>
      post<FlightSheetFindings>('/flight-sheets/try', body, undefined, signal),

    /** Newest first. */
    listRuns: (query: Partial<In<typeof RunQuery>> = {}, signal?: Signal) =>
      get<Out<typeof RunList>>('/runs', signal, query),
    getRun: (id: string, signal?: Signal) => get<Run>(run(id), signal),
    openRun: (body: NewRun, key?: string) => post<Run>('/runs', body, key),
    attachEvidence: (id: string, body: NewEvidence, key?: string) => post<Evidence>(`${run(id)}/evidence`, body, key),
    postExecution: (id: string, body: JsonObject, key?: string) => post<Run>(`${run(id)}/execution`, body, key),
    runChecks: (id: string, key?: string) => post<Out<typeof CheckList>>(`${run(id)}/checks`, undefined, key),
    decideCheck: (id: string, check: string, body: In<typeof CheckDecision>) =>
      send<Check>('PATCH', `${run(id)}/checks/${segment(check)}`, body),
    giveVerdict: (id: string, key?: string) => post<Verdict>(`${run(id)}/verdict`, undefined, key),
    /** What a passkey is asked to sign. */
    approvalOptions: (id: string, note = '') =>
      post<AssertionOptions>(`${run(id)}/approval/options`, { decision: 'approved', note }),
    /** @param assertion what the passkey answered */
    approve: (id: string, decision: Decision, note = '', key?: string, assertion?: object) =>
      post<Approval>(`${run(id)}/approval`, { decision, note, ...(assertion && { assertion }) }, key),
    mint: (id: string) => post<Receipt>(`${run(id)}/receipt`),

    listReceipts: (query: Partial<In<typeof ReceiptQuery>> = {}, signal?: Signal) =>
      get<ReceiptPage>('/receipts', signal, query),
    getReceipt: (id: string, signal?: Signal) => get<Receipt>(receipt(id), signal),
    getShare: (id: string, signal?: Signal) => get<Share>(`${receipt(id)}/share`, signal),
    changeShare: (id: string, enabled: boolean) => send<Share>('PUT', `${receipt(id)}/share`, { enabled }),
    /** What administrators did, in sequence order unless asked for the newest first. */
    listActivity: (query: Partial<In<typeof ActivityQuery>> = {}, signal?: Signal) =>
      get<ActivityPage>('/activity', signal, query),
    listDisclosures: (id: string, signal?: Signal) => get<DisclosureList>(`${receipt(id)}/disclosures`, signal),
    disclose: (id: string, disclosed: string[]) =>
      send<DisclosureList>('PUT', `${receipt(id)}/disclosures`, { disclosed }),
    erase: (id: string, body: NewErasure, key?: string) => post<Beside>(`${receipt(id)}/erasures`, body, key),
    verify: (signal?: Signal) => get<Out<typeof Verification>>('/ledger/verify', signal),
  };
}
export type LedgerClient = ReturnType<typeof ledgerClient>;
