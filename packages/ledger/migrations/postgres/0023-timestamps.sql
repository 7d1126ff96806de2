-- Time stamps of checkpoints by an authority (RFC 3161).
create table timestamps (
  organization_id text not null,
  log text not null,
  -- Of the checkpoint.
  size bigint not null,
  -- What was stamped: the checkpoint as the log alone has signed it.
  checkpoint text not null,
  -- The authority's TimeStampResp, in base64, and the time in it.
  answer text not null,
  stamped_at text not null,
  primary key (organization_id, log, size)
);

-- When a stamp was asked for last: of several processes one asks.
create table timestamp_turns (
  organization_id text not null,
  log text not null,
  asked_at text not null,
  primary key (organization_id, log)
);
