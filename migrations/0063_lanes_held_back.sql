-- outside a transaction
-- compatible with 0045
-- Waiting lanes that lanes_retrying does not hold: those whose failures do not count, and those that were retried
-- early.
create index concurrently if not exists lanes_held_back on lanes (app_id, channel_id, due_at)
  where status = 'waiting' and (failures = 0 or planned_at is not null);
