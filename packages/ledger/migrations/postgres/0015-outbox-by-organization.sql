-- Organizations take turns at the copies: each one's rows stand together, so that whose turn it is costs one look per organization.
alter table outbox drop constraint outbox_pkey;
alter table outbox add primary key (kind, organization_id, next_attempt_at, org_seq, recipient);
