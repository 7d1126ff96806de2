-- Bytes of evidence that lie in object storage, or may: a row is written before they are stored. The same bytes of one Run are
-- one object.
create table evidence_objects (
  organization_id text not null,
  run_id text not null,
  sha256 text not null,
  byte_size integer not null,
  -- 'claimed': no Run names it yet. 'named': evidence of its Run. 'leaving': it is being deleted.
  state text not null,
  claimed_at text not null,
  -- Run ids grow with time, whatever the organization: new ones go to one end of the index.
  primary key (run_id, organization_id, sha256)
) without rowid;
create index evidence_objects_unnamed on evidence_objects (claimed_at) where state <> 'named';

insert into evidence_objects (organization_id, run_id, sha256, byte_size, state, claimed_at)
  select d.organization_id, d.id, json_extract(e.value, '$.sha256'), max(json_extract(e.value, '$.byte_size')), 'named', max(r.created_at)
  from run_documents d
  join runs r on r.organization_id = d.organization_id and r.id = d.id
  join json_each(d.evidence) e
  where json_extract(e.value, '$.stored') = 1
  group by d.organization_id, d.id, json_extract(e.value, '$.sha256');
