-- What stays reserved of a turn after its end for the memory extraction by a model. It is released once that is done.
alter table turns add column reading_hold_micro_usd bigint not null default 0;
create index turns_reading_hold on turns (app_id) where outcome is not null and reading_hold_micro_usd > 0;

-- Whether the price of a stage's model is unknown: then its booked cost is an assumption.
alter table turn_stages add column unpriced boolean;

-- Pictures that an entry pays for or gives back: a picture may be free. Null: an older entry, where the sign of its
-- amount tells.
alter table ledger add column pictures smallint;

-- How much of a prompt a version can take up, without what only the offline engine reads and what prompts cut to a
-- fixed length.
alter table character_versions add column prompt_bytes int not null generated always as (
  octet_length(((profile #- array['world_context', 'entries'])
    - array['offline_lines', 'fallback_lines', 'greeting', 'voice_samples', 'example_dialogues'])::text)
) stored;

-- The event as its app may see it now: scores that were logged while the app had opted in are masked once it has opted
-- out.
create function visible_event(e events) returns events language sql stable return
  case when exists (select from apps a where a.app_id = e.app_id and a.expose_relational_numerics) then e
  else json_populate_record(
    e, '{"payload":{"relationship_scores":[],"score_scale":{"min":0,"max":1},"redacted":true}}'
  ) end;
