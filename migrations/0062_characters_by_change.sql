-- outside a transaction
-- compatible with 0045
-- The operator's list of characters shows when each was changed, and is in this order.
create index concurrently if not exists characters_by_change on characters (updated_at, app_id, slug);
