import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { counter } from "#pipeline/telemetry/metric.ts"
import { repeatForever } from "#channels/repeatForever.ts"
import type { DatabaseError } from "#src/db/postgres/Database.ts"
import { whileStarting } from "#src/db/postgres/retry.ts"
import { type Registration, Workers } from "#src/db/conversation/Workers.ts"

const lost = counter(
  "troupe_worker_reregistrations_total",
  "How often this process has lost its registration as a worker"
)

/**
 * The registration of this process as a worker. While registered, it claims under its id. If its lock may be lost, it
 * is fenced: it claims nothing, running work fails at its fence, and it registers again under a new id.
 */
export class Membership extends Context.Service<
  Membership,
  {
    /** The id to claim under. None while fenced. */
    readonly current: Effect.Effect<Option.Option<string>>
    /** Ties a graphile-worker pool to this registration and all later ones. */
    readonly usePool: (poolId: string) => Effect.Effect<void, DatabaseError>
  }
>()("src/jobs/runner/Membership") {
  static readonly layer = Layer.effect(
    Membership,
    Effect.gen(function* () {
      const workers = yield* Workers
      let current: Registration | null = null
      let pool: string | null = null

      const join = Effect.gen(function* () {
        const registration = yield* workers.register
        if (pool !== null) yield* registration.usePool(pool)
        return registration
      })
      const first = yield* Deferred.make<void, DatabaseError>()
      const live = Effect.fnUntraced(function* (registration: Registration) {
        current = registration
        yield* Deferred.succeed(first, undefined)
        // A heartbeat without an answer also counts as lost: over a half-open connection there may be no answer for
        // minutes.
        const beat = Effect.sleep("1 second").pipe(
          Effect.andThen(registration.heartbeat),
          Effect.timeout("6 seconds"),
          Effect.forever
        )
        yield* Effect.raceFirst(registration.lost, Effect.ignore(beat)).pipe(
          Effect.ensuring(
            Effect.sync(() => {
              current = null
            })
          )
        )
        lost.add()
        yield* Effect.logWarning("worker lock lost: re-registering")
      })
      const member = Effect.scoped(Effect.flatMap(join, live))

      yield* whileStarting(member).pipe(
        Effect.onError((cause) => Deferred.failCause(first, cause)),
        Effect.andThen(repeatForever("250 millis", Effect.ignore(member))),
        Effect.forkScoped({ startImmediately: true })
      )
      // Waits for the first registration, so that nothing runs before the process can be detected as dead.
      yield* Deferred.await(first)

      return Membership.of({
        current: Effect.sync(() => Option.fromNullishOr(current?.workerId)),
        usePool: Effect.fnUntraced(function* (poolId: string) {
          pool = poolId
          if (current !== null) yield* current.usePool(poolId)
        })
      })
    })
  )
}
