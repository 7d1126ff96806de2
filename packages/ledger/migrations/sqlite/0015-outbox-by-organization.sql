-- Organizations take turns at the copies: each one's rows stand together, so that whose turn it is costs one look per organization.
create table outbox_by_organization (
  kind text not null,
  organization_id text not null,
  next_attempt_at text not null,
  org_seq integer not null,
  recipient text not null,
  attempts integer not null,
  last_error text,
  primary key (kind, organization_id, next_attempt_at, org_seq, recipient)
) without rowid;

insert into outbox_by_organization (kind, organization_id, next_attempt_at, org_seq, recipient, attempts, last_error)
  select kind, organization_id, next_attempt_at, org_seq, recipient, attempts, last_error from outbox;
drop table outbox;
alter table outbox_by_organization rename to outbox;
