-- A grant holds for the membership in which it was given: whoever pays anew is granted anew, with a receipt of its own.
create table dataset_grants (
  dataset_id text not null,
  member_id text not null,
  membership_started_at text not null,
  receipt_id text not null,
  object_uri text not null,
  created_at text not null,
  primary key (dataset_id, member_id, membership_started_at)
);
-- One that is older than the membership that runs was given in an earlier one, which nothing names any more.
insert into dataset_grants
  select a.dataset_id, a.member_id,
    case when a.created_at >= m.membership_started_at then m.membership_started_at else a.created_at end,
    a.receipt_id, a.object_uri, a.created_at
  from dataset_access a join members m on m.id = a.member_id;
drop table dataset_access;

-- What the member was granted of the job's datasets when it was created, as its worker is told; null: none.
alter table jobs add column datasets text;
