-- What the ledger refused for good is not sent again before a person says so; null: it was not refused.
alter table bridge_outbox add column refusal text;
-- Evidence that the ledger did not take, as a JSON list of sentences; null: it took all.
alter table bridge_outbox add column left_out text;
drop index bridge_due;
create index bridge_due on bridge_outbox (next_attempt_at) where stage <> 'done' and refusal is null;
create index bridge_refused on bridge_outbox (job_id) where refusal is not null;
