-- What an approval fixed: SHA-256 of approved_block, which from now on is canonical JSON. The mint compares them again.
alter table run_documents add column approved_sha256 text;
