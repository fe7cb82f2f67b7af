import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { CurrentActor } from "#src/accounts/Actor.ts"
import { auditing } from "#src/db/tenancy/auditLog.ts"
import { Database, type DatabaseError } from "#src/db/postgres/Database.ts"
import { RollingLimits } from "#src/db/tenancy/RollingLimits.ts"
import type { SignInMethod } from "./OperatorSessions.ts"

const WINDOW_SECONDS = 600
/** Entries of all addresses together, because the log cannot be shortened. */
const MAX_ENTRIES = 100

/** Failed sign-ins in the audit log. Those of one address, method and reason within ten minutes are one entry. */
export class FailedSignIns extends Context.Service<
  FailedSignIns,
  {
    readonly record: (failure: {
      readonly address: string
      readonly method: SignInMethod
      readonly reason: "wrong" | "too_many"
    }) => Effect.Effect<void, DatabaseError>
  }
>()("src/db/operators/FailedSignIns") {
  static readonly layer = Layer.effect(
    FailedSignIns,
    Effect.gen(function* () {
      const database = yield* Database
      const limits = yield* RollingLimits
      const record = auditing(database)
      return FailedSignIns.of({
        record: Effect.fnUntraced(function* ({ address, method, reason }) {
          const kind = "failed_sign_in"
          const windowSeconds = WINDOW_SECONDS
          const first = yield* limits.take({ kind, subject: `${method} ${reason} ${address}`, most: 1, windowSeconds })
          if (!first.taken) return
          const fits = yield* limits.take({ kind, subject: "", most: MAX_ENTRIES, windowSeconds })
          if (!fits.taken) return
          yield* record({ action: "operator.sign_in_failed", detail: { method, reason } }).pipe(
            Effect.provideService(CurrentActor, { kind: "anybody", id: null, address })
          )
        })
      })
    })
  )
}
