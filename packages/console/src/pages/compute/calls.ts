/** The router's operations that these pages use. The ledger forwards them to the router of one's organization. */
import type { Price } from '@rcpt/contract/prices.ts';
import type {
  Artifact,
  History,
  Job,
  JobEvent,
  NewJob,
  Node,
  Quote,
  QuoteRequest,
} from '@rcpt/contract/router/compute.ts';
import type {
  AccessGranted,
  Dataset,
  ListedDataset,
  Member,
  MemberLogs,
  NewDataset,
  NewMember,
} from '@rcpt/contract/router/members.ts';
import type { RouterReceiptPage } from '@rcpt/contract/router/receipts.ts';
import type { Worker } from '@rcpt/contract/router/workers.ts';
import type { z } from 'zod';
import { address, call } from '../../api/call.ts';
import type { JobStatus } from './format.ts';
import type { Chunk } from './log/lines.ts';

export type QuoteGiven = z.infer<typeof Quote>;

export interface Summary {
  active_members_count: number;
  queued_jobs: number;
  leased_jobs: number;
  running_jobs: number;
  completed_jobs: number;
  failed_jobs: number;
  canceled_jobs: number;
  ledger_waiting: number;
  ledger_refused: number;
}
export interface ActiveLease {
  lease_id: string;
  job_id: string;
  job_type: string;
  status: string;
  expires_at: string;
}
export interface WorkerDetail {
  worker: Worker;
  active_leases: ActiveLease[];
  recent_events: JobEvent[];
}
export interface JobFilters {
  status?: JobStatus | undefined;
  member_id?: string | undefined;
  ledger?: 'refused' | undefined;
}
interface ReceiptFilters {
  date?: string;
  receipt_type?: string;
  job_id?: string;
  limit: number;
}

/** Of a log in one answer: the most that the router gives. */
const LOG_CHUNKS = 500;

type Signal = AbortSignal | undefined;
const get = <T>(path: string, signal: Signal, query: Record<string, string | number | undefined> = {}) =>
  call<T>(address(`/router${path}`, query), { signal });
const post = <T>(path: string, body?: unknown, idempotency_key?: string) =>
  call<T>(`/router${path}`, { method: 'POST', body, idempotency_key });
const segment = encodeURIComponent;

export const router = {
  summary: (signal: Signal) => get<Summary>('/admin/summary', signal),
  history: (days: number, signal: Signal) => get<History>('/admin/history', signal, { days }),
  workers: (signal: Signal) => get<Worker[]>('/admin/workers', signal),
  worker: (id: string, signal: Signal) => get<WorkerDetail>(`/admin/workers/${segment(id)}`, signal),
  order: (id: string, order: 'drain' | 'resume') => post<Worker>(`/admin/workers/${segment(id)}/${order}`),
  prices: (signal: Signal) => get<Price[]>('/compute/prices', signal),
  revokeWorker: (id: string) => post<Worker>(`/admin/workers/${segment(id)}/revoke`),
  nodes: (signal: Signal) => get<Node[]>('/compute/inventory', signal),

  jobs: (query: JobFilters & { limit: number; after?: string | undefined }, signal: Signal) =>
    get<Job[]>('/jobs', signal, { ...query }),
  job: (id: string, signal: Signal) => get<Job>(`/jobs/${segment(id)}`, signal),
  events: (id: string, after: string, signal: Signal) =>
    get<JobEvent[]>(`/jobs/${segment(id)}/events`, signal, { limit: 500, after }),
  artifacts: (id: string, signal: Signal) => get<Artifact[]>(`/jobs/${segment(id)}/artifacts`, signal),
  logs: (id: string, after: string, signal?: Signal) =>
    get<Chunk[]>(`/jobs/${segment(id)}/logs`, signal, { limit: LOG_CHUNKS, after }),
  createJob: (body: z.input<typeof NewJob>, key: string) => post<Job>('/jobs', body, key),
  retryLedger: (id: string) => post<Job>(`/jobs/${segment(id)}/ledger/retry`),
  cancelJob: (id: string) => post<Job>(`/jobs/${segment(id)}/cancel`),

  quote: (body: z.input<typeof QuoteRequest>, key: string) => post<QuoteGiven>('/compute/quote', body, key),
  receipts: (query: ReceiptFilters, signal: Signal) =>
    get<RouterReceiptPage>('/receipts', signal, { ...query, order: 'newest' }),

  members: (query: { limit: number; offset: number }, signal: Signal) => get<Member[]>('/members', signal, query),
  memberLogs: (id: string, signal: Signal) => get<MemberLogs>(`/members/${segment(id)}/logs`, signal),
  createMember: (body: z.input<typeof NewMember>, key: string) => post<Member>('/members', body, key),
  activateMember: (id: string) => post<Member>(`/members/${segment(id)}/activate`),

  datasets: (query: { limit: number; offset: number }, signal: Signal) =>
    get<ListedDataset[]>('/datasets', signal, query),
  createDataset: (body: z.input<typeof NewDataset>, key: string) => post<Dataset>('/datasets', body, key),
  grantAccess: (id: string, member_id: string) =>
    post<z.infer<typeof AccessGranted>>(`/datasets/${segment(id)}/access`, { member_id }),
};
