import { Memories } from "#src/db/Memories.ts"
import * as MemoryStores from "#src/db/MemoryStores.ts"
import { MemoryStore } from "#pipeline/retrieval/MemoryStore.ts"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Redacted from "effect/Redacted"
import type { Turn } from "#pipeline/domain/Turn.ts"
import { Recall } from "#pipeline/retrieval/Recall.ts"
import { recallQuery } from "#pipeline/retrieval/recallQuery.ts"
import { retrieve } from "#pipeline/retrieval/retrieve.ts"
import { Transcript } from "#pipeline/retrieval/Transcript.ts"
import { Database } from "#src/db/Database.ts"
import * as Recalls from "#src/db/Recalls.ts"
import * as Transcripts from "#src/db/Transcripts.ts"
import { characterOf, turnOf } from "#test/support/turns.ts"
import type { Result, Row } from "../Row.ts"
import { LIVES, recallSet } from "../recall-set/recallSet.ts"
import { APP, prepareGround } from "../support/Ground.ts"
import { median, percentile, round } from "../support/statistics.ts"

const SEARCHES = 100
const HISTORY = 24
/** As a session takes them in while it grows. */
const INDEXED_AT_A_TIME = 16
const SIZES = [{ turns: 650, goalMs: 6 }, { turns: 12_000, goalMs: 20 }]

// Words fall off in frequency as those of a language do without its stop words: the most common is in one text of twenty. A message has seven such words.
const SYLLABLES = ["ba", "ke", "li", "mo", "nu", "ra", "si", "to", "ve", "wo", "zi", "fa", "go", "hu", "je"]
const wordOf = (rank: number): string => {
  const at = (place: number) => SYLLABLES[Math.floor(rank / SYLLABLES.length ** place) % SYLLABLES.length] ?? ""
  return `${at(0)}${at(1)}${at(2)}`
}
const textsOf = (seed: number) => {
  let state = seed
  const next = () => (state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0) / 2 ** 32
  return () => Array.from({ length: 3 + Math.floor(next() * 9) }, () => wordOf(Math.floor(30 * 100 ** next()))).join(" ")
}

/**
 * What of two long conversations is found again when it is asked for, and what each weight of the search is worth to that; then how long a search over one
 * session's past takes, and the whole retrieval of a turn in it. From a process of its own on a database of its own.
 */
export const recall: Row = {
  name: "recall",
  run: async (rounds) => {
    const ground = await prepareGround(SIZES.length + LIVES.length)
    const runtime = ManagedRuntime.make(Layer.mergeAll(Recalls.layer, Transcripts.layer, MemoryStores.layer.pipe(Layer.provide(Memories.layer))).pipe(Layer.provide(Database.layer({ url: Redacted.make(ground.url), maxConnections: 2 }))))
    const results: Array<Result> = []
    try {
      results.push(...await recallSet(ground, ground.sessions.slice(SIZES.length)))
      for (const [place, { turns, goalMs }] of SIZES.entries()) {
        const session = ground.sessions[place] ?? ""
        const text = textsOf(turns)
        const said = Array.from({ length: turns }, text)
        await ground.sql`
          insert into events (app_id, session_id, cursor, id, type, role, trace_id, source_kind, payload)
          select ${APP}, ${session}, n, 'evt_' || ${session} || n, 'message.created', case when n % 2 = 1 then 'user' else 'character' end, 'run', 'api', json_build_object('text', text)
          from unnest(${said}::text[]) with ordinality as s(text, n)`
        await ground.sql`
          insert into turns (app_id, session_id, turn_index, run_ref, cursor, reply_mode, source_kind, hold_micro_usd) values (${APP}, ${session}, ${turns}, ${session}, ${said.length}, 'fast', 'api', 0)`
        const character = characterOf({ slug: "bench", display_name: "Bench" })
        const turn = (): Turn => turnOf({ appId: APP, sessionId: session, turnIndex: turns, text: text(), character })
        const oldest = said.length - HISTORY
        const search = (before = oldest) => runtime.runPromise(Effect.suspend(() => {
          const asked = turn()
          return Recall.use((recall) => recall.search({ turn: asked, terms: recallQuery(asked.text, []), before, indexTo: before + INDEXED_AT_A_TIME - 1, limit: 20 }))
        }))
        const whole = () => runtime.runPromise(Effect.flatMap(Effect.all({ transcript: Transcript, recall: Recall, memoryStore: MemoryStore }), (ports) => retrieve(ports, turn())))
        for (let indexed = 0; indexed < oldest + INDEXED_AT_A_TIME - 1; indexed += INDEXED_AT_A_TIME) await search(indexed + 1)
        await ground.sql.unsafe("vacuum analyze")
        const timed = async (one: () => Promise<unknown>) => {
          const latencies: Array<number> = []
          for (let n = 0; n < SEARCHES; n++) {
            const began = performance.now()
            await one()
            latencies.push(performance.now() - began)
          }
          return latencies
        }
        const raw: Array<Record<string, number>> = []
        for (let n = 0; n < rounds; n++) {
          const [searches, retrievals] = [await timed(() => search()), await timed(whole)]
          raw.push({ turns, search_p50_ms: round(percentile(searches, 0.5)), search_p99_ms: round(percentile(searches, 0.99)), retrieval_p50_ms: round(percentile(retrievals, 0.5)), retrieval_p99_ms: round(percentile(retrievals, 0.99)) })
        }
        const ours = median(raw.map((row) => row["search_p50_ms"] ?? Number.NaN))
        results.push({ name: "recall", what: `search over ${turns} turns, p50`, ours, limit: goalMs, unit: "ms", ratio: round(ours / goalMs), goal: `<= ${goalMs} ms`, reached: ours <= goalMs, raw })
        if (turns === 650) {
          const stage = median(raw.map((row) => row["retrieval_p50_ms"] ?? Number.NaN))
          results.push({ name: "recall stage", what: `history, recall, lore and examples at ${turns} turns, p50`, ours: stage, limit: 10, unit: "ms", ratio: round(stage / 10), goal: "<= 10 ms", reached: stage <= 10, raw: [] })
        }
      }
    } finally {
      await runtime.dispose()
      await ground.close()
    }
    return results
  }
}
