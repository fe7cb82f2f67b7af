import { createRequire } from "node:module"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { startTestServer, type TestServer } from "#test/support/TestServer.ts"

let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.close())

describe("the reference", () => {
  it("is generated on another thread, whose code is never loaded into the serving one", async () => {
    for (const path of ["/openapi.json", "/docs/"]) assert.strictEqual((await fetch(server.baseUrl + path)).status, 200)
    const loaded = () =>
      Object.keys(createRequire(import.meta.url).cache).some((file) => file.includes("@fastify/swagger"))
    assert.isFalse(loaded())
    await import("@fastify/swagger")
    assert.isTrue(loaded())
  })
})
