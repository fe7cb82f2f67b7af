import * as Effect from "effect/Effect"
import { databaseDependency } from "#pipeline/telemetry/Dependency.ts"
import type { DatabaseError } from "./Database.ts"

/**
 * For work that is repeated: a database that cannot be reached is logged once, however much work it stops. What the
 * database refuses is logged each time, under this message.
 */
export const logDatabaseError =
  (message: string) =>
  (error: DatabaseError): Effect.Effect<void> =>
    error.reason === "unreachable"
      ? databaseDependency.failed("unreachable")
      : Effect.logWarning(message, { reason: error.message })
