import type * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type { Database } from "#src/db/postgres/Database.ts"
import { isNotShadow } from "#src/db/tenancy/shadow.ts"

/** Logs checked per transaction. They are locked for its duration. */
const SESSIONS_PER_STEP = 200
/** Events of one log deleted per transaction. */
const EVENTS_PER_STEP = 1000

interface LastTrimmed {
  readonly app_id: string
  readonly session_id: string
}

/**
 * Deletes from the beginning of a log up to the first event that is recent enough, that a lane still has to deliver, or
 * that an open turn refers to. Logs of evals are skipped: their clock may be years behind, and their sessions are
 * deleted with the run.
 */
export const makeTrimLogs = ({ query, transaction }: Context.Service.Shape<typeof Database>) => {
  const trim = Effect.fnUntraced(function* (age: Duration.Duration, after: LastTrimmed) {
    const scope = yield* query<Array<LastTrimmed>>(
      (sql) => sql`
  select app_id, session_id from session_logs
    where ${isNotShadow(sql)} and (app_id, session_id) > (${after.app_id}, ${after.session_id})
  order by app_id, session_id limit ${SESSIONS_PER_STEP}::int for no key update`
    )
    const [cut] = yield* query<Array<{ more: boolean }>>(
      (sql) => sql`
  with bound as (
    select l.app_id, l.session_id, l.kept_after, least(
      (select e.cursor from events e where e.app_id = l.app_id and e.session_id = l.session_id
        and e.cursor <= l.kept_after + ${EVENTS_PER_STEP}::int
        and e.created_at < now() - ${Duration.toSeconds(age)}::bigint * interval '1 second'
          order by e.cursor desc limit 1),
      (select min(x.position) from lanes x join channels c using (app_id, channel_id)
        where x.app_id = l.app_id and x.session_id = l.session_id and c.status not in ('disabled', 'deleted')),
      (select t.cursor - 1 from turns t where t.app_id = l.app_id and t.session_id = l.session_id
        and t.outcome is null order by t.turn_index limit 1)
    ) as last
    from session_logs l
    where (l.app_id, l.session_id) in (select *
      from unnest(${scope.map((row) => row.app_id)}::text[], ${scope.map((row) => row.session_id)}::text[]))
      and exists (select from events e where e.app_id = l.app_id and e.session_id = l.session_id
        and e.cursor = l.kept_after + 1
        and e.created_at < now() - ${Duration.toSeconds(age)}::bigint * interval '1 second')
  ), trimmed as (
    update session_logs l set kept_after = b.last from bound b
    where l.app_id = b.app_id and l.session_id = b.session_id and b.last > b.kept_after
    returning l.app_id, l.session_id, b.kept_after as after, b.last
  ), deleted as (
    delete from events e using trimmed t where e.app_id = t.app_id and e.session_id = t.session_id
      and e.cursor > t.after and e.cursor <= t.last
    returning e.app_id, e.feed_position
  ), noted as (
    insert into feed_trims (app_id, position) select app_id, max(feed_position) from deleted group by app_id
      order by app_id
    on conflict (app_id) do update set position = greatest(feed_trims.position, excluded.position)
  ), forgotten as (
    select b.app_id, b.session_id, max(b.first_doc + (select count(*)::int from unnest(b.cursors) c
      where c <= t.last)) as kept_from
    from trimmed t join memory_blocks b using (app_id, session_id) where b.cursors[1] <= t.last group by 1, 2
  ), unindexed as (
    delete from memory_terms m using forgotten f where m.app_id = f.app_id and m.session_id = f.session_id
      and m.doc < f.kept_from
  ), unblocked as (
    delete from memory_blocks b using trimmed t where b.app_id = t.app_id and b.session_id = t.session_id
      and b.cursors[cardinality(b.cursors)] <= t.last
  ), unembedded as (
    delete from utterance_vectors v using trimmed t where v.app_id = t.app_id and v.session_id = t.session_id
      and v.cursor <= t.last
  )
  select exists (select from trimmed where last = after + ${EVENTS_PER_STEP}::int) as more`
    )
    return cut?.more === true ? after : scope.at(-1)
  }, transaction)
  return Effect.fnUntraced(function* (age: Duration.Duration) {
    let lastTrimmed: LastTrimmed | undefined = { app_id: "", session_id: "" }
    while (lastTrimmed !== undefined) lastTrimmed = yield* trim(age, lastTrimmed)
  })
}
