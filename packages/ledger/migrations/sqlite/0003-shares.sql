-- Public links that somebody switched: a receipt without a row here is shared. Kept apart from the receipts, whose rows
-- nobody changes.
create table shares (
  organization_id text not null,
  org_seq integer not null,
  enabled integer not null,
  changed_at text not null,
  changed_by text not null,
  primary key (organization_id, org_seq)
);
