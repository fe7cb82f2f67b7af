import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Utterance } from "#pipeline/retrieval/Transcript.ts"
import type { SessionRef } from "#src/db/conversation/Turns.ts"
import { Database, type DatabaseError } from "#src/db/postgres/Database.ts"

/** How much of a session is searched, latest first: 16,000 utterances with 256 dimensions, or 2,600 with 1,536. */
const MAX_BYTES = 4_096_000

type Row = Omit<Utterance, "referred">

export interface EmbeddedUtterance {
  readonly cursor: number
  /** Empty: it is not to be found. */
  readonly vector: Int8Array
}

/** Vectors of a session, all of the same length, one after another. */
export interface SessionVectors {
  readonly cursors: ReadonlyArray<number>
  readonly bytes: Int8Array
}

/** The embeddings of what was said, by model. Those of another model are ignored, and replaced step by step. */
export class UtteranceVectors extends Context.Service<
  UtteranceVectors,
  {
    /** The first utterances without a vector. `embeddedTo`: the last cursor with one, or 0. */
    readonly pending: (
      session: SessionRef,
      model: string,
      limit: number
    ) => Effect.Effect<{ readonly embeddedTo: number; readonly said: ReadonlyArray<Utterance> }, DatabaseError>
    /** Stores vectors, unless the session has been erased or its log trimmed in the meantime. */
    readonly write: (
      session: SessionRef,
      model: string,
      embedded: ReadonlyArray<EmbeddedUtterance>
    ) => Effect.Effect<void, DatabaseError>
    /** The vectors of the utterances before a cursor. */
    readonly read: (session: SessionRef, model: string, before: number) => Effect.Effect<SessionVectors, DatabaseError>
    /** The utterances at these cursors, in no order. */
    readonly said: (
      session: SessionRef,
      cursors: ReadonlyArray<number>
    ) => Effect.Effect<ReadonlyArray<Utterance>, DatabaseError>
  }
>()("src/db/memory/UtteranceVectors") {
  static readonly layer = Layer.effect(
    UtteranceVectors,
    Effect.gen(function* () {
      const { query } = yield* Database
      return UtteranceVectors.of({
        pending: Effect.fnUntraced(function* ({ appId, sessionId }: SessionRef, model: string, limit: number) {
          const rows = yield* query<Array<Row & { readonly embeddedTo: number }>>(
            (sql) => sql`
        with embedded as (
          select coalesce(max(cursor), 0) as cursor from utterance_vectors
          where app_id = ${appId} and session_id = ${sessionId} and model = ${model}
        )
        select v.cursor as "embeddedTo", e.cursor, e.role, e.payload ->> 'text' as text, e.created_at as at
        from embedded v cross join events e
        where e.app_id = ${appId} and e.session_id = ${sessionId} and e.cursor > v.cursor
          and e.type in ('message.created', 'character.initiated')
        order by e.cursor limit ${limit}::int`
          )
          return {
            embeddedTo: rows[0]?.embeddedTo ?? 0,
            said: rows.map(({ cursor, role, text, at }) => ({ cursor, role, text, at }))
          }
        }),
        write: ({ appId, sessionId }, model, embedded) =>
          // An erasure waits for the lock, or has deleted the row.
          Effect.asVoid(
            query(
              (sql) => sql`
        with log as materialized (
          select kept_after from session_logs where app_id = ${appId} and session_id = ${sessionId} for key share
        ), replaced as (
          delete from utterance_vectors using log where app_id = ${appId} and session_id = ${sessionId}
            and model <> ${model} and cursor <= ${embedded.at(-1)?.cursor ?? 0}::bigint
        )
        insert into utterance_vectors (app_id, session_id, model, cursor, vector)
        select ${appId}, ${sessionId}, ${model}, e.cursor, decode(e.vector, 'hex')
        from log cross join unnest(${embedded.map(({ cursor }) => cursor)}::bigint[],
          ${embedded.map(({ vector }) => Buffer.from(vector.buffer).toString("hex"))}::text[]) as e(cursor, vector)
        where e.cursor > log.kept_after
        on conflict do nothing`
            )
          ),
        read: Effect.fnUntraced(function* ({ appId, sessionId }: SessionRef, model: string, before: number) {
          const [row] = yield* query<Array<{ cursors: ReadonlyArray<number>; bytes: Buffer }>>(
            (sql) => sql`
        with latest as (
          select octet_length(vector) as size from utterance_vectors
          where app_id = ${appId} and session_id = ${sessionId} and model = ${model}
            and cursor < ${before}::bigint and vector <> ''
          order by cursor desc limit 1
        )
        select coalesce(json_agg(cursor order by cursor desc), '[]') as cursors,
          coalesce(string_agg(vector, ''::bytea order by cursor desc), '') as bytes
        from (
          select cursor, vector from utterance_vectors
          where app_id = ${appId} and session_id = ${sessionId} and model = ${model}
            and cursor < ${before}::bigint and octet_length(vector) = (select size from latest)
          order by cursor desc limit (select ${MAX_BYTES}::int / size from latest)
        ) v`
          )
          const bytes = row?.bytes ?? Buffer.alloc(0)
          return {
            cursors: row?.cursors ?? [],
            bytes: new Int8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength)
          }
        }),
        said: ({ appId, sessionId }, cursors) =>
          query<Array<Row>>(
            (sql) => sql`
        select cursor, role, payload ->> 'text' as text, created_at as at from events
        where app_id = ${appId} and session_id = ${sessionId} and cursor = any(${[...cursors]}::bigint[])
          and type in ('message.created', 'character.initiated')`
          )
      })
    })
  )
}
