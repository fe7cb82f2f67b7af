import type { Sql } from "#src/db/postgres/Database.ts"

/**
 * The event `e` of the session `s` as its app may see it now; of the operational log, `s` is null.
 * Only events with scores are looked at a second time: the others stay one inlined expression.
 */
export const shownEvent = (sql: Sql) => sql`
  case when e.type = 'relationship_score.changed' then event_json(visible_event(e), s.external_user_ref,
    s.character_slug)
  else event_json(e, s.external_user_ref, s.character_slug) end`
