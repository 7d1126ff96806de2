-- Nothing to do here: text is stored as it is.
select 1;
