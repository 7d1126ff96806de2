/** The router's API as functions: for members and operators, and for workers (contract 0.2). */
import type { z } from 'zod';
import { type CallOptions, type ClientSettings, call, inForm } from '../client.ts';
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
} from './compute.ts';
import type { AccessGranted, Dataset, ListedDataset, Member, MemberStatus, NewDataset, NewMember } from './members.ts';
import {
  type ArtifactRecorded,
  type ArtifactReport,
  type Completion,
  type EventRecorded,
  type Failure,
  type Heartbeat,
  HeartbeatAnswer,
  LeaseAnswer,
  type LeaseRequest,
  type LogReport,
  Registered,
  type Registration,
  type StatusReport,
  type Worker,
} from './workers.ts';

type In<Schema extends z.ZodType> = z.input<Schema>;
type Out<Schema extends z.ZodType> = z.infer<Schema>;

export interface RouterHealth {
  status: string;
  service: string;
  version: string;
  db_status: string;
  timestamp: string;
}

/** `token`: the admin token, where the router asks for one. */
export function routerClient(settings: ClientSettings) {
  const post = <T>(path: string, body?: unknown, idempotency_key?: string) =>
    call<T>(settings, path, { method: 'POST', body, ...(idempotency_key === undefined ? {} : { idempotency_key }) });
  const get = <T>(path: string) => call<T>(settings, path);
  return {
    health: () => get<RouterHealth>('/health'),
    createMember: (body: In<typeof NewMember>, key?: string) => post<Member>('/members', body, key),
    getMember: (id: string) => get<Member>(`/members/${id}`),
    activateMember: (id: string) => post<Member>(`/members/${id}/activate`),
    memberStatus: (id: string) => get<Out<typeof MemberStatus>>(`/members/${id}/status`),
    createDataset: (body: In<typeof NewDataset>, key?: string) => post<Dataset>('/datasets', body, key),
    getDataset: (id: string) => get<ListedDataset>(`/datasets/${id}`),
    grantAccess: (id: string, member_id: string) =>
      post<Out<typeof AccessGranted>>(`/datasets/${id}/access`, { member_id }),
    inventory: () => get<Node[]>('/compute/inventory'),
    registerNode: (body: In<typeof NewNode>, key?: string) => post<Node>('/compute/register-node', body, key),
    quote: (body: In<typeof QuoteRequest>, key?: string) => post<Out<typeof Quote>>('/compute/quote', body, key),
    createJob: (body: In<typeof NewJob>, key?: string) => post<Job>('/jobs', body, key),
    getJob: (id: string) => get<Job>(`/jobs/${id}`),
    listJobs: (query: In<typeof JobQuery> = {}) =>
      get<Job[]>(`/jobs?${new URLSearchParams(query as Record<string, string>)}`),
    startJob: (id: string) => post<Job>(`/jobs/${id}/start`),
    completeJob: (id: string) => post<Job>(`/jobs/${id}/complete`),
    retryLedger: (id: string) => post<Job>(`/jobs/${id}/ledger/retry`),
    cancelJob: (id: string) => post<Job>(`/jobs/${id}/cancel`),
    /** In order; `after` is the id of the last one seen. */
    jobEvents: (id: string, after = '') => get<JobEvent[]>(`/jobs/${id}/events?limit=500&after=${after}`),
    jobLogs: (id: string, after = '') => get<Out<typeof JobLog>[]>(`/jobs/${id}/logs?limit=500&after=${after}`),
    jobArtifacts: (id: string) => get<Artifact[]>(`/jobs/${id}/artifacts`),
    listWorkers: () => get<Worker[]>('/admin/workers'),
    drainWorker: (id: string) => post<Worker>(`/admin/workers/${id}/drain`),
    resumeWorker: (id: string) => post<Worker>(`/admin/workers/${id}/resume`),
    revokeWorker: (id: string) => post<Worker>(`/admin/workers/${id}/revoke`),
    verifyReceipts: () => get<{ ok: boolean; receipts_checked: number }>('/receipts/verify'),
  };
}
export type RouterClient = ReturnType<typeof routerClient>;

type Signal = AbortSignal | undefined;

/**
 * `token`: the worker token, or for `register` the enrollment token. Read anew for each call. A worker acts on what it is
 * answered by a router that it does not have to trust with its disk: those answers are matched against the contract.
 */
export function workerClient(settings: ClientSettings) {
  const post = <T>(path: string, body: unknown, signal: Signal, more: CallOptions = {}) =>
    call<T>(settings, path, { ...more, method: 'POST', body, ...(signal === undefined ? {} : { signal }) });
  const read = async <Schema extends z.ZodType>(
    schema: Schema,
    ...[path, body, signal, more]: Parameters<typeof post>
  ): Promise<z.infer<Schema>> => inForm(schema, await post(path, body, signal, more), `POST ${path}`);
  return {
    register: (body: In<typeof Registration>, signal?: Signal, idempotency_key?: string) =>
      read(Registered, '/workers/register', body, signal, idempotency_key === undefined ? {} : { idempotency_key }),
    heartbeat: (body: In<typeof Heartbeat>, signal?: Signal) =>
      read(HeartbeatAnswer, '/workers/heartbeat', body, signal),
    lease: (body: In<typeof LeaseRequest>, signal?: Signal) => read(LeaseAnswer, '/workers/jobs/lease', body, signal),
    accept: (id: string, lease_token: string, signal?: Signal) =>
      post<Job>(`/workers/jobs/${id}/accept`, { lease_token }, signal),
    status: (id: string, body: In<typeof StatusReport>, signal?: Signal) =>
      post<Out<typeof EventRecorded>>(`/workers/jobs/${id}/status`, body, signal),
    log: (id: string, body: In<typeof LogReport>, signal?: Signal) =>
      post<Out<typeof EventRecorded>>(`/workers/jobs/${id}/logs`, body, signal),
    artifact: (id: string, body: In<typeof ArtifactReport>, signal?: Signal) =>
      post<Out<typeof ArtifactRecorded>>(`/workers/jobs/${id}/artifacts`, body, signal),
    complete: (id: string, body: In<typeof Completion>, signal?: Signal) =>
      post<Job>(`/workers/jobs/${id}/complete`, body, signal),
    fail: (id: string, body: In<typeof Failure>, signal?: Signal) =>
      post<Job>(`/workers/jobs/${id}/fail`, body, signal),
  };
}
export type WorkerClient = ReturnType<typeof workerClient>;
