import * as PostgresMemoryStore from "#src/db/memory/PostgresMemoryStore.ts"
import { Worlds } from "#src/db/world/Worlds.ts"
import * as PostgresWorldStore from "#src/db/world/PostgresWorldStore.ts"
import { Memories } from "#src/db/memory/Memories.ts"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Redacted from "effect/Redacted"
import { exampleTurns } from "#pipeline/domain/Character.ts"
import { TurnPipeline } from "#pipeline/Turn.ts"
import { Database } from "#src/db/postgres/Database.ts"
import * as PostgresRecall from "#src/db/memory/PostgresRecall.ts"
import * as PostgresSafetyRecord from "#src/db/conversation/PostgresSafetyRecord.ts"
import * as PostgresTranscript from "#src/db/conversation/PostgresTranscript.ts"
import { demoCharacters } from "#src/demo/characters.ts"
import * as OfflineWriter from "#src/model/offline/OfflineWriter.ts"
import { SCRIPTS } from "#test/support/conversation/scripts.ts"
import { characterOf, DEADLINES, runTurn, turnOf } from "#test/support/conversation/turns.ts"
import type { Result, Row } from "../Row.ts"
import { APP, startBenchHarness } from "../support/BenchHarness.ts"
import { median, percentile, round } from "../support/statistics.ts"

const TURNS = 600
const ASKED = 200
const GOAL_MS = 10

const stagesOf = (url: string) =>
  TurnPipeline.layer({ deadlines: DEADLINES, serviceText: "", safetyTexts: new Map(), ownTexts: new Map() }).pipe(
    Layer.provide([
      PostgresTranscript.layer,
      PostgresRecall.layer,
      PostgresMemoryStore.layer.pipe(Layer.provide(Memories.layer)),
      PostgresWorldStore.layer.pipe(Layer.provide(Worlds.layer)),
      PostgresSafetyRecord.layer,
      OfflineWriter.layer
    ]),
    Layer.provide(Database.layer({ url: Redacted.make(url), maxConnections: 2 }))
  )

/**
 * All stages of a turn without model calls, for each demo character, at the end of a long conversation in everyday
 * language.
 */
export const stages: Row = {
  name: "stages",
  run: async (rounds) => {
    const harness = await startBenchHarness(demoCharacters.length)
    const runtime = ManagedRuntime.make(stagesOf(harness.url))
    const results: Array<Result> = []
    try {
      const messages = SCRIPTS.flat()
      for (const [place, profile] of demoCharacters.entries()) {
        const character = characterOf(profile)
        const session = harness.sessions[place] ?? ""
        const lines = character.example_dialogues.flatMap(exampleTurns).filter(({ role }) => role === "character")
        const said = Array.from({ length: TURNS }, (_, n) => [
          messages[n % messages.length] ?? "",
          lines[n % lines.length]?.text ?? ""
        ]).flat()
        await harness.sql`
          insert into events (app_id, session_id, cursor, id, type, role, trace_id, source_kind, payload)
          select ${APP}, ${session}, n, 'evt_' || ${session} || n, 'message.created',
            case when n % 2 = 1 then 'user' else 'character' end, 'run', 'api', json_build_object('text', text)
          from unnest(${said}::text[]) with ordinality as s(text, n)`
        await harness.sql`
          insert into turns (app_id, session_id, turn_index, run_ref, cursor, reply_mode, source_kind, hold_micro_usd)
            values (${APP}, ${session}, ${TURNS}, ${session}, ${said.length + 1}, 'fast', 'api', 0)`
        const one = (n: number) =>
          runtime.runPromise(
            TurnPipeline.use((pipeline) =>
              runTurn(
                pipeline,
                turnOf({
                  appId: APP,
                  sessionId: session,
                  turnIndex: TURNS,
                  text: messages[(n * 7) % messages.length] ?? "",
                  character
                })
              )
            )
          )
        // Indexing works in steps, and an engine needs a warm-up.
        for (let n = 0; n < ASKED; n++) await one(n)
        await harness.sql.unsafe("vacuum analyze")
        const raw: Array<Record<string, number>> = []
        for (let n = 0; n < rounds; n++) {
          const latencies: Array<number> = []
          const before = process.cpuUsage()
          for (let asked = 0; asked < ASKED; asked++) {
            const began = performance.now()
            await one(asked)
            latencies.push(performance.now() - began)
          }
          const { user, system } = process.cpuUsage(before)
          raw.push({
            p50_ms: round(percentile(latencies, 0.5)),
            p95_ms: round(percentile(latencies, 0.95)),
            cpu_ms_a_turn: round((user + system) / 1000 / ASKED)
          })
        }
        const ours = median(raw.map((row) => row["p50_ms"] ?? Number.NaN))
        results.push({
          name: "stages",
          what: `all stages without a call to a model, ${character.display_name}, at ${TURNS} turns, p50`,
          ours,
          limit: GOAL_MS,
          unit: "ms",
          ratio: round(ours / GOAL_MS),
          goal: `<= ${GOAL_MS} ms`,
          reached: ours <= GOAL_MS,
          raw
        })
      }
    } finally {
      await runtime.dispose()
      await harness.close()
    }
    return results
  }
}
