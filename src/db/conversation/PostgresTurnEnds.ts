import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { LogUnavailable } from "#channels/event-log/EventLog.ts"
import { type TurnEnd, TurnEnds } from "#channels/event-log/TurnEnds.ts"
import { Database } from "#src/db/postgres/Database.ts"

/** Looks a turn up from the end of its session, because callers wait for one of the last. */
export const layer = Layer.effect(
  TurnEnds,
  Effect.gen(function* () {
    const { query } = yield* Database
    return TurnEnds.of({
      find: ({ appId, sessionId }, runRef) =>
        query<Array<Pick<TurnEnd, "outcome">>>(
          (sql) => sql`
            select outcome from turns
            where app_id = ${appId} and session_id = ${sessionId} and run_ref = ${runRef}
            order by turn_index desc limit 1`
        ).pipe(
          Effect.map(([row]) => (row === undefined ? undefined : { runRef, outcome: row.outcome })),
          Effect.mapError((cause) => new LogUnavailable({ cause }))
        )
    })
  })
)
