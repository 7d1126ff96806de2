-- What a Run's receipt seals by a digest: paths and salts; once a value was erased, its digest in place of the salt. And the hash of an
-- output that was erased. Null: neither.
alter table run_documents add column commitments text;

-- What stands beside a receipt, where somebody decided on it: what has no row is withheld.
create table disclosures (
  organization_id text not null,
  org_seq bigint not null,
  -- A JSON Pointer of what is private; /output; /evidence/0.
  path text not null,
  -- The link shows it.
  disclosed bigint not null,
  -- An erasure is final. Null: there was none.
  erased_at text,
  erased_by text,
  reason text,
  -- 1: objects and log files may still hold what was erased.
  unfinished bigint not null,
  primary key (organization_id, org_seq, path)
);
create index disclosures_unfinished on disclosures (organization_id, org_seq) where unfinished = 1;

-- The Run that an answer tells of: what is erased of it is told no more.
alter table idempotency_keys add column run_id text;
