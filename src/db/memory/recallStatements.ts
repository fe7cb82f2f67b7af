import type { QueryTerm } from "#pipeline/retrieval/recallQuery.ts"
import type { Sql } from "#src/db/postgres/Database.ts"
import type { Postings } from "./postings.ts"

/** The index of a session, restricted to the words of a search. */
export interface LookUp {
  readonly appId: string
  readonly sessionId: string
  readonly terms: ReadonlyArray<QueryTerm>
  readonly dictionary: string
  readonly before: number
}
export interface LookedUp extends Postings {
  /** The last indexed cursor. 0 when the index is empty. */
  readonly indexedTo: number
}

/**
 * For a word with more occurrences than this, only the latest ones are searched: a frequent word has little
 * significance, and each occurrence costs a read.
 */
const MAX_POSTINGS = 4_000

/** One result for each request of the batch. */
export const lookUp = async (sql: Sql, batch: ReadonlyArray<LookUp>): Promise<ReadonlyArray<LookedUp>> =>
  sql<Array<LookedUp>>`
    select coalesce(l.cursor, 0) as "indexedTo", coalesce(f.doc, 1) as first, coalesce(v.doc, 0) as visible,
      coalesce(l.doc, 0) as last, coalesce(l.average, 1) as average, p.*
    from
      json_to_recordset(${JSON.stringify(
        batch.map(({ appId, sessionId, ...rest }, n) => ({ ...rest, n, app_id: appId, session_id: sessionId }))
      )}::text::json)
      as w(n int, app_id text, session_id text, before bigint, dictionary text, terms json)
      left join lateral (
        select first_doc as doc from memory_blocks where app_id = w.app_id and session_id = w.session_id
          order by first_doc limit 1
      ) f on true
      left join lateral (
        select cursors[cardinality(cursors)] as cursor, first_doc + cardinality(cursors) - 1 as doc, greatest(words,
          1) / (first_doc + cardinality(cursors) - 1)::float8 as average
        from memory_blocks where app_id = w.app_id and session_id = w.session_id order by first_doc desc limit 1
      ) l on true
      left join lateral (
        select first_doc + (select count(*)::int from unnest(cursors) c where c < w.before) - 1 as doc
        from memory_blocks where app_id = w.app_id and session_id = w.session_id and cursors[1] < w.before
          order by first_doc desc limit 1
      ) v on true
      cross join lateral (
        with q as materialized (
          select row_number() over () - 1 as word, lexeme, max(weight) as weight from (
            select coalesce(stem[1], term) as lexeme, weight
            from json_to_recordset(w.terms) as t(term text, weight float8) cross
              join lateral (select ts_lexize(w.dictionary::regdictionary, term) as stem) s
            where stem is null or cardinality(stem) > 0
          ) s group by lexeme
        )
        select (select coalesce(json_agg(weight order by word), '[]') from q) as weights, (
          select coalesce(string_agg(int2send(word::int2) || int4send(doc) || int2send(tf) || int2send(before) ||
            int2send(own) || int2send(after), '' order by word), '') from q cross join lateral (
            select doc, tf, before, own, after from memory_terms where app_id = w.app_id and session_id = w.session_id
              and lexeme = q.lexeme order by doc desc limit ${MAX_POSTINGS}::int
          ) t
        ) as postings
      ) p
    order by w.n`

export interface DocumentsRequest {
  readonly appId: string
  readonly sessionId: string
  readonly docs: ReadonlyArray<number>
}
interface Said {
  readonly doc: number
  readonly cursor: number
  readonly role: "user" | "character"
  readonly text: string
  readonly at: Date
}

/**
 * The utterances at these positions, for each request of the batch, in no order. Those that the log no longer has are
 * missing.
 */
export const readDocuments = async (
  sql: Sql,
  batch: ReadonlyArray<DocumentsRequest>
): Promise<ReadonlyArray<ReadonlyArray<Said>>> => {
  const wanted = batch.flatMap(({ appId, sessionId, docs }, n) => docs.map((doc) => ({ appId, sessionId, doc, n })))
  const rows = await sql<Array<Said & { readonly n: number }>>`
    select w.n, w.doc, e.cursor, e.role, e.payload ->> 'text' as text, e.created_at as at
    from unnest(${wanted.map(({ appId }) => appId)}::text[],
      ${wanted.map(({ sessionId }) => sessionId)}::text[],
        ${wanted.map(({ doc }) => doc)}::int[], ${wanted.map(({ n }) => n)}::int[]) as w(app_id, session_id, doc, n)
      cross join lateral (
        select cursors[w.doc - first_doc + 1] as cursor from memory_blocks
        where app_id = w.app_id and session_id = w.session_id and first_doc <= w.doc order by first_doc desc limit 1
      ) b
      join events e on e.app_id = w.app_id and e.session_id = w.session_id and e.cursor = b.cursor`
  return batch.map((_, n) => rows.filter((row) => row.n === n))
}
