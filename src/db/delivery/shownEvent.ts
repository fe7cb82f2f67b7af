import type { Sql } from "#src/db/postgres/Database.ts"

/**
 * The event `e` of the session `s` as its app may see it now. For the operational log, `s` is null. Only events with
 * scores need a second step, so the others remain one inlined expression.
 */
export const shownEvent = (sql: Sql) => sql`
  case when e.type = 'relationship_score.changed' then event_json(visible_event(e), s.external_user_ref,
    s.character_slug)
  else event_json(e, s.external_user_ref, s.character_slug) end`
