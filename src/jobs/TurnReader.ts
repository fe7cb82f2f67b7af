import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import type { StageRecord, Usage } from "#pipeline/domain/Turn.ts"
import { decide } from "#pipeline/relational/decide.ts"
import type { Extraction } from "#pipeline/relational/Extraction.ts"
import { type ExtractRequest, Extractor } from "#pipeline/relational/Extractor.ts"
import { forgottenSince } from "#pipeline/relational/forget.ts"
import { publicScores, SCALE } from "#pipeline/relational/meter.ts"
import { EMPTY_PATCH } from "#pipeline/relational/Patch.ts"
import { extractByRules } from "#pipeline/relational/rules/extractByRules.ts"
import type { DatabaseError } from "#src/db/Database.ts"
import { Relationships } from "#src/db/Relationships.ts"
import { type Reading, ReadTurns } from "#src/db/ReadTurns.ts"
import type { SessionRef } from "#src/db/Turns.ts"

interface Extracted {
  readonly extraction: Extraction
  readonly usage: Usage | null
  readonly errorCode: string | null
}

/** SQLSTATE classes by which a value itself is refused: 22 data that is none, 54 too much of it. */
const UNWRITABLE = /^(22|54)/

/** Reads the turns of a session after they were answered, one after another, for what they tell of the two: the relational update. */
export class TurnReader extends Context.Service<TurnReader, {
  /** By this extractor where one is given, or null for the rules alone. */
  readonly drain: (session: SessionRef, by?: Extractor | null) => Effect.Effect<void, DatabaseError>
}>()("src/jobs/TurnReader") {
  static readonly layer = Layer.effect(TurnReader, Effect.gen(function*() {
    const turns = yield* ReadTurns
    const relationships = yield* Relationships
    const served = yield* Extractor

    /** By the model where there is one, and by rules where there is none or it fails: a turn is read in any case. */
    const extract = Effect.fnUntraced(function*(extractor: Extractor | null, request: ExtractRequest): Effect.fn.Return<Extracted> {
      if (extractor === null || request.turn.message === null) return { extraction: extractByRules(request), usage: null, errorCode: null }
      const read = yield* Effect.result(extractor.extract(request))
      return Result.isSuccess(read)
        ? { ...read.success, errorCode: null }
        : { extraction: extractByRules(request), usage: read.failure.usage, errorCode: read.failure.code }
    })

    const readNext = Effect.fnUntraced(function*(session: SessionRef, extractor: Extractor | null) {
      const unread = yield* turns.next(session)
      if (unread === undefined) return false
      const { turn, recalled, exposes } = unread
      const startedAt = yield* Clock.currentTimeMillis
      const known = yield* relationships.load(session)
      const extracted = yield* Effect.exit(extract(extractor, { turn, known }))
      // What no rule and no model can read must not hold up what comes after it.
      if (Exit.isFailure(extracted)) yield* Effect.logError("a turn could not be read", extracted.cause)
      const { extraction, usage, errorCode }: Extracted = Exit.isSuccess(extracted) ? extracted.value : { extraction: extractByRules({ turn: { ...turn, message: null, reply: null }, known }), usage: null, errorCode: "defect" }
      const { character: { relationship_posture } } = turn
      const record: StageRecord = {
        stage: "relational_update", attempt: 1, startedAt: new Date(startedAt), latencyMs: (yield* Clock.currentTimeMillis) - startedAt,
        status: errorCode === null ? "ok" : "fallback", decision: null, errorCode, detail: null, usage
      }
      const reading: Reading = {
        session,
        turnIndex: turn.turnIndex,
        at: turn.at,
        record,
        // Who has read the turn may have had before them what was forgotten meanwhile.
        decide: (now) => decide(now, turn, forgottenSince(known, now) ? extractByRules({ turn, known: now }) : extraction, recalled),
        scores: ({ bearing }) => exposes ? { relationship_scores: publicScores(relationship_posture, bearing.scores, { nowMs: turn.at.getTime(), since: turn.at.toISOString() }), score_scale: SCALE } : null
      }
      yield* turns.write(reading).pipe(
        Effect.catchTag("DatabaseError", (error) => UNWRITABLE.test(error.sqlState ?? "") ? Effect.die(error) : Effect.fail(error)),
        // Nor must what no database can keep.
        Effect.catchDefect((defect) => Effect.logError("what was read of a turn could not be written", defect).pipe(Effect.andThen(turns.write({ ...reading, decide: () => EMPTY_PATCH }))))
      )
      return true
    })

    // Sessions that are being read here: a second wake-up has the reader look once more, and does not read beside it.
    const reading = new Map<string, { again: boolean }>()
    const drain = Effect.fnUntraced(function*(session: SessionRef, by: Extractor | null = served) {
      const name = `${session.appId} ${session.sessionId}`
      const busy = reading.get(name)
      if (busy !== undefined) {
        busy.again = true
        return
      }
      const mine = { again: true }
      reading.set(name, mine)
      yield* Effect.gen(function*() {
        while (mine.again) {
          mine.again = false
          while (yield* readNext(session, by)) { /* until none is left */ }
        }
      }).pipe(Effect.ensuring(Effect.sync(() => reading.delete(name))))
    })
    return TurnReader.of({ drain })
  }))
}
