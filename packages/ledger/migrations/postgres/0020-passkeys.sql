-- Where approvals are signed with passkeys. `passkey_lanes`: a JSON list of the lanes that `required` means; null for every lane.
alter table organizations add column passkey_approvals text not null default 'off';
alter table organizations add column passkey_lanes text;

-- Public keys only. A person enrols for each organization by itself: its activity records each key. A row stays when its passkey is removed.
create table passkeys (
  organization_id text not null,
  id text not null,
  person_id text not null,
  credential_id text not null,
  public_key_pem text not null,
  algorithm text not null,
  transports text not null,
  name text not null,
  -- As of the last signature. 0: the authenticator does not count.
  sign_count bigint not null,
  created_at text not null,
  last_used_at text,
  removed_at text,
  primary key (organization_id, id),
  unique (organization_id, credential_id)
);
create index passkeys_by_person on passkeys (organization_id, person_id, id);

-- What a session was asked to sign. A row leaves with its use, or when it has run out.
create table passkey_challenges (
  organization_id text not null,
  session_id text not null,
  -- As the browser is given it: base64url.
  challenge text not null,
  -- Whose approval it is; '' to enrol.
  run_id text not null,
  -- What the approval would fix: the instant, and the note by its SHA-256.
  approved_at text not null,
  note_sha256 text not null,
  expires_at text not null,
  primary key (organization_id, session_id, run_id, challenge)
);
create index passkey_challenges_by_expiry on passkey_challenges (expires_at);

-- The signature beside an approval, whole: it is checked without the row of its passkey.
create table approval_signatures (
  organization_id text not null,
  run_id text not null,
  approved_sha256 text not null,
  client_data_json text not null,
  authenticator_data text not null,
  signature text not null,
  public_key_pem text not null,
  credential_id text not null,
  approver_id text not null,
  approver_name text not null,
  -- Of what no two signatures have in common: one that was used is not used again.
  replay_sha256 text not null,
  primary key (organization_id, run_id),
  unique (organization_id, replay_sha256)
);
