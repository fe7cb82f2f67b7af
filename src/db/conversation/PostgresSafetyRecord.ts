import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { dangerIn } from "#pipeline/safety/crisis.ts"
import { REMINDED } from "#pipeline/safety/judge.ts"
import { type Recorded, SafetyRecord } from "#pipeline/safety/SafetyRecord.ts"
import { Database } from "#src/db/postgres/Database.ts"
import { untilReachable } from "#src/db/postgres/retry.ts"

/** The number of turns, including the current one, in which crossed boundaries are counted. */
const COUNTED_TURNS = 10
/** How often a minor is reminded in an ongoing conversation (California SB 243). */
const REMINDED_EVERY = "3 hours"
/** Messages within this time, also in different sessions, count as one ongoing conversation. */
const GOES_ON = "6 hours"
/** How many turns to search for a crisis or a reminder. Nobody takes more turns in a day. */
const CRISIS_TURNS = 1_000

/** The clock of the stages, which may differ from the database's clock. */
const now = Effect.map(Clock.currentTimeMillis, (millis) => new Date(millis).toISOString())

/**
 * The decisions of the safety stage (`verdictName`) and the grounding stage (the intent), from the trace. Rules check
 * the messages that wait.
 */
export const layer = Layer.effect(
  SafetyRecord,
  Effect.gen(function* () {
    const { query } = yield* Database
    return {
      before: ({ appId, sessionId, turnIndex }) =>
        Effect.flatMap(now, (now) =>
          query<Array<Recorded & { readonly waiting: ReadonlyArray<string> }>>(
            (sql) => sql`
      select count(distinct turn_index) filter (where stage = 'safety'
        and turn_index > ${turnIndex - COUNTED_TURNS}::int and decision like '%+boundary%')::int as boundaries,
        coalesce(bool_or(decision like 'crisis%'
          and started_at > ${now}::timestamptz - interval '24 hours'), false) as crisis,
        coalesce((
          select json_agg(e.payload ->> 'text') from turns t join events e using (app_id, session_id, cursor)
          where t.app_id = ${appId} and t.session_id =
            ${sessionId} and t.outcome is null and t.turn_index > ${turnIndex}::int
        ), '[]'::json) as waiting
      from turn_stages
      where app_id = ${appId} and session_id =
        ${sessionId} and turn_index < ${turnIndex}::int
          and turn_index > ${turnIndex - CRISIS_TURNS}::int and stage in ('safety', 'grounding')`
          )
        ).pipe(
          Effect.map(([recorded]) => ({
            boundaries: recorded?.boundaries ?? 0,
            crisis: recorded?.crisis === true || recorded?.waiting.some((text) => dangerIn(text) !== null) === true
          })),
          untilReachable,
          Effect.orDie
        ),
      reminderDue: ({ appId, sessionId, turnIndex }) =>
        Effect.flatMap(now, (now) =>
          query<Array<{ due: boolean }>>((sql) => {
            const since = (time: string) => sql`${now}::timestamptz - ${time}::interval`
            return sql`
        with theirs as (
          select o.session_id, o.created_at from sessions s join sessions o using (app_id, external_user_ref)
            join session_logs l on l.app_id = o.app_id and l.session_id = o.session_id
          where s.app_id = ${appId} and s.session_id =
            ${sessionId} and (o.session_id = s.session_id or l.last_user_at > ${since(GOES_ON)})
        ), lately as (
          select t.* from theirs cross join lateral (
            select session_id, turn_index, outcome, accepted_at from turns
              where app_id = ${appId} and session_id = theirs.session_id order by turn_index desc
                limit ${CRISIS_TURNS}::int
          ) t where t.session_id <> ${sessionId} or t.turn_index < ${turnIndex}::int
        )
        select (
          exists (select from theirs where session_id = ${sessionId} and created_at <= ${since(REMINDED_EVERY)})
          or exists (select from lately where accepted_at >
            ${since(GOES_ON)} and accepted_at <= ${since(REMINDED_EVERY)})
        ) and not exists (
          select from lately join turn_stages g on g.app_id =
            ${appId} and g.session_id = lately.session_id and g.turn_index = lately.turn_index
          where lately.outcome = 'replied' and g.stage = 'safety'
            and g.decision like ${`%${REMINDED}`} and g.started_at > ${since(REMINDED_EVERY)}
        ) as due`
          })
        ).pipe(
          Effect.map(([row]) => row?.due === true),
          untilReachable,
          Effect.orDie
        ),
      isMinor: ({ appId, endUser: { externalUserRef } }) =>
        query(
          (sql) => sql`
      update end_users set age_band = 'minor'
        where app_id = ${appId} and external_user_ref = ${externalUserRef} and age_band <> 'minor'`
        ).pipe(untilReachable, Effect.orDie, Effect.asVoid),
      isMinorCharacter: ({ appId, character: { slug }, endUser: { externalUserRef } }) =>
        query(
          (sql) => sql`
      update end_users set minor_characters = array_append(minor_characters, ${slug})
      where app_id = ${appId} and external_user_ref = ${externalUserRef} and not ${slug} = any(minor_characters)`
        ).pipe(untilReachable, Effect.orDie, Effect.asVoid)
    }
  })
)
