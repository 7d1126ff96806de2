-- What ended since some instant, for the history and for nothing else: jobs arrive at its end, once, when they end.
create index jobs_finished on jobs (actual_finished_at, id) where actual_finished_at is not null;
