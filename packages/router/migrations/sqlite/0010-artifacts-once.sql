-- A worker's report of an artifact is stored once, however often it comes: two at the same time cannot both be stored. Rows of
-- former versions keep null, some of them twice; the same report again is still found by its document.
alter table artifacts add column document_sha256 text;
create unique index artifacts_once on artifacts (job_id, worker_id, document_sha256);
