import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as FiberSet from "effect/FiberSet"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import { observedGauge } from "#pipeline/telemetry/metric.ts"
import type { DatabaseError } from "#src/db/postgres/Database.ts"
import { logDatabaseError } from "#src/db/postgres/logDatabaseError.ts"
import { type SessionRef, Turns } from "#src/db/conversation/Turns.ts"
import { makeSlots, slotsFor } from "#src/jobs/runner/slots.ts"
import { makeRunningTurns } from "./runningTurns.ts"
import { makeRunNextTurn } from "./runNextTurn.ts"
import type { EvalOverrides } from "./runTurn.ts"

/**
 * Maximum number of concurrent turns per app and process. A reply waits on a model for seconds and needs few resources
 * in that time.
 */
export const MAX_IN_FLIGHT = 200
/**
 * The same if replies are written in this process. Such a turn only needs the CPU: with more at once none finishes
 * sooner, and the turns of other apps wait behind all of them.
 */
export const MAX_IN_FLIGHT_OFFLINE = 16
/**
 * Maximum number of sessions per app that wait here for a slot: more than are answered within a second. Others are
 * postponed, and may go to another process.
 */
export const MAX_WAITING = 1000

/** Runs the waiting turns of a session one after another, each until its end is on the log. */
export class TurnRunner extends Context.Service<
  TurnRunner,
  {
    readonly drain: (session: SessionRef, overrides?: EvalOverrides) => Effect.Effect<void, DatabaseError>
    /**
     * Runs the turns of these sessions in the background. Sessions for which there is no room are scheduled for later.
     * If this process loses any of them, the sweeper finds them.
     */
    readonly wake: (sessions: ReadonlyArray<SessionRef>) => Effect.Effect<void, DatabaseError>
    /** Resolves once nothing is running in the background. */
    readonly idle: Effect.Effect<void>
    /** Apps with sessions that wait for a slot here. */
    readonly waitingApps: Effect.Effect<ReadonlyArray<string>>
    /** Stops claiming turns. Running turns go on to their end. */
    readonly close: Effect.Effect<void>
    /** The number of sessions whose turns this process is running or that wait for a slot here. */
    readonly inFlight: Effect.Effect<number>
    /**
     * Stops turns that should be stopped. Also releases turns that the table assigns to this process but that it does
     * not run, because the answer to their claim was lost with its connection.
     */
    readonly reconcile: Effect.Effect<void, DatabaseError>
  }
>()("src/jobs/conversation/TurnRunner") {
  /** `inFlight`: maximum number of concurrent turns per app. */
  static readonly layer = (inFlight: number) =>
    Layer.effect(
      TurnRunner,
      Effect.gen(function* () {
        const turns = yield* Turns
        const running = yield* makeRunningTurns
        let closed = false
        const runNext = yield* makeRunNextTurn(running, () => closed)
        const slotCount = slotsFor(inFlight)
        const slots = makeSlots(slotCount)
        yield* observedGauge("troupe_turn_slots", "Turns that this process can run at once", () => slotCount)
        yield* observedGauge("troupe_turns_in_flight", "Turns that run here", () => slotCount - slots.free())
        const scope = yield* Scope.make()
        const background = yield* FiberSet.make().pipe(Scope.provide(scope))
        // A claim is not interrupted halfway. A claim that waits on a dead connection must not keep the process from
        // ending.
        yield* Effect.addFinalizer(() =>
          Effect.forkDetach(Scope.close(scope, Exit.void)).pipe(
            Effect.flatMap(Fiber.await),
            Effect.timeoutOption("2 seconds")
          )
        )

        // Woken sessions that wait for their first slot. Further wake-ups of them are redundant. A session leaves this
        // set when its drain looks for a turn, because from then on a new wake-up may be for a turn that was released
        // and has to be started again.
        const queued = new Set<string>()
        yield* observedGauge(
          "troupe_sessions_waiting_for_slot",
          "Sessions that wait here for a slot",
          () => queued.size
        )
        const sessionName = ({ appId, sessionId }: SessionRef) => `${appId} ${sessionId}`
        let draining = 0
        const drain = (session: SessionRef, overrides?: EvalOverrides) =>
          Effect.acquireUseRelease(
            Effect.sync(() => {
              draining++
            }),
            Effect.fnUntraced(function* () {
              while (true) {
                const settled = yield* slots.withSlot(
                  session.appId,
                  Effect.suspend(() => {
                    queued.delete(sessionName(session))
                    return runNext(session, overrides)
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
              Effect.catchTag("DatabaseError", logDatabaseError("turn run aborted: the sweeper will retry it")),
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
            if (slots.waiting(session.appId) >= MAX_WAITING) left.push(session)
            else yield* begin(session)
          }
          if (left.length > 0) yield* turns.postpone(left)
        })

        return TurnRunner.of({
          drain,
          wake,
          idle: FiberSet.awaitEmpty(background),
          waitingApps: Effect.sync(slots.waitingApps),
          close: Effect.sync(() => {
            closed = true
          }),
          inFlight: Effect.sync(() => draining),
          reconcile: running.reconcile
        })
      })
    )
}
