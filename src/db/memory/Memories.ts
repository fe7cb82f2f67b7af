import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { About, Memory } from "#pipeline/relational/Relationship.ts"
import { type MemoryScore, scoreMemories, type Stem } from "#pipeline/retrieval/memoryScores.ts"
import type { QueryTerm } from "#pipeline/retrieval/recallQuery.ts"
import { Database, type DatabaseError } from "#src/db/postgres/Database.ts"
import { groupCommit } from "#src/db/postgres/GroupCommit.ts"
import type { Pool, Query } from "#src/db/postgres/postgres.ts"
import { memoryColumns } from "./relationshipStatements.ts"
import { sessionDictionaries } from "./sessionDictionary.ts"
import { dictionaryFor } from "./stemming.ts"
import type { SessionRef } from "#src/db/conversation/Turns.ts"

/** Limit for a search as of an earlier time, because the number of superseded memories is unbounded. */
const MAX_SEARCHED = 2_000

export interface MemorySearch {
  readonly terms: ReadonlyArray<QueryTerm>
  /** Language tags of the session if known, the end-user's first. Null: look them up. */
  readonly languages: ReadonlyArray<string | null> | null
  /** Only memories that were valid at this time, even if superseded since. Null: those that are valid now. */
  readonly asOf: Date | null
  /** Whether pinned memories are included even if they match no word of the search. */
  readonly pinned: boolean
  readonly limit: number
}

export interface FoundMemory {
  readonly id: string
  readonly kind: string
  readonly text: string
  readonly about: About | null
  readonly pinned: boolean
  readonly importance: number
  /** When it was learned. */
  readonly at: Date
  /** Where it was first said. Null if it was not said. */
  readonly cursor: number | null
  readonly score: MemoryScore
}

const memoryOf =
  (lines: ReadonlyArray<string>) =>
  ([text, about]: Found["texts"][number], place: number) => {
    const [id = "", kind = "", importance, pinned, atMs, cursor = "", ...lexemes] = (lines[place] ?? "").split(" ")
    return {
      id,
      kind,
      text,
      about,
      importance: Number(importance),
      pinned: pinned === "true",
      atMs: Number(atMs),
      cursor: cursor === "-" ? null : Number(cursor),
      lexemes: lexemes.filter((lexeme) => lexeme !== "")
    }
  }

export interface MemoryFilter {
  readonly kind: string | null
  /** Null: all except forgotten ones. */
  readonly status: string | null
  readonly pinned: boolean | null
  /** Memories older than this one. */
  readonly before: string | null
  readonly limit: number
}

interface Wanted extends SessionRef {
  readonly terms: ReadonlyArray<QueryTerm>
  readonly dictionary: string
  readonly asOf: string | null
}
interface Found {
  readonly stems: ReadonlyArray<Stem>
  readonly lines: string
  readonly texts: ReadonlyArray<readonly [string, About | null]>
}

/** Searches per batch. Few, so that one session with many memories does not delay many others. */
const MAX_AT_ONCE = 16

/**
 * The stems of a search, and those of the candidate memories, one line each: converting a thousand rows to JSON takes
 * the database as long as everything else.
 */
const searchAmong = (sql: Pool, inQuestion: Query) =>
  groupCommit<Wanted, Found>({
    maxBatch: MAX_AT_ONCE,
    inFlight: 2,
    appOf: ({ appId }) => appId,
    run: (batch) => sql<Array<Found>>`
    select (
      select coalesce(json_agg(json_build_object('lexeme', lexeme, 'weight', weight)), '[]') from (
        select coalesce(stem[1], term) as lexeme, max(weight) as weight
        from json_to_recordset(w.terms) as t(term text, weight float8) cross
          join lateral (select ts_lexize(w.dictionary::regdictionary, term) as stem) s
        where stem is null or cardinality(stem) > 0 group by 1
      ) q
    ) as stems, m.*
    from
      json_to_recordset(${JSON.stringify(
        batch.map(({ appId, sessionId, asOf, ...rest }, n) => ({
          ...rest,
          n,
          app_id: appId,
          session_id: sessionId,
          as_of: asOf
        }))
      )}::text::json)
      as w(n int, app_id text, session_id text, terms json, dictionary text, as_of timestamptz)
      cross join lateral (
        select coalesce(string_agg(memory_id || ' ' || kind || ' ' || importance || ' ' || pinned || ' ' ||
          floor(extract(epoch from created_at) * 1000) || ' ' || coalesce(evidence -> 0 ->> 'cursor',
            '-') || ' ' || lexemes, E'\n'), '') as lines,
          coalesce(json_agg(json_build_array(text, about)), '[]') as texts
        from (
          select * from memories where app_id = w.app_id and session_id = w.session_id
            and ${inQuestion} order by memory_id desc limit ${MAX_SEARCHED}::int
        ) m
      ) m
    order by w.n`
  })

/** Reading and searching what a character remembers about a person. Only patches change it: see Relationships. */
export class Memories extends Context.Service<
  Memories,
  {
    readonly get: (session: SessionRef, memoryId: string) => Effect.Effect<Memory | undefined, DatabaseError>
    /** Newest first. */
    readonly list: (session: SessionRef, filter: MemoryFilter) => Effect.Effect<ReadonlyArray<Memory>, DatabaseError>
    /** The existing ones of these ids, in no order. */
    readonly some: (
      session: SessionRef,
      memoryIds: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyArray<Memory>, DatabaseError>
    /** Best first. Never returns quarantined or forgotten memories. */
    readonly search: (
      session: SessionRef,
      search: MemorySearch
    ) => Effect.Effect<ReadonlyArray<FoundMemory>, DatabaseError>
  }
>()("src/db/memory/Memories") {
  static readonly layer = Layer.effect(
    Memories,
    Effect.gen(function* () {
      const database = yield* Database
      const { pool, query } = database
      const findPresent = searchAmong(pool, pool`status = 'active'`)
      const findPast = searchAmong(
        pool,
        pool`
          status in ('active', 'superseded') and valid_at <= w.as_of and (invalid_at is null or invalid_at > w.as_of)`
      )

      const search = Effect.fnUntraced(function* (
        session: SessionRef,
        { terms, languages, asOf, pinned, limit }: MemorySearch
      ) {
        const dictionary =
          languages === null
            ? (yield* sessionDictionaries([session]).pipe(Effect.provideService(Database, database)))(0)
            : dictionaryFor(languages)
        const wanted = { ...session, terms, dictionary, asOf: asOf?.toISOString() ?? null }
        const found = yield* asOf === null ? findPresent(wanted) : findPast(wanted)
        const memories = found.texts.map(memoryOf(found.lines.split("\n")))
        const scored = scoreMemories(memories, found.stems, asOf?.getTime() ?? (yield* Clock.currentTimeMillis))
        return scored
          .filter(({ memory, score }) => score.lexical > 0 || (pinned && memory.pinned))
          .slice(0, limit)
          .map(({ memory: { id, kind, text, about, pinned, importance, atMs, cursor }, score }): FoundMemory => ({
            id,
            kind,
            text,
            about,
            pinned,
            importance,
            at: new Date(atMs),
            cursor,
            score
          }))
      })

      const some = ({ appId, sessionId }: SessionRef, memoryIds: ReadonlyArray<string>) =>
        query<Array<Memory>>(
          (sql) => sql`
      select ${memoryColumns(sql)} from memories
        where app_id = ${appId} and session_id = ${sessionId} and memory_id = any(${memoryIds}::text[])`
        )

      return Memories.of({
        search,
        some,
        get: (session, memoryId) => Effect.map(some(session, [memoryId]), ([memory]) => memory),
        list: ({ appId, sessionId }, { kind, status, pinned, before, limit }) =>
          query<Array<Memory>>(
            (sql) => sql`
        select ${memoryColumns(sql)} from memories where app_id = ${appId} and session_id = ${sessionId}
          ${status === null ? sql`and status <> 'forgotten'` : sql`and status = ${status}`}
          ${kind === null ? sql`` : sql`and kind = ${kind}`}
          ${pinned === null ? sql`` : sql`and pinned = ${pinned}`}
          ${before === null ? sql`` : sql`and memory_id < ${before}`}
        order by memory_id desc limit ${limit}::int`
          )
      })
    })
  )
}
