import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { Character } from "#pipeline/domain/Character.ts"
import type { Case } from "#pipeline/evals/Suite.ts"
import { playedTurn, scoresAt } from "#pipeline/evals/playedTurn.ts"
import { setupPatch } from "#pipeline/evals/setUp.ts"
import type { PlayedTurn, Trajectory } from "#pipeline/evals/Trajectory.ts"
import { Inbox } from "#pipeline/Inbox.ts"
import { DatabaseError } from "#src/db/postgres/Database.ts"
import type { RunOrder } from "#src/db/evals/EvalRuns.ts"
import { type ShadowCharacter, ShadowSessions } from "#src/db/evals/ShadowSessions.ts"
import { Relationships } from "#src/db/memory/Relationships.ts"
import { MemoryExtractionWorker } from "#src/jobs/memory/MemoryExtractor.ts"
import { TurnRunner } from "#src/jobs/conversation/TurnRunner.ts"
import type { EvalEngine } from "./EvalEngines.ts"

export interface CaseToPlay {
  readonly cast: ShadowCharacter
  /** The index of the case repeat in the run. */
  readonly place: number
  readonly character: Character
  readonly engine: EvalEngine
  readonly replyMode: RunOrder["reply_mode"]
  readonly asked: Case
  /** Derived from the run, the case and the repeat, so it is the same whatever the session ids are. */
  readonly seed: string
  /** Whether turns are free. */
  readonly free: boolean
  /** Checked before each turn: whether the case is still wanted. */
  readonly wanted: Effect.Effect<boolean, DatabaseError>
}

/** A clock that starts at another moment and runs normally. Delays take as long as usual. */
const clockFrom = (clock: Clock.Clock, moment: number): Clock.Clock => {
  const ahead = moment - clock.currentTimeMillisUnsafe()
  const aheadNanos = BigInt(Math.round(ahead)) * 1_000_000n
  return {
    currentTimeMillisUnsafe: () => clock.currentTimeMillisUnsafe() + ahead,
    currentTimeMillis: Effect.map(clock.currentTimeMillis, (millis) => millis + ahead),
    currentTimeNanosUnsafe: () => clock.currentTimeNanosUnsafe() + aheadNanos,
    currentTimeNanos: Effect.map(clock.currentTimeNanos, (nanos) => nanos + aheadNanos),
    monotonicTimeNanosUnsafe: () => clock.monotonicTimeNanosUnsafe(),
    monotonicTimeNanos: clock.monotonicTimeNanos,
    sleep: (duration) => clock.sleep(duration)
  }
}

/** Another worker took over the turn. It plays the case again from the start. */
const advanceClock = (what: string) =>
  new DatabaseError({ reason: "unreachable", sqlState: null, cause: new Error(what) })

const play = Effect.fnUntraced(function* ({
  cast,
  place,
  character,
  engine,
  replyMode,
  asked,
  seed,
  free,
  wanted
}: CaseToPlay) {
  const [shadows, inbox, runner, reader, relationships] = [
    yield* ShadowSessions,
    yield* Inbox,
    yield* TurnRunner,
    yield* MemoryExtractionWorker,
    yield* Relationships
  ]
  const now = Effect.map(Clock.currentTimeMillis, (millis) => new Date(millis))

  const openedAt = yield* now
  const { session, greeting } = yield* shadows.open(cast, place, asked.setup, seed, openedAt)
  let memoryIds: Trajectory["memory_ids"] = {}
  let known = yield* relationships.amend(session, (relationship) =>
    Effect.sync(() => {
      const { patch, memoryIds: ids } = setupPatch(asked.setup, character, relationship, openedAt, seed)
      memoryIds = ids
      return { at: openedAt, patch }
    })
  )

  const turns: Array<PlayedTurn> = []
  const scores = scoresAt(character, known, openedAt)
  for (const { user } of asked.turns) {
    if (!(yield* wanted)) return null
    const begunAt = yield* now
    const accepted = yield* inbox
      .accept({ ...session, text: user, replyMode, clientMessageId: null, source: "system" })
      .pipe(
        Effect.catchTags({
          Refused: () => Effect.succeed(null),
          InboxUnavailable: ({ cause }) => Effect.fail(advanceClock(String(cause)))
        })
      )
    // The character has left, so no more messages are sent to it.
    if (accepted === null) break
    const turn = { ...session, turnIndex: accepted.turnIndex }
    yield* shadows.stamp(turn, begunAt)
    yield* runner.drain(session, { pipeline: engine.pipeline, seed })
    const endedAt = yield* now
    yield* shadows.stamp(turn, endedAt)
    yield* reader.drain(session, engine.extractor)
    const stored = yield* shadows.turn(turn)
    if (stored === undefined || stored.outcome === null)
      return yield* advanceClock("a turn of an eval was not played to its end")
    const after = yield* relationships.load(session)
    turns.push(
      playedTurn(character, {
        user,
        outcome: stored.outcome,
        reason: stored.reason,
        events: stored.events,
        stages: stored.stages,
        before: known,
        after,
        at: yield* now,
        latencyMs: endedAt.getTime() - begunAt.getTime(),
        costMicroUsd: free ? 0 : stored.cost_micro_usd
      })
    )
    known = after
  }
  return { greeting, memory_ids: memoryIds, scores, turns } satisfies Trajectory
})

/**
 * Plays a case in a shadow session with its own clock. It uses the same accept, claim, pipeline, settlement and
 * extraction as any session, driven turn by turn from here. Null: the case is no longer wanted.
 */
export const playCase = (wanted: CaseToPlay) =>
  Effect.flatMap(Clock.Clock, (clock) => {
    const { clock: moment } = wanted.asked.setup
    return moment === undefined
      ? play(wanted)
      : Effect.provideService(play(wanted), Clock.Clock, clockFrom(clock, Date.parse(moment)))
  })
