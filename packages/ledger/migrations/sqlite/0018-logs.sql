-- The Merkle tree over an organization's receipts: the roots of its complete subtrees, the largest first, in base64. Null: the chain is
-- older than its tree and is taken in by ./rcpt migrate, or by the ledger beside its work.
alter table chains add column peaks text;
update chains set peaks = '' where org_seq = -1;

-- A key per organization. The private half is encrypted under the master key, which stands outside the database.
create table log_keys (
  organization_id text not null,
  generation integer not null,
  -- The name of the log, which is the name of its key.
  origin text not null,
  public_key text not null,
  sealed_private_key text not null,
  created_at text not null,
  -- Signed by this key and by the one before it. Null: there was none.
  succession text,
  primary key (organization_id, generation)
);

-- The last signed checkpoint of each log: replaced by compare-and-swap, before anybody is shown the new one.
create table log_ends (
  organization_id text not null,
  log text not null,
  size integer not null,
  peaks text not null,
  -- The hashes of the entries behind the last full tile, so that no proof reads entries.
  edge text not null,
  checkpoint text not null,
  signed_at text not null,
  primary key (organization_id, log)
);

-- The last of each day stays.
create table log_checkpoints (
  organization_id text not null,
  log text not null,
  day text not null,
  size integer not null,
  checkpoint text not null,
  signed_at text not null,
  primary key (organization_id, log, day)
);

-- Full tiles: 256 hashes and the root above them. They follow from the entries, and are kept so that a proof reads a few rows.
create table log_tiles (
  organization_id text not null,
  log text not null,
  level integer not null,
  tile integer not null,
  root text not null,
  hashes text not null,
  primary key (organization_id, log, level, tile)
);
