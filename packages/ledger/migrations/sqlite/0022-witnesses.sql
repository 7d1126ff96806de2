-- Whom an organization asks to cosign its checkpoints. A key stands here once: under two names it would count twice.
create table witnesses (
  organization_id text not null,
  id text not null,
  name text not null,
  url text not null,
  verifier_key text not null,
  public_key text not null,
  created_at text not null,
  primary key (organization_id, id),
  unique (organization_id, public_key)
);

-- How it stands between a witness and a log. What is due follows from this and from log_ends.
create table witness_logs (
  organization_id text not null,
  witness_id text not null,
  log text not null,
  -- How many entries it has cosigned, as far as it has told us.
  known_size integer not null,
  cosigned_size integer,
  cosigned_at text,
  state text not null,
  reason text,
  failures integer not null,
  next_attempt_at text not null,
  primary key (organization_id, witness_id, log)
);

-- Checkpoints that witnesses have cosigned: of each number of cosignatures the newest.
create table cosigned_checkpoints (
  organization_id text not null,
  log text not null,
  size integer not null,
  checkpoint text not null,
  primary key (organization_id, log, size)
);

create table cosignatures (
  organization_id text not null,
  log text not null,
  size integer not null,
  witness_id text not null,
  line text not null,
  primary key (organization_id, log, size, witness_id)
);
