import * as Effect from "effect/Effect"
import { LogSignals } from "#channels/event-log/LogSignals.ts"
import { EMPTY_PATCH } from "#pipeline/relational/Patch.ts"
import { NEW_RELATIONSHIP, type Relationship } from "#pipeline/relational/Relationship.ts"
import { lockAllowances, lockSessions } from "#src/db/billing/moneyStatements.ts"
import { writeLateSpending } from "#src/db/conversation/spendingStatements.ts"
import { stageRow } from "#src/db/conversation/stageRows.ts"
import { advanceLaneHeads } from "#src/db/delivery/advanceLaneHeads.ts"
import { makeYieldBudget } from "#src/db/postgres/yieldBudget.ts"
import { Database } from "#src/db/postgres/Database.ts"
import { Prices } from "#src/model/prices.ts"
import { inUnit } from "#src/units/currentUnit.ts"
import type { Unit } from "#src/units/Unit.ts"
import { appendScores, type ScoreChange } from "./extractionStatements.ts"
import type { MemoryExtraction } from "./MemoryExtractions.ts"
import { Relationships } from "./Relationships.ts"
import { SessionStories } from "./SessionStories.ts"

/** An extraction that waits for its batch. It is decided in its own unit of work. */
export interface QueuedExtraction extends MemoryExtraction {
  readonly unit: Unit | null
}

/** Writes a batch of extractions in one transaction: see `write` of MemoryExtractions. */
export const makeExtractionWriter = Effect.gen(function* () {
  const { query, transaction, afterCommit } = yield* Database
  const relationships = yield* Relationships
  const stories = yield* SessionStories
  const signals = yield* LogSignals
  const { version } = yield* Prices
  const breath = makeYieldBudget()

  const tell = Effect.fnUntraced(function* (told: ReadonlyArray<ScoreChange>) {
    const rows = yield* query<Array<{ app_id: string; session_id: string; last_cursor: number }>>((sql) =>
      appendScores(sql, told)
    )
    const moved = yield* query((sql) =>
      advanceLaneHeads(
        sql,
        told.map(({ session }) => session.appId),
        told.map(({ session }) => session.sessionId)
      )
    )
    yield* afterCommit(() =>
      signals.announce(
        rows.map(({ app_id, session_id, last_cursor }) => ({
          appId: app_id,
          sessionId: session_id,
          cursor: last_cursor
        })),
        moved.length > 0
      )
    )
  })

  /** The patch of a turn, unless another worker has processed it in the meantime. */
  const decideOn = Effect.fnUntraced(function* (
    { session, turn: { turnIndex, character, message }, hasStoryline, decide, at }: MemoryExtraction,
    known: Relationship
  ) {
    if (known.readTurn >= turnIndex) return { at, patch: EMPTY_PATCH }
    const patch = decide(known)
    // Stories advance by what the person says.
    const told =
      hasStoryline && message !== null
        ? yield* stories.advance({ ...session, slug: character.slug }, character, known, patch, {
            at,
            turnIndex,
            message: message.text,
            trigger: null
          })
        : patch
    return { at, patch: told, turnIndex }
  })

  return Effect.fnUntraced(function* (batch: ReadonlyArray<QueuedExtraction>) {
    const costOf = ({ record }: MemoryExtraction) => record.usage?.costMicroUsd ?? 0
    const dear = batch
      .filter((reading) => costOf(reading) > 0 || reading.reservedMicroUsd > 0)
      .map(({ session }) => session)
    const [, logs] = yield* Effect.all(
      [
        dear.length === 0
          ? Effect.void
          : query((sql) =>
              lockAllowances(
                sql,
                dear.map(({ appId }) => appId),
                dear.map(({ sessionId }) => sessionId)
              )
            ),
        query<Array<{ session_id: string }>>((sql) =>
          lockSessions(
            sql,
            batch.map(({ session }) => session.appId),
            batch.map(({ session }) => session.sessionId)
          )
        )
      ],
      { concurrency: "unbounded" }
    )
    // A session may have been erased during the extraction.
    const there = new Set(logs.map(({ session_id }) => session_id))
    const readings = batch.filter(({ session }) => there.has(session.sessionId))
    if (readings.length === 0) return
    const fresh = new Set<MemoryExtraction>()
    const after = yield* relationships.amendAll(
      readings.map((reading) => ({
        session: reading.session,
        decide: (known: Relationship) =>
          Effect.tap(
            Effect.andThen(
              breath(reading.session.appId),
              reading.unit === null ? decideOn(reading, known) : inUnit(reading.unit, decideOn(reading, known))
            ),
            ({ turnIndex }) =>
              Effect.sync(() => {
                if (turnIndex !== undefined) fresh.add(reading)
              })
          )
      }))
    )
    yield* query((sql) =>
      writeLateSpending(
        sql,
        readings.map((reading) => ({
          app: reading.session.appId,
          session: reading.session.sessionId,
          turn: reading.turn.turnIndex,
          cost: costOf(reading)
        })),
        JSON.stringify(readings.map(({ record }, index) => stageRow(record, index + 1, 0))),
        version
      )
    )
    const told = readings.flatMap((reading, index): ReadonlyArray<ScoreChange> => {
      const {
        session,
        turn: { turnIndex },
        scores
      } = reading
      const payload = fresh.has(reading) ? scores(after[index] ?? NEW_RELATIONSHIP) : null
      return payload === null ? [] : [{ session, turnIndex, payload }]
    })
    if (told.length > 0) yield* tell(told)
  }, transaction)
})
