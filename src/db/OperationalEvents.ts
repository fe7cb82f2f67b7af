import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { LogSignals } from "#channels/event-log/LogSignals.ts"
import { type OperationalEvent, OperationalLog } from "#channels/OperationalLog.ts"
import { newId } from "#pipeline/domain/Id.ts"
import { openLanes } from "./alignLanes.ts"
import { Database } from "./Database.ts"
import { moveHeads } from "./moveHeads.ts"
import { untilReachable } from "./retry.ts"

/** The operational log of an app in PostgreSQL: one of the logs there are, so that whoever follows a log or pushes one can follow and push this one. */
export const layer = Layer.effect(OperationalLog, Effect.gen(function*() {
  const database = yield* Database
  const { query, transaction } = database
  const signals = yield* LogSignals

  const begin = Effect.fnUntraced(function*(appId: string) {
    yield* query((sql) => sql`select 1 from apps where app_id = ${appId} for share`)
    const made = yield* query((sql) => sql`insert into session_logs (app_id, session_id) values (${appId}, ${appId}) on conflict do nothing returning 1`)
    if (made.length > 0) yield* openLanes(appId, appId).pipe(Effect.provideService(Database, database))
  })

  const append = Effect.fnUntraced(function*({ appId, type, payload }: OperationalEvent) {
    const write = query<Array<{ cursor: number }>>((sql) => sql`
      with counted as (
        update session_logs set last_cursor = last_cursor + 1 where app_id = ${appId} and session_id = ${appId} returning last_cursor
      )
      insert into events (app_id, session_id, cursor, id, type, role, trace_id, source_kind, payload)
      select ${appId}, ${appId}, last_cursor, ${newId("evt")}, ${type}, 'system', ${newId("run")}, 'system', ${JSON.stringify(payload)}::text::json from counted
      returning cursor`)
    let rows = yield* write
    if (rows.length === 0) {
      yield* begin(appId)
      rows = yield* write
    }
    const moved = yield* query((sql) => moveHeads(sql, [appId], [appId]))
    return { cursor: rows[0]?.cursor ?? 0, pushed: moved.length > 0 }
  }, transaction)

  return OperationalLog.of({
    begin: (appId) => transaction(begin(appId)).pipe(Effect.catchTag("DatabaseError", (error) => Effect.logWarning("an operational log could not be begun", { reason: error.message }))),
    append: (event) => untilReachable(append(event)).pipe(
      Effect.tap(({ cursor, pushed }) => Effect.sync(() => signals.announce([{ sessionId: event.appId, cursor }], pushed))),
      Effect.catchTag("DatabaseError", (error) => Effect.logError("operational event lost", { type: event.type, error })),
      Effect.asVoid
    )
  })
}))
