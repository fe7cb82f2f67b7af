-- outside a transaction
-- compatible with 0045
-- Operators look for the few conversations in which somebody was in danger lately.
create index concurrently if not exists turn_stages_crisis on turn_stages (started_at, app_id, session_id)
  where stage in ('safety', 'grounding') and decision like 'crisis%';
