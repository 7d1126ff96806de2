-- What administrators do: a second chain per organization, of the same kind. The head is locked last by every act, and moved by compare-and-swap.
-- An organization that is older has an empty chain, which begins with its next act.
create table activity_chains (
  organization_id text not null primary key,
  org_seq integer not null,
  receipt_sha256 text not null,
  -- The Merkle tree over the chain: as chains.peaks.
  peaks text not null
);
insert into activity_chains (organization_id, org_seq, receipt_sha256, peaks)
  select organization_id, -1, '0000000000000000000000000000000000000000000000000000000000000000', '' from organizations;

create table activity (
  organization_id text not null,
  org_seq integer not null,
  parent_hash text not null,
  receipt_sha256 text not null,
  kind text not null,
  -- Who acted.
  by_id text not null,
  payload text not null,
  primary key (organization_id, org_seq),
  unique (organization_id, parent_hash)
);
create index activity_by_kind on activity (organization_id, kind, org_seq);
create index activity_by_actor on activity (organization_id, by_id, org_seq);
create index activity_by_kind_and_actor on activity (organization_id, kind, by_id, org_seq);
