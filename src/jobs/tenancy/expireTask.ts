import * as Effect from "effect/Effect"
import { Imports } from "#src/db/character/Imports.ts"
import { CrashedUnits } from "#src/db/crashes/CrashedUnits.ts"
import { OperatorSessions } from "#src/db/operators/OperatorSessions.ts"
import { DeviceCodes } from "#src/db/tenancy/DeviceCodes.ts"
import { IdempotencyKeys } from "#src/db/tenancy/IdempotencyKeys.ts"
import { RateLimits } from "#src/db/tenancy/RateLimits.ts"
import { RollingLimits } from "#src/db/tenancy/RollingLimits.ts"
import { task } from "#src/jobs/runner/task.ts"

/** Deletes expired rows. */
export const expireTask = task(
  "expire",
  Effect.all(
    [
      IdempotencyKeys.use((keys) => keys.expire),
      DeviceCodes.use((codes) => codes.expire),
      OperatorSessions.use((sessions) => sessions.expire),
      RollingLimits.use((limits) => limits.expire),
      RateLimits.use((limits) => limits.expire),
      Imports.use((imports) => imports.expire),
      CrashedUnits.use((units) => units.expire)
    ],
    { discard: true }
  ),
  { cron: "17 * * * *", fill: "1h" }
)
