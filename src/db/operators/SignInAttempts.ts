import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { CurrentActor } from "#src/accounts/Actor.ts"
import { auditing } from "#src/db/tenancy/auditLog.ts"
import { Database, type DatabaseError } from "#src/db/postgres/Database.ts"
import { RollingLimits } from "#src/db/tenancy/RollingLimits.ts"
import { OperatorSessions, type SignInMethod } from "./OperatorSessions.ts"

const WINDOW_SECONDS = 600
/** Entries of all addresses together, because the log cannot be shortened. */
const MAX_ENTRIES = 100

/**
 * Attempts from all addresses together from which no operator has signed in lately. Whoever exhausts it keeps only
 * newcomers out, who can still use a link or the issuer.
 */
const MAX_OF_STRANGERS = 300

/**
 * Attempts to sign in: a limit over all addresses together, and failures in the audit log. Failures of one address,
 * method and reason within ten minutes are one entry.
 */
export class SignInAttempts extends Context.Service<
  SignInAttempts,
  {
    /** Counts an attempt from an address. Returns in how many seconds there is room again, or null if there is. */
    readonly count: (address: string) => Effect.Effect<number | null, DatabaseError>
    /** Records a failure. */
    readonly record: (failure: {
      readonly address: string
      readonly method: SignInMethod
      readonly reason: "wrong" | "too_many"
    }) => Effect.Effect<void, DatabaseError>
  }
>()("src/db/operators/SignInAttempts") {
  static readonly layer = Layer.effect(
    SignInAttempts,
    Effect.gen(function* () {
      const database = yield* Database
      const limits = yield* RollingLimits
      const sessions = yield* OperatorSessions
      const record = auditing(database)
      return SignInAttempts.of({
        count: Effect.fnUntraced(function* (address: string) {
          if (yield* sessions.knowsAddress(address)) return null
          const kind = "operator_sign_in_all"
          const counted = yield* limits.take({
            kind,
            subject: "",
            most: MAX_OF_STRANGERS,
            windowSeconds: WINDOW_SECONDS
          })
          return counted.taken ? null : counted.retryAfterSeconds
        }),
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
