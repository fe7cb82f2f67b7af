import { type AddressInfo, createServer } from "node:net"
import type { Row } from "../Row.ts"
import { APP, type BenchHarness, startBenchHarness } from "../support/BenchHarness.ts"
import { load } from "../support/load.ts"
import { type Served, startServer, startSink } from "../support/processes.ts"
import { median, round } from "../support/statistics.ts"

const ENDPOINTS = 1000
const SECONDS = 8
/** Far below the capacity of two cores, so that waiting is measured and not work. */
const SENDS_PER_SECOND = 40
const ALLOW = { OUTBOUND_ALLOW: "127.0.0.0/8" }
const BODY = JSON.stringify({ text: "hello there, how are you today?" })

/** All of 127/8 is this machine, so each endpoint gets its own address. */
const hostOf = (n: number) => `127.1.${n >> 8}.${n & 255}`
const pause = (ms: number) => new Promise((resume) => setTimeout(resume, ms))

const call = async (server: Served, { key }: BenchHarness, method: string, path: string, body?: object) => {
  const response = await fetch(server.baseUrl + path, {
    method,
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) })
  })
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`)
  return ((await response.json()) as { data: { id: string } }).data
}

/** Accepts connections and requests, and never answers. */
const startDead = async () => {
  const server = createServer((socket) => socket.on("error", () => {}).resume())
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, stop: () => server.close() }
}

/**
 * The time from the append of an event to the end of its delivery, over all thousand endpoints, while another endpoint,
 * if any, gets the events of every session.
 */
const medianDelivery = async (harness: BenchHarness, server: Served, other: string | null) => {
  const { sql } = harness
  let id = "none"
  if (other !== null) {
    id = (await call(server, harness, "POST", `/v1/apps/${APP}/channels`, { kind: "webhook", url: other })).id
    while ((await sql`select from lanes where channel_id = ${id}`).length < ENDPOINTS) await pause(100)
  }
  await sql`truncate delivery_attempts`
  const sent = await load({
    baseUrl: server.baseUrl,
    connections: 16,
    seconds: SECONDS,
    rate: SENDS_PER_SECOND,
    method: "POST",
    headers: { authorization: `Bearer ${harness.key}`, "content-type": "application/json" },
    body: BODY,
    path: () => `/v1/sessions/${harness.sessions[Math.floor(Math.random() * ENDPOINTS)]}/messages`
  })
  const [hanging] = await sql`select count(*)::int as lanes from lanes where channel_id = ${id} and owner is not null`
  while ((await sql`select from turns where outcome is null limit 1`).length > 0) await pause(100)
  while ((await sql`select from lanes where channel_id <> ${id} and position < head limit 1`).length > 0)
    await pause(100)
  const [row] = await sql`
    select count(*)::int as deliveries,
      percentile_cont(0.5) within group (order by extract(epoch
        from a.started_at - e.created_at) * 1000 + a.latency_ms) as ms
    from delivery_attempts a join events e using (app_id, session_id, cursor)
      where a.channel_id <> ${id} and a.outcome = 'sent'`
  if (other !== null) await call(server, harness, "DELETE", `/v1/apps/${APP}/channels/${id}`)
  return {
    ms: round(Number(row!["ms"])),
    deliveries: row!["deliveries"] as number,
    hanging: hanging!["lanes"] as number,
    errors: sent.errors
  }
}

/**
 * How much a thousand healthy endpoints are slowed down by one that never answers and gets as many events as all of
 * them together.
 */
export const deadEndpoint: Row = {
  name: "dead-endpoint",
  run: async (rounds) => {
    const harness = await startBenchHarness(ENDPOINTS)
    const sink = await startSink("0.0.0.0")
    const dead = await startDead()
    const server = await startServer(harness.url, "api,worker", ALLOW)
    try {
      const port = new URL(sink.baseUrl).port
      for (const [n, session] of harness.sessions.entries()) {
        await call(server, harness, "POST", `/v1/sessions/${session}/channels`, {
          kind: "webhook",
          url: `http://${hostOf(n)}:${port}/`
        })
      }
      const raw: Array<Record<string, number>> = []
      for (let n = 0; n < rounds; n++) {
        const well = await medianDelivery(harness, server, null)
        const ill = await medianDelivery(harness, server, dead.url)
        raw.push({
          with_dead_ms: ill.ms,
          without_ms: well.ms,
          deliveries: ill.deliveries,
          deliveries_without: well.deliveries,
          hanging: ill.hanging,
          errors: ill.errors + well.errors
        })
      }
      const ours = median(raw.map((row) => row["with_dead_ms"] ?? Number.NaN))
      const limit = median(raw.map((row) => row["without_ms"] ?? Number.NaN))
      return [
        {
          name: "dead-endpoint",
          what:
            `median from append to delivered at ${ENDPOINTS} endpoints, with one more that is sent every ` +
            `session's events and hangs, and without`,
          ours,
          limit,
          unit: "ms",
          ratio: round(ours / limit),
          goal: "<= 1.2",
          reached: ours / limit <= 1.2,
          raw
        }
      ]
    } finally {
      await server.stop()
      dead.stop()
      await sink.stop()
      await harness.close()
    }
  }
}
