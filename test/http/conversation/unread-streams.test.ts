import { connect, type Socket } from "node:net"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { readSamples } from "#test/support/prometheusText.ts"
import { TestApp } from "#test/support/TestApp.ts"
import { startTestServer, type TestServer } from "#test/support/TestServer.ts"
import { until } from "#test/support/until.ts"

const TOKEN = "the-operator-who-looks-at-the-memory"
const EVENTS = 400
/** A log of 6.4 MB, which is more than the buffers of a connection take. */
const EVENT_BYTES = 16_000
const STREAMS = 40
/** A chunk of a stream ends with the event with which it reaches 64 KB. */
const CHUNK_BYTES = 64 * 1024 + 2 * EVENT_BYTES

let server: TestServer
let app: TestApp
let operator: TestApp
let session: string
beforeAll(async () => {
  server = await startTestServer({ env: { ADMIN_TOKEN: TOKEN } })
  app = await server.createApp()
  operator = new TestApp(server.baseUrl, "", TOKEN)
  session = await app.createSession({ character_slug: await app.createCharacter() })
  await server.database.sql`
    insert into events (app_id, session_id, cursor, id, type, role, trace_id, source_kind, payload)
    select ${app.appId}, ${session}, n, 'evt_' || lpad(n::text, 26, '0'), 'message.created', 'user', 'trc_' || n, 'api',
      json_build_object('text', repeat(md5(n::text), ${EVENT_BYTES / 32}::int))
    from generate_series(1, ${EVENTS}::int) n`
  await server.database.sql`update session_logs set last_cursor = ${EVENTS} where session_id = ${session}`
})
afterAll(() => server.close())

const sockets: Array<Socket> = []
afterAll(() => sockets.forEach((socket) => socket.destroy()))

/** A connection that asks for something and does not read it. */
const ask = (path: string): Socket => {
  const { hostname, port } = new URL(server.baseUrl)
  const socket = connect(Number(port), hostname, () =>
    socket.write(`GET ${path} HTTP/1.1\r\nhost: ${hostname}\r\nauthorization: Bearer ${app.key}\r\n\r\n`)
  ).on("error", () => {})
  sockets.push(socket.setEncoding("latin1").pause())
  return socket
}
const unreadBytes = async () => {
  const samples = readSamples((await operator.get("/metrics")).body)
  return samples.find(({ name }) => name === "troupe_unread_bytes")?.value ?? Number.NaN
}

describe("streams that nobody reads", () => {
  it("keep one chunk each in memory, and have every event in order once they are read", async () => {
    const streams = Array.from({ length: STREAMS }, () => ask(`/v1/sessions/${session}/events/stream?since=0`))
    await until("all streams to stand still", async () => {
      const bytes = await unreadBytes()
      assert.isAtMost(bytes, STREAMS * CHUNK_BYTES)
      return bytes > (STREAMS / 2) * 64 * 1024
    })
    let text = ""
    streams[0]?.on("data", (part: string) => {
      text += part
    })
    streams[0]?.resume()
    await until("the last event", () => text.includes(`\nid: ${EVENTS}\n`))
    const cursors = [...text.matchAll(/^id: (\d+)$/gm)].map(([, cursor]) => Number(cursor))
    assert.deepStrictEqual(
      cursors,
      Array.from({ length: EVENTS }, (_, n) => n + 1)
    )
    for (const stream of streams) stream.destroy()
    await until("their memory to be free", async () => (await unreadBytes()) === 0)
  })
})
