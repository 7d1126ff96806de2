-- The hour a mail is booked for; null: not yet.
alter table outbox add column booked_hour text;
