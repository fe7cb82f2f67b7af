import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Queue from "effect/Queue"
import type * as Scope from "effect/Scope"
import { databaseDependency } from "#pipeline/telemetry/Dependency.ts"
import { counter } from "#pipeline/telemetry/metric.ts"
import { repeatForever } from "#channels/repeatForever.ts"
import type { DatabaseError } from "#src/db/postgres/Database.ts"
import { whileStarting } from "#src/db/postgres/retry.ts"
import type { Pulse } from "#src/db/conversation/pulse.ts"
import { type Registration, Workers } from "#src/db/conversation/Workers.ts"

/** How often this process says that it is alive, and reads what it has to know. */
const EVERY = "1 second"

const lost = counter(
  "troupe_worker_reregistrations_total",
  "How often this process has lost its registration as a worker"
)

/**
 * The registration of this process as a worker. While registered, it claims under its id. While its connection is lost,
 * it claims nothing. If its lock is lost, running work fails at its fence, and it registers again under a new id.
 */
export class Membership extends Context.Service<
  Membership,
  {
    /** The id to claim under. None while fenced. */
    readonly current: Effect.Effect<Option.Option<string>>
    /** The number of the connection that holds the lock: another one after each time that it was lost. */
    readonly connection: Effect.Effect<Option.Option<number>>
    /** Ties a graphile-worker pool to this registration and all later ones. It is recorded as soon as possible. */
    readonly usePool: (poolId: string) => Effect.Effect<void>
    /**
     * Does this for each pulse, about every second while registered, until the scope closes. A pulse that comes while
     * the work for an earlier one goes on waits, and the next one replaces it.
     */
    readonly onPulse: (work: (pulse: Pulse) => Effect.Effect<void>) => Effect.Effect<void, never, Scope.Scope>
  }
>()("src/jobs/runner/Membership") {
  static readonly layer = Layer.effect(
    Membership,
    Effect.gen(function* () {
      const workers = yield* Workers
      let current: Registration | null = null
      let pool: string | null = null
      let latest: Pulse | null = null
      const connection = () => current?.connection() ?? null
      const listeners = new Set<Queue.Queue<Pulse>>()

      const tell = (pulse: Pulse | null) =>
        Effect.suspend(() => {
          latest = pulse
          if (pulse === null) return databaseDependency.failed("unreachable")
          for (const listener of listeners) Queue.offerUnsafe(listener, pulse)
          return Effect.void
        })
      const onPulse = Effect.fnUntraced(function* (work: (pulse: Pulse) => Effect.Effect<void>) {
        const pulses = yield* Queue.sliding<Pulse>(1)
        if (latest !== null) Queue.offerUnsafe(pulses, latest)
        yield* Effect.acquireRelease(
          Effect.sync(() => listeners.add(pulses)),
          () => Effect.sync(() => listeners.delete(pulses))
        )
        yield* Effect.forkScoped(repeatForever("0 millis", Effect.flatMap(Queue.take(pulses), work)))
      })

      // Of its own, and tried until it is done: over a connection that the database has just lost, it takes as long as
      // a statement may wait for its answer.
      const unnamed = yield* Queue.sliding<void>(1)
      const namePool = Queue.take(unnamed).pipe(
        Effect.andThen(() => (current === null || pool === null ? Effect.void : current.usePool(pool))),
        Effect.catch(() => Effect.andThen(Effect.sleep(EVERY), Queue.offer(unnamed, undefined)))
      )
      yield* Effect.forkScoped(repeatForever("0 millis", namePool))

      const first = yield* Deferred.make<void, DatabaseError>()
      const live = Effect.fnUntraced(function* (registration: Registration) {
        current = registration
        Queue.offerUnsafe(unnamed, undefined)
        yield* Deferred.succeed(first, undefined)
        const beat = registration.heartbeat.pipe(Effect.tap(tell), Effect.andThen(Effect.sleep(EVERY)), Effect.forever)
        yield* Effect.raceFirst(registration.lost, beat).pipe(
          Effect.ensuring(
            Effect.sync(() => {
              current = null
              latest = null
            })
          )
        )
        lost.add()
        yield* Effect.logWarning("worker lock lost: re-registering")
      })
      const member = Effect.scoped(Effect.flatMap(workers.register, live))

      yield* whileStarting(member).pipe(
        Effect.onError((cause) => Deferred.failCause(first, cause)),
        Effect.andThen(
          repeatForever("250 millis", member.pipe(Effect.catch(() => databaseDependency.failed("unreachable"))))
        ),
        Effect.forkScoped({ startImmediately: true })
      )
      // Waits for the first registration, so that nothing runs before the process can be detected as dead.
      yield* Deferred.await(first)

      return Membership.of({
        current: Effect.sync(() => (connection() === null ? Option.none() : Option.fromNullishOr(current?.workerId))),
        connection: Effect.sync(() => Option.fromNullishOr(connection())),
        usePool: (poolId) =>
          Effect.sync(() => {
            pool = poolId
            Queue.offerUnsafe(unnamed, undefined)
          }),
        onPulse
      })
    })
  )
}
