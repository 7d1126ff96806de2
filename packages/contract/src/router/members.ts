/** Members and datasets on the router's wire. */
import { z } from 'zod';
import { Line, Offset, PageSize, Prose, Sha256, text } from '../wire.ts';
import { OffsetInstant } from './vocabulary.ts';

export const NewMember = z.object({ email: z.email().max(254), name: Line });
export const Member = z.object({
  id: z.string(),
  email: z.string(),
  name: z.string(),
  status: z.enum(['active', 'inactive']),
  annual_fee_paid: z.boolean(),
  membership_started_at: OffsetInstant.nullable(),
  membership_expires_at: OffsetInstant.nullable(),
  created_at: OffsetInstant,
});
export type Member = z.infer<typeof Member>;

export const MemberStatus = z.object({
  member_id: z.string(),
  status: z.enum(['active', 'inactive']),
  active: z.boolean(),
  annual_fee_paid: z.boolean(),
  membership_expires_at: OffsetInstant.nullable(),
});

/** `GET /members/{id}/logs` */
export const MemberLogs = z.object({
  member_id: z.string(),
  log_bytes: z.int().describe('Of log and of events that the workers of all its jobs sent, as they are stored'),
  log_bytes_limit: z.int().describe('Beyond it no log is taken any more: `ROUTER_MEMBER_LOG_BYTES`'),
  job_log_bytes_limit: z.int().describe('The same of one job: `ROUTER_JOB_LOG_BYTES`'),
});
export type MemberLogs = z.infer<typeof MemberLogs>;

/** An id a caller may choose: letters, digits, `. _ -`. */
export const ChosenId = z.string().regex(/^[A-Za-z0-9][\w.-]{0,99}$/, 'must be letters, digits, . _ or -');

export const NewDataset = z.object({
  id: ChosenId.optional(),
  title: Line,
  domain: Line,
  description: Prose,
  object_uri: Line,
  license_type: Line,
  quality_tier: Line,
  checksum_sha256: Sha256,
  size_bytes: z.int().nonnegative(),
  row_count: z.int().nonnegative(),
  is_member_access: z.boolean().optional(),
});
export const Dataset = NewDataset.extend({ id: z.string(), is_member_access: z.boolean(), created_at: OffsetInstant });
export type Dataset = z.infer<typeof Dataset>;

/** As it is read: where it is, only the admin token is told; a member is told with the grant. */
export const ListedDataset = Dataset.extend({
  object_uri: Dataset.shape.object_uri.optional().describe('Left out unless the admin token asks'),
});
export type ListedDataset = z.infer<typeof ListedDataset>;

/** What a worker is told of a dataset that its job's member was granted. */
export const GrantedDataset = z.object({
  id: ChosenId,
  object_uri: z.string(),
  checksum_sha256: Sha256,
  size_bytes: z.int(),
});
export type GrantedDataset = z.infer<typeof GrantedDataset>;

/** A request header: its answer leaves out where datasets are, whatever token the request carries. */
export const ANSWER_FOR = 'rcpt-answer-for';

export const DatasetQuery = z.object({
  domain: text(500).optional(),
  quality_tier: text(500).optional(),
  limit: PageSize,
  offset: Offset,
});

export const AccessRequest = z.object({ member_id: text(100) });
export const AccessGranted = z.object({
  access_granted: z.literal(true),
  dataset_id: z.string(),
  member_id: z.string(),
  receipt_id: z.string(),
  object_uri: z.string(),
});

/** Newest first, with `x-total-count`. */
export const MemberQuery = z.object({
  status: z.enum(['active', 'inactive']).optional(),
  limit: PageSize,
  offset: Offset,
});
