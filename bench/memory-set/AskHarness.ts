import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Redacted from "effect/Redacted"
import type { Turn } from "#pipeline/domain/Turn.ts"
import { EMPTY_PATCH } from "#pipeline/relational/Patch.ts"
import { EvidenceStore } from "#pipeline/retrieval/EvidenceStore.ts"
import { LoreRecord } from "#pipeline/retrieval/LoreRecord.ts"
import { MemoryStore } from "#pipeline/retrieval/MemoryStore.ts"
import { Recall } from "#pipeline/retrieval/Recall.ts"
import { retrieve } from "#pipeline/retrieval/retrieve.ts"
import { terms } from "#pipeline/retrieval/terms.ts"
import { Transcript } from "#pipeline/retrieval/Transcript.ts"
import { WorldStore } from "#pipeline/world/WorldStore.ts"
import * as PostgresTranscript from "#src/db/conversation/PostgresTranscript.ts"
import { Memories } from "#src/db/memory/Memories.ts"
import * as PostgresMemoryStore from "#src/db/memory/PostgresMemoryStore.ts"
import * as PostgresRecall from "#src/db/memory/PostgresRecall.ts"
import { Relationships } from "#src/db/memory/Relationships.ts"
import { Database } from "#src/db/postgres/Database.ts"
import * as PostgresWorldStore from "#src/db/world/PostgresWorldStore.ts"
import { Worlds } from "#src/db/world/Worlds.ts"
import { choose } from "#src/model/offline/choose.ts"
import { ownLinesIn } from "#src/model/offline/ownLines.ts"
import { listener, PERSON_LANGUAGES, relationshipOf, utterancesOf } from "#test/memory/tell.ts"
import { fits, type Person, type Question } from "#test/memory/toldSets.ts"
import { turnOf } from "#test/support/conversation/turns.ts"
import { APP, type BenchHarness } from "../support/BenchHarness.ts"

/** `wrong`: quotes something else. `evaded`: neither answers nor denies. Never told and quoted: `invented`. */
export type Verdict = "correct" | "denied" | "lost" | "wrong" | "evaded" | "invented" | "fine"

export interface Asked {
  readonly question: Question
  readonly line: string
  readonly verdict: Verdict
}

const plain = (text: string): string => terms(text).join(" ")
const isOneOf = (line: string, lines: ReadonlyArray<string>): boolean =>
  lines.some((known) => plain(line).includes(plain(known)))

const linesOf = (kind: "unknown_memory" | "lost_memory") =>
  PERSON_LANGUAGES.flatMap((language) => ownLinesIn(kind, language))

const verdictOf = (question: Question, line: string, cites: boolean): Verdict => {
  const denied = isOneOf(line, linesOf("unknown_memory"))
  if (question.answer === null) return cites ? "invented" : "fine"
  if (fits(line, question.answer)) return "correct"
  if (denied) return "denied"
  if (isOneOf(line, linesOf("lost_memory"))) return "lost"
  return cites ? "wrong" : "evaded"
}

/** Writes what a person tells to the log of a session, as its turns would have, and asks the questions later. */
export const askLater = async (
  { sql, url }: Pick<BenchHarness, "sql" | "url">,
  session: string,
  person: Person
): Promise<ReadonlyArray<Asked>> => {
  const runtime = ManagedRuntime.make(
    Layer.mergeAll(
      PostgresRecall.layer,
      PostgresTranscript.layer,
      PostgresMemoryStore.layer.pipe(Layer.provide(Memories.layer)),
      PostgresWorldStore.layer.pipe(Layer.provide(Worlds.layer)),
      Relationships.layer
    ).pipe(Layer.provide(Database.layer({ url: Redacted.make(url), maxConnections: 2 })))
  )
  const said = utterancesOf(person, true)
  const endedAt = said.at(-1)?.at ?? new Date(0)
  await sql`
    insert into events (app_id, session_id, cursor, id, type, role, trace_id, source_kind, payload, created_at)
    select ${APP}, ${session}, cursor,
      'evt_' || ${session} || cursor, 'message.created', role, 'run', 'api', json_build_object('text', text), at
    from json_to_recordset(${JSON.stringify(said)}::text::json) as s(cursor bigint, role text, text text,
      at timestamptz)`
  const turnIndex = said.length
  await sql`
    insert into turns (app_id, session_id, turn_index, run_ref, cursor, reply_mode, source_kind, hold_micro_usd)
      values (${APP}, ${session}, ${turnIndex}, ${session}, ${said.length + 1}, 'fast', 'api', 0)`
  const memories = [...relationshipOf(said, person.language).memories.values()]
  await runtime.runPromise(
    Relationships.use((relationships) =>
      relationships.amend({ appId: APP, sessionId: session }, () =>
        Effect.succeed({ at: endedAt, patch: { ...EMPTY_PATCH, memories } })
      )
    )
  )
  const ask = (question: Question) =>
    runtime.runPromise(
      Effect.gen(function* () {
        const ports = yield* Effect.all({
          transcript: Transcript,
          recall: Recall,
          memoryStore: MemoryStore,
          evidenceStore: EvidenceStore,
          worldStore: WorldStore,
          loreRecord: LoreRecord
        })
        const turn: Turn = turnOf({
          appId: APP,
          sessionId: session,
          turnIndex,
          text: question.text,
          character: listener,
          endUser: { ...turnOf({}).endUser, locale: person.language }
        })
        const { history, retrieved, relationship } = yield* retrieve(ports, turn)
        return choose({
          turn,
          history,
          retrieved,
          relationship,
          safety: { action: "allow", categories: [], injection: false },
          refusedBy: null
        } as never)
      })
    )
  try {
    const asked: Array<Asked> = []
    for (const question of person.questions) {
      const { line, cites } = await ask(question)
      asked.push({ question, line, verdict: verdictOf(question, line, cites.length > 0) })
    }
    return asked
  } finally {
    await runtime.dispose()
  }
}
