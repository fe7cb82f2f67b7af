import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { LogSignals } from "#channels/event-log/LogSignals.ts"
import { OperationalLog } from "#channels/OperationalLog.ts"
import { appendOperational, beginOperational } from "./appendOperational.ts"
import { Database } from "#src/db/postgres/Database.ts"
import { untilReachable } from "#src/db/postgres/retry.ts"

/**
 * The operational log of an app in PostgreSQL. It is stored like any other log, so it can be followed and pushed in the
 * same way.
 */
export const layer = Layer.effect(
  OperationalLog,
  Effect.gen(function* () {
    const { transaction } = yield* Database
    const services = yield* Effect.context<Database | LogSignals>()

    return OperationalLog.of({
      begin: (appId) =>
        transaction(beginOperational(appId)).pipe(
          Effect.provideContext(services),
          Effect.catchTag("DatabaseError", (error) =>
            Effect.logWarning("operational log could not be created", { reason: error.message })
          )
        ),
      append: (event) =>
        untilReachable(transaction(appendOperational(event)).pipe(Effect.provideContext(services))).pipe(
          Effect.catchTag("DatabaseError", (error) =>
            Effect.logError("operational event lost", { type: event.type, error })
          )
        )
    })
  })
)
