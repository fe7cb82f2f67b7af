import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { auditing, type Change } from "#src/db/tenancy/auditLog.ts"
import { Database, type DatabaseError } from "#src/db/postgres/Database.ts"

/** Records changes that operators make through services that apps use, too. */
export class Audit extends Context.Service<
  Audit,
  {
    /** Makes the change and the entry that describes it, in one transaction. */
    readonly changing: <A, E, R>(
      change: Effect.Effect<A, E, R>,
      entry: (result: A) => Change
    ) => Effect.Effect<A, E | DatabaseError, R>
  }
>()("src/db/operators/Audit") {
  static readonly layer = Layer.effect(
    Audit,
    Effect.gen(function* () {
      const database = yield* Database
      const record = auditing(database)
      return Audit.of({
        changing: (change, entry) => database.transaction(Effect.tap(change, (result) => record(entry(result))))
      })
    })
  )
}
