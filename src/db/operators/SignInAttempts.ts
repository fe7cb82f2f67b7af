import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { countersByTwo } from "#pipeline/telemetry/metric.ts"
import { CurrentActor } from "#src/accounts/Actor.ts"
import { auditing } from "#src/db/tenancy/auditLog.ts"
import { Database, type DatabaseError } from "#src/db/postgres/Database.ts"
import { type RollingLimit, RollingLimits } from "#src/db/tenancy/RollingLimits.ts"
import { makeBearerWindows, type Refusal } from "./bearerWindows.ts"
import { OperatorSessions, type SignInMethod } from "./OperatorSessions.ts"

const WINDOW_SECONDS = 600
/** Entries of all addresses together, because the log cannot be shortened. */
const MAX_ENTRIES = 100

/**
 * Attempts from all addresses together from which no operator has signed in lately. Someone who exhausts
 * it keeps out only newcomers, who can still use a link or the issuer.
 */
const MAX_OF_STRANGERS = 300

const failures = countersByTwo(
  "troupe_operator_sign_in_failures_total",
  "Sign-ins and bearers of operators that were refused, by method and reason",
  ["method", "reason"]
)

/** `full`: there is room again in so many seconds. */
type CountedAttempt =
  | { readonly _tag: "full"; readonly seconds: number }
  | { readonly _tag: "counted"; readonly giveBack: Effect.Effect<void, DatabaseError> }

interface Failure {
  readonly address: string
  /** `bearer`: the header of a request below /admin. */
  readonly method: SignInMethod | "bearer"
  readonly reason: "wrong" | "too_many"
}

/**
 * Attempts to sign in: a limit over all addresses together, and failures in the audit log. Failures of one address,
 * method and reason within ten minutes are one entry. Only failures count: a right attempt is given back.
 */
export class SignInAttempts extends Context.Service<
  SignInAttempts,
  {
    /** Counts an attempt with the form, in these windows of its client. It is given back if it is right. */
    readonly count: (
      windows: ReadonlyArray<RollingLimit>,
      address: string
    ) => Effect.Effect<CountedAttempt, DatabaseError>
    /**
     * Whether a bearer may not be checked. Null: it may. It only looks into the memory of this process: each request
     * with ADMIN_TOKEN asks it, also while the database does not answer.
     */
    readonly refusesBearers: (windows: ReadonlyArray<RollingLimit>) => Effect.Effect<Refusal | null>
    /** Counts a wrong bearer. Null: there was room. */
    readonly countBearer: (windows: ReadonlyArray<RollingLimit>) => Effect.Effect<Refusal | null>
    /** Records a failure: in the log, the metrics and the audit log. */
    readonly record: (failure: Failure) => Effect.Effect<void, DatabaseError>
    /** Counts a failure that is not recorded, because one of the same kind just was. */
    readonly countFailure: (failure: Pick<Failure, "method" | "reason">) => Effect.Effect<void>
  }
>()("src/db/operators/SignInAttempts") {
  static readonly layer = Layer.effect(
    SignInAttempts,
    Effect.gen(function* () {
      const database = yield* Database
      const limits = yield* RollingLimits
      const sessions = yield* OperatorSessions
      const record = auditing(database)
      const remembered = makeBearerWindows()

      /** Takes one of each. If one is full, the others stay taken: the attempt was refused. */
      const takeAll = Effect.fnUntraced(function* (windows: ReadonlyArray<RollingLimit>) {
        for (const window of windows) {
          const counted = yield* limits.take(window)
          if (counted.taken) continue
          // For the bearers of this client. They are checked against what this process knows.
          remembered.fill(window, yield* Clock.currentTimeMillis, counted.retryAfterSeconds)
          return counted.retryAfterSeconds
        }
        return null
      })

      const countFailure = ({ method, reason }: Pick<Failure, "method" | "reason">) =>
        Effect.sync(() => failures(method, reason).add())

      return SignInAttempts.of({
        count: Effect.fnUntraced(function* (windows: ReadonlyArray<RollingLimit>, address: string) {
          const strangers = {
            kind: "operator_sign_in_all",
            subject: "",
            most: MAX_OF_STRANGERS,
            windowSeconds: WINDOW_SECONDS
          }
          const all = (yield* sessions.knowsAddress(address)) ? windows : [...windows, strangers]
          const seconds = yield* takeAll(all)
          return seconds === null
            ? ({ _tag: "counted", giveBack: Effect.forEach(all, limits.giveBack, { discard: true }) } as const)
            : ({ _tag: "full", seconds } as const)
        }),
        refusesBearers: (windows) =>
          Effect.map(Clock.currentTimeMillis, (nowMs) => remembered.refusalOf(windows, nowMs)),
        countBearer: Effect.fnUntraced(function* (windows: ReadonlyArray<RollingLimit>) {
          const nowMs = yield* Clock.currentTimeMillis
          const refusal = remembered.refusalOf(windows, nowMs)
          if (refusal !== null) return refusal
          // At once, so that many guesses at the same time are counted, too.
          for (const window of windows) remembered.add(window, nowMs)
          // Without the database, what this process has counted is the limit.
          const seconds = yield* Effect.catchTag(takeAll(windows), "DatabaseError", () => Effect.succeed(null))
          return seconds === null ? null : (remembered.refusalOf(windows, nowMs) ?? { seconds, isNews: true })
        }),
        record: Effect.fnUntraced(function* (failure: Failure) {
          const { address, method, reason } = failure
          yield* countFailure(failure)
          if (reason === "wrong") yield* Effect.logWarning("operator sign-in refused", { address, method, reason })
          const kind = "failed_sign_in"
          const windowSeconds = WINDOW_SECONDS
          const first = yield* limits.take({ kind, subject: `${method} ${reason} ${address}`, most: 1, windowSeconds })
          if (!first.taken) return
          if (reason !== "wrong") yield* Effect.logWarning("operator sign-in refused", { address, method, reason })
          const fits = yield* limits.take({ kind, subject: "", most: MAX_ENTRIES, windowSeconds })
          if (!fits.taken) return
          yield* record({ action: "operator.sign_in_failed", detail: { method, reason } }).pipe(
            Effect.provideService(CurrentActor, { kind: "anybody", id: null, address })
          )
        }),
        countFailure
      })
    })
  )
}
