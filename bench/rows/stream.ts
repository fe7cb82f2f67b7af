import { connect, type Socket } from "node:net"
import type { Result, Row } from "../Row.ts"
import { type BenchHarness, startBenchHarness } from "../support/BenchHarness.ts"
import { residentBytes, type Served, startBareStream, startServer } from "../support/processes.ts"
import { median, round } from "../support/statistics.ts"

const FOLLOWERS = 10_000
const EVENTS = 5
const MARK = "to-all-followers"

/** Opens connections in groups, and waits for the first bytes of each stream. */
const follow = async (url: URL, headers: string, onText: (text: string) => void): Promise<ReadonlyArray<Socket>> => {
  const sockets: Array<Socket> = []
  const open = () =>
    new Promise<void>((resolve, reject) => {
      const socket = connect(Number(url.port), url.hostname, () =>
        socket.write(`GET ${url.pathname}${url.search} HTTP/1.1\r\nhost: ${url.host}\r\n${headers}\r\n`)
      )
      socket
        .setEncoding("latin1")
        .on("error", reject)
        .on("data", (text: string) => {
          resolve()
          if (text.includes(MARK)) onText(text)
        })
      sockets.push(socket)
    })
  for (let n = 0; n < FOLLOWERS; n += 200) await Promise.all(Array.from({ length: Math.min(200, FOLLOWERS - n) }, open))
  return sockets
}

const settled = () => new Promise((resume) => setTimeout(resume, 1500))

/** Time from the send to the last follower's bytes, and memory per follower. */
const measure = async (server: Served, path: string, headers: string, send: () => Promise<unknown>) => {
  await settled()
  const before = residentBytes(server.pid)
  let heard = 0
  let done = () => {}
  const sockets = await follow(new URL(server.baseUrl + path), headers, () => {
    if (++heard === FOLLOWERS) done()
  })
  await settled()
  const bytes = (residentBytes(server.pid) - before) / FOLLOWERS
  const times: Array<number> = []
  for (let n = 0; n < EVENTS; n++) {
    heard = 0
    const all = new Promise<void>((resolve) => {
      done = resolve
    })
    const began = performance.now()
    await Promise.all([send(), all])
    times.push(performance.now() - began)
    await settled()
  }
  for (const socket of sockets) socket.destroy()
  return { ms: median(times), bytes }
}

const ofTroupe = async (harness: BenchHarness) => {
  const server = await startServer(harness.url, "api")
  const session = harness.sessions[0]
  const auth = `authorization: Bearer ${harness.key}`
  const result = await measure(server, `/v1/sessions/${session}/events/stream?since=0`, `${auth}\r\n`, () =>
    fetch(`${server.baseUrl}/v1/sessions/${session}/messages`, {
      method: "POST",
      headers: { authorization: `Bearer ${harness.key}`, "content-type": "application/json" },
      body: JSON.stringify({ text: MARK })
    })
  )
  await server.stop()
  await harness.sql`truncate events, turns`
  await harness.sql`update session_logs set last_cursor = 0, turn_count = 0, open_turns = 0`
  return result
}

const ofBare = async (chunk: string) => {
  const server = await startBareStream()
  const result = await measure(server, "/", "", () => fetch(server.baseUrl, { method: "POST", body: chunk }))
  await server.stop()
  return result
}

export const stream: Row = {
  name: "stream",
  run: async (rounds) => {
    const harness = await startBenchHarness(1)
    // The same bytes as ours: the message and the following run.status.
    const chunk =
      `id: 1\nevent: message.created\ndata: ` +
      `${JSON.stringify({ text: MARK, filler: "x".repeat(380) })}\n\nid: ` +
      `2\nevent: run.status\ndata: ${JSON.stringify({ filler: "x".repeat(400) })}\n\n`
    try {
      const raw: Array<Record<string, number>> = []
      for (let n = 0; n < rounds; n++) {
        const ours = await ofTroupe(harness)
        const bare = await ofBare(chunk)
        raw.push({
          ours_ms: round(ours.ms),
          ours_bytes: round(ours.bytes),
          bare_ms: round(bare.ms),
          bare_bytes: round(bare.bytes)
        })
      }
      const of = (name: string) => median(raw.map((row) => row[name] ?? Number.NaN))
      const result = (
        name: string,
        what: string,
        unit: string,
        ours: number,
        limit: number,
        rows: Result["raw"]
      ): Result => ({
        name,
        what,
        ours,
        limit,
        unit,
        ratio: round(ours / limit),
        goal: "<= 1.5",
        reached: ours / limit <= 1.5,
        raw: rows
      })
      return [
        result(
          "stream",
          `one event to ${FOLLOWERS} followers, send to the last one's bytes`,
          "ms",
          of("ours_ms"),
          of("bare_ms"),
          raw
        ),
        result("stream memory", "resident memory a follower", "bytes", of("ours_bytes"), of("bare_bytes"), [])
      ]
    } finally {
      await harness.close()
    }
  }
}
