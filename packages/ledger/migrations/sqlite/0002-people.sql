-- People, who may belong to several organizations, and their sign-in. Only memberships belong to one organization; the
-- other tables are the service's own. Secrets are stored as SHA-256, but for the one that signs cookies.

create table people (
  id text not null primary key,
  -- In lower case: one mailbox is one person.
  email text not null unique,
  created_at text not null,
  updated_at text not null
);

create table memberships (
  organization_id text not null,
  person_id text not null,
  role text not null,
  invited_by text not null,
  invited_at text not null,
  -- Null until the person has signed in.
  joined_at text,
  primary key (organization_id, person_id)
);
create index memberships_by_person on memberships (person_id, organization_id);

create table sessions (
  id text not null primary key,
  token_sha256 text not null unique,
  person_id text not null,
  -- Where the person works just now; null: any of theirs.
  organization_id text,
  expires_at text not null,
  created_at text not null,
  updated_at text not null
);
create index sessions_by_person on sessions (person_id);
create index sessions_by_expiry on sessions (expires_at);

-- A row leaves with the first use of its link.
create table sign_in_links (
  id text not null primary key,
  -- Holds the SHA-256 of the link's token.
  identifier text not null,
  value text not null,
  expires_at text not null,
  created_at text not null,
  updated_at text not null
);
create index sign_in_links_by_identifier on sign_in_links (identifier);
create index sign_in_links_by_expiry on sign_in_links (expires_at);

-- What was lately mailed or asked for, so that no mailbox is flooded. Also of mailboxes that nobody knows.
create table mailbox_requests (
  id text not null primary key,
  mailbox_sha256 text not null,
  requested_at text not null
);
create index mailbox_requests_by_mailbox on mailbox_requests (mailbox_sha256, requested_at);
create index mailbox_requests_by_age on mailbox_requests (requested_at);

-- Made once by the first process that needs one, the same for all.
create table service_secrets (
  name text not null primary key,
  secret text not null,
  created_at text not null
);
