-- Instants are ISO 8601 UTC text with offset, amounts are whole cents, documents are JSON text.

create table members (
  id text not null primary key,
  email text not null,
  name text not null,
  membership_started_at text,
  membership_expires_at text,
  created_at text not null
);
create unique index members_by_email on members (lower(email));

create table datasets (
  id text not null primary key,
  domain text not null,
  quality_tier text not null,
  document text not null,
  created_at text not null
);

create table dataset_access (
  dataset_id text not null,
  member_id text not null,
  receipt_id text not null,
  object_uri text not null,
  created_at text not null,
  primary key (dataset_id, member_id)
);

create table nodes (
  id text not null primary key,
  hostname text not null,
  gpu_type text not null,
  status text not null,
  max_concurrent_jobs bigint not null,
  tags text not null,
  created_at text not null
);

create table workers (
  id text not null primary key,
  token_sha256 text not null unique,
  node_id text not null,
  name text not null,
  hostname text not null,
  endpoint_url text,
  status text not null,
  desired text not null,
  capabilities text not null,
  tags text not null,
  version text,
  current_jobs bigint not null,
  metrics text not null,
  heartbeat_interval_seconds bigint not null,
  last_heartbeat_at text,
  created_at text not null
);

-- A job and its lease are one row: there cannot be two live leases.
create table jobs (
  id text not null primary key,
  member_id text not null,
  job_type text not null,
  requested_gpu_sku text not null,
  status text not null,
  priority bigint not null,
  estimated_hours text not null,
  estimated_cents bigint not null,
  input_dataset_ids text not null,
  payload text not null,
  max_attempts bigint not null,
  receipt_id text not null,
  created_at text not null,
  -- What changes on the way:
  output_uri text,
  assigned_node_id text,
  attempt bigint not null,
  actual_started_at text,
  actual_finished_at text,
  actual_hours text,
  actual_cents bigint,
  worker_id text,
  lease_id text,
  lease_sha256 text,
  lease_expires_at text,
  -- SHA-256 of the tokens of leases that ran out, to tell a late worker from a stranger.
  past_leases text not null
);
-- Oldest first within priority, per SKU and type: the first rows of this index are the next to be leased.
create index jobs_queue on jobs (requested_gpu_sku, job_type, priority desc, id) where status = 'queued';
create index jobs_held on jobs (id) where status in ('leased', 'running');
create index jobs_by_member on jobs (member_id, id);
create index jobs_by_status on jobs (status, id) where status in ('failed', 'canceled');

create table job_events (
  job_id text not null,
  id text not null,
  event_type text not null,
  message text not null,
  payload text not null,
  worker_id text,
  created_at text not null,
  primary key (job_id, id)
);

create index job_events_by_worker on job_events (worker_id, id) where worker_id is not null;
create index job_events_expired on job_events (job_id) where event_type = 'lease_expired';

create table job_logs (
  job_id text not null,
  id text not null,
  attempt bigint not null,
  stream text not null,
  sequence bigint,
  lines text not null,
  created_at text not null,
  primary key (job_id, id)
);
create unique index job_logs_once on job_logs (job_id, attempt, stream, sequence) where sequence is not null;

create table artifacts (
  job_id text not null,
  id text not null,
  worker_id text not null,
  document text not null,
  created_at text not null,
  primary key (job_id, id)
);

-- The receipts of one commit, to the byte and in order. A row is the promise that these lines are, or will be, in the
-- day's file exactly once; `appended` says that they are.
create table receipt_batches (
  id text not null primary key,
  ledger_id text not null,
  receipt_date text not null,
  receipts bigint not null,
  lines text not null,
  appended bigint not null
);
create index receipt_batches_open on receipt_batches (ledger_id, id) where appended = 0;
create index receipt_batches_by_date on receipt_batches (ledger_id, receipt_date, id);

create table bridge_outbox (
  job_id text not null primary key,
  lane text not null,
  run_id text,
  stage text not null,
  document text not null,
  attempts bigint not null,
  next_attempt_at text not null,
  last_error text,
  created_at text not null
);
create index bridge_due on bridge_outbox (next_attempt_at) where stage <> 'done';

create table idempotency_keys (
  organization_id text not null,
  key_sha256 text not null,
  request_sha256 text not null,
  answer text not null,
  created_at text not null,
  primary key (organization_id, key_sha256)
);
create index idempotency_keys_by_age on idempotency_keys (created_at);
