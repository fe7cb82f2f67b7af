-- compatible with 0001
-- The same functions, with bodies as text. Since the minor releases of November 2026, PostgreSQL adds no column with a
-- default to a table whose row type a function with a parsed body uses.
create or replace function visible_event(e events) returns events language sql stable as $$
  select case when exists (select from apps a where a.app_id = e.app_id and a.expose_relational_numerics) then e
  else json_populate_record(
    e, '{"payload":{"relationship_scores":[],"score_scale":{"min":0,"max":1},"redacted":true}}'
  ) end
$$;
create or replace function event_json(e events, external_user_ref text, character_slug text) returns text
language sql stable as $$
  select '{"id":"' || e.id || '","schema_version":"1","cursor":' || e.cursor || ',"session_id":"' || e.session_id
  || '","type":"' || e.type || '","event_type":"' || e.type || '","role":"' || e.role || '","trace_id":"' || e.trace_id
  || '","created_at":"' || to_char(e.created_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
  || '","payload":' || e.payload
  || ',"source_ref":{"kind":"' || e.source_kind || '"'
  || case when e.source_id is null then '' else ',"id":' || to_json(e.source_id) end
  || case when character_slug is null then ''
    else ',"external_user_ref":' || to_json(external_user_ref) || ',"character_slug":' || to_json(character_slug)
    end
  || '}}'
$$;
