import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { startTestServer, type TestServer } from "#test/support/TestServer.ts"

let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.close())

describe("a conversation", () => {
  it("answers a message on the log of its session", async () => {
    const app = await server.createApp()
    const session = await app.createSession()
    const reply = await app.converse(session, "What is for dinner?")
    assert.strictEqual(reply.type, "message.created")
    assert.deepStrictEqual(reply.payload["bubbles"], ["Leek soup, and bread if you cut it."])
  })
})
