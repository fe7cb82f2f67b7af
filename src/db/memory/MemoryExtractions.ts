import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import type { Payload } from "#pipeline/domain/Event.ts"
import type { StageRecord } from "#pipeline/domain/Turn.ts"
import type { ReadTurn } from "#pipeline/relational/Extractor.ts"
import type { Patch } from "#pipeline/relational/Patch.ts"
import type { Relationship } from "#pipeline/relational/Relationship.ts"
import { CharacterVersions } from "#src/db/character/CharacterVersions.ts"
import { putOffReading } from "#src/db/conversation/turnJobs.ts"
import type { SessionRef } from "#src/db/conversation/Turns.ts"
import { Database, type DatabaseError } from "#src/db/postgres/Database.ts"
import { groupCommit } from "#src/db/postgres/GroupCommit.ts"
import { CurrentUnit } from "#src/units/currentUnit.ts"
import { findUnread, type UnreadRow } from "./extractionStatements.ts"
import { toUnread } from "./pendingTurn.ts"
import { type QueuedReading, writingReadings } from "./writeExtractions.ts"

/**
 * Turns per batch, for finding unread turns and for writing extractions. There is one batch of each at the database at
 * a time. Few, so that turns that wait for an answer have priority: the sessions of a batch are locked.
 */
const MOST_TOGETHER = 32

export interface Unread {
  readonly turn: ReadTurn
  /** The memories that its reply relied on. */
  readonly recalled: ReadonlyArray<string>
  /** Whether the app has opted in to seeing scores. */
  readonly exposes: boolean
  /** Whether there was no later turn. A turn that arrives now requests its own extraction. */
  readonly isLast: boolean
  /** Whether a story may progress by this turn. */
  readonly storied: boolean
  /** What is still reserved for its extraction, in micro-USD. */
  readonly heldMicroUsd: number
  /** Whether any limit applies to its cost. */
  readonly isLimited: boolean
}

export interface Reading {
  readonly session: SessionRef
  readonly turn: ReadTurn
  readonly storied: boolean
  readonly heldMicroUsd: number
  /** Decides against the current relationship. */
  readonly decide: (known: Relationship) => Patch
  /** The stage record of the extraction, with its cost. */
  readonly record: StageRecord
  readonly at: Date
  /** The event for the app, if it has opted in. */
  readonly scores: (after: Relationship) => Payload<"relationship_score.changed"> | null
}

/** Finished turns of sessions, for memory extraction one after another. */
export class ReadTurns extends Context.Service<
  ReadTurns,
  {
    /** The first turn without extraction. Concurrent calls are batched. */
    readonly next: (session: SessionRef) => Effect.Effect<Unread | undefined, DatabaseError>
    /**
     * Writes an extraction at once: the patch, its stage and cost, and the score event. A turn that another worker has
     * processed in the meantime stays as it is, but the cost of this extraction is booked all the same. Concurrent
     * extractions are batched.
     */
    readonly write: (reading: Reading) => Effect.Effect<void, DatabaseError>
    /** Schedules these sessions for later. Concurrent calls are batched, and share jobs. */
    readonly putOff: (sessions: ReadonlyArray<SessionRef>) => Effect.Effect<void, DatabaseError>
  }
>()("src/db/memory/MemoryExtractions") {
  static readonly layer = Layer.effect(
    ReadTurns,
    Effect.gen(function* () {
      const { pool } = yield* Database
      const characters = yield* CharacterVersions
      const writeAll = yield* writingReadings
      const run = Effect.runPromiseWith(yield* Effect.context<never>())

      const find = groupCommit<SessionRef, UnreadRow | undefined>({
        maxBatch: MOST_TOGETHER,
        inFlight: 1,
        appOf: ({ appId }) => appId,
        run: async (batch) => {
          const rows = new Map((await findUnread(pool, batch)).map((row) => [row.n, row]))
          return batch.map((_, place) => rows.get(place + 1))
        }
      })
      const next = (session: SessionRef) =>
        Effect.flatMap(find(session), (row) =>
          row === undefined
            ? Effect.succeed(undefined)
            : Effect.map(characters.get(session.appId, row.character_slug, row.character_version), (character) =>
                toUnread(session.sessionId, row, character)
              )
        )

      // A turn that rules cannot read only fails its own extraction.
      const commit = groupCommit<QueuedReading, Exit.Exit<void>>({
        maxBatch: MOST_TOGETHER,
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
      const write = (reading: Reading) =>
        Effect.flatMap(CurrentUnit, (unit) => Effect.flatten(commit({ ...reading, unit })))

      const putOff = groupCommit<ReadonlyArray<SessionRef>, void>({
        maxBatch: 64,
        inFlight: 1,
        run: async (batch) => {
          const sessions = batch.flat()
          await pool`select ${putOffReading(
            pool,
            sessions.map(({ appId }) => appId),
            sessions.map(({ sessionId }) => sessionId)
          )}`
          return batch.map(() => undefined)
        }
      })

      return ReadTurns.of({ next, write, putOff })
    })
  )
}
