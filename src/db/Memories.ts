import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Memory } from "#pipeline/relational/Relationship.ts"
import { type MemoryScore, scoreMemories, type Stem } from "#pipeline/retrieval/memoryScores.ts"
import type { QueryTerm } from "#pipeline/retrieval/recallQuery.ts"
import { Database, type DatabaseError } from "./Database.ts"
import { memoryColumns } from "./relationshipStatements.ts"
import { sessionDictionaries } from "./sessionDictionary.ts"
import { dictionaryFor } from "./stemming.ts"
import type { SessionRef } from "./Turns.ts"

/** Superseded ones are without number; of what was known at some time, so many are gone through. */
const MOST_SEARCHED = 2_000

export interface MemorySearch {
  readonly terms: ReadonlyArray<QueryTerm>
  /** Language tags of the session where they are known, the end-user's first; null has them looked up. */
  readonly languages: ReadonlyArray<string | null> | null
  /** Only what held then, superseded since or not; null: what holds now. */
  readonly asOf: Date | null
  /** Whether those that are pinned are among the found, though they have no word of the search. */
  readonly pinned: boolean
  readonly limit: number
}

export interface FoundMemory {
  readonly id: string
  readonly kind: string
  readonly text: string
  readonly pinned: boolean
  readonly importance: number
  /** When it was learned. */
  readonly at: Date
  /** Where it was said first; null where it was not. */
  readonly cursor: number | null
  readonly score: MemoryScore
}

const memoryOf = (lines: ReadonlyArray<string>) => (text: string, place: number) => {
  const [id = "", kind = "", importance, pinned, atMs, cursor = "", ...lexemes] = (lines[place] ?? "").split(" ")
  return { id, kind, text, importance: Number(importance), pinned: pinned === "true", atMs: Number(atMs), cursor: cursor === "-" ? null : Number(cursor), lexemes: lexemes.filter((lexeme) => lexeme !== "") }
}

export interface MemoryFilter {
  readonly kind: string | null
  /** Null: all but the forgotten. */
  readonly status: string | null
  readonly pinned: boolean | null
  /** Memories older than this one. */
  readonly before: string | null
  readonly limit: number
}

/** What a character remembers of a person, for those who read it or look for something in it. Changed by patches alone: see Relationships. */
export class Memories extends Context.Service<Memories, {
  readonly get: (session: SessionRef, memoryId: string) => Effect.Effect<Memory | undefined, DatabaseError>
  /** The newest first. */
  readonly list: (session: SessionRef, filter: MemoryFilter) => Effect.Effect<ReadonlyArray<Memory>, DatabaseError>
  /** Those of these ids that are there, in no order. */
  readonly some: (session: SessionRef, memoryIds: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<Memory>, DatabaseError>
  /** The best first. Neither what is in quarantine nor what was forgotten is ever found. */
  readonly search: (session: SessionRef, search: MemorySearch) => Effect.Effect<ReadonlyArray<FoundMemory>, DatabaseError>
}>()("src/db/Memories") {
  static readonly layer = Layer.effect(Memories, Effect.gen(function*() {
    const database = yield* Database
    const { query } = database

    const search = Effect.fnUntraced(function*(session: SessionRef, { terms, languages, asOf, pinned, limit }: MemorySearch) {
      const { appId, sessionId } = session
      const dictionary = languages === null ? (yield* sessionDictionaries([session]).pipe(Effect.provideService(Database, database)))(0) : dictionaryFor(languages)
      // In a line each: to put a thousand rows into JSON takes the database as long as all the rest.
      const [found] = yield* query<Array<{ stems: ReadonlyArray<Stem>; lines: string; texts: ReadonlyArray<string> }>>((sql) => sql`
        select (
          select coalesce(json_agg(json_build_object('lexeme', lexeme, 'weight', weight)), '[]') from (
            select coalesce(stem[1], term) as lexeme, max(weight) as weight
            from json_to_recordset(${JSON.stringify(terms)}::text::json) as t(term text, weight float8) cross join lateral (select ts_lexize(${dictionary}::regdictionary, term) as stem) s
            where stem is null or cardinality(stem) > 0 group by 1
          ) q
        ) as stems, m.* from (
          select coalesce(string_agg(memory_id || ' ' || kind || ' ' || importance || ' ' || pinned || ' ' || floor(extract(epoch from created_at) * 1000) || ' ' || coalesce(evidence -> 0 ->> 'cursor', '-') || ' ' || lexemes, E'\n'), '') as lines,
            coalesce(json_agg(text), '[]') as texts
          from (
            select * from memories where app_id = ${appId} and session_id = ${sessionId}
              ${asOf === null ? sql`and status = 'active'` : sql`and status in ('active', 'superseded') and valid_at <= ${asOf} and (invalid_at is null or invalid_at > ${asOf})`}
            order by memory_id desc limit ${MOST_SEARCHED}::int
          ) m
        ) m`)
      const memories = (found?.texts ?? []).map(memoryOf((found?.lines ?? "").split("\n")))
      const scored = scoreMemories(memories, found?.stems ?? [], asOf?.getTime() ?? (yield* Clock.currentTimeMillis))
      return scored.filter(({ memory, score }) => score.lexical > 0 || (pinned && memory.pinned)).slice(0, limit)
        .map(({ memory: { id, kind, text, pinned, importance, atMs, cursor }, score }): FoundMemory => ({ id, kind, text, pinned, importance, at: new Date(atMs), cursor, score }))
    })

    const some = ({ appId, sessionId }: SessionRef, memoryIds: ReadonlyArray<string>) => query<Array<Memory>>((sql) => sql`
      select ${memoryColumns(sql)} from memories where app_id = ${appId} and session_id = ${sessionId} and memory_id = any(${memoryIds}::text[])`)

    return Memories.of({
      search,
      some,
      get: (session, memoryId) => Effect.map(some(session, [memoryId]), ([memory]) => memory),
      list: ({ appId, sessionId }, { kind, status, pinned, before, limit }) => query((sql) => sql`
        select ${memoryColumns(sql)} from memories where app_id = ${appId} and session_id = ${sessionId}
          ${status === null ? sql`and status <> 'forgotten'` : sql`and status = ${status}`}
          ${kind === null ? sql`` : sql`and kind = ${kind}`}
          ${pinned === null ? sql`` : sql`and pinned = ${pinned}`}
          ${before === null ? sql`` : sql`and memory_id < ${before}`}
        order by memory_id desc limit ${limit}::int`)
    })
  }))
}
