import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { crisisIn } from "#pipeline/safety/crisis.ts"
import { REMINDED } from "#pipeline/safety/judge.ts"
import { type Recorded, SafetyRecord } from "#pipeline/safety/SafetyRecord.ts"
import { Database } from "./Database.ts"
import { untilReachable } from "./retry.ts"

/** Turns within which boundaries are counted, with the present one. */
const COUNTED_TURNS = 10
/** How often somebody under age is reminded in a conversation that goes on (California SB 243). */
const REMINDED_EVERY = "3 hours"
/** How far back a crisis is looked for; nobody takes more turns in a day. */
const CRISIS_TURNS = 1_000

/** By the clock that stages are timed by, which may be another than the database's. */
const now = Effect.map(Clock.currentTimeMillis, (millis) => new Date(millis).toISOString())

/** What safety (`verdictName`) and grounding (the intent) decided, as the trace has it; and the rules on what waits. */
export const layer = Layer.effect(SafetyRecord, Effect.gen(function*() {
  const { query } = yield* Database
  return {
    before: ({ appId, sessionId, turnIndex }) => Effect.flatMap(now, (now) => query<Array<Recorded & { readonly waiting: ReadonlyArray<string> }>>((sql) => sql`
      select count(distinct turn_index) filter (where stage = 'safety' and turn_index > ${turnIndex - COUNTED_TURNS}::int and decision like '%+boundary%')::int as boundaries,
        coalesce(bool_or(decision like 'crisis%' and started_at > ${now}::timestamptz - interval '24 hours'), false) as crisis,
        coalesce((
          select json_agg(e.payload ->> 'text') from turns t join events e using (app_id, session_id, cursor)
          where t.app_id = ${appId} and t.session_id = ${sessionId} and t.outcome is null and t.turn_index > ${turnIndex}::int
        ), '[]'::json) as waiting
      from turn_stages
      where app_id = ${appId} and session_id = ${sessionId} and turn_index < ${turnIndex}::int and turn_index > ${turnIndex - CRISIS_TURNS}::int and stage in ('safety', 'grounding')`)).pipe(
      Effect.map(([recorded]) => ({ boundaries: recorded?.boundaries ?? 0, crisis: recorded?.crisis === true || recorded?.waiting.some((text) => crisisIn(text) === "crisis") === true })),
      untilReachable,
      Effect.orDie
    ),
    reminderDue: ({ appId, sessionId, turnIndex }) => Effect.flatMap(now, (now) => query<Array<{ due: boolean }>>((sql) => sql`
      select s.created_at <= ${now}::timestamptz - ${REMINDED_EVERY}::interval and not exists (
        select from turns t join turn_stages g using (app_id, session_id, turn_index)
        where t.app_id = s.app_id and t.session_id = s.session_id and t.turn_index < ${turnIndex}::int and t.turn_index > ${turnIndex - CRISIS_TURNS}::int
          and t.outcome = 'replied' and g.stage = 'safety' and g.decision like ${`%${REMINDED}`} and g.started_at > ${now}::timestamptz - ${REMINDED_EVERY}::interval
      ) as due
      from sessions s where s.app_id = ${appId} and s.session_id = ${sessionId}`)).pipe(Effect.map(([row]) => row?.due === true), untilReachable, Effect.orDie)
  }
}))
