import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import { replyDelayMs } from "#pipeline/domain/replyDelay.ts"
import { Outcome } from "#pipeline/domain/Turn.ts"
import { TROUPE } from "#pipeline/telemetry/genAi.ts"
import { describeSpan, inSpan } from "#pipeline/telemetry/trace.ts"
import { countersBy, histogram, LONG_SECONDS } from "#pipeline/telemetry/metric.ts"
import { Spending, SpendingLimit } from "#pipeline/SpendingLimit.ts"
import type { TurnTrace } from "#pipeline/TurnTrace.ts"
import { TurnPipeline } from "#pipeline/Turn.ts"
import { CharacterVersions } from "#src/db/character/CharacterVersions.ts"
import type { ClaimRow } from "#src/db/conversation/claimTurns.ts"
import { type Lease, type Settled, Turns } from "#src/db/conversation/Turns.ts"
import type { DatabaseError } from "#src/db/postgres/Database.ts"
import { untilReachable, untilThereIsSpace } from "#src/db/postgres/retry.ts"
import { CRASH_LIMIT } from "#src/units/attempt.ts"
import { makeRunProactiveTurn } from "./runProactiveTurn.ts"
import { turnOf } from "./turnOf.ts"

const OUTCOMES = { Replied: "replied", Withheld: "withheld", Exited: "exited", Failed: "failed" } as const
const ended = countersBy("troupe_turns_total", "Turns that have ended, by outcome", "outcome", Object.values(OUTCOMES))
const replySeconds = histogram(
  "troupe_accept_to_reply_seconds",
  "Time from accepting a message to its reply on the log, including the delay that the character's author wants",
  LONG_SECONDS
)

const withheld = Outcome.cases.Withheld.make({})
/** The outcome of a turn that was stopped. */
export const stoppedOutcome = Outcome.cases.Withheld.make({ by: "stopped" })
/** Nothing more to do in the session for now. */
const postponed: Settled = { _tag: "Taken" }
const isRejected = ({ reason }: DatabaseError): boolean => reason === "refused"
const generationFailed = Outcome.cases.Failed.make({ reason: "generation_failed" })

/** Where the turns of evals run: the pipeline of their engine, and the seed that replaces the session's. */
export interface EvalOverrides {
  readonly pipeline: TurnPipeline["Service"]
  readonly seed: string
}

/** A claimed turn, with what its run needs and what it records. */
export interface ClaimedTurn {
  readonly row: ClaimRow
  readonly lease: Lease
  readonly trace: TurnTrace
  readonly overrides: EvalOverrides | undefined
  /** Ends the run with this outcome. */
  readonly stop: Deferred.Deferred<Outcome>
}

/** Runs and settles a claimed turn. */
export const makeRunTurn = Effect.gen(function* () {
  const served = yield* TurnPipeline
  const turns = yield* Turns
  const characters = yield* CharacterVersions
  const runProactiveTurn = yield* makeRunProactiveTurn

  const settle = Effect.fnUntraced(function* (row: ClaimRow, lease: Lease, outcome: Outcome, trace: TurnTrace) {
    const { initiative: proactive, accepted_at } = row
    yield* describeSpan({ [TROUPE.outcome]: OUTCOMES[outcome._tag] })
    // A reply that the database has no space for is kept, because the model would have to write it again.
    const settled = yield* untilReachable(turns.settle({ lease, proactive, outcome, stages: trace.records })).pipe(
      untilThereIsSpace,
      inSpan("settle")
    )
    if (settled._tag === "Settled") {
      ended(OUTCOMES[outcome._tag]).add()
      if (outcome._tag === "Replied" && proactive === null)
        replySeconds.record(((yield* Clock.currentTimeMillis) - accepted_at.getTime()) / 1000)
    }
    return settled
  })

  /** Runs the turn. Null: it was postponed, because of the character's reply delay or a simulated stall. */
  const attempt = Effect.fnUntraced(function* ({ row, lease, trace, overrides }: ClaimedTurn) {
    const pipeline = overrides?.pipeline ?? served
    const version = characters.get(row.app_id, row.character_slug, row.character_version)
    const turn = turnOf(row, yield* untilReachable(version), overrides?.seed)
    if (row.initiative !== null) return yield* runProactiveTurn(row, row.initiative, pipeline.run(turn, trace))
    const now = yield* Clock.currentTimeMillis
    const dueAt = Math.max(now, row.accepted_at.getTime() + replyDelayMs(turn)) + pipeline.stallMs(turn)
    if (row.deferred || dueAt <= now) return yield* pipeline.run(turn, trace)
    yield* untilThereIsSpace(untilReachable(turns.defer(lease, new Date(dueAt))))
    return null
  })

  return Effect.fnUntraced(
    function* (claimed: ClaimedTurn) {
      const { row, lease, trace, stop } = claimed
      // The session ended before this turn began (again). Settlement then gives the turn the session's end as outcome,
      // whatever outcome is passed here.
      if (row.session_status !== "active") return yield* settle(row, lease, withheld, trace)
      if (row.stopped) return yield* settle(row, lease, stoppedOutcome, trace)
      if (row.crashes >= CRASH_LIMIT) return yield* settle(row, lease, generationFailed, trace)
      const limit = row.left_micro_usd === null ? yield* SpendingLimit : new Spending(row.left_micro_usd)
      const outcome = yield* attempt(claimed).pipe(
        Effect.provideService(SpendingLimit, limit),
        Effect.catchCauseIf(
          (cause) => !Cause.hasInterruptsOnly(cause),
          (cause) => Effect.as(Effect.logError("turn failed", cause), generationFailed)
        ),
        Effect.raceFirst(Deferred.await(stop))
      )
      if (outcome === null) return postponed
      // If the database rejects the values of a reply, the turn must still end.
      return yield* settle(row, lease, outcome, trace).pipe(
        Effect.catchIf(isRejected, (error) =>
          Effect.logError("reply could not be written", error).pipe(
            Effect.andThen(settle(row, lease, generationFailed, trace))
          )
        )
      )
    },
    (effect, { row }) => Effect.annotateLogs(effect, { session_id: row.session_id, run_ref: row.run_ref })
  )
})
