import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Redacted from "effect/Redacted"
import { Database } from "#src/db/postgres/Database.ts"
import { Memories } from "#src/db/memory/Memories.ts"
import * as PostgresMemoryStore from "#src/db/memory/PostgresMemoryStore.ts"
import { Worlds } from "#src/db/world/Worlds.ts"
import * as PostgresWorldStore from "#src/db/world/PostgresWorldStore.ts"
import * as PostgresRecall from "#src/db/memory/PostgresRecall.ts"
import * as PostgresTranscript from "#src/db/conversation/PostgresTranscript.ts"
import type { Result, Row } from "../Row.ts"
import { LIVES, recallSet } from "../recall-set/recallSet.ts"
import { startBenchHarness } from "../support/BenchHarness.ts"
import { longConversation } from "../support/longConversation.ts"
import { median, round } from "../support/statistics.ts"

const SIZES = [
  { turns: 650, goalMs: 6 },
  { turns: 12_000, goalMs: 20 }
]

/**
 * How much of two long conversations recall finds, and the effect of each search weight. Then the duration of a search
 * in one session, and of the whole retrieval of a turn. In a separate process with its own database.
 */
export const recall: Row = {
  name: "recall",
  run: async (rounds) => {
    const harness = await startBenchHarness(SIZES.length + LIVES.length)
    const runtime = ManagedRuntime.make(
      Layer.mergeAll(
        PostgresRecall.layer,
        PostgresTranscript.layer,
        PostgresMemoryStore.layer.pipe(Layer.provide(Memories.layer)),
        PostgresWorldStore.layer.pipe(Layer.provide(Worlds.layer))
      ).pipe(Layer.provide(Database.layer({ url: Redacted.make(harness.url), maxConnections: 2 })))
    )
    const results: Array<Result> = []
    try {
      results.push(...(await recallSet(harness, harness.sessions.slice(SIZES.length))))
      for (const [place, { turns, goalMs }] of SIZES.entries()) {
        const session = harness.sessions[place] ?? ""
        const { searching, retrieving } = await longConversation(harness, runtime, session, turns)
        const raw: Array<Record<string, number>> = []
        for (let n = 0; n < rounds; n++) {
          const [search, retrieval] = [await searching(), await retrieving()]
          raw.push({
            turns,
            search_p50_ms: search.p50,
            search_p99_ms: search.p99,
            retrieval_p50_ms: retrieval.p50,
            retrieval_p99_ms: retrieval.p99
          })
        }
        const ours = median(raw.map((row) => row["search_p50_ms"] ?? Number.NaN))
        results.push({
          name: "recall",
          what: `search over ${turns} turns, p50`,
          ours,
          limit: goalMs,
          unit: "ms",
          ratio: round(ours / goalMs),
          goal: `<= ${goalMs} ms`,
          reached: ours <= goalMs,
          raw
        })
        if (turns === 650) {
          const stage = median(raw.map((row) => row["retrieval_p50_ms"] ?? Number.NaN))
          results.push({
            name: "recall stage",
            what: `history, recall, lore and examples at ${turns} turns, p50`,
            ours: stage,
            limit: 10,
            unit: "ms",
            ratio: round(stage / 10),
            goal: "<= 10 ms",
            reached: stage <= 10,
            raw: []
          })
        }
      }
    } finally {
      await runtime.dispose()
      await harness.close()
    }
    return results
  }
}
