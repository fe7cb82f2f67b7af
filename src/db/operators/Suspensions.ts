import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { LogSignals } from "#channels/event-log/LogSignals.ts"
import { KEY_ENDED } from "#src/db/tenancy/ApiKeys.ts"
import { appendOperational } from "#src/db/delivery/appendOperational.ts"
import { auditing } from "#src/db/tenancy/auditLog.ts"
import { Database, type DatabaseError } from "#src/db/postgres/Database.ts"
import { TelegramSuspensions } from "#src/db/telegram/TelegramSuspensions.ts"
import { lifting, suspending, suspensionRows, type NoSuchApp } from "#src/db/delivery/suspensionRows.ts"

/**
 * Suspends an app as a whole. Its runtime keys are refused, their open requests end, and nothing new begins: no
 * Telegram update becomes a message, no turn, picture, eval or research run is claimed, no event is pushed, and no
 * character writes first. Turns and runs that have begun continue to their end, and what they write waits in the log.
 * `Apps` shows the state, as `suspended_at` and `suspended_reason`. A Telegram suspension of the same app is
 * independent: neither lifts the other.
 */
export class Suspensions extends Context.Service<
  Suspensions,
  {
    /** False: it was already suspended. A given reason replaces the previous one. */
    readonly suspend: (appId: string, reason: string | null) => Effect.Effect<boolean, NoSuchApp | DatabaseError>
    /** Everything continues where it stopped. False: it was not suspended. */
    readonly resume: (appId: string) => Effect.Effect<boolean, NoSuchApp | DatabaseError>
  }
>()("src/db/operators/Suspensions") {
  static readonly layer = Layer.effect(
    Suspensions,
    Effect.gen(function* () {
      const database = yield* Database
      const { query, transaction } = database
      const holds = yield* TelegramSuspensions
      const rows = suspensionRows(database, "app")
      const record = auditing(database)
      const services = yield* Effect.context<Database | LogSignals>()

      const suspend = Effect.fnUntraced(
        function* (appId: string, reason: string | null) {
          yield* rows.checkApp(appId)
          const before = yield* rows.put(appId, reason)
          if (before === null || reason !== null)
            yield* record({ appId, action: "app.suspended", detail: { reason, ...suspending(before, reason) } })
          if (before !== null) return false
          // For processes that have one of these keys cached, or a stream open for it.
          yield* query(
            (sql) =>
              sql`select pg_notify(${KEY_ENDED}, prefix) from api_keys where app_id = ${appId} and revoked_at is null`
          )
          yield* appendOperational({ appId, type: "app.suspended", payload: { reason } })
          return true
        },
        transaction,
        Effect.provideContext(services)
      )

      const resume = Effect.fnUntraced(
        function* (appId: string) {
          yield* rows.checkApp(appId)
          const before = yield* rows.lift(appId)
          if (before === null) return false
          yield* record({ appId, action: "app.resumed", detail: lifting(before) })
          yield* appendOperational({ appId, type: "app.resumed", payload: {} })
          return true
        },
        transaction,
        Effect.provideContext(services)
      )

      return Suspensions.of({ suspend, resume: (appId) => Effect.tap(resume(appId), holds.finish) })
    })
  )
}
