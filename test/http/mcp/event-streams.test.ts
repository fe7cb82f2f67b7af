import { Client, InMemoryTransport } from "@modelcontextprotocol/client"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { type Api, urlOf } from "#src/http/mcp/Api.ts"
import { makeMcpServer } from "#src/http/mcp/makeMcpServer.ts"
import { converse, openEvents, saysIn } from "#test/support/mcp/mcpEvents.ts"
import type { TestApp } from "#test/support/TestApp.ts"
import { startTestServer, type TestServer } from "#test/support/TestServer.ts"

let server: TestServer
let app: TestApp
beforeAll(async () => {
  server = await startTestServer()
  app = await server.createApp()
})
afterAll(() => server.close())

/** The API of the app. `answering` may answer in its place. */
const apiOf =
  (answering: (n: number) => { readonly status: number; readonly detail: object } | undefined): Api =>
  async (request) => {
    const instead = answering(++calls)
    if (instead !== undefined) return { ok: false, ...instead }
    const { status, body } = await app.request(request.method, urlOf(request), request.body)
    return status < 300 ? { ok: true, data: body.data } : { ok: false, status, detail: body.detail }
  }
let calls = 0

const connect = async (
  stream: { readonly most?: number; readonly lifetimeMs?: number; readonly drained?: () => Promise<void> },
  answering: Parameters<typeof apiOf>[0] = () => undefined
) => {
  calls = 0
  const client = new Client({ name: "test", version: "1.0.0" })
  const [ours, theirs] = InMemoryTransport.createLinkedPair()
  const whole = { most: 2, lifetimeMs: Infinity, drained: () => Promise.resolve(), ...stream }
  await makeMcpServer(apiOf(answering), { allowWrites: false, stream: whole }).connect(theirs)
  await client.connect(ours)
  return client
}

describe("an event stream", () => {
  it("ends by itself when its time is over", async () => {
    const client = await connect({ lifetimeMs: 1 })
    const stream = openEvents(client, { name: "feed" })
    assert.strictEqual(await stream.ended, "ended")
    assert.strictEqual(stream.heard[0]?.kind, "active")
    await client.close()
  })

  it("goes on after an error that passes", async () => {
    const client = await connect({}, (n) => (n === 2 ? { status: 503, detail: { code: "unavailable" } } : undefined))
    const stream = openEvents(client, { name: "feed" })
    const { params } = await stream.next(({ kind }) => kind === "error")
    assert.deepInclude(params.error.data, { status: 503 })
    await converse(app, await app.createSession(), "What is for dinner?")
    const { kind } = await stream.next((each) => saysIn(each).includes("dinner"))
    assert.strictEqual(kind, "event")
    stream.close()
    await client.close()
  })

  it("says that events are missing when its cursor expires meanwhile, and goes on from where it can", async () => {
    const detail = { code: "cursor_expired", message: "Gone.", fix: "Continue.", earliest_since: "0" }
    await converse(app, await app.createSession(), "What is for dinner?")
    const client = await connect({}, (n) => (n === 2 ? { status: 410, detail } : undefined))
    const stream = openEvents(client, { name: "feed" })
    const again = await stream.next(({ kind, params }) => kind === "active" && params.truncated)
    assert.strictEqual(again.params.cursor, "0")
    await stream.next((each) => saysIn(each).includes("dinner"))
    stream.close()
    await client.close()
  })

  it("is refused if as many are open as there may be at once", async () => {
    const client = await connect({ most: 1 })
    const first = openEvents(client, { name: "feed" })
    await first.next(({ kind }) => kind === "active")
    const refused = await openEvents(client, { name: "feed" }).ended
    assert.deepInclude(refused, { code: -32013 })
    first.close()
    await client.close()
  })

  it("reads no further while the client takes nothing", async () => {
    for (let n = 0; n < 3; n++) await converse(app, await app.createSession(), "What is for dinner?")
    const taken = Promise.withResolvers<void>()
    const waiting = Promise.withResolvers<void>()
    const client = await connect({
      drained: () => {
        waiting.resolve()
        return taken.promise
      }
    })
    const stream = openEvents(client, { name: "feed" })
    await waiting.promise
    assert.strictEqual(calls, 1)
    await converse(app, await app.createSession(), "And on Sunday?")
    assert.strictEqual(calls, 1)
    taken.resolve()
    await stream.next((each) => saysIn(each).includes("Sunday"))
    stream.close()
    await client.close()
  })
})
