-- outside a transaction
-- compatible with 0045
create index concurrently if not exists events_feed on events (app_id, feed_position, session_id, cursor);
