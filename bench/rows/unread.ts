import { connect, type Socket } from "node:net"
import { setTimeout } from "node:timers/promises"
import type { Row } from "../Row.ts"
import { APP, type BenchHarness, startBenchHarness } from "../support/BenchHarness.ts"
import { residentBytes, type Served, startServer } from "../support/processes.ts"
import { round } from "../support/statistics.ts"

const LOG = { events: 300, bytes: 16_000 }
const SECONDS = 45
const AFTER_SECONDS = 15
const MB = 1_048_576
/** What the readers may cost a process beyond their connections, whatever they do. */
const MOST_MB = 300

/** A log of 4.8 MB in the first session: more than the buffers of a connection take. */
const fill = ({ sql, sessions: [session = ""] }: BenchHarness) =>
  sql.begin(async (transaction) => {
    await transaction`
    insert into events (app_id, session_id, cursor, id, type, role, trace_id, source_kind, payload)
    select ${APP}, ${session}, n, 'evt_' || lpad(n::text, 26, '0'), 'message.created', 'user', 'trc_' || n, 'api',
      json_build_object('text', repeat(md5(n::text), ${LOG.bytes / 32}))
    from generate_series(1, ${LOG.events}::int) n`
    await transaction`update session_logs set last_cursor = ${LOG.events} where session_id = ${session}`
  })

const open = (url: URL, key: string): Socket => {
  const socket = connect(Number(url.port), url.hostname, () =>
    socket.write(
      `GET ${url.pathname}${url.search} HTTP/1.1\r\nhost: ${url.host}\r\nauthorization: Bearer ${key}\r\n\r\n`
    )
  )
  return socket.pause().on("error", () => {})
}

interface Readers {
  readonly what: string
  readonly count: number
  readonly path: (session: string) => string
  /** How much each takes every second. 0: they never read. */
  readonly bytesPerSecond: number
}

/** The same connections with nothing to read. */
const IDLE: Readers = {
  what: "10,000 idle streams",
  count: 10_000,
  path: (session) => `/v1/sessions/${session}/events/stream?since=${LOG.events}`,
  bytesPerSecond: 0
}
const READERS: ReadonlyArray<Readers> = [
  IDLE,
  {
    what: "1,000 streams that are never read",
    count: 1000,
    path: (session) => `/v1/sessions/${session}/events/stream?since=0`,
    bytesPerSecond: 0
  },
  {
    what: "10,000 streams that are read at 2 KB/s",
    count: 10_000,
    path: (session) => `/v1/sessions/${session}/events/stream?since=0`,
    bytesPerSecond: 2048
  },
  {
    what: "1,000 polls that are never read",
    count: 1000,
    path: (session) => `/v1/sessions/${session}/events?since=0`,
    bytesPerSecond: 0
  },
  {
    what: "1,000 streams of the feed that are never read",
    count: 1000,
    path: () => "/v1/events/stream?since=0",
    bytesPerSecond: 0
  }
]

/** The most resident memory over a while, beyond that of the idle process, and what is left without the readers. */
const measure = async (server: Served, session: string, key: string, readers: Readers) => {
  const before = residentBytes(server.pid)
  const sockets: Array<Socket> = []
  const url = new URL(server.baseUrl + readers.path(session))
  let peak = before
  const look = () => {
    peak = Math.max(peak, residentBytes(server.pid))
  }
  const began = performance.now()
  for (let second = 0; performance.now() - began < SECONDS * 1000; second++) {
    for (let n = 0; n < 1000 && sockets.length < readers.count; n++) sockets.push(open(url, key))
    for (let n = 0; n < 10; n++) {
      await setTimeout(100)
      look()
    }
    if (readers.bytesPerSecond > 0) for (const socket of sockets) socket.read(readers.bytesPerSecond)
  }
  for (const socket of sockets) socket.destroy()
  await setTimeout(AFTER_SECONDS * 1000)
  const mb = (bytes: number) => round((bytes - before) / MB)
  return { what: readers.what, peak_mb: mb(peak), left_mb: mb(residentBytes(server.pid)) }
}

/** What readers cost a process that do not read what they ask for. */
export const unread: Row = {
  name: "unread",
  run: async () => {
    const harness = await startBenchHarness(1)
    try {
      await fill(harness)
      const raw: Array<Awaited<ReturnType<typeof measure>>> = []
      for (const readers of READERS) {
        const server = await startServer(harness.url, "api")
        raw.push(await measure(server, harness.sessions[0] ?? "", harness.key, readers))
        await server.stop()
      }
      const idleMb = (raw[0]?.peak_mb ?? Number.NaN) / IDLE.count
      return READERS.flatMap((readers, index) => {
        const measured = raw[index]
        if (measured === undefined || readers === IDLE) return []
        const limit = round(MOST_MB + idleMb * readers.count)
        return {
          name: "unread",
          what: `memory for ${measured.what}, against that of idle streams and ${MOST_MB} MB`,
          ours: measured.peak_mb,
          limit,
          unit: "MB",
          ratio: round(measured.peak_mb / limit),
          goal: "<= 1",
          reached: measured.peak_mb <= limit,
          raw: [measured]
        }
      })
    } finally {
      await harness.close()
    }
  }
}
