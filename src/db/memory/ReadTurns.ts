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
import { findUnread, type UnreadRow } from "./readingStatements.ts"
import { toUnread } from "./unreadTurn.ts"
import { type QueuedReading, writingReadings } from "./writingReadings.ts"

/**
 * Turns that are looked for together, or whose readings are written together; of each there is one such batch at the
 * database at a time. Few, so that those who wait for an answer go before what was answered: their sessions are locked
 * meanwhile.
 */
const MOST_TOGETHER = 32

export interface Unread {
  readonly turn: ReadTurn
  /** The memories that its reply leaned on. */
  readonly recalled: ReadonlyArray<string>
  /** Whether the app has opted in to seeing scores. */
  readonly exposes: boolean
  /** Whether there was no later turn: one that comes now asks to be read by itself. */
  readonly isLast: boolean
  /** Whether there are stories that may go on by it. */
  readonly storied: boolean
  /** What is still held for the reading of it, in micro-USD. */
  readonly heldMicroUsd: number
  /** Whether somebody is limited in what may be spent on it. */
  readonly isLimited: boolean
}

export interface Reading {
  readonly session: SessionRef
  readonly turn: ReadTurn
  readonly storied: boolean
  readonly heldMicroUsd: number
  /** Against the relationship as it stands now. */
  readonly decide: (known: Relationship) => Patch
  /** How it was read, and what that has cost. */
  readonly record: StageRecord
  readonly at: Date
  /** What the app is told of, if it has opted in. */
  readonly scores: (after: Relationship) => Payload<"relationship_score.changed"> | null
}

/** The turns of a session that have ended, as they are read one after another for what they tell of the two. */
export class ReadTurns extends Context.Service<
  ReadTurns,
  {
    /** The first that has not been read yet. Concurrent calls travel together. */
    readonly next: (session: SessionRef) => Effect.Effect<Unread | undefined, DatabaseError>
    /**
     * Writes what was read: the patch, its stage and its cost, and the event of the scores, at once. A turn that
     * somebody else has read meanwhile is left as it is; what this reading has cost is booked all the same. Concurrent
     * readings travel together.
     */
    readonly write: (reading: Reading) => Effect.Effect<void, DatabaseError>
    /** Has these sessions looked at in a while. Concurrent calls travel together, and share jobs. */
    readonly putOff: (sessions: ReadonlyArray<SessionRef>) => Effect.Effect<void, DatabaseError>
  }
>()("src/db/memory/ReadTurns") {
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

      // What no rule can read is an answer of its own reading alone.
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
