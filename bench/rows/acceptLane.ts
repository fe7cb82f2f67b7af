import type { Result, Row } from "../Row.ts"
import { APP, type BenchHarness, startBenchHarness } from "../support/BenchHarness.ts"
import { startServer } from "../support/processes.ts"
import { median, round } from "../support/statistics.ts"
import { clean, runOurs, SESSIONS } from "./accept.ts"

const CHANNEL = "chn_000000000000000000000BENCH"

const withoutLanes = async (harness: BenchHarness) => {
  await clean(harness)
  await harness.sql`delete from lanes`
  await harness.sql.unsafe("vacuum (analyze) lanes")
}

const withLanes = async (harness: BenchHarness) => {
  await withoutLanes(harness)
  await harness.sql`
    insert into lanes (app_id, session_id, channel_id, generation, position, head, status)
    select ${APP}, id, ${CHANNEL}, 1, 0, 0, 'idle' from unnest(${[...harness.sessions]}::text[]) as s(id)`
  await harness.sql.unsafe("vacuum (analyze) lanes")
}

/**
 * The cost for a send of a lane from its session to a push channel. The lanes are not delivered during the measurement.
 */
export const acceptLane: Row = {
  name: "accept-lane",
  run: async (rounds) => {
    const harness = await startBenchHarness(SESSIONS)
    await harness.sql`
      insert into channels (app_id, channel_id, kind, endpoint, target)
      values (${APP}, ${CHANNEL}, 'webhook', 'http://127.0.0.1', '{}')`
    const server = await startServer(harness.url, "api")
    const results: Array<Result> = []
    try {
      for (const senders of [64, 256]) {
        const raw: Array<Record<string, number>> = []
        for (let n = 0; n < rounds; n++) {
          await withoutLanes(harness)
          const bare = await runOurs(harness, server, senders)
          await withLanes(harness)
          const ours = await runOurs(harness, server, senders)
          raw.push({
            with_lane_per_s: round(ours.perSecond),
            without_per_s: round(bare.perSecond),
            with_lane_p99_ms: ours.p99Ms,
            without_p99_ms: bare.p99Ms,
            errors: ours.errors + bare.errors
          })
        }
        const ours = median(raw.map((row) => row["with_lane_per_s"] ?? Number.NaN))
        const limit = median(raw.map((row) => row["without_per_s"] ?? Number.NaN))
        results.push({
          name: "accept-lane",
          what: `sends to sessions with a lane against sends to sessions without, ${senders} senders`,
          ours,
          limit,
          unit: "/s",
          ratio: round(ours / limit),
          goal: ">= 0.9",
          reached: ours / limit >= 0.9,
          raw
        })
      }
    } finally {
      await server.stop()
      await harness.close()
    }
    return results
  }
}
