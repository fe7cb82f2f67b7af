import { once } from "node:events"
import { connect, type Socket } from "node:net"
import { afterAll, afterEach, assert, beforeAll, describe, it } from "vitest"
import { readSamples } from "#test/support/prometheusText.ts"
import { TestApp } from "#test/support/TestApp.ts"
import { startTestServer, type TestServer } from "#test/support/TestServer.ts"
import { until } from "#test/support/until.ts"

const TOKEN = "the-operator-who-looks-at-the-connections"
/** A page of the feed ends at about 1 MB. */
const EVENTS = 100
const EVENT_BYTES = 16_000
const PAGE = "/v1/events?limit=500"

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
afterEach(() => sockets.splice(0).forEach((socket) => socket.destroy()))

const address = () => new URL(server.baseUrl)
const requestOf = (path: string, id: number) =>
  `GET ${path} HTTP/1.1\r\nhost: ${address().hostname}\r\nx-request-id: ${id}\r\n` +
  `authorization: Bearer ${app.key}\r\n\r\n`
/** A connection that sends this many requests at once, and then reads the answers. */
const send = (count: number, path: string) => {
  const { hostname, port } = address()
  const text = Array.from({ length: count }, (_, id) => requestOf(path, id)).join("")
  const socket = connect(Number(port), hostname, () => socket.write(text)).on("error", () => {})
  sockets.push(socket)
  let answers = ""
  socket.setEncoding("latin1").on("data", (part: string) => {
    answers += part
  })
  const answered = () =>
    [...answers.matchAll(/HTTP\/1\.1 200 OK\r$[^]*?^x-request-id: (\d+)\r$/gm)].map(([, id]) => Number(id))
  return { socket, answered }
}
const unreadBytes = async () => {
  const samples = readSamples((await operator.get("/metrics")).body)
  return samples.find(({ name }) => name === "troupe_unread_bytes")?.value ?? Number.NaN
}

describe("requests that are sent before the answers to earlier ones are read", () => {
  it("are answered in order, on a connection that is kept", async () => {
    const { socket, answered } = send(30, "/v1/me")
    await until("the answers", () => answered().length === 30)
    socket.write(requestOf("/v1/me", 30))
    await until("the answer to the next one", () => answered().length === 31)
    assert.deepStrictEqual(
      answered(),
      Array.from({ length: 31 }, (_, id) => id)
    )
  })

  it("are given up with their connection if there are too many", async () => {
    const { socket, answered } = send(300, PAGE)
    await once(socket, "close")
    assert.isAtMost(answered().length, 32)
    await until("their memory to be free", async () => (await unreadBytes()) === 0)
  })
})
