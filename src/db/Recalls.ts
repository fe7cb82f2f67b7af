import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Turn } from "#pipeline/domain/Turn.ts"
import { Recall, type RecallRequest } from "#pipeline/retrieval/Recall.ts"
import type { Recalled } from "#pipeline/retrieval/Retrieved.ts"
import { terms } from "#pipeline/retrieval/terms.ts"
import { Database, type DatabaseError } from "./Database.ts"
import { dictionaryFor } from "./stemming.ts"

/** What one step takes into the index. A session is behind by more only if it is older than its index. */
const MOST_INDEXED = 500
const MOST_TERMS = 400
const MOST_TERM_CHARS = 60
const MOST_TF = 1_000

interface Said {
  readonly cursor: number
  readonly role: "user" | "character"
  readonly text: string
}
interface Found {
  readonly indexed_to: number
  readonly cursor: number | null
  readonly role: "user" | "character"
  readonly text: string | null
  readonly at: Date
  readonly score: number
}

const countsOf = (words: ReadonlyArray<string>): ReadonlyArray<readonly [string, number]> => {
  const counts = new Map<string, number>()
  for (const word of words) if (word.length <= MOST_TERM_CHARS) counts.set(word, Math.min(MOST_TF, (counts.get(word) ?? 0) + 1))
  return [...counts].slice(0, MOST_TERMS)
}

/** The end-user's language, or else the character's. One that changes leaves older words findable by themselves, if not by their other forms. */
const dictionaryOf = ({ endUser, character }: Turn): string => dictionaryFor([endUser.locale, ...character.voice.languages])

/**
 * Recall over `memory_docs` and `memory_terms`. What was said is taken into the index when it is about to leave the history of its session's turns,
 * some at a time: accepting and settling pay nothing for it, and a session that fits into its history has no index at all.
 * The length that counts is that of an utterance with neighbours of average length, and never less than the average: "Yes." must not outrank what it answers.
 * An index is made of the log, so it does not wait for the disk: what a crash forgets is indexed again.
 */
export const layer = Layer.effect(Recall, Effect.gen(function*() {
  const { query } = yield* Database

  // Each step is told its way (offset 0): by the statistics of a table that has just begun to grow, the planner would read the whole session once per word.
  // The numbers in n are asked for one by one, since rows that are sorted would each carry a copy of its array.
  const find = ({ turn, terms, before, limit }: RecallRequest) => query<Array<Found>>((sql) => sql`
    with q as (
      select row_number() over ()::int as k, lexeme, max(weight) as weight from (
        select coalesce(stem[1], term) as lexeme, weight
        from unnest(${terms.map(({ term }) => term)}::text[], ${terms.map(({ weight }) => String(weight))}::text[]::float8[]) as t(term, weight)
          cross join lateral (select ts_lexize(${dictionaryOf(turn)}::regdictionary, term) as stem) s
        where stem is null or cardinality(stem) > 0
      ) s group by lexeme
    ), n as (
      select count(*)::float8 as docs, avg(own_len)::float8 as len, array_agg(own_len order by doc) as lens, min(doc) as first,
        max(doc) filter (where cursor < ${before}::bigint) as last, coalesce(max(cursor), 0) as indexed_to
      from memory_docs where app_id = ${turn.appId} and session_id = ${turn.sessionId}
    ), posting as (
      select q.k, q.weight, t.doc, t.tf from q cross join lateral (
        select doc, tf from memory_terms where app_id = ${turn.appId} and session_id = ${turn.sessionId} and lexeme = q.lexeme offset 0
      ) t
    ), word as materialized (
      select k, max(weight) * ln(1 + ((select docs from n) - count(*) + 0.5::float8) / (count(*) + 0.5::float8)) as weight from posting group by 1
    ), hit as materialized (
      select k, doc + near.distance as doc, sum(tf * near.weight)::float8 as tf from posting cross join (values (-1, 1), (0, 2), (1, 1)) near(distance, weight) group by 1, 2
    ), best as (
      select doc, sum(weight * tf * 2.2 / (tf + 1.2 * (0.25 + 0.75 * greatest((1 + (select lens from n)[doc - (select first from n) + 1] / (select len from n)) / 2, 1)))) as score
      from hit join word using (k) where doc between (select first from n) and (select last from n)
      group by doc order by score desc, doc desc limit ${limit}::int
    )
    select n.indexed_to, e.cursor, e.role, e.text, e.at, b.score / max(b.score) over () as score
    from n left join best b on true
      left join lateral (
        select cursor from memory_docs where app_id = ${turn.appId} and session_id = ${turn.sessionId} and doc = b.doc offset 0
      ) d on true
      left join lateral (
        select cursor, role, payload ->> 'text' as text, created_at as at from events
        where app_id = ${turn.appId} and session_id = ${turn.sessionId} and cursor = d.cursor offset 0
      ) e on true
    order by b.score desc`)

  const index = Effect.fnUntraced(function*({ turn, indexTo }: RecallRequest, indexedTo: number) {
    const said = yield* query<Array<Said>>((sql) => sql`
      select cursor, role, payload ->> 'text' as text from events
      where app_id = ${turn.appId} and session_id = ${turn.sessionId} and cursor > ${indexedTo}::bigint and cursor <= ${indexTo}::bigint
        and type in ('message.created', 'character.initiated')
      order by cursor limit ${MOST_INDEXED}::int`)
    const names = { user: terms(turn.endUser.displayName ?? ""), character: terms(turn.character.display_name) }
    const docs = said.map(({ cursor, role, text }) => {
      const words = terms(text)
      return { cursor, len: words.length, terms: countsOf([...words, ...names[role]]) }
    })
    yield* query((sql) => sql`
      with last as (
        select coalesce(max(doc), 0) as doc, coalesce(max(cursor), 0) as cursor, set_config('synchronous_commit', 'off', true)
        from memory_docs where app_id = ${turn.appId} and session_id = ${turn.sessionId}
      ), d as (
        select last.doc + row_number() over (order by d.cursor) as doc, d.cursor, d.len, d.terms
        from last, json_to_recordset(${JSON.stringify(docs)}::text::json) as d(cursor bigint, len int, terms json) where d.cursor > last.cursor
      ), kept as (
        insert into memory_docs (app_id, session_id, doc, cursor, own_len) select ${turn.appId}, ${turn.sessionId}, doc, cursor, len from d
        on conflict do nothing returning doc
      )
      insert into memory_terms (app_id, session_id, lexeme, doc, tf)
      select ${turn.appId}, ${turn.sessionId}, coalesce(stem[1], t.term ->> 0), d.doc, sum((t.term ->> 1)::int)
      from d join kept using (doc) cross join lateral json_array_elements(d.terms) as t(term)
        cross join lateral (select ts_lexize(${dictionaryOf(turn)}::regdictionary, t.term ->> 0) as stem) s
      where stem is null or cardinality(stem) > 0
      group by 3, 4
      on conflict do nothing`)
    return docs.length
  })

  const search = Effect.fnUntraced(function*(request: RecallRequest): Effect.fn.Return<ReadonlyArray<Found>, DatabaseError> {
    const rows = yield* find(request)
    const indexedTo = rows[0]?.indexed_to ?? 0
    // Only when nothing can lie between the index and the history is it complete.
    return indexedTo >= request.before || (yield* index(request, indexedTo)) === 0 ? rows : yield* find(request)
  })

  return Recall.of({
    search: (request) => search(request).pipe(
      Effect.map((rows) => ({
        found: rows.flatMap(({ cursor, role, text, at, score }): ReadonlyArray<Recalled> => cursor === null || text === null ? [] : [{ cursor, role, text, at, score }]),
        failed: false
      })),
      Effect.catchTag("DatabaseError", (error) => Effect.as(Effect.logWarning("recall failed", { reason: error.message }), { found: [], failed: true }))
    )
  })
}))
