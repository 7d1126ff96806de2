-- By which a person stands in receipts, in public: never by their mailbox. Null until they have chosen it.
alter table people add column public_name text;

-- What was checked and approved before may name a mailbox, and does not say who decided: what is not sealed yet goes back to
-- its execution, is checked and approved anew. What is sealed or rejected is final and stays as it is.
update run_documents d set checks = null, price = null, approval = null, approved_block = null, approved_sha256 = null,
  stages = (select json_agg(mark order by place)::text from json_array_elements(d.stages::json) with ordinality as marks (mark, place)
    where mark ->> 'stage' in ('Inputs', 'Evidence', 'Execution'))
  from runs r where r.organization_id = d.organization_id and r.id = d.id
    and (r.stage in ('Checks', 'Verdict') or (r.stage = 'Approval' and d.approved_block is not null));
update runs r set stage = 'Execution', verdict = null
  where stage in ('Checks', 'Verdict') or (stage = 'Approval' and exists (select 1 from run_documents d
    where d.organization_id = r.organization_id and d.id = r.id and d.checks is null));
