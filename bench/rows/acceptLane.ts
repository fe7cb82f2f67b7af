import type { Result, Row } from "../Row.ts"
import { APP, type Ground, prepareGround } from "../support/BenchHarness.ts"
import { startServer } from "../support/processes.ts"
import { median, round } from "../support/statistics.ts"
import { clean, runOurs, SESSIONS } from "./accept.ts"

const CHANNEL = "chn_000000000000000000000BENCH"

const withoutLanes = async (ground: Ground) => {
  await clean(ground)
  await ground.sql`delete from lanes`
  await ground.sql.unsafe("vacuum (analyze) lanes")
}

const withLanes = async (ground: Ground) => {
  await withoutLanes(ground)
  await ground.sql`
    insert into lanes (app_id, session_id, channel_id, generation, position, head, status)
    select ${APP}, id, ${CHANNEL}, 1, 0, 0, 'idle' from unnest(${[...ground.sessions]}::text[]) as s(id)`
  await ground.sql.unsafe("vacuum (analyze) lanes")
}

/**
 * The cost for a send of a lane from its session to a push channel. The lanes are not delivered during the measurement.
 */
export const acceptLane: Row = {
  name: "accept-lane",
  run: async (rounds) => {
    const ground = await prepareGround(SESSIONS)
    await ground.sql`insert into channels (app_id, channel_id, kind, endpoint, target) values (${APP}, ${CHANNEL}, 'webhook', 'http://127.0.0.1', '{}')`
    const server = await startServer(ground.url, "api")
    const results: Array<Result> = []
    try {
      for (const senders of [64, 256]) {
        const raw: Array<Record<string, number>> = []
        for (let n = 0; n < rounds; n++) {
          await withoutLanes(ground)
          const bare = await runOurs(ground, server, senders)
          await withLanes(ground)
          const ours = await runOurs(ground, server, senders)
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
      await ground.close()
    }
    return results
  }
}
