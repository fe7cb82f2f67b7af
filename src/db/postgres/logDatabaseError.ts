import * as Effect from "effect/Effect"
import { databaseDependency, OUT_OF_RESOURCES } from "#pipeline/telemetry/Dependency.ts"
import type { DatabaseError } from "./Database.ts"
import { isLacking } from "./sqlState.ts"

/**
 * For work that is repeated: a database that cannot be reached, or that lacks disk or memory, is logged once, however
 * much work it stops. What the database refuses is logged each time, under this message.
 */
export const logDatabaseError =
  (message: string) =>
  (error: DatabaseError): Effect.Effect<void> =>
    error.reason === "unreachable"
      ? databaseDependency.failed("unreachable")
      : isLacking(error.sqlState)
        ? databaseDependency.failed(OUT_OF_RESOURCES)
        : Effect.logWarning(message, { reason: error.message })
