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
