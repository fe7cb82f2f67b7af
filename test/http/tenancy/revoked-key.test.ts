import { once } from "node:events"
import { get, type IncomingMessage } from "node:http"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { TestApp } from "#test/support/TestApp.ts"
import { startTestServer, type TestServer } from "#test/support/TestServer.ts"
import { runTroupe } from "#test/support/TroupeProcess.ts"
import { until } from "#test/support/until.ts"

let server: TestServer
let app: TestApp
let session: string
beforeAll(async () => {
  server = await startTestServer()
  app = await server.createApp()
  session = await app.createSession()
})
afterAll(() => server.close())

const troupe = (...args: ReadonlyArray<string>) => runTroupe({ DATABASE_URL: server.database.url }, args)
/** Another key of the same app. */
const createKey = async () => {
  const { stdout } = await troupe("key", "create", app.appId)
  const { api_key, prefix } = JSON.parse(stdout)
  return { by: new TestApp(server.baseUrl, app.appId, api_key), prefix }
}
const openStream = async (by: TestApp) => {
  const [response] = (await once(
    get(`${server.baseUrl}/v1/sessions/${session}/events/stream?since=0`, {
      headers: { authorization: `Bearer ${by.key}` }
    }),
    "response"
  )) as [IncomingMessage]
  response.resume()
  return response
}

describe("a revoked key", () => {
  it("is refused, and its streams and polls end within a second, while those of another key continue", async () => {
    const { by, prefix } = await createKey()
    const streams = [await openStream(by), await openStream(by)]
    const others = await openStream(app)
    const waiting = by.get(`/v1/sessions/${session}/events?since=0&wait=30`)
    const revoked = await troupe("key", "revoke", prefix)
    assert.deepStrictEqual([revoked.code, revoked.stdout], [0, `${JSON.stringify({ prefix, revoked: true })}\n`])

    await until("the streams to end", () => streams.every((stream) => stream.complete))
    const { status, body } = await waiting
    assert.deepStrictEqual([status, typeof body.detail], [403, "string"])
    assert.strictEqual((await by.get("/v1/me")).status, 403)
    assert.isFalse(others.complete)
    others.destroy()
  })

  it("stays revoked when it is revoked again", async () => {
    const { by, prefix } = await createKey()
    for (let n = 0; n < 2; n++) assert.strictEqual((await troupe("key", "revoke", prefix)).code, 0)
    assert.strictEqual((await by.get("/v1/me")).status, 403)
  })

  it("can be given in full", async () => {
    const { by, prefix } = await createKey()
    const { code, stdout } = await troupe("key", "revoke", by.key)
    assert.deepStrictEqual([code, stdout], [0, `${JSON.stringify({ prefix, revoked: true })}\n`])
    assert.strictEqual((await by.get("/v1/me")).status, 403)
  })

  it("must exist: one line says that it does not, and shows no more of the argument than a prefix", async () => {
    for (const [given, problem] of [
      [`${app.key.slice(0, 10)}_`, `there is no key with the prefix ${app.key.slice(0, 10)}_`],
      [
        `${app.key.slice(0, 10)}_and-what-may-be-secret`,
        "PREFIX must be the first 11 characters of a key, or a whole key"
      ]
    ] as const) {
      const { code, stdout, stderr } = await troupe("key", "revoke", given)
      assert.deepStrictEqual([code, stdout, stderr], [1, "", `troupe: ${problem}\n`])
    }
  })
})
