import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { SessionRef } from "#src/db/conversation/Turns.ts"
import type { About } from "#pipeline/relational/Relationship.ts"
import { Database, type DatabaseError } from "#src/db/postgres/Database.ts"

/** How much is searched, latest first: 4,000 memories with 256 dimensions, or 660 with 1,536. */
const MAX_BYTES = 1_024_000

/** An active memory as it is searched by meaning. */
export interface VectoredMemory {
  readonly id: string
  readonly kind: string
  readonly text: string
  readonly about: About | null
  /** When it was learned. */
  readonly at: Date
  /** Where it was said. Null for a memory that the app added. */
  readonly cursor: number | null
}

export interface EmbeddedMemory {
  readonly id: string
  /** The text that was embedded. */
  readonly text: string
  /** Empty: it is not to be found. */
  readonly vector: Int8Array
}

/** Vectors of memories, all of the same length, one after another. */
export interface SessionMemoryVectors {
  readonly ids: ReadonlyArray<string>
  readonly bytes: Int8Array
}

/** The embeddings of active memories. Those of another model are ignored, and replaced step by step. */
export class MemoryVectors extends Context.Service<
  MemoryVectors,
  {
    /** The first active memories without a vector. `isSaid`: whether to include those that the person told. */
    readonly pending: (
      session: SessionRef,
      model: string,
      wanted: { readonly isSaid: boolean; readonly limit: number }
    ) => Effect.Effect<ReadonlyArray<VectoredMemory>, DatabaseError>
    /** Stores vectors, except of memories that have been forgotten or changed in the meantime. */
    readonly write: (
      session: SessionRef,
      model: string,
      embedded: ReadonlyArray<EmbeddedMemory>
    ) => Effect.Effect<void, DatabaseError>
    readonly read: (session: SessionRef, model: string) => Effect.Effect<SessionMemoryVectors, DatabaseError>
    /** The active ones of these memories, in no order. */
    readonly memories: (
      session: SessionRef,
      ids: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyArray<VectoredMemory>, DatabaseError>
  }
>()("src/db/memory/MemoryVectors") {
  static readonly layer = Layer.effect(
    MemoryVectors,
    Effect.gen(function* () {
      const { query } = yield* Database
      return MemoryVectors.of({
        pending: ({ appId, sessionId }, model, { isSaid, limit }) =>
          query<Array<VectoredMemory>>(
            (sql) => sql`
        select memory_id as id, kind, text, about, created_at as at, (evidence -> 0 ->> 'cursor')::bigint as cursor
        from memories m
        where app_id = ${appId} and session_id = ${sessionId} and status = 'active'
          and (${isSaid}::boolean or evidence -> 0 ->> 'cursor' is null)
          and not exists (select from memory_vectors v where v.app_id = m.app_id and v.session_id = m.session_id
            and v.memory_id = m.memory_id and v.model = ${model})
        order by memory_id limit ${limit}::int`
          ),
        write: ({ appId, sessionId }, model, embedded) =>
          // An erasure waits for the lock of the log, or has deleted the row. What changes a memory waits for the lock
          // of its row, and then deletes the vector.
          Effect.asVoid(
            query(
              (sql) => sql`
        with log as materialized (
          select from session_logs where app_id = ${appId} and session_id = ${sessionId} for key share
        ), unchanged as materialized (
          select m.memory_id, e.vector from memories m join unnest(${embedded.map(({ id }) => id)}::text[],
            ${embedded.map(({ text }) => text)}::text[],
            ${embedded.map(({ vector }) => Buffer.from(vector.buffer).toString("hex"))}::text[]) as e(id, text, vector)
            on e.id = m.memory_id and e.text = m.text
          where m.app_id = ${appId} and m.session_id = ${sessionId} and m.status = 'active'
            and exists (select from log)
          for share of m
        )
        insert into memory_vectors (app_id, session_id, memory_id, model, vector)
        select ${appId}, ${sessionId}, memory_id, ${model}, decode(vector, 'hex') from unchanged
        on conflict (app_id, session_id, memory_id) do update set model = excluded.model, vector = excluded.vector`
            )
          ),
        read: Effect.fnUntraced(function* ({ appId, sessionId }: SessionRef, model: string) {
          const [row] = yield* query<Array<{ ids: ReadonlyArray<string>; bytes: Buffer }>>(
            (sql) => sql`
        with latest as (
          select octet_length(vector) as size from memory_vectors
          where app_id = ${appId} and session_id = ${sessionId} and model = ${model} and vector <> ''
          order by memory_id desc limit 1
        )
        select coalesce(json_agg(memory_id order by memory_id desc), '[]') as ids,
          coalesce(string_agg(vector, ''::bytea order by memory_id desc), '') as bytes
        from (
          select memory_id, vector from memory_vectors
          where app_id = ${appId} and session_id = ${sessionId} and model = ${model}
            and octet_length(vector) = (select size from latest)
          order by memory_id desc limit (select ${MAX_BYTES}::int / size from latest)
        ) v`
          )
          const bytes = row?.bytes ?? Buffer.alloc(0)
          return { ids: row?.ids ?? [], bytes: new Int8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength) }
        }),
        memories: ({ appId, sessionId }, ids) =>
          query<Array<VectoredMemory>>(
            (sql) => sql`
        select memory_id as id, kind, text, about, created_at as at, (evidence -> 0 ->> 'cursor')::bigint as cursor
        from memories
        where app_id = ${appId} and session_id = ${sessionId} and memory_id = any(${[...ids]}::text[])
          and status = 'active'`
          )
      })
    })
  )
}
