-- By which a person stands in receipts, in public: never by their mailbox. Null until they have chosen it.
alter table people add column public_name text;

-- What was checked and approved before may name a mailbox, and does not say who decided: what is not sealed yet goes back to
-- its execution, is checked and approved anew. What is sealed or rejected is final and stays as it is.
update run_documents set checks = null, price = null, approval = null, approved_block = null, approved_sha256 = null,
  stages = (select json_group_array(json(value)) from json_each(run_documents.stages)
    where json_extract(value, '$.stage') in ('Inputs', 'Evidence', 'Execution'))
  where exists (select 1 from runs r where r.organization_id = run_documents.organization_id and r.id = run_documents.id
    and (r.stage in ('Checks', 'Verdict') or (r.stage = 'Approval' and run_documents.approved_block is not null)));
update runs set stage = 'Execution', verdict = null
  where stage in ('Checks', 'Verdict') or (stage = 'Approval' and exists (select 1 from run_documents d
    where d.organization_id = runs.organization_id and d.id = runs.id and d.checks is null));
