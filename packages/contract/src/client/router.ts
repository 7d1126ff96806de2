/** The router's API as functions, one per call: for members, operators and the console. Behind a ledger it stands at `/router`. */
import type { Price } from '../prices.ts';
import type { History, RouterHealth, Summary, WorkerPage } from '../router/admin.ts';
import type {
  Artifact,
  Job,
  JobEvent,
  JobLog,
  JobQuery,
  NewJob,
  NewNode,
  Node,
  Quote,
  QuoteRequest,
} from '../router/compute.ts';
import type {
  AccessGranted,
  Dataset,
  DatasetQuery,
  ListedDataset,
  Member,
  MemberLogs,
  MemberQuery,
  MemberStatus,
  NewDataset,
  NewMember,
} from '../router/members.ts';
import type { RouterReceiptPage, RouterReceiptQuery, RouterVerification } from '../router/receipts.ts';
import type { Worker } from '../router/workers.ts';
import { type ClientSettings, callsOf, type In, type Out, type Signal, segment } from './call.ts';

const job = (id: string) => `/jobs/${segment(id)}`;
const member = (id: string) => `/members/${segment(id)}`;
const dataset = (id: string) => `/datasets/${segment(id)}`;
const worker = (id: string) => `/admin/workers/${segment(id)}`;

/** `token`: the admin token, where the router asks for one. */
export function routerClient(settings: ClientSettings) {
  const { post, get } = callsOf(settings);
  return {
    health: (signal?: Signal) => get<RouterHealth>('/health', signal),
    summary: (signal?: Signal) => get<Summary>('/admin/summary', signal),
    history: (days: number, signal?: Signal) => get<History>('/admin/history', signal, { days }),

    listMembers: (query: Partial<In<typeof MemberQuery>> = {}, signal?: Signal) =>
      get<Member[]>('/members', signal, query),
    createMember: (body: In<typeof NewMember>, key?: string) => post<Member>('/members', body, key),
    getMember: (id: string, signal?: Signal) => get<Member>(member(id), signal),
    activateMember: (id: string) => post<Member>(`${member(id)}/activate`),
    memberStatus: (id: string, signal?: Signal) => get<Out<typeof MemberStatus>>(`${member(id)}/status`, signal),
    memberLogs: (id: string, signal?: Signal) => get<MemberLogs>(`${member(id)}/logs`, signal),

    listDatasets: (query: Partial<In<typeof DatasetQuery>> = {}, signal?: Signal) =>
      get<ListedDataset[]>('/datasets', signal, query),
    createDataset: (body: In<typeof NewDataset>, key?: string) => post<Dataset>('/datasets', body, key),
    getDataset: (id: string, signal?: Signal) => get<ListedDataset>(dataset(id), signal),
    grantAccess: (id: string, member_id: string) =>
      post<Out<typeof AccessGranted>>(`${dataset(id)}/access`, { member_id }),

    inventory: (signal?: Signal) => get<Node[]>('/compute/inventory', signal),
    prices: (signal?: Signal) => get<Price[]>('/compute/prices', signal),
    registerNode: (body: In<typeof NewNode>, key?: string) => post<Node>('/compute/register-node', body, key),
    quote: (body: In<typeof QuoteRequest>, key?: string) => post<Quote>('/compute/quote', body, key),

    /** Newest first; `after` is the id of the last one seen. */
    listJobs: (query: Partial<In<typeof JobQuery>> = {}, signal?: Signal) => get<Job[]>('/jobs', signal, query),
    createJob: (body: In<typeof NewJob>, key?: string) => post<Job>('/jobs', body, key),
    getJob: (id: string, signal?: Signal) => get<Job>(job(id), signal),
    startJob: (id: string) => post<Job>(`${job(id)}/start`),
    completeJob: (id: string) => post<Job>(`${job(id)}/complete`),
    cancelJob: (id: string) => post<Job>(`${job(id)}/cancel`),
    retryLedger: (id: string) => post<Job>(`${job(id)}/ledger/retry`),
    /** In order, at most 500; `after` is the id of the last one seen. */
    jobEvents: (id: string, after = '', signal?: Signal) =>
      get<JobEvent[]>(`${job(id)}/events`, signal, { limit: 500, after }),
    jobLogs: (id: string, after = '', signal?: Signal) =>
      get<JobLog[]>(`${job(id)}/logs`, signal, { limit: 500, after }),
    jobArtifacts: (id: string, signal?: Signal) => get<Artifact[]>(`${job(id)}/artifacts`, signal),

    listWorkers: (signal?: Signal) => get<Worker[]>('/admin/workers', signal),
    getWorker: (id: string, signal?: Signal) => get<WorkerPage>(worker(id), signal),
    drainWorker: (id: string) => post<Worker>(`${worker(id)}/drain`),
    resumeWorker: (id: string) => post<Worker>(`${worker(id)}/resume`),
    revokeWorker: (id: string) => post<Worker>(`${worker(id)}/revoke`),

    listReceipts: (query: Partial<In<typeof RouterReceiptQuery>> = {}, signal?: Signal) =>
      get<RouterReceiptPage>('/receipts', signal, query),
    verifyReceipts: (signal?: Signal) => get<RouterVerification>('/receipts/verify', signal),
  };
}
export type RouterClient = ReturnType<typeof routerClient>;
