-- Bytes of evidence that lie in object storage, or may: a row is written before they are stored. The same bytes of one Run are
-- one object.
create table evidence_objects (
  organization_id text not null,
  run_id text not null,
  sha256 text not null,
  byte_size bigint not null,
  -- 'claimed': no Run names it yet. 'named': evidence of its Run. 'leaving': it is being deleted.
  state text not null,
  claimed_at text not null,
  -- Run ids grow with time, whatever the organization: new ones go to one end of the index.
  primary key (run_id, organization_id, sha256)
);
create index evidence_objects_unnamed on evidence_objects (claimed_at) where state <> 'named';

insert into evidence_objects (organization_id, run_id, sha256, byte_size, state, claimed_at)
  select d.organization_id, d.id, e.value ->> 'sha256', max((e.value ->> 'byte_size')::bigint), 'named', max(r.created_at)
  from run_documents d
  join runs r on r.organization_id = d.organization_id and r.id = d.id
  cross join lateral json_array_elements(d.evidence::json) e
  where (e.value ->> 'stored')::boolean
  group by d.organization_id, d.id, e.value ->> 'sha256';

-- Bytes that an organization stores with us: these objects, and what its Runs and flight sheets were sent. And how many it may,
-- where that is not the setting of the ledger (0: without end).
alter table organizations add column storage_used_bytes bigint not null default 0;
alter table organizations add column storage_limit_bytes bigint;
update organizations set storage_used_bytes =
  (select coalesce(sum(o.byte_size), 0) from evidence_objects o where o.organization_id = organizations.organization_id)
  + (select coalesce(sum(octet_length(d.inputs) + coalesce(octet_length(d.execution), 0)), 0)
    from run_documents d where d.organization_id = organizations.organization_id)
  + (select coalesce(sum(octet_length(f.sheet)), 0) from flight_sheets f where f.organization_id = organizations.organization_id);
