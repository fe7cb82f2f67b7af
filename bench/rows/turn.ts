import postgres from "postgres"
import type { Result, Row } from "../Row.ts"
import { type Ground, prepareGround } from "../support/Ground.ts"
import { startRunner } from "../support/jobs.ts"
import { type Served, startServer } from "../support/processes.ts"
import { median, percentile, round } from "../support/statistics.ts"

const TURNS = 2000

/** Milliseconds from the send to the reply on the log, seen by a long poll. */
const oneTurn = async (ground: Ground, server: Served, session: string): Promise<number> => {
  const headers = { authorization: `Bearer ${ground.key}`, "content-type": "application/json" }
  const began = performance.now()
  const sent = await fetch(`${server.baseUrl}/v1/sessions/${session}/messages`, { method: "POST", headers, body: '{"text":"hello there"}' })
  let since = (await sent.json() as { data: { cursor: number } }).data.cursor
  for (;;) {
    const page = await (await fetch(`${server.baseUrl}/v1/sessions/${session}/events?since=${since}&wait=10`, { headers })).json() as { data: { events: Array<{ type: string; role: string }>; next_cursor: number } }
    if (page.data.events.some((event) => event.type === "message.created" && event.role === "character")) return performance.now() - began
    since = page.data.next_cursor
  }
}

const inSessions = async (sessions: ReadonlyArray<string>, turns: number, one: (session: string) => Promise<number>) => {
  const latencies: Array<number> = []
  let left = turns
  await Promise.all(sessions.map(async (session) => {
    while (left-- > 0) latencies.push(await one(session))
  }))
  return latencies
}

/** Two bare transactions with a job round trip between them. */
const prepareBare = async (url: string) => {
  const sql = postgres(url, { max: 12, onnotice: () => {} })
  await sql`create table if not exists bench_rows (id bigint generated always as identity primary key, session text, note text)`
  const waiting = new Map<string, () => void>()
  const runner = await startRunner(url, {
    bare: async (payload) => {
      const { id } = payload as { id: string }
      await sql.begin((t) => t`insert into bench_rows (session, note) values (${id}, 'reply')`)
      waiting.get(id)?.()
      waiting.delete(id)
    }
  })
  let next = 0
  return {
    one: async () => {
      const id = String(next++)
      const began = performance.now()
      const done = new Promise<void>((resolve) => waiting.set(id, resolve))
      await sql.begin(async (t) => {
        await t`insert into bench_rows (session, note) values (${id}, 'message')`
        await t`select graphile_worker.add_job('bare', json_build_object('id', ${id}::text))`
      })
      await done
      return performance.now() - began
    },
    stop: async () => {
      await runner.stop()
      await sql.end()
    }
  }
}

export const turn: Row = {
  name: "turn",
  run: async (rounds) => {
    const ground = await prepareGround(200)
    const results: Array<Result> = []
    try {
      for (const count of [1, 200]) {
        const sessions = ground.sessions.slice(0, count)
        const turns = count === 1 ? 200 : TURNS
        const raw: Array<Record<string, number>> = []
        for (let n = 0; n < rounds; n++) {
          const server = await startServer(ground.url, "api,worker")
          await inSessions(sessions, Math.min(turns, 100), (session) => oneTurn(ground, server, session))
          const ours = await inSessions(sessions, turns, (session) => oneTurn(ground, server, session))
          await server.stop()
          const bare = await prepareBare(ground.url)
          await inSessions(sessions, Math.min(turns, 100), bare.one)
          const limit = await inSessions(sessions, turns, bare.one)
          await bare.stop()
          raw.push({
            ours_p50_ms: round(percentile(ours, 0.5)), ours_p99_ms: round(percentile(ours, 0.99)),
            bare_p50_ms: round(percentile(limit, 0.5)), bare_p99_ms: round(percentile(limit, 0.99))
          })
        }
        const ours = median(raw.map((row) => row["ours_p50_ms"] ?? Number.NaN))
        const limit = median(raw.map((row) => row["bare_p50_ms"] ?? Number.NaN))
        results.push(
          { name: "turn", what: `send to reply on the log over HTTP, p50, ${count} session(s)`, ours, limit, unit: "ms", ratio: round(ours / limit), goal: "<= 3", reached: ours / limit <= 3, raw },
          { name: "turn p50", what: `${count} session(s)`, ours, limit: 30, unit: "ms", ratio: round(ours / 30), goal: "<= 30 ms", reached: ours <= 30, raw: [] }
        )
      }
    } finally {
      await ground.close()
    }
    return results
  }
}
