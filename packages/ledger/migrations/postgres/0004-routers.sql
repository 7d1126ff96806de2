-- The compute router an organization's calls under /router go to. No row: none.
create table organization_routers (
  organization_id text not null primary key,
  url text not null,
  changed_at text not null
);
