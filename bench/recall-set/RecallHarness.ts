import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Redacted from "effect/Redacted"
import type { Turn } from "#pipeline/domain/Turn.ts"
import { decide } from "#pipeline/relational/decide.ts"
import type { EndedTurn } from "#pipeline/relational/Extractor.ts"
import { apply, EMPTY_PATCH } from "#pipeline/relational/Patch.ts"
import { NEW_RELATIONSHIP, type Relationship } from "#pipeline/relational/Relationship.ts"
import { extractByRules } from "#pipeline/relational/rules/extractByRules.ts"
import { MemoryStore } from "#pipeline/retrieval/MemoryStore.ts"
import { rank } from "#pipeline/retrieval/rank.ts"
import { Recall } from "#pipeline/retrieval/Recall.ts"
import { searchSaid } from "#pipeline/retrieval/searchSaid.ts"
import { recallQuery } from "#pipeline/retrieval/recallQuery.ts"
import type { Utterance } from "#pipeline/retrieval/Transcript.ts"
import { type RetrievalWeights, Weights, WEIGHTS } from "#pipeline/retrieval/weights.ts"
import { Database } from "#src/db/postgres/Database.ts"
import { Memories } from "#src/db/memory/Memories.ts"
import * as PostgresMemoryStore from "#src/db/memory/PostgresMemoryStore.ts"
import * as PostgresRecall from "#src/db/memory/PostgresRecall.ts"
import { Relationships } from "#src/db/memory/Relationships.ts"
import { characterOf, turnOf } from "#test/support/conversation/turns.ts"
import { APP, type BenchHarness } from "../support/BenchHarness.ts"
import type { Conversation, Question } from "./converse.ts"
import type { Life } from "./Life.ts"

const CANDIDATES = 20
const RECALLED = 8
const REMEMBERED = 8
const HISTORY = 12
/** Maximum for one step of the index. */
const INDEXED_AT_A_TIME = 400

/** How to search, if different from a turn. */
export interface Variant extends Partial<RetrievalWeights> {
  /** Whether memories are searched in addition to what was said. */
  readonly notes?: boolean
  /** How much the second search counts, see `searchSaid`. */
  readonly second?: number
}

export interface Source {
  readonly cursor: number | null
  readonly text: string
}

/** Alternates between two lists, without duplicates. */
const interleave = (said: ReadonlyArray<Source>, noted: ReadonlyArray<Source>): ReadonlyArray<Source> => {
  const sources = Array.from({ length: Math.max(said.length, noted.length) }, (_, n) => [said[n], noted[n]])
    .flat()
    .filter((source) => source !== undefined)
  return sources.filter(({ cursor }, n) => sources.findIndex((other) => other.cursor === cursor) === n)
}

export interface RecallHarness {
  readonly life: Life
  readonly conversation: Conversation
  /** The number of memories that the rules have extracted. */
  readonly facts: number
  /** What a turn would be given for a question: positions of utterances and of memories, best first and alternating. */
  readonly ask: (question: Question, variant?: Variant) => Promise<ReadonlyArray<Source>>
}

const utterances = ({ turns }: Conversation): ReadonlyArray<Utterance> =>
  turns.flatMap(({ person, character, personCursor, at }): ReadonlyArray<Utterance> => [
    { role: "user", text: person, cursor: personCursor, at },
    { role: "character", text: character, cursor: personCursor + 1, at }
  ])

/** The memories that the rules extract from a conversation, turn by turn. */
const extractAll = (
  sessionId: string,
  said: ReadonlyArray<Utterance>,
  character: Turn["character"],
  endUser: Turn["endUser"]
): Relationship => {
  let known = NEW_RELATIONSHIP
  for (let n = 0; n < said.length; n += 2) {
    const message = said[n] ?? null
    const reply = said[n + 1] ?? null
    if (message === null) break
    const turn: EndedTurn = {
      sessionId,
      turnIndex: n / 2 + 1,
      character,
      endUser,
      outcome: "replied",
      history: said.slice(Math.max(0, n - HISTORY), n),
      message,
      reply,
      at: message.at
    }
    known = apply(
      known,
      decide(known, turn, extractByRules({ turn, known }), []),
      message.at.toISOString(),
      turn.turnIndex
    )
  }
  return known
}

/** Writes a conversation to the log of a session, indexes it and extracts its facts, as its turns would have. */
export const makeRecallHarness = async (
  { sql, url }: Pick<BenchHarness, "sql" | "url">,
  session: string,
  life: Life,
  conversation: Conversation
): Promise<RecallHarness & { readonly close: () => Promise<void> }> => {
  const runtime = ManagedRuntime.make(
    Layer.mergeAll(
      PostgresRecall.layer,
      PostgresMemoryStore.layer.pipe(Layer.provide(Memories.layer)),
      Relationships.layer
    ).pipe(Layer.provide(Database.layer({ url: Redacted.make(url), maxConnections: 2 })))
  )
  const said = utterances(conversation)
  const character = characterOf({ slug: "bench", display_name: life.character })
  const endUser = { ...turnOf({}).endUser, displayName: life.person, locale: life.locale }
  await sql`update end_users u set locale =
    ${life.locale} from sessions s where s.app_id = u.app_id and s.external_user_ref = u.external_user_ref
      and s.session_id = ${session}`
  await sql`
    insert into events (app_id, session_id, cursor, id, type, role, trace_id, source_kind, payload, created_at)
    select ${APP}, ${session}, cursor,
      'evt_' || ${session} || cursor, 'message.created', role, 'run', 'api', json_build_object('text', text), at
    from json_to_recordset(${JSON.stringify(said)}::text::json) as s(cursor bigint, role text, text text,
      at timestamptz)`
  const known = extractAll(session, said, character, endUser)
  const memories = [...known.memories.values()]
  await runtime.runPromise(
    Relationships.use((relationships) =>
      relationships.amend({ appId: APP, sessionId: session }, () =>
        Effect.succeed({ at: conversation.endedAt, patch: { ...EMPTY_PATCH, memories } })
      )
    )
  )
  const turn = turnOf({ appId: APP, sessionId: session, turnIndex: conversation.turns.length + 1, character, endUser })
  // The last utterance is only indexed once there is another one after it.
  const last = said.length - 1
  for (let to = INDEXED_AT_A_TIME; to < last + INDEXED_AT_A_TIME; to += INDEXED_AT_A_TIME) {
    await runtime.runPromise(
      Recall.use((recall) =>
        recall.search({ turn, terms: [], before: Math.min(to, last) + 1, indexTo: Math.min(to, last), limit: 1 })
      )
    )
  }

  const ask = ({ text, after }: Question, { notes = true, second, ...change }: Variant = {}) =>
    runtime.runPromise(
      Effect.gen(function* () {
        const weights = { ...WEIGHTS, ...change }
        const [person, reply] = after
        const history: ReadonlyArray<Utterance> = [
          { role: "user", text: person, cursor: last + 2, at: conversation.endedAt },
          { role: "character", text: reply, cursor: last + 3, at: conversation.endedAt }
        ]
        const terms = recallQuery(text, history, weights)
        const { found } = yield* Recall.use((recall) =>
          searchSaid(recall, { turn, terms, before: last + 1, indexTo: last, limit: CANDIDATES }, second)
        )
        const { memories } = yield* MemoryStore.use((store) =>
          store.look({ turn, terms, memories: REMEMBERED, loops: 0 })
        )
        const said = rank(found, conversation.endedAt.getTime(), RECALLED, weights)
        return interleave(said, notes ? memories : [])
      }).pipe(Effect.provideService(Weights, { ...WEIGHTS, ...change }))
    )
  return {
    life,
    conversation,
    facts: memories.filter(({ status }) => status === "active").length,
    ask,
    close: () => runtime.dispose()
  }
}
