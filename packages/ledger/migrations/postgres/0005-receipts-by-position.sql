-- Across many organizations each mint changed a page of its own in this index. Receipts of one schema are found among the
-- newest of the chain, by the chain's own key.
drop index receipts_by_schema;
