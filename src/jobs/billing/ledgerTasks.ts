import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { Allowances } from "#src/db/billing/Allowances.ts"
import { Ledger } from "#src/db/billing/Ledger.ts"
import { task, taskFor } from "#src/jobs/runner/task.ts"

/** Counts again what an app has spent, or every app. */
export const recountTask = taskFor(
  "recount",
  Schema.Struct({ app_id: Schema.optionalKey(Schema.String) }),
  ({ app_id }) => Allowances.use((allowances) => allowances.recount(app_id === undefined ? null : [app_id]))
)

/** Every turn is looked at twice, so that one that ended late is seen whole. */
const RECONCILED = Duration.days(2)
const reconcile = Effect.gen(function* () {
  const since = new Date((yield* Clock.currentTimeMillis) - Duration.toMillis(RECONCILED))
  const { turns, mismatches } = yield* Ledger.use((ledger) => ledger.reconcile({ appId: null, since }))
  yield* Effect.logInfo("ledger checked against turns", { turns, mismatches: mismatches.length })
  yield* Effect.forEach(mismatches, (mismatch) => Effect.logError("ledger mismatch for turn", mismatch), {
    discard: true
  })
  yield* Allowances.use((allowances) => allowances.recount(null))
})

/** Compares what turns have cost with what the ledger says. */
export const reconcileTask = task("reconcile", reconcile, { cron: "47 3 * * *", fill: "1d" })
