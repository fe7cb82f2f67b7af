-- The event as every reader gets it, with the end-user and the character of its session in source_ref. The app's
-- operational log has neither.
drop function event_json(events);
create function event_json(e events, external_user_ref text, character_slug text) returns text
language sql stable return
  '{"id":"' || e.id || '","schema_version":"1","cursor":' || e.cursor || ',"session_id":"' || e.session_id
  || '","type":"' || e.type || '","event_type":"' || e.type || '","role":"' || e.role || '","trace_id":"' || e.trace_id
  || '","created_at":"' || to_char(e.created_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
  || '","payload":' || e.payload
  || ',"source_ref":{"kind":"' || e.source_kind || '"'
  || case when e.source_id is null then '' else ',"id":' || to_json(e.source_id) end
  || case when character_slug is null then ''
    else ',"external_user_ref":' || to_json(external_user_ref) || ',"character_slug":' || to_json(character_slug)
    end
  || '}}';
