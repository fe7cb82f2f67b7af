import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import type { Payload } from "#pipeline/domain/Event.ts"
import type { StageRecord } from "#pipeline/domain/Turn.ts"
import type { EndedTurn } from "#pipeline/relational/Extractor.ts"
import type { Patch } from "#pipeline/relational/Patch.ts"
import type { Relationship } from "#pipeline/relational/Relationship.ts"
import { CharacterVersions } from "#src/db/character/CharacterVersions.ts"
import { postponeExtractions } from "#src/db/conversation/turnJobs.ts"
import type { SessionRef } from "#src/db/conversation/Turns.ts"
import { Database, type DatabaseError } from "#src/db/postgres/Database.ts"
import { groupCommit } from "#src/db/postgres/GroupCommit.ts"
import { CurrentUnit } from "#src/units/currentUnit.ts"
import { findPendingTurns, type PendingTurnRow } from "./extractionStatements.ts"
import { toPendingExtraction } from "./pendingTurn.ts"
import { type QueuedExtraction, makeExtractionWriter } from "./writeExtractions.ts"

/**
 * Turns per batch, for finding unread turns and for writing extractions. There is one batch of each at the database at
 * a time. Few, so that turns that wait for an answer have priority: the sessions of a batch are locked.
 */
const MAX_BATCH = 32

export interface PendingExtraction {
  readonly turn: EndedTurn
  /** The memories that its reply relied on. */
  readonly recalled: ReadonlyArray<string>
  /** Whether the app has opted in to seeing scores. */
  readonly exposes: boolean
  /** Whether there was no later turn. A turn that arrives now requests its own extraction. */
  readonly isLast: boolean
  /** Whether a story may progress by this turn. */
  readonly hasStoryline: boolean
  /** What is still reserved for its extraction, in micro-USD. */
  readonly reservedMicroUsd: number
  /** Whether any limit applies to its cost. */
  readonly isLimited: boolean
}

export interface MemoryExtraction {
  readonly session: SessionRef
  readonly turn: EndedTurn
  readonly hasStoryline: boolean
  readonly reservedMicroUsd: number
  /** Decides against the current relationship. */
  readonly decide: (known: Relationship) => Patch
  /** The stage record of the extraction, with its cost. */
  readonly record: StageRecord
  readonly at: Date
  /** The event for the app, if it has opted in. */
  readonly scores: (after: Relationship) => Payload<"relationship_score.changed"> | null
}

/** Finished turns of sessions, for memory extraction one after another. */
export class MemoryExtractions extends Context.Service<
  MemoryExtractions,
  {
    /** The first turn without extraction. Concurrent calls are batched. */
    readonly next: (session: SessionRef) => Effect.Effect<PendingExtraction | undefined, DatabaseError>
    /**
     * Writes an extraction at once: the patch, its stage and cost, and the score event. A turn that another worker has
     * processed in the meantime stays as it is, but the cost of this extraction is booked all the same. Concurrent
     * extractions are batched.
     */
    readonly write: (reading: MemoryExtraction) => Effect.Effect<void, DatabaseError>
    /** Schedules these sessions for later. Concurrent calls are batched, and share jobs. */
    readonly postpone: (sessions: ReadonlyArray<SessionRef>) => Effect.Effect<void, DatabaseError>
  }
>()("src/db/memory/MemoryExtractions") {
  static readonly layer = Layer.effect(
    MemoryExtractions,
    Effect.gen(function* () {
      const { pool } = yield* Database
      const characters = yield* CharacterVersions
      const writeAll = yield* makeExtractionWriter
      const run = Effect.runPromiseWith(yield* Effect.context<never>())

      const find = groupCommit<SessionRef, PendingTurnRow | undefined>({
        maxBatch: MAX_BATCH,
        inFlight: 1,
        appOf: ({ appId }) => appId,
        run: async (batch) => {
          const rows = new Map((await findPendingTurns(pool, batch)).map((row) => [row.n, row]))
          return batch.map((_, index) => rows.get(index + 1))
        }
      })
      const next = (session: SessionRef) =>
        Effect.flatMap(find(session), (row) =>
          row === undefined
            ? Effect.succeed(undefined)
            : Effect.map(characters.get(session.appId, row.character_slug, row.character_version), (character) =>
                toPendingExtraction(session.sessionId, row, character)
              )
        )

      // A turn that rules cannot read only fails its own extraction.
      const commit = groupCommit<QueuedExtraction, Exit.Exit<void>>({
        maxBatch: MAX_BATCH,
        inFlight: 1,
        appOf: ({ session }) => session.appId,
        run: async (batch) => {
          await run(writeAll(batch))
          return batch.map(() => Exit.void)
        },
        runAlone: (reading) =>
          run(
            writeAll([reading]).pipe(
              Effect.as(Exit.void),
              Effect.catchDefect((defect) => Effect.succeed(Exit.die(defect)))
            )
          )
      })
      const write = (reading: MemoryExtraction) =>
        Effect.flatMap(CurrentUnit, (unit) => Effect.flatten(commit({ ...reading, unit })))

      const postpone = groupCommit<ReadonlyArray<SessionRef>, void>({
        maxBatch: 64,
        inFlight: 1,
        run: async (batch) => {
          const sessions = batch.flat()
          await pool`select ${postponeExtractions(
            pool,
            sessions.map(({ appId }) => appId),
            sessions.map(({ sessionId }) => sessionId)
          )}`
          return batch.map(() => undefined)
        }
      })

      return MemoryExtractions.of({ next, write, postpone })
    })
  )
}
