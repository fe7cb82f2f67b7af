import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as FiberSet from "effect/FiberSet"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Scope from "effect/Scope"
import { asMinor } from "#pipeline/safety/cardAge.ts"
import type { Initiative } from "#pipeline/domain/Initiative.ts"
import { replyDelayMs } from "#pipeline/domain/replyDelay.ts"
import { Outcome, type StageRecord, type Turn } from "#pipeline/domain/Turn.ts"
import { Spending, SpendingLimit } from "#pipeline/SpendingLimit.ts"
import { Trail } from "#pipeline/Trail.ts"
import { TurnPipeline } from "#pipeline/Turn.ts"
import { makeBreath } from "#src/db/postgres/breath.ts"
import { CharacterVersions } from "#src/db/character/CharacterVersions.ts"
import { Initiatives } from "#src/db/proactive/Initiatives.ts"
import { untilReachable } from "#src/db/postgres/retry.ts"
import type { DatabaseError } from "#src/db/postgres/Database.ts"
import { type Lease, type SessionRef, type Settled, Turns } from "#src/db/conversation/Turns.ts"
import type { ClaimRow } from "#src/db/conversation/claimTurns.ts"
import { CRASH_CAP } from "#src/units/attempt.ts"
import { inUnit } from "#src/units/currentUnit.ts"
import { unitOf } from "#src/units/Unit.ts"
import { Membership } from "#src/jobs/runner/Membership.ts"
import { makePlaces, placesFor } from "#src/jobs/runner/places.ts"

/** Turns of one app in flight per process: a reply waits on a model for seconds and costs little meanwhile. */
export const MAX_IN_FLIGHT = 200
/**
 * Sessions of one app that wait here for a place: more than are answered within a second. The others are put off, and
 * may go to another process.
 */
export const MAX_WAITING = 1000

const leaseOf = (row: ClaimRow): Lease => ({
  appId: row.app_id,
  sessionId: row.session_id,
  turnIndex: row.turn_index,
  owner: row.owner,
  fence: row.fence
})
const unitOfTurn = ({ app_id, session_id, turn_index }: ClaimRow) =>
  unitOf("turn", app_id, `${session_id} ${turn_index}`)
const withheld = Outcome.cases.Withheld.make({})
const unwanted = Outcome.cases.Withheld.make({ by: "stopped" })
/** Nothing more is to be done in the session for now. */
const putOff: Settled = { _tag: "Taken" }
const generationFailed = Outcome.cases.Failed.make({ reason: "generation_failed" })

/** In what evals have turns played: the pipeline of their engine, and what is drawn by in place of the session. */
export interface Staging {
  readonly pipeline: TurnPipeline["Service"]
  readonly seed: string
}

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
  static readonly layer = Layer.effect(
    TurnRunner,
    Effect.gen(function* () {
      const served = yield* TurnPipeline
      const turns = yield* Turns
      const characters = yield* CharacterVersions
      const initiatives = yield* Initiatives
      const membership = yield* Membership
      const places = makePlaces(placesFor(MAX_IN_FLIGHT))
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

      let closed = false
      const running = new Map<string, Deferred.Deferred<Outcome>>()
      const nameOf = ({ sessionId, turnIndex, fence }: Lease) => `${sessionId} ${turnIndex} ${fence}`
      const breath = makeBreath()
      const known = <A, E, R>(lease: Lease, work: (stop: Deferred.Deferred<Outcome>) => Effect.Effect<A, E, R>) =>
        Effect.acquireUseRelease(
          Effect.tap(Deferred.make<Outcome>(), (stop) => Effect.sync(() => running.set(nameOf(lease), stop))),
          work,
          () => Effect.sync(() => running.delete(nameOf(lease)))
        )

      const load = Effect.fnUntraced(function* (row: ClaimRow, staging: Staging | undefined) {
        const character = yield* untilReachable(characters.get(row.app_id, row.character_slug, row.character_version))
        return {
          appId: row.app_id,
          sessionId: row.session_id,
          turnIndex: row.turn_index,
          runRef: row.run_ref,
          replyMode: row.reply_mode,
          text: row.text,
          ...(row.initiative !== null && { initiative: row.initiative }),
          character: row.minor_character ? asMinor(character) : character,
          endUser: {
            externalUserRef: row.external_user_ref,
            displayName: row.display_name,
            timezone: row.timezone,
            locale: row.locale,
            ageBand: row.age_band
          },
          ...(row.fault !== null && { fault: row.fault }),
          ...(staging !== undefined && { seed: staging.seed }),
          pictures: row.has_looks,
          afterCrisis: row.after_crisis
        } satisfies Turn
      })

      const settle = (
        lease: Lease,
        initiative: Initiative | null,
        outcome: Outcome,
        stages: ReadonlyArray<StageRecord>
      ) => untilReachable(turns.settle({ lease, initiative, outcome, stages }))

      /**
       * Nothing is said unasked that the gates would stop now: they are asked before a word is written, and again
       * before it is said.
       */
      const speak = Effect.fnUntraced(function* (row: ClaimRow, initiative: Initiative, write: Effect.Effect<Outcome>) {
        const objection = untilReachable(
          initiatives.objection({
            appId: row.app_id,
            sessionId: row.session_id,
            turnIndex: row.turn_index,
            acceptedAt: row.accepted_at,
            initiative
          })
        )
        const before = yield* objection
        if (before !== null) return Outcome.cases.Withheld.make({ by: before })
        const outcome = yield* write
        const after = Outcome.guards.Replied(outcome) ? yield* objection : null
        return after === null ? outcome : Outcome.cases.Withheld.make({ by: after })
      })

      /**
       * Runs the turn, or puts it off for as long as the character takes to answer, or as nothing is to happen: null.
       */
      const attempt = Effect.fnUntraced(function* (
        row: ClaimRow,
        lease: Lease,
        trail: Trail,
        staging: Staging | undefined
      ) {
        const pipeline = staging?.pipeline ?? served
        const turn = yield* load(row, staging)
        if (row.initiative !== null) return yield* speak(row, row.initiative, pipeline.run(turn, trail))
        const now = yield* Clock.currentTimeMillis
        const dueAt = Math.max(now, row.accepted_at.getTime() + replyDelayMs(turn)) + pipeline.stallMs(turn)
        if (row.deferred || dueAt <= now) return yield* pipeline.run(turn, trail)
        yield* untilReachable(turns.defer(lease, new Date(dueAt)))
        return null
      })

      const runOne = Effect.fnUntraced(
        function* (
          row: ClaimRow,
          lease: Lease,
          trail: Trail,
          staging: Staging | undefined,
          stop: Deferred.Deferred<Outcome>
        ) {
          // The session ended before this turn was begun (again): its end is the turn's, whatever outcome is named
          // here.
          if (row.session_status !== "active") return yield* settle(lease, row.initiative, withheld, trail.records)
          if (row.stopped) return yield* settle(lease, row.initiative, unwanted, trail.records)
          if (row.crashes >= CRASH_CAP) return yield* settle(lease, row.initiative, generationFailed, trail.records)
          const limit = row.left_micro_usd === null ? yield* SpendingLimit : new Spending(row.left_micro_usd)
          const outcome = yield* attempt(row, lease, trail, staging).pipe(
            Effect.provideService(SpendingLimit, limit),
            Effect.catchCauseIf(
              (cause) => !Cause.hasInterruptsOnly(cause),
              (cause) => Effect.as(Effect.logError("turn failed", cause), generationFailed)
            ),
            Effect.raceFirst(Deferred.await(stop))
          )
          if (outcome === null) return putOff
          // A reply that the database will not take must not leave the turn hanging.
          return yield* settle(lease, row.initiative, outcome, trail.records).pipe(
            Effect.catchTag("DatabaseError", (error) =>
              Effect.logError("reply could not be written", error).pipe(
                Effect.andThen(settle(lease, row.initiative, generationFailed, trail.records))
              )
            )
          )
        },
        (effect, row) => Effect.annotateLogs(effect, { session_id: row.session_id, run_ref: row.run_ref })
      )

      // What cannot be booked now is booked with what comes next: the turn does not wait for it.
      const book = (lease: Lease) => (stages: ReadonlyArray<StageRecord>) =>
        turns.book(lease, stages).pipe(Effect.timeout("2 seconds"), Effect.ignore)
      const giveBack = (lease: Lease, stages: ReadonlyArray<StageRecord>) =>
        turns.release(lease, stages).pipe(Effect.timeout("2 seconds"), Effect.ignore)

      // A claim is not interrupted on its way: a turn that is ours and that we do not know of would wait for our death.
      // One that was claimed while we were asked to stop is given back before it has begun.
      const next = (session: SessionRef, staging: Staging | undefined) =>
        Effect.uninterruptibleMask((restore) =>
          Effect.gen(function* (): Effect.gen.Return<Settled | undefined, DatabaseError> {
            const owner = closed ? Option.none() : yield* membership.current
            if (Option.isNone(owner)) return undefined
            const row = yield* turns.claim(owner.value, session)
            if (row === undefined) return undefined
            const lease = leaseOf(row)
            const trail = new Trail(yield* Clock.Clock, book(lease), breath(lease.appId))
            return yield* known(lease, (stop) =>
              restore(inUnit(unitOfTurn(row), runOne(row, lease, trail, staging, stop))).pipe(
                Effect.onInterrupt(() => giveBack(lease, trail.records))
              )
            )
          })
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
                  return next(session, staging)
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
              (cause) => Effect.logWarning("a session was left to the sweeper", cause)
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

      // One that is only on its way here is known by the next look.
      let suspects: ReadonlySet<string> = new Set()
      const review = Effect.gen(function* () {
        const owner = yield* membership.current
        const held = Option.isNone(owner) ? [] : yield* turns.heldBy(owner.value)
        for (const lease of held) {
          const stop = lease.stopped ? running.get(nameOf(lease)) : undefined
          if (stop !== undefined) yield* Deferred.succeed(stop, unwanted)
        }
        const strays = held.filter((lease) => !running.has(nameOf(lease)))
        for (const stray of strays.filter((lease) => suspects.has(nameOf(lease)))) yield* turns.release(stray, [])
        suspects = new Set(strays.map(nameOf))
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
        review
      })
    })
  )
}
