-- When the person chose to work there. Null: they were invited, and at most landed there because they belonged nowhere else.
alter table memberships add column accepted_at text;
update memberships set accepted_at = joined_at;

-- A session works where its person chose to, or in the one place they had at the sign-in; it falls to no other.
update sessions set organization_id = (select organization_id from memberships m where m.person_id = sessions.person_id)
  where organization_id is null and 1 = (select count(*) from memberships m where m.person_id = sessions.person_id);
