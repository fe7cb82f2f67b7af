import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Turn } from "#pipeline/domain/Turn.ts"
import { Recall, type RecallRequest } from "#pipeline/retrieval/Recall.ts"
import type { Recalled } from "#pipeline/retrieval/Retrieved.ts"
import { terms } from "#pipeline/retrieval/terms.ts"
import { topicsTold } from "#pipeline/retrieval/topics/topics.ts"
import { Weights } from "#pipeline/retrieval/weights.ts"
import { Database, type DatabaseError } from "#src/db/postgres/Database.ts"
import { groupCommit } from "#src/db/postgres/GroupCommit.ts"
import { bestDocs } from "./postings.ts"
import { type LookUp, lookUp as lookUpAll, type DocumentsRequest, readDocuments } from "./recallStatements.ts"
import { dictionaryFor } from "./stemming.ts"

/** Utterances indexed per step. A session is only further behind if it is older than its index. */
const MAX_INDEXED = 500
const MAX_TERMS = 400
const MAX_TERM_CHARS = 60
const MAX_TF = 1_000
/** Maximum counted length of an utterance, in words. */
const MAX_LENGTH = 10_000
/** Searches per batch. Few, so that one long conversation does not delay many others. */
const MAX_AT_ONCE = 16

interface Said {
  readonly cursor: number
  readonly role: "user" | "character"
  readonly text: string
}

const countsOf = (words: ReadonlyArray<string>): ReadonlyArray<readonly [string, number]> => {
  const counts = new Map<string, number>()
  for (const word of words)
    if (word.length <= MAX_TERM_CHARS) counts.set(word, Math.min(MAX_TF, (counts.get(word) ?? 0) + 1))
  return [...counts].slice(0, MAX_TERMS)
}

/**
 * The end-user's language, or else the character's. If it changes, older words are still found in the same form, but
 * not in other forms.
 */
const dictionaryOf = ({ endUser, character }: Turn): string =>
  dictionaryFor([endUser.locale, ...character.voice.languages])

/**
 * Recall over `memory_blocks` and `memory_terms`. Utterances are indexed in small steps when they are about to leave
 * the history of their session's turns. So accepting and settling have no extra cost, and a session that fits into its
 * history has no index. The database finds the words and `bestDocs` scores them, because summing thousands of rows
 * costs a database ten times as much as finding them. The index is derived from the log, so it does not wait for the
 * disk: what a crash loses is indexed again.
 */
export const layer = Layer.effect(
  Recall,
  Effect.gen(function* () {
    const { pool, query } = yield* Database
    const lookUp = groupCommit({
      maxBatch: MAX_AT_ONCE,
      inFlight: 2,
      run: (batch: ReadonlyArray<LookUp>) => lookUpAll(pool, batch)
    })
    const read = groupCommit({
      maxBatch: MAX_AT_ONCE,
      inFlight: 2,
      run: (batch: ReadonlyArray<DocumentsRequest>) => readDocuments(pool, batch)
    })

    const index = Effect.fnUntraced(function* ({ turn, indexTo }: RecallRequest, indexedTo: number) {
      // With the utterances before and after it. The last utterance of the log is never indexed.
      const around = yield* query<Array<Said>>(
        (sql) => sql`
      select cursor, role, payload ->> 'text' as text from events
      where app_id = ${turn.appId} and session_id =
        ${turn.sessionId} and cursor >= ${indexedTo}::bigint and type in ('message.created', 'character.initiated')
      order by cursor limit ${MAX_INDEXED + 2}::int`
      )
      const names = { user: terms(turn.endUser.displayName ?? ""), character: terms(turn.character.display_name) }
      const said = around.map(({ cursor, role, text }) => {
        const words = terms(text)
        return { cursor, role, words, topics: topicsTold(text, words) }
      })
      const lengthAt = (place: number): number => Math.min(MAX_LENGTH, said[place]?.words.length ?? 0)
      const docs = said
        .flatMap(({ cursor, role, words, topics }, place) =>
          cursor <= indexedTo || cursor > indexTo
            ? []
            : [
                {
                  cursor,
                  before: lengthAt(place - 1),
                  own: lengthAt(place),
                  after: lengthAt(place + 1),
                  counts: countsOf([...topics, ...words, ...names[role]])
                }
              ]
        )
        .slice(0, MAX_INDEXED)
      if (docs.length === 0) return 0
      // Two writers that index the same have the same first document, so the second one writes nothing.
      yield* query(
        (sql) => sql`
      with last as (
        select first_doc + cardinality(cursors) as next_doc, words, cursors[cardinality(cursors)] as cursor
          from memory_blocks
        where app_id = ${turn.appId} and session_id = ${turn.sessionId} order by first_doc desc limit 1
      ), block as (
        insert into memory_blocks (app_id, session_id, first_doc, cursors, words)
        select ${turn.appId}, ${turn.sessionId}, coalesce(next_doc, 1),
          ${docs.map(({ cursor }) => cursor)}::bigint[], coalesce(words,
            0) + ${docs.reduce((sum, { own }) => sum + own, 0)}::int
        from set_config('synchronous_commit', 'off', true) left join last on true where coalesce(cursor,
          0) = ${indexedTo}::bigint
        on conflict do nothing returning first_doc
      )
      insert into memory_terms (app_id, session_id, lexeme, doc, tf, before, own, after)
      select ${turn.appId}, ${turn.sessionId}, coalesce(stem[1], t.term ->> 0), block.first_doc + d.place::int - 1,
        sum((t.term ->> 1)::int), (d.doc ->> 'before')::int, (d.doc ->> 'own')::int, (d.doc ->> 'after')::int
      from block cross join json_array_elements(${JSON.stringify(docs)}::text::json) with ordinality as d(doc, place)
        cross join lateral json_array_elements(d.doc -> 'counts') as t(term)
        cross join lateral (select ts_lexize(${dictionaryOf(turn)}::regdictionary, t.term ->> 0) as stem) s
      where stem is null or cardinality(stem) > 0
      group by 3, 4, 6, 7, 8
      on conflict do nothing`
      )
      return docs.length
    })

    const search = Effect.fnUntraced(function* (
      request: RecallRequest
    ): Effect.fn.Return<ReadonlyArray<Recalled>, DatabaseError> {
      const {
        turn: { appId, sessionId },
        terms,
        before,
        limit
      } = request
      const wanted = { appId, sessionId, terms, before, dictionary: dictionaryOf(request.turn) }
      let known = yield* lookUp(wanted)
      // It is only complete if nothing can lie between the index and the history. Another process may be indexing, too.
      for (let step = 0; step < (request.steps ?? 1) && known.indexedTo < before; step++) {
        if ((yield* index(request, known.indexedTo)) === 0) break
        known = yield* lookUp(wanted)
      }
      const best = bestDocs(known, limit, yield* Weights)
      if (best.length === 0) return []
      const said = new Map(
        (yield* read({ appId, sessionId, docs: best.map(({ doc }) => doc) })).map(({ doc, ...said }) => [doc, said])
      )
      return best.flatMap(({ doc, score }) => {
        const found = said.get(doc)
        return found === undefined ? [] : [{ ...found, score }]
      })
    })

    return Recall.of({
      search: (request) =>
        search(request).pipe(
          Effect.map((found) => ({ found, failed: false })),
          Effect.catchTag("DatabaseError", (error) =>
            Effect.as(Effect.logWarning("recall failed", { reason: error.message }), { found: [], failed: true })
          )
        )
    })
  })
)
