import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { LogSignals } from "#channels/event-log/LogSignals.ts"
import { KEY_ENDED } from "#src/db/tenancy/ApiKeys.ts"
import { appendOperational } from "#src/db/delivery/appendOperational.ts"
import { auditing } from "#src/db/tenancy/auditLog.ts"
import { Database, type DatabaseError } from "#src/db/postgres/Database.ts"
import { Holds } from "#src/db/telegram/Holds.ts"
import { holdRows, type NoSuchApp } from "#src/db/delivery/holdRows.ts"

/**
 * Suspends an app as a whole. While it is suspended its runtime keys are refused, what they hold open ends, and nothing
 * begins: no message is taken from Telegram's updates, no event is pushed, no character writes first, no eval or
 * research run is claimed. Turns and runs that have begun come to their end; what they write waits in the log. `Apps`
 * shows the state, as `suspended_at` and `suspended_reason`. A Telegram hold of the same app is independent of it:
 * neither lifts the other.
 */
export class Suspensions extends Context.Service<
  Suspensions,
  {
    /** False: it was suspended already; a reason that is given replaces the one that it had. */
    readonly suspend: (appId: string, reason: string | null) => Effect.Effect<boolean, NoSuchApp | DatabaseError>
    /** Everything goes on where it was. False: it was not suspended. */
    readonly resume: (appId: string) => Effect.Effect<boolean, NoSuchApp | DatabaseError>
  }
>()("src/db/operators/Suspensions") {
  static readonly layer = Layer.effect(
    Suspensions,
    Effect.gen(function* () {
      const database = yield* Database
      const { query, transaction } = database
      const holds = yield* Holds
      const rows = holdRows(database, "app")
      const record = auditing(database)
      const services = yield* Effect.context<Database | LogSignals>()

      const suspend = Effect.fnUntraced(
        function* (appId: string, reason: string | null) {
          yield* rows.checkApp(appId)
          const isNew = yield* rows.put(appId, reason)
          if (isNew || reason !== null) yield* record({ appId, action: "app.suspended", detail: { reason } })
          if (!isNew) return false
          // For every process that trusts one of these keys for a second yet, or has a stream open for it.
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
          const was = yield* rows.lift(appId)
          if (!was) return false
          yield* record({ appId, action: "app.resumed" })
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
