/** Every code the router's domain and stores can throw → HTTP (docs/spec.md §26). */
import { Refusal } from '@rcpt/service/error.ts';
import type { ProblemRow } from '@rcpt/service/http/problem.ts';

export const ROUTER_PROBLEMS = {
  lease_invalid: { status: 400, title: 'Not the token of a lease on this job' },
  lease_expired: { status: 409, title: 'The lease has expired' },
  log_quota: { status: 409, title: 'The quota for logs is used up' },
  job_canceled: { status: 409, title: 'The job was canceled' },
  job_state_conflict: { status: 409, title: 'The job is in another state' },
  member_inactive: { status: 403, title: 'The member is not active' },
  dataset_not_shared: { status: 403, title: 'The dataset is not open to members' },
  dataset_not_granted: { status: 403, title: 'The member has no access to the dataset' },
  worker_revoked: { status: 401, title: 'The worker was revoked' },
  nothing_to_deliver: { status: 409, title: 'The job has nothing to deliver to a ledger' },
  email_taken: { status: 409, title: 'The e-mail address is taken' },
  id_taken: { status: 409, title: 'The id is taken' },
  cross_site: { status: 403, title: 'The request came from another site' },
  misdirected_request: { status: 421, title: 'Not a host name of this router' },
  gpu_unpriced: { status: 422, title: 'No price for this GPU' },
} as const satisfies Record<string, ProblemRow>;

type RouterCode = keyof typeof ROUTER_PROBLEMS;

export const refuse = (code: RouterCode, detail: string, members?: Record<string, unknown>) =>
  new Refusal<RouterCode>(code, detail, members);

export function workerRevoked(): Refusal {
  return refuse('worker_revoked', 'This worker was revoked: its token is no credential any more. Stop working.');
}
