-- What a Run was given and what came of it stands apart from the row that every stage and the mint change: a mint rewrites
-- some three hundred bytes, and the Runs of one commit lie side by side.
create table run_documents (
  organization_id text not null,
  id text not null,
  -- As each stage before the last was reached; the last is the receipt's: runs.minted_by, at runs.updated_at.
  stages text not null,
  inputs text not null,
  -- E-mail addresses that are sent the receipt.
  notify text not null,
  agent_profile text,
  evidence text not null,
  execution text,
  checks text,
  assignment text,
  approval text,
  -- What was approved, to the byte: the lane's blocks as they will be sealed.
  approved_block text,
  -- Run ids grow with time, whatever the organization: new ones go to one end of the index.
  primary key (id, organization_id)
);
insert into run_documents (organization_id, id, stages, inputs, notify, agent_profile, evidence, execution, checks, assignment, approval,
  approved_block)
  select organization_id, id, stages, inputs, notify, agent_profile, evidence, execution, checks, assignment, approval,
  approved_block from runs;

create table runs_lighter (
  organization_id text not null,
  id text not null,
  lane text not null,
  title text not null,
  stage text not null,
  executed_by text,
  verdict text,
  receipt_id text,
  -- Who minted the receipt. Null as well where that stands in the Run's stages, as it did before.
  minted_by text,
  created_at text not null,
  updated_at text not null,
  primary key (organization_id, id)
);
insert into runs_lighter (organization_id, id, lane, title, stage, executed_by, verdict, receipt_id, created_at, updated_at)
  select organization_id, id, lane, title, stage, executed_by, verdict, receipt_id, created_at, updated_at from runs;
drop table runs;
alter table runs_lighter rename to runs;
create index runs_by_lane on runs (organization_id, lane, id);
create index runs_unfinished on runs (organization_id, stage, id) where stage <> 'Receipt';
