import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Usage } from "#pipeline/domain/Turn.ts"
import { decide } from "#pipeline/relational/decide.ts"
import type { Extraction } from "#pipeline/relational/Extraction.ts"
import { Extractor, type EndedTurn } from "#pipeline/relational/Extractor.ts"
import { forgottenSince } from "#pipeline/relational/forget.ts"
import { publicScores, SCALE } from "#pipeline/relational/meter.ts"
import { EMPTY_PATCH } from "#pipeline/relational/Patch.ts"
import { NEW_RELATIONSHIP, type Relationship } from "#pipeline/relational/Relationship.ts"
import { tellsNothing } from "#pipeline/relational/tellsNothing.ts"
import { extractByRules } from "#pipeline/relational/rules/extractByRules.ts"
import type { DatabaseError } from "#src/db/postgres/Database.ts"
import { untilThereIsSpace } from "#src/db/postgres/retry.ts"
import { Relationships } from "#src/db/memory/Relationships.ts"
import { type MemoryExtraction, MemoryExtractions, type PendingExtraction } from "#src/db/memory/MemoryExtractions.ts"
import type { SessionRef } from "#src/db/conversation/Turns.ts"
import { Spending, SpendingLimit } from "#pipeline/SpendingLimit.ts"
import { runStage } from "#pipeline/TurnTrace.ts"
import { attempt } from "#src/units/attempt.ts"
import { unitOf } from "#src/units/Unit.ts"
import { makeSlots, slotsFor } from "#src/jobs/runner/slots.ts"

interface ExtractionAttempt {
  /** What was known when the model was asked. */
  readonly known: Relationship
  /** Null: rules should extract from the turn. */
  readonly extraction: Extraction | null
  readonly usage: Usage | null
  readonly errorCode: string | null
}

/** A turn that repeatedly crashed its extraction. It yields nothing, so that later turns can be processed. */
const GIVEN_UP: ExtractionAttempt = { known: NEW_RELATIONSHIP, extraction: null, usage: null, errorCode: "crashed" }
const BY_RULES: ExtractionAttempt = { known: NEW_RELATIONSHIP, extraction: null, usage: null, errorCode: null }

/**
 * Maximum number of sessions per app in extraction at once. An extraction may wait for a model as long as a turn does.
 * With more, turns that wait for an answer would find no room among the jobs.
 */
export const MAX_EXTRACTIONS = 200

/**
 * Relationships loaded concurrently for extraction by a model. Few, so that turns that wait for an answer have
 * priority.
 */
const AT_THE_DATABASE = 2

/** SQLSTATE classes for a rejected value: 22 (invalid data) and 54 (limit exceeded). */
const UNWRITABLE = /^(22|54)/

/** Extracts memories from the turns of a session after they were answered, one after another: the relational update. */
export class MemoryExtractionWorker extends Context.Service<
  MemoryExtractionWorker,
  {
    /** `by`: the extractor to use. Null: rules alone. */
    readonly drain: (session: SessionRef, by?: Extractor | null) => Effect.Effect<void, DatabaseError>
    /** Whether this process is extracting from the maximum number of the app's sessions. */
    readonly isFull: (appId: string) => Effect.Effect<boolean>
    /** Schedules these sessions for later, by any process that has room. */
    readonly postpone: (sessions: ReadonlyArray<SessionRef>) => Effect.Effect<void, DatabaseError>
  }
>()("src/jobs/memory/MemoryExtractor") {
  static readonly layer = Layer.effect(
    MemoryExtractionWorker,
    Effect.gen(function* () {
      const turns = yield* MemoryExtractions
      const relationships = yield* Relationships
      const served = yield* Extractor
      const lookUpSlots = makeSlots(AT_THE_DATABASE)
      const slots = makeSlots(slotsFor(MAX_EXTRACTIONS))

      /** The model's extraction. Null if it fails, so that rules are used. */
      const askModel = Effect.fnUntraced(function* (
        { extract }: Extractor,
        session: SessionRef,
        turn: EndedTurn
      ): Effect.fn.Return<ExtractionAttempt, DatabaseError> {
        const known = yield* lookUpSlots.withSlot(session.appId, relationships.load(session))
        return yield* extract({ turn, known }).pipe(
          Effect.match({
            onSuccess: ({ extraction, usage }): ExtractionAttempt => ({ known, extraction, usage, errorCode: null }),
            onFailure: ({ usage, code }): ExtractionAttempt => ({ known, extraction: null, usage, errorCode: code })
          }),
          Effect.catchDefect((defect) =>
            Effect.as(Effect.logError("memory extraction failed", defect), {
              known,
              extraction: null,
              usage: null,
              errorCode: "defect"
            })
          )
        )
      })

      const writeEmpty = (reading: MemoryExtraction, errorCode: string) =>
        turns.write({
          ...reading,
          record: { ...reading.record, status: "fallback", errorCode },
          decide: () => EMPTY_PATCH,
          hasStoryline: false
        })

      const extract = Effect.fnUntraced(function* (
        session: SessionRef,
        extractor: Extractor | null,
        unread: PendingExtraction,
        givenUp: boolean
      ) {
        const { turn, recalled, exposes, hasStoryline, reservedMicroUsd, isLimited } = unread
        const [{ known, extraction }, record] = yield* runStage(
          "relational_update",
          Effect.gen(function* (): Effect.fn.Return<ExtractionAttempt, DatabaseError> {
            if (givenUp) return GIVEN_UP
            if (extractor === null || tellsNothing(turn)) return BY_RULES
            const limit = isLimited ? new Spending(reservedMicroUsd) : yield* SpendingLimit
            return yield* Effect.provideService(askModel(extractor, session, turn), SpendingLimit, limit)
          }),
          ({ usage, errorCode }) => ({ status: errorCode === null ? "ok" : "fallback", usage, errorCode })
        )
        const { relationship_posture } = turn.character
        const reading: MemoryExtraction = {
          session,
          turn,
          hasStoryline,
          reservedMicroUsd,
          at: turn.at,
          record,
          // The model may have seen what was forgotten in the meantime, so then rules extract instead.
          decide: (now) =>
            decide(
              now,
              turn,
              extraction === null || forgottenSince(known, now) ? extractByRules({ turn, known: now }) : extraction,
              recalled
            ),
          scores: ({ bearing }) =>
            exposes
              ? {
                  relationship_scores: publicScores(relationship_posture, bearing.scores, {
                    nowMs: turn.at.getTime(),
                    since: turn.at.toISOString()
                  }),
                  score_scale: SCALE
                }
              : null
        }
        if (givenUp) return yield* writeEmpty(reading, "crashed")
        yield* untilThereIsSpace(turns.write(reading)).pipe(
          Effect.catchTag("DatabaseError", (error) =>
            UNWRITABLE.test(error.sqlState ?? "") ? Effect.die(error) : Effect.fail(error)
          ),
          // A turn that rules cannot read or that the database cannot store must not block later turns.
          Effect.catchDefect((defect) =>
            Effect.logError("memory update could not be written", defect).pipe(
              Effect.andThen(writeEmpty(reading, "defect"))
            )
          )
        )
      })

      const extractNext = Effect.fnUntraced(function* (session: SessionRef, extractor: Extractor | null) {
        const unread = yield* turns.next(session)
        if (unread === undefined) return false
        const unit = unitOf("reading", session.appId, `${session.sessionId} ${unread.turn.turnIndex}`)
        yield* attempt(unit, extract(session, extractor, unread, false), extract(session, extractor, unread, true))
        return !unread.isLast
      })

      // Sessions in extraction here. A second wake-up makes the running extraction check again instead of starting
      // another one.
      const reading = new Map<string, { again: boolean }>()
      const drain = Effect.fnUntraced(function* (session: SessionRef, by: Extractor | null = served) {
        const name = `${session.appId} ${session.sessionId}`
        const busy = reading.get(name)
        if (busy !== undefined) {
          busy.again = true
          return
        }
        const mine = { again: true }
        reading.set(name, mine)
        yield* slots
          .withSlot(
            session.appId,
            Effect.gen(function* () {
              while (mine.again) {
                mine.again = false
                while (yield* extractNext(session, by)) {
                  /* until none is left */
                }
              }
            })
          )
          .pipe(Effect.ensuring(Effect.sync(() => reading.delete(name))))
      })
      return MemoryExtractionWorker.of({
        drain,
        isFull: (appId) => Effect.sync(() => slots.isFull(appId)),
        postpone: turns.postpone
      })
    })
  )
}
