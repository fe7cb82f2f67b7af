import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { type Recorded, SafetyRecord } from "#pipeline/safety/SafetyRecord.ts"
import { Database } from "./Database.ts"
import { untilReachable } from "./retry.ts"

/** Turns within which boundaries are counted, with the present one. */
const COUNTED_TURNS = 10
/** How far back a crisis is looked for; nobody takes more turns in a day. */
const CRISIS_TURNS = 1_000

/** What the safety stage decided, as the trace has it (`verdictName`). */
export const layer = Layer.effect(SafetyRecord, Effect.gen(function*() {
  const { query } = yield* Database
  return {
    before: ({ appId, sessionId, turnIndex }) => query<Array<Recorded>>((sql) => sql`
      select count(distinct turn_index) filter (where turn_index > ${turnIndex - COUNTED_TURNS}::int and decision like '%+boundary%')::int as boundaries,
        coalesce(bool_or(decision like 'crisis%' and started_at > now() - interval '24 hours'), false) as crisis
      from turn_stages
      where app_id = ${appId} and session_id = ${sessionId} and turn_index < ${turnIndex}::int and turn_index > ${turnIndex - CRISIS_TURNS}::int and stage = 'safety'`).pipe(
      Effect.map(([recorded]) => recorded ?? { boundaries: 0, crisis: false }),
      untilReachable,
      Effect.orDie
    )
  }
}))
