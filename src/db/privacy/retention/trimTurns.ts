import type * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { addToDayModels } from "#src/db/billing/ledgerDays.ts"
import type { Database } from "#src/db/postgres/Database.ts"
import { isNotShadow } from "#src/db/tenancy/shadow.ts"

const SESSIONS_PER_STEP = 200
/** Turns per transaction, each with about a dozen stages. */
const TURNS_PER_STEP = 50
/** The last turns of a session always stay: stages look that far back for what was said and what was decided. */
const LAST_TURNS = 20

interface Place {
  readonly app_id: string
  readonly session_id: string
}

/**
 * Deletes closed turns from the beginning of each session, with their stages and the decisions to write first. A turn
 * stays while it or an earlier one is open or not read for memories, while an event of it is to be delivered, and while
 * a scheduled message may try again after it. The key of its send stays in sent_keys, and what its models have used in
 * the books. Nothing that a send needs is locked.
 */
export const makeTrimTurns = ({ query, transaction }: Context.Service.Shape<typeof Database>) => {
  const step = Effect.fnUntraced(function* (age: Duration.Duration, after: Place) {
    yield* query((sql) => sql`select pg_advisory_xact_lock(hashtext('retention'))`)
    const scope = yield* query<Array<Place>>(
      (sql) => sql`
      select app_id, session_id from session_logs
        where ${isNotShadow(sql)} and (app_id, session_id) > (${after.app_id}, ${after.session_id})
      order by app_id, session_id limit ${SESSIONS_PER_STEP}::int`
    )
    const [cut] = yield* query<Array<{ turns: number; decisions: number }>>((sql) => {
      const past = sql`now() - ${Duration.toSeconds(age)}::bigint * interval '1 second'`
      return sql`
      with scope as materialized (
        select l.app_id, l.session_id, l.turn_count, l.last_cursor, coalesce(r.read_turn, 0) as read_turn, (
          select min(x.position) from lanes x join channels c using (app_id, channel_id)
          where x.app_id = l.app_id and x.session_id = l.session_id and x.position < l.last_cursor
            and c.status not in ('disabled', 'deleted')
        ) as delivered, (
          select min(t.turn_index) from turns t
          where t.app_id = l.app_id and t.session_id = l.session_id and t.outcome is null
        ) as first_open
        from session_logs l left join relationships r using (app_id, session_id)
        where (l.app_id, l.session_id) in (select *
          from unnest(${scope.map((row) => row.app_id)}::text[], ${scope.map((row) => row.session_id)}::text[]))
      ), waiting as materialized (
        select distinct s.app_id, s.session_id, e.trace_id
        from scope s join events e using (app_id, session_id) where e.cursor > s.delivered
      ), old as materialized (
        select t.app_id, t.session_id, t.turn_index from scope s cross join lateral (
          select t.app_id, t.session_id, t.turn_index, t.run_ref from turns t
          where t.app_id = s.app_id and t.session_id = s.session_id
            and t.turn_index < least(s.first_open, s.read_turn + 1, s.turn_count - ${LAST_TURNS}::int + 1)
            and t.outcome is not null and t.reading_hold_micro_usd = 0 and t.settled_at < ${past}
            and t.settled_at < (select up_to from rollups where name = 'usage')
          order by t.turn_index limit ${TURNS_PER_STEP}::int
        ) t
        where not exists (select from waiting w where w.app_id = t.app_id and w.session_id = t.session_id
            and w.trace_id = t.run_ref)
          and not exists (select from scheduled_messages m where m.app_id = t.app_id and m.session_id = t.session_id
            and m.turn_index = t.turn_index and m.until > now())
        limit ${TURNS_PER_STEP}::int
      ), gone as (
        delete from turns t using old o
        where t.app_id = o.app_id and t.session_id = o.session_id and t.turn_index = o.turn_index
        returning t.app_id, t.session_id, t.turn_index, t.settled_at, t.client_message_id, t.cursor, t.run_ref,
          t.reply_mode
      ), keys as (
        insert into sent_keys (app_id, session_id, client_message_id, cursor, turn_index, run_ref, reply_mode)
        select app_id, session_id, client_message_id, cursor, turn_index, run_ref, reply_mode from gone
          where client_message_id is not null on conflict do nothing
      ), released as (
        select l.app_id, l.at, l.session_id, l.turn_index, l.activity, l.entry
        from gone g join ledger l on l.app_id = g.app_id and l.at = g.settled_at and l.session_id = g.session_id
          and l.turn_index = g.turn_index and l.entry = 'release'
      ), booked as (
        ${addToDayModels(sql, "released")}
      ), stages as (
        delete from turn_stages s using gone g
        where s.app_id = g.app_id and s.session_id = g.session_id and s.turn_index = g.turn_index
      ), undecided as materialized (
        select d.ctid as at_place from scope s cross join lateral (
          select ctid, d.at, d.turn_index from proactive_decisions d
          where d.app_id = s.app_id and d.session_id = s.session_id order by d.decision_id limit ${TURNS_PER_STEP}::int
        ) d
        where d.at < ${past} and (d.turn_index is null or not exists (select from turns t where t.app_id = s.app_id
          and t.session_id = s.session_id and t.turn_index = d.turn_index))
        limit ${TURNS_PER_STEP}::int
      ), decisions as (
        delete from proactive_decisions where ctid = any(array(select at_place from undecided)) returning 1
      )
      select (select count(*)::int from gone) as turns, (select count(*)::int from decisions) as decisions`
    })
    const isFull = cut?.turns === TURNS_PER_STEP || cut?.decisions === TURNS_PER_STEP
    return isFull ? after : scope.at(-1)
  }, transaction)

  return Effect.fnUntraced(function* (age: Duration.Duration) {
    let place: Place | undefined = { app_id: "", session_id: "" }
    while (place !== undefined) place = yield* step(age, place)
  })
}
