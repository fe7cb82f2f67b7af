import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import { LogSignals } from "#channels/event-log/LogSignals.ts"
import { addressed } from "#pipeline/domain/addressed.ts"
import type { Payload } from "#pipeline/domain/Event.ts"
import type { StageRecord } from "#pipeline/domain/Turn.ts"
import type { ReadTurn } from "#pipeline/relational/Extractor.ts"
import { EMPTY_PATCH, type Patch } from "#pipeline/relational/Patch.ts"
import { NEW_RELATIONSHIP, type Relationship } from "#pipeline/relational/Relationship.ts"
import type { Utterance } from "#pipeline/retrieval/Transcript.ts"
import { Prices } from "#src/model/prices.ts"
import { lockSessions, lockAllowances } from "#src/db/billing/moneyStatements.ts"
import { makeBreath } from "#src/db/postgres/breath.ts"
import { Database, type DatabaseError } from "#src/db/postgres/Database.ts"
import { CharacterVersions } from "#src/db/character/CharacterVersions.ts"
import { CurrentUnit, inUnit } from "#src/units/currentUnit.ts"
import type { Unit } from "#src/units/Unit.ts"
import { groupCommit } from "#src/db/postgres/GroupCommit.ts"
import { moveHeads } from "#src/db/delivery/moveHeads.ts"
import { appendScores, findUnread, HISTORY_UTTERANCES, type Told, type UnreadRow } from "./readingStatements.ts"
import { Relationships } from "./Relationships.ts"
import { SessionStories } from "./SessionStories.ts"
import { putOffReading } from "#src/db/conversation/turnJobs.ts"
import type { SessionRef } from "#src/db/conversation/Turns.ts"
import { stageRow } from "#src/db/conversation/stageRows.ts"
import { writeAfterwards } from "#src/db/conversation/spendingStatements.ts"

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

/** A reading on its way into a batch, where it is decided in the unit of work that it is a part of. */
interface Queued extends Reading {
  readonly unit: Unit | null
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
      const { pool, query, transaction, afterCommit } = yield* Database
      const characters = yield* CharacterVersions
      const relationships = yield* Relationships
      const stories = yield* SessionStories
      const signals = yield* LogSignals
      const { version } = yield* Prices
      const run = Effect.runPromiseWith(yield* Effect.context<never>())
      const breath = makeBreath()

      const unreadOf = Effect.fnUntraced(function* ({ appId, sessionId }: SessionRef, row: UnreadRow) {
        const said = (row.said ?? []).map(([role, text, cursor, at, own]): Utterance & { readonly own: boolean } => ({
          role,
          text,
          cursor,
          at: new Date(at),
          own
        }))
        const bare = ({ role, text, cursor, at }: Utterance): Utterance => ({ role, text, cursor, at })
        const ownBy = (wanted: Utterance["role"]): Utterance | null => {
          const found = said.find(({ own, role }) => own && role === wanted)
          return found === undefined ? null : bare(found)
        }
        const character = addressed(
          yield* characters.get(appId, row.character_slug, row.character_version),
          row.display_name
        )
        return {
          recalled: row.recalled,
          exposes: row.exposes,
          isLast: row.is_last,
          storied: row.storied,
          heldMicroUsd: row.held_micro_usd,
          isLimited: row.is_limited,
          turn: {
            sessionId,
            turnIndex: row.turn_index,
            character,
            endUser: {
              externalUserRef: row.external_user_ref,
              displayName: row.display_name,
              timezone: row.timezone,
              locale: row.locale,
              ageBand: row.age_band
            },
            outcome: row.outcome,
            history: said
              .filter(({ own }) => !own)
              .slice(-HISTORY_UTTERANCES)
              .map(bare),
            message: ownBy("user"),
            reply: ownBy("character"),
            at: row.ended_at
          }
        } satisfies Unread
      })

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
        Effect.flatMap(find(session), (row) => (row === undefined ? Effect.succeed(undefined) : unreadOf(session, row)))

      const tell = Effect.fnUntraced(function* (told: ReadonlyArray<Told>) {
        const rows = yield* query<Array<{ session_id: string; last_cursor: number }>>((sql) => appendScores(sql, told))
        const moved = yield* query<ReadonlyArray<unknown>>((sql) =>
          moveHeads(
            sql,
            told.map(({ session }) => session.appId),
            told.map(({ session }) => session.sessionId)
          )
        )
        yield* afterCommit(() =>
          signals.announce(
            rows.map(({ session_id, last_cursor }) => ({ sessionId: session_id, cursor: last_cursor })),
            moved.length > 0
          )
        )
      })

      /** The patch of a turn, unless somebody else has read it meanwhile. */
      const decideOn = Effect.fnUntraced(function* (
        { session, turn: { turnIndex, character, message }, storied, decide, at }: Reading,
        known: Relationship
      ) {
        if (known.readTurn >= turnIndex) return { at, patch: EMPTY_PATCH }
        const patch = decide(known)
        // Stories go on with what the person says.
        const told =
          storied && message !== null
            ? yield* stories.goOn({ ...session, slug: character.slug }, character, known, patch, {
                at,
                turnIndex,
                message: message.text,
                trigger: null
              })
            : patch
        return { at, patch: told, turnIndex }
      })

      const writeAll = Effect.fnUntraced(function* (batch: ReadonlyArray<Queued>) {
        const costOf = ({ record }: Reading) => record.usage?.costMicroUsd ?? 0
        const dear = batch
          .filter((reading) => costOf(reading) > 0 || reading.heldMicroUsd > 0)
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
        // A session may have been erased while its turn was read.
        const there = new Set(logs.map(({ session_id }) => session_id))
        const readings = batch.filter(({ session }) => there.has(session.sessionId))
        if (readings.length === 0) return
        const fresh = new Set<Reading>()
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
          writeAfterwards(
            sql,
            readings.map((reading) => ({
              app: reading.session.appId,
              session: reading.session.sessionId,
              turn: reading.turn.turnIndex,
              cost: costOf(reading)
            })),
            JSON.stringify(readings.map(({ record }, place) => stageRow(record, place + 1, 0))),
            version
          )
        )
        const told = readings.flatMap((reading, place): ReadonlyArray<Told> => {
          const {
            session,
            turn: { turnIndex },
            scores
          } = reading
          const payload = fresh.has(reading) ? scores(after[place] ?? NEW_RELATIONSHIP) : null
          return payload === null ? [] : [{ session, turnIndex, payload }]
        })
        if (told.length > 0) yield* tell(told)
      }, transaction)

      // What no rule can read is an answer of its own reading alone.
      const commit = groupCommit<Queued, Exit.Exit<void>>({
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
