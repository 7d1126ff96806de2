-- A revoked worker's token is no credential any more; the row stays for what it did.
alter table workers add column revoked_at text;
create index workers_revoked on workers (revoked_at) where revoked_at is not null;
-- The live leases of one worker are counted whenever it asks for another.
drop index jobs_held;
create index jobs_held on jobs (worker_id, id) where status in ('leased', 'running');
