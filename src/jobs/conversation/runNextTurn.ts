import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { StageRecord } from "#pipeline/domain/Turn.ts"
import { TROUPE } from "#pipeline/telemetry/genAi.ts"
import { continueTrace, inSpan } from "#pipeline/telemetry/trace.ts"
import { TurnTrace } from "#pipeline/TurnTrace.ts"
import type { ClaimRow } from "#src/db/conversation/claimTurns.ts"
import { type Lease, type SessionRef, type Settled, Turns } from "#src/db/conversation/Turns.ts"
import type { DatabaseError } from "#src/db/postgres/Database.ts"
import { makeYieldBudget } from "#src/db/postgres/yieldBudget.ts"
import { Membership } from "#src/jobs/runner/Membership.ts"
import { inUnit } from "#src/units/currentUnit.ts"
import { unitOf } from "#src/units/Unit.ts"
import type { RunningTurns } from "./runningTurns.ts"
import { makeRunTurn, type EvalOverrides } from "./runTurn.ts"

const leaseOf = (row: ClaimRow): Lease => ({
  appId: row.app_id,
  sessionId: row.session_id,
  turnIndex: row.turn_index,
  owner: row.owner,
  fence: row.fence
})
const unitOfTurn = ({ app_id, session_id, turn_index }: ClaimRow) =>
  unitOf("turn", app_id, `${session_id} ${turn_index}`)

/** A run of the turn, in the trace of its message. A run in another process, after this one died, is in it too. */
const traced = <A, E, R>(row: ClaimRow, run: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  run.pipe(
    inSpan("turn", "consumer", {
      [TROUPE.app]: row.app_id,
      [TROUPE.session]: row.session_id,
      [TROUPE.run]: row.run_ref,
      [TROUPE.turn]: row.turn_index,
      [TROUPE.fence]: row.fence
    }),
    continueTrace(row.traceparent)
  )

/** Claims the next turn of a session and runs it to its end. Undefined: there is none that may be claimed. */
export const makeRunNextTurn = Effect.fnUntraced(function* (running: RunningTurns, isClosed: () => boolean) {
  const turns = yield* Turns
  const membership = yield* Membership
  const runTurn = yield* makeRunTurn
  const yieldBudget = makeYieldBudget()

  // If this write fails, the next one includes its records. The turn does not wait for it.
  const book = (lease: Lease) => (stages: ReadonlyArray<StageRecord>) =>
    turns.book(lease, stages).pipe(Effect.timeout("2 seconds"), Effect.ignore)
  const giveBack = (lease: Lease, stages: ReadonlyArray<StageRecord>) =>
    turns.release(lease, stages).pipe(Effect.timeout("2 seconds"), Effect.ignore)

  // A claim is not interrupted halfway: a turn that is claimed without our knowledge would stay claimed until this
  // process ends. A turn that was claimed while we were asked to stop is released before it begins.
  return (session: SessionRef, overrides: EvalOverrides | undefined) =>
    Effect.uninterruptibleMask((restore) =>
      Effect.gen(function* (): Effect.gen.Return<Settled | undefined, DatabaseError> {
        const owner = isClosed() ? Option.none() : yield* membership.current
        if (Option.isNone(owner)) return undefined
        const row = yield* turns.claim(owner.value, session)
        if (row === undefined) return undefined
        const lease = leaseOf(row)
        const trace = new TurnTrace(yield* Clock.Clock, book(lease), yieldBudget(lease.appId))
        return yield* running.track(lease, (stop) =>
          restore(inUnit(unitOfTurn(row), traced(row, runTurn({ row, lease, trace, overrides, stop })))).pipe(
            Effect.onInterrupt(() => giveBack(lease, trace.records))
          )
        )
      })
    )
})
