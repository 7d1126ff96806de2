-- Whoever reads receipts sees who switched a link: a person's id where that was their mailbox.
update shares set changed_by = (select id from people where email = changed_by)
  where exists (select 1 from people where email = changed_by);
