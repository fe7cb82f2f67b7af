import { once } from "node:events"
import { get, type IncomingMessage } from "node:http"
import postgres from "postgres"
import type { Result, Row } from "../Row.ts"
import { type BenchHarness, startBenchHarness } from "../support/BenchHarness.ts"
import { startRunner } from "../support/jobs.ts"
import { type Served, startServer } from "../support/processes.ts"
import { median, percentile, round } from "../support/statistics.ts"

const TURNS = 2000

/**
 * A run.status has the character's role, too, and shares a chunk with the person's own message, so both words have to
 * be in one frame.
 */
const REPLY = /^event: message\.created\ndata: .*"role":"character"/m

/** A session with its log open as a stream, as a client has it. */
export const openSession = async (
  harness: Pick<BenchHarness, "key">,
  server: Served,
  session: string,
  message = '{"text":"hello there"}'
) => {
  const headers = { authorization: `Bearer ${harness.key}`, "content-type": "application/json" }
  const url = `${server.baseUrl}/v1/sessions/${session}`
  const { data } = (await (await fetch(url, { headers })).json()) as { data: { last_cursor: number } }
  let replied = () => {}
  const request = get(`${url}/events/stream?since=${data.last_cursor}`, { headers })
  const [response] = (await once(request, "response")) as [IncomingMessage]
  let rest = ""
  response.setEncoding("utf8").on("data", (text: string) => {
    const frames = (rest + text).split("\n\n")
    rest = frames.pop() ?? ""
    if (frames.some((frame) => REPLY.test(frame))) replied()
  })
  return {
    /** Milliseconds from the send to the reply on the log. */
    turn: async (): Promise<number> => {
      const began = performance.now()
      const reply = new Promise<void>((resolve) => {
        replied = resolve
      })
      await (await fetch(`${url}/messages`, { method: "POST", headers, body: message })).arrayBuffer()
      await reply
      return performance.now() - began
    },
    close: () => request.destroy()
  }
}

const repeat = async (senders: ReadonlyArray<() => Promise<number>>, turns: number) => {
  const latencies: Array<number> = []
  let left = turns
  await Promise.all(
    senders.map(async (one) => {
      while (left-- > 0) latencies.push(await one())
    })
  )
  return latencies
}

/** Two plain transactions with a job round trip in between. */
const prepareBare = async (url: string) => {
  const sql = postgres(url, { max: 12, onnotice: () => {} })
  await sql`create table if not exists bench_rows (id bigint generated always as identity primary key, session text,
    note text)`
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
    const harness = await startBenchHarness(200)
    const results: Array<Result> = []
    try {
      for (const count of [1, 200]) {
        const sessions = harness.sessions.slice(0, count)
        const turns = count === 1 ? 200 : TURNS
        const raw: Array<Record<string, number>> = []
        for (let n = 0; n < rounds; n++) {
          const server = await startServer(harness.url, "api,worker")
          const opened = await Promise.all(sessions.map((session) => openSession(harness, server, session)))
          await repeat(
            opened.map((session) => session.turn),
            Math.min(turns, 100)
          )
          const ours = await repeat(
            opened.map((session) => session.turn),
            turns
          )
          for (const session of opened) session.close()
          await server.stop()
          const bare = await prepareBare(harness.url)
          await repeat(
            sessions.map(() => bare.one),
            Math.min(turns, 100)
          )
          const limit = await repeat(
            sessions.map(() => bare.one),
            turns
          )
          await bare.stop()
          raw.push({
            ours_p50_ms: round(percentile(ours, 0.5)),
            ours_p99_ms: round(percentile(ours, 0.99)),
            bare_p50_ms: round(percentile(limit, 0.5)),
            bare_p99_ms: round(percentile(limit, 0.99))
          })
        }
        const ours = median(raw.map((row) => row["ours_p50_ms"] ?? Number.NaN))
        const limit = median(raw.map((row) => row["bare_p50_ms"] ?? Number.NaN))
        results.push(
          {
            name: "turn",
            what: `send to reply on the log over HTTP, p50, ${count} session(s)`,
            ours,
            limit,
            unit: "ms",
            ratio: round(ours / limit),
            goal: "<= 3",
            reached: ours / limit <= 3,
            raw
          },
          {
            name: "turn p50",
            what: `${count} session(s)`,
            ours,
            limit: 30,
            unit: "ms",
            ratio: round(ours / 30),
            goal: "<= 30 ms",
            reached: ours <= 30,
            raw: []
          }
        )
      }
    } finally {
      await harness.close()
    }
    return results
  }
}
