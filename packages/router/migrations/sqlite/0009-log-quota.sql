-- Bytes of log and of events that a job's workers sent, and since when more was refused; null: it is whole. What was sent before
-- this is not counted.
alter table jobs add column log_bytes integer not null default 0;
alter table jobs add column log_cut_at text;
-- The same of all jobs of a member. A row per member, made with it: it is locked to count.
create table member_logs (
  member_id text not null primary key,
  log_bytes integer not null
);
insert into member_logs select id, 0 from members;
