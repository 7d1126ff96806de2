-- Every table is keyed by organization first and refers to nothing outside its organization, so that the same schema
-- distributes by organization_id unchanged. Instants are ISO 8601 UTC text; documents are JSON text.

create table organizations (
  organization_id text not null primary key,
  name text not null,
  four_eyes integer not null default 0,
  created_at text not null
);

create table api_keys (
  organization_id text not null,
  id text not null,
  role text not null,
  label text not null,
  secret_sha256 text not null,
  created_at text not null,
  revoked_at text,
  primary key (organization_id, id)
);
create unique index api_keys_by_secret on api_keys (organization_id, secret_sha256);

create table agent_profiles (
  organization_id text not null,
  id text not null,
  name text not null,
  capability_tier text not null,
  harness text not null,
  model text not null,
  created_at text not null,
  primary key (organization_id, id)
);

create table flight_sheets (
  organization_id text not null,
  name text not null,
  version text not null,
  sheet text not null,
  sheet_sha256 text not null,
  created_at text not null,
  created_by text not null,
  primary key (organization_id, name, version)
);

create table runs (
  organization_id text not null,
  id text not null,
  lane text not null,
  title text not null,
  stage text not null,
  stages text not null,
  inputs text not null,
  -- E-mail addresses that are sent the receipt.
  notify text not null,
  agent_profile text,
  evidence text not null,
  execution text,
  executed_by text,
  checks text,
  assignment text,
  verdict text,
  approval text,
  -- What was approved, to the byte: the lane's blocks as they will be sealed.
  approved_block text,
  receipt_id text,
  created_at text not null,
  updated_at text not null,
  primary key (organization_id, id)
);
create index runs_by_lane on runs (organization_id, lane, id);
create index runs_unfinished on runs (organization_id, stage, id) where stage <> 'Receipt';

-- The head: where the chain ends. A mint replaces it by compare-and-swap; verification compares the chain's end with it.
create table chains (
  organization_id text not null primary key,
  org_seq integer not null,
  receipt_sha256 text not null
);

-- A fork cannot be stored: one receipt per position, one child per parent, one receipt per Run.
create table receipts (
  organization_id text not null,
  org_seq integer not null,
  parent_hash text not null,
  run_id text not null,
  schema text not null,
  receipt_sha256 text not null,
  share_token text not null,
  payload text not null,
  primary key (organization_id, org_seq),
  unique (organization_id, parent_hash),
  -- Run ids grow with time, whatever the organization: new ones go to one end of the index.
  unique (run_id, organization_id)
);
create index receipts_by_share_token on receipts (share_token);
create index receipts_by_schema on receipts (organization_id, schema, org_seq);

-- Where the most recent pin of a model slug stands in the chain; moved in the transaction that mints the pin.
create table model_pins (
  organization_id text not null,
  slug text not null,
  org_seq integer not null,
  primary key (organization_id, slug)
);

-- What is still to be copied or mailed. Rows arrive with their receipt and leave when the work is done. They stand in the
-- order in which they are due, so that those of many organizations arrive and leave side by side.
create table outbox (
  kind text not null,
  next_attempt_at text not null,
  organization_id text not null,
  org_seq integer not null,
  recipient text not null,
  attempts integer not null,
  last_error text,
  primary key (kind, next_attempt_at, organization_id, org_seq, recipient)
) without rowid;

create table idempotency_keys (
  organization_id text not null,
  key_sha256 text not null,
  request_sha256 text not null,
  answer text not null,
  created_at text not null,
  primary key (organization_id, key_sha256)
);
create index idempotency_keys_by_age on idempotency_keys (created_at);
