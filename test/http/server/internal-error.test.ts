import { assert, it } from "vitest"
import { startTestServer } from "#test/support/TestServer.ts"

it("an internal failure is 500 internal_error, reveals no details, and ends with its cause", async () => {
  const server = await startTestServer()
  try {
    const app = await server.createApp()
    await server.database.sql`alter table end_users rename to away`
    const { status, body } = await app.get("/v1/end-users")
    assert.deepStrictEqual([status, body.detail.code], [500, "internal_error"])
    assert.hasAllKeys(body.detail, ["code", "message", "fix", "request_id"])
    assert.notMatch(JSON.stringify(body), /end_users|relation|select|42P01/)
    await server.database.sql`alter table away rename to end_users`
    assert.strictEqual((await app.get("/v1/end-users")).status, 200)
  } finally {
    await server.close()
  }
})
