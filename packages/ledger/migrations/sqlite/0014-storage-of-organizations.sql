-- Bytes that an organization stores with us: these objects, and what its Runs and flight sheets were sent. And how many it may,
-- where that is not the setting of the ledger (0: without end).
alter table organizations add column storage_used_bytes integer not null default 0;
alter table organizations add column storage_limit_bytes integer;
update organizations set storage_used_bytes =
  (select coalesce(sum(o.byte_size), 0) from evidence_objects o where o.organization_id = organizations.organization_id)
  + (select coalesce(sum(octet_length(d.inputs) + coalesce(octet_length(d.execution), 0)), 0)
    from run_documents d where d.organization_id = organizations.organization_id)
  + (select coalesce(sum(octet_length(f.sheet)), 0) from flight_sheets f where f.organization_id = organizations.organization_id);
