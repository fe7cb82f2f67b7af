import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { Allowances } from "#src/db/billing/Allowances.ts"
import { Ledger } from "#src/db/billing/Ledger.ts"
import { task, taskFor } from "#src/jobs/runner/task.ts"

/** Recounts what one app has spent, or every app. */
export const recountTask = taskFor(
  "recount",
  Schema.Struct({ app_id: Schema.optionalKey(Schema.String) }),
  ({ app_id }) => Allowances.use((allowances) => allowances.recount(app_id === undefined ? null : [app_id]))
)

/** Two days, so that every turn is checked twice and one that ended late is seen complete. */
const RECONCILED = Duration.days(2)
const reconcile = Effect.gen(function* () {
  const since = new Date((yield* Clock.currentTimeMillis) - Duration.toMillis(RECONCILED))
  const ledger = yield* Ledger
  const result = yield* ledger.reconcile({ appId: null, since })
  yield* ledger.record(since, result)
  const { turns, mismatches } = result
  yield* ledger.keepMismatches(mismatches)
  yield* Effect.logInfo("ledger checked against turns", { turns, mismatches: mismatches.length })
  yield* Effect.forEach(mismatches, (mismatch) => Effect.logError("ledger mismatch for turn", mismatch), {
    discard: true
  })
  yield* Allowances.use((allowances) => allowances.recount(null))
})

/** Compares the costs of turns with the ledger. */
export const reconcileTask = task("reconcile", reconcile, { cron: "47 3 * * *", fill: "1d" })
