/**
 * The worker contract as functions. A worker does not have to trust its router with its disk: the answers that it acts on are
 * matched against the contract, so that every part that becomes a path, an address or a header has its form.
 */
import type { z } from 'zod';
import type { Job } from '../router/compute.ts';
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
} from '../router/workers.ts';
import { type ClientSettings, call, FormError, type In, type Out, type Signal, segment } from './call.ts';

/** `token`: the worker token, or for `register` the enrollment token. */
export function workerClient(settings: ClientSettings) {
  const post = <T>(path: string, body: unknown, signal: Signal, idempotency_key?: string) =>
    call<T>(settings, path, { method: 'POST', body, signal, idempotency_key });
  const read = async <Schema extends z.ZodType>(
    schema: Schema,
    ...[path, body, signal, idempotency_key]: Parameters<typeof post>
  ): Promise<z.infer<Schema>> => inForm(schema, await post(path, body, signal, idempotency_key), `POST ${path}`);
  const held = (id: string) => `/workers/jobs/${segment(id)}`;
  return {
    register: (body: In<typeof Registration>, signal?: Signal, key?: string) =>
      read(Registered, '/workers/register', body, signal, key),
    heartbeat: (body: In<typeof Heartbeat>, signal?: Signal) =>
      read(HeartbeatAnswer, '/workers/heartbeat', body, signal),
    lease: (body: In<typeof LeaseRequest>, signal?: Signal) => read(LeaseAnswer, '/workers/jobs/lease', body, signal),
    accept: (id: string, lease_token: string, signal?: Signal) =>
      post<Job>(`${held(id)}/accept`, { lease_token }, signal),
    status: (id: string, body: In<typeof StatusReport>, signal?: Signal) =>
      post<Out<typeof EventRecorded>>(`${held(id)}/status`, body, signal),
    log: (id: string, body: In<typeof LogReport>, signal?: Signal) =>
      post<Out<typeof EventRecorded>>(`${held(id)}/logs`, body, signal),
    artifact: (id: string, body: In<typeof ArtifactReport>, signal?: Signal) =>
      post<Out<typeof ArtifactRecorded>>(`${held(id)}/artifacts`, body, signal),
    complete: (id: string, body: In<typeof Completion>, signal?: Signal) =>
      post<Job>(`${held(id)}/complete`, body, signal),
    fail: (id: string, body: In<typeof Failure>, signal?: Signal) => post<Job>(`${held(id)}/fail`, body, signal),
  };
}
export type WorkerClient = ReturnType<typeof workerClient>;

/** Throws `FormError`. */
function inForm<Schema extends z.ZodType>(schema: Schema, answer: unknown, call: string): z.infer<Schema> {
  const read = schema.safeParse(answer);
  if (read.success) return read.data;
  const { path, message } = read.error.issues[0]!;
  throw new FormError(`${call}: the answer is not of the contract’s form: ${path.join('.')} ${message}`);
}
