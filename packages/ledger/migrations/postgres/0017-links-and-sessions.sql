-- A link names the person it signs in. Null: it was asked for with a mailbox of no member, and signs in no person. Links that
-- were mailed before are asked for again: they would have run out within fifteen minutes.
drop table sign_in_links;
create table sign_in_links (
  token_sha256 text not null primary key,
  person_id text,
  expires_at text not null
);
create index sign_in_links_by_expiry on sign_in_links (expires_at);

-- A session's cookie is its token, without a signature: no cookie of before is one. The secret that signed them is not needed.
delete from sessions;
drop table service_secrets;
