import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Database, type DatabaseError } from "#src/db/postgres/Database.ts"
import { auditing, type Change } from "#src/db/tenancy/auditLog.ts"
import { OPERATOR } from "#src/db/tenancy/operator.ts"

/** Actions of operators in the audit log, with the state before and after. */
export class ActionLog extends Context.Service<
  ActionLog,
  {
    /**
     * Runs a change and records it in the same transaction. `reason`: the operator's words. An action on the whole
     * server has no app: only operators see its entry.
     */
    readonly change: <A, E, R>(
      entry: Omit<Change, "accountId" | "detail"> & { readonly reason?: string | null },
      change: Effect.Effect<{ readonly result: A; readonly before?: unknown; readonly after?: unknown }, E, R>
    ) => Effect.Effect<A, E | DatabaseError, R>
    /**
     * Records an action without a change to belong to: a test that only sends, or the beginning of something that asks
     * other servers. The latter is recorded before they are asked, so that nothing happens that is not in the log.
     */
    readonly note: (
      entry: Omit<Change, "accountId"> & { readonly detail: object }
    ) => Effect.Effect<void, DatabaseError>
  }
>()("src/db/operators/ActionLog") {
  static readonly layer = Layer.effect(
    ActionLog,
    Effect.gen(function* () {
      const database = yield* Database
      const record = auditing(database)
      const owned = (entry: Omit<Change, "accountId">): Change =>
        entry.appId === undefined ? { ...entry, accountId: OPERATOR } : entry
      return ActionLog.of({
        change: ({ reason = null, ...entry }, change) =>
          database.transaction(
            Effect.gen(function* () {
              const { result, before = null, after = null } = yield* change
              yield* record(owned({ ...entry, detail: { reason, before, after } }))
              return result
            })
          ),
        note: (entry) => record(owned(entry))
      })
    })
  )
}
