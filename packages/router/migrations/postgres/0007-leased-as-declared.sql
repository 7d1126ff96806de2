-- A revoked worker's token is no credential any more; the row stays for what it did.
alter table workers add column revoked_at text;
create index workers_revoked on workers (revoked_at) where revoked_at is not null;
-- The live leases of a worker that declared a limit are counted among all that are held (jobs_held): an index by worker would
-- be written at another place by every lease, which cost 4 % of all leases, limited or not.
