-- What a worker did is found through its jobs (store/fleet.ts). An index of all events by worker changed another page for every
-- worker with every commit: two thirds of all that was written.
drop index job_events_by_worker;
drop index job_events_expired;
create index job_events_expired on job_events (worker_id, id) where event_type = 'lease_expired';
drop index jobs_finished;
create index jobs_finished on jobs (actual_finished_at, id, worker_id) where actual_finished_at is not null;
