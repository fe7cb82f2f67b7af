import * as Effect from "effect/Effect"
import type * as ManagedRuntime from "effect/ManagedRuntime"
import type { Turn } from "#pipeline/domain/Turn.ts"
import { EvidenceStore } from "#pipeline/retrieval/EvidenceStore.ts"
import { LoreRecord } from "#pipeline/retrieval/LoreRecord.ts"
import { MemoryStore } from "#pipeline/retrieval/MemoryStore.ts"
import { Recall } from "#pipeline/retrieval/Recall.ts"
import { recallQuery } from "#pipeline/retrieval/recallQuery.ts"
import { retrieve } from "#pipeline/retrieval/retrieve.ts"
import { Transcript } from "#pipeline/retrieval/Transcript.ts"
import { WorldStore } from "#pipeline/world/WorldStore.ts"
import { characterOf, turnOf } from "#test/support/conversation/turns.ts"
import { APP, type BenchHarness } from "./BenchHarness.ts"
import { percentile, round } from "./statistics.ts"

const SEARCHES = 100
const HISTORY = 24
/** How many a growing session indexes at a time. */
const INDEXED_AT_A_TIME = 16

// Word frequencies fall off like those of a language without stop words: the most common word is in one of twenty
// texts. A message has seven such words.
const SYLLABLES = ["ba", "ke", "li", "mo", "nu", "ra", "si", "to", "ve", "wo", "zi", "fa", "go", "hu", "je"]
const wordOf = (rank: number): string => {
  const at = (place: number) => SYLLABLES[Math.floor(rank / SYLLABLES.length ** place) % SYLLABLES.length] ?? ""
  return `${at(0)}${at(1)}${at(2)}`
}
const textsOf = (seed: number) => {
  let state = seed
  const next = () => (state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0) / 2 ** 32
  return () =>
    Array.from({ length: 3 + Math.floor(next() * 9) }, () => wordOf(Math.floor(30 * 100 ** next()))).join(" ")
}

const timed = async (one: () => Promise<unknown>) => {
  const latencies: Array<number> = []
  for (let n = 0; n < SEARCHES; n++) {
    const began = performance.now()
    await one()
    latencies.push(performance.now() - began)
  }
  return { p50: round(percentile(latencies, 0.5)), p99: round(percentile(latencies, 0.99)) }
}

/**
 * A session with this many utterances, indexed as it would have been while it grew. Measures how long a search and the
 * retrieval for a turn take, in milliseconds.
 */
export const longConversation = async (
  harness: BenchHarness,
  runtime: ManagedRuntime.ManagedRuntime<Recall | Transcript | MemoryStore | WorldStore, unknown>,
  session: string,
  utterances: number
) => {
  const text = textsOf(utterances)
  await harness.sql`
    insert into events (app_id, session_id, cursor, id, type, role, trace_id, source_kind, payload)
    select ${APP}, ${session}, n, 'evt_' || ${session} || n, 'message.created',
      case when n % 2 = 1 then 'user' else 'character' end, 'run', 'api', json_build_object('text', text)
    from unnest(${Array.from({ length: utterances }, text)}::text[]) with ordinality as s(text, n)`
  await harness.sql`
    insert into turns (app_id, session_id, turn_index, run_ref, cursor, reply_mode, source_kind, hold_micro_usd)
      values (${APP}, ${session}, ${utterances}, ${session}, ${utterances}, 'fast', 'api', 0)`
  const character = characterOf({ slug: "bench", display_name: "Bench" })
  const turn = (): Turn => turnOf({ appId: APP, sessionId: session, turnIndex: utterances, text: text(), character })
  const oldest = utterances - HISTORY
  const search = (before = oldest) =>
    runtime.runPromise(
      Effect.suspend(() => {
        const asked = turn()
        return Recall.use((recall) =>
          recall.search({
            turn: asked,
            terms: recallQuery(asked.text, []),
            before,
            indexTo: before + INDEXED_AT_A_TIME - 1,
            limit: 20
          })
        )
      })
    )
  const whole = () =>
    runtime.runPromise(
      Effect.flatMap(
        Effect.all({
          transcript: Transcript,
          recall: Recall,
          memoryStore: MemoryStore,
          evidenceStore: EvidenceStore,
          worldStore: WorldStore,
          loreRecord: LoreRecord
        }),
        (ports) => retrieve(ports, turn())
      )
    )
  for (let indexed = 0; indexed < oldest + INDEXED_AT_A_TIME - 1; indexed += INDEXED_AT_A_TIME)
    await search(indexed + 1)
  await harness.sql.unsafe("vacuum analyze")
  return { searching: () => timed(() => search()), retrieving: () => timed(whole) }
}
