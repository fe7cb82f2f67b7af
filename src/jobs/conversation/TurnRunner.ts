import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as FiberSet from "effect/FiberSet"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import type { DatabaseError } from "#src/db/postgres/Database.ts"
import { type SessionRef, Turns } from "#src/db/conversation/Turns.ts"
import { makePlaces, placesFor } from "#src/jobs/runner/places.ts"
import { makeRunningTurns } from "./runningTurns.ts"
import { makeRunNextTurn } from "./runNextTurn.ts"
import type { Staging } from "./runTurn.ts"

/** Turns of one app in flight per process: a reply waits on a model for seconds and costs little meanwhile. */
export const MAX_IN_FLIGHT = 200
/**
 * The same where replies are written in this process. Such a turn waits for nothing but the processor: more at once
 * finish no sooner, and the turns of other apps wait behind all of them.
 */
export const MAX_IN_FLIGHT_OFFLINE = 16
/**
 * Sessions of one app that wait here for a place: more than are answered within a second. The others are put off, and
 * may go to another process.
 */
export const MAX_WAITING = 1000

/** Runs the waiting turns of a session one after another, each to its end on the log. */
export class TurnRunner extends Context.Service<
  TurnRunner,
  {
    readonly drain: (session: SessionRef, staging?: Staging) => Effect.Effect<void, DatabaseError>
    /**
     * Drains these sessions in the background, and has those looked at in a while that there is no room for. What is
     * lost of them here is found by the sweeper.
     */
    readonly wake: (sessions: ReadonlyArray<SessionRef>) => Effect.Effect<void, DatabaseError>
    /** Resolves once nothing runs in the background. */
    readonly idle: Effect.Effect<void>
    /** Apps that have sessions waiting for a place here. */
    readonly crowded: Effect.Effect<ReadonlyArray<string>>
    /** From now on nothing more is claimed; what runs goes on to its end. */
    readonly close: Effect.Effect<void>
    /** Sessions whose turns this process runs now, or has waiting for a place. */
    readonly inFlight: Effect.Effect<number>
    /**
     * Stops what is to be stopped, and gives back turns that are ours by the table but that we do not run: the answer
     * to their claim was lost with its connection.
     */
    readonly review: Effect.Effect<void, DatabaseError>
  }
>()("src/jobs/conversation/TurnRunner") {
  /** `inFlight`: turns of one app at once. */
  static readonly layer = (inFlight: number) =>
    Layer.effect(
      TurnRunner,
      Effect.gen(function* () {
        const turns = yield* Turns
        const running = yield* makeRunningTurns
        let closed = false
        const runNext = yield* makeRunNextTurn(running, () => closed)
        const places = makePlaces(placesFor(inFlight))
        const scope = yield* Scope.make()
        const background = yield* FiberSet.make().pipe(Scope.provide(scope))
        // A claim is not interrupted on its way. One that waits for a connection that is gone must not keep the process
        // from ending.
        yield* Effect.addFinalizer(() =>
          Effect.forkDetach(Scope.close(scope, Exit.void)).pipe(
            Effect.flatMap(Fiber.await),
            Effect.timeoutOption("2 seconds")
          )
        )

        // Woken sessions that wait for their first place: another wake-up of one adds nothing. Once a drain looks for a
        // turn it is none of them: a turn that it runs may be freed, and must then be begun again beside it.
        const queued = new Set<string>()
        const sessionName = ({ appId, sessionId }: SessionRef) => `${appId} ${sessionId}`
        let draining = 0
        const drain = (session: SessionRef, staging?: Staging) =>
          Effect.acquireUseRelease(
            Effect.sync(() => {
              draining++
            }),
            Effect.fnUntraced(function* () {
              while (true) {
                const settled = yield* places.use(
                  session.appId,
                  Effect.suspend(() => {
                    queued.delete(sessionName(session))
                    return runNext(session, staging)
                  })
                )
                if (settled === undefined || settled._tag === "Taken" || settled.openTurns === 0) return
              }
            }),
            () =>
              Effect.sync(() => {
                draining--
              })
          )

        const begin = (session: SessionRef) => {
          queued.add(sessionName(session))
          return FiberSet.run(
            background,
            drain(session).pipe(
              Effect.catchCauseIf(
                (cause) => !Cause.hasInterruptsOnly(cause),
                (cause) => Effect.logWarning("turn run aborted: the sweeper will retry it", cause)
              ),
              Effect.annotateLogs({ session_id: session.sessionId })
            )
          )
        }
        const wake = Effect.fnUntraced(function* (sessions: ReadonlyArray<SessionRef>) {
          const left: Array<SessionRef> = []
          for (const session of closed ? [] : sessions) {
            if (queued.has(sessionName(session))) continue
            if (places.waiting(session.appId) >= MAX_WAITING) left.push(session)
            else yield* begin(session)
          }
          if (left.length > 0) yield* turns.putOff(left)
        })

        return TurnRunner.of({
          drain,
          wake,
          idle: FiberSet.awaitEmpty(background),
          crowded: Effect.sync(places.crowded),
          close: Effect.sync(() => {
            closed = true
          }),
          inFlight: Effect.sync(() => draining),
          review: running.review
        })
      })
    )
}
