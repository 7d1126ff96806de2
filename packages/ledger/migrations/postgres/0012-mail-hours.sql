-- How many receipt mails are booked for which hour: of an organization, to a mailbox, and of the one to the other. The row of the
-- hour '' counts none; who books holds it.
create table mail_hours (
  whose_sha256 text not null,
  hour text not null,
  mails bigint not null,
  primary key (whose_sha256, hour)
);
