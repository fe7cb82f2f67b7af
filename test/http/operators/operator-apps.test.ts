import type { FastifyRequest } from "fastify"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { actorOf } from "#src/http/server/makeAnswer.ts"
import { createAccountIn } from "#test/support/accounts/createAccountIn.ts"
import { TestApp } from "#test/support/TestApp.ts"
import { startTestServer, type TestServer } from "#test/support/TestServer.ts"

const TOKEN = "the-operator-and-nobody-else"
let server: TestServer
let operator: TestApp
beforeAll(async () => {
  server = await startTestServer({ env: { ADMIN_TOKEN: TOKEN } })
  operator = new TestApp(server.baseUrl, "", TOKEN)
})
afterAll(() => server.close())

describe("the operator's list of apps", () => {
  it("has the apps of every account, page by page, with their status", async () => {
    const account = await createAccountIn(server)
    const { app_id } = (await account.client.post("/v1/account/apps", { name: "hers" })).body.data
    const ours = await server.createApp()
    await server.database.sql`
      insert into telegram_holds (scope, kind, since, reason) values (${app_id}, 'app', now(), 'unpaid')`
    const found = new Map<string, { name: string; status: string; suspended_reason: string | null }>()
    for (let cursor: string | null = ""; cursor !== null;) {
      const { status, body } = await operator.get(`/admin/apps?limit=1&cursor=${cursor}`)
      assert.strictEqual(status, 200)
      for (const app of body.data.apps) {
        found.set(app.app_id, app)
      }
      cursor = body.data.next_cursor
    }
    assert.deepInclude(found.get(app_id), { name: "hers", status: "suspended", suspended_reason: "unpaid" })
    assert.strictEqual(found.get(ours.appId)?.status, "active")
  })

  it("is closed to everybody else: 401 without the token, and with any other credential", async () => {
    const account = await createAccountIn(server)
    const app = await server.createApp()
    const demo = (await new TestApp(server.baseUrl, "", "").post("/v1/demo/sandbox-key", undefined)).body.data.api_key
    for (const key of ["", "x", `${TOKEN}x`, TOKEN.toUpperCase(), app.key, demo, account.client.key]) {
      const { status, body } = await new TestApp(server.baseUrl, "", key).get("/admin/apps")
      assert.deepStrictEqual([status, typeof body.detail], [401, "string"], key)
    }
    assert.strictEqual((await fetch(`${server.baseUrl}/admin/apps`)).status, 401)
  })

  it("opens no other route with its token", async () => {
    for (const path of ["/v1/me", "/v1/account"]) assert.include([401, 403], (await operator.get(path)).status)
  })

  it("names the operator's token as the author of what is changed there", () => {
    const request = {
      routeOptions: { config: { auth: { operator: "viewer" } } },
      operator: { id: "ADMIN_TOKEN", name: "ADMIN_TOKEN", role: "owner", via: "admin_token" },
      ip: "192.0.2.1"
    } as unknown as FastifyRequest
    assert.deepStrictEqual(actorOf(request), {
      kind: "operator",
      id: "ADMIN_TOKEN",
      address: "192.0.2.1",
      credential: "ADMIN_TOKEN"
    })
  })

  it("is closed to everybody when no token is set", async () => {
    const closed = await startTestServer()
    try {
      for (const key of ["", "null", "undefined", TOKEN])
        assert.strictEqual((await new TestApp(closed.baseUrl, "", key).get("/admin/apps")).status, 401)
    } finally {
      await closed.close()
    }
  })

  it("refuses the requests of an address that guesses", async () => {
    const strict = await startTestServer({ env: { ADMIN_TOKEN: TOKEN, PUBLIC_REQUESTS_PER_MINUTE: "3" } })
    try {
      const statuses = []
      for (let i = 0; i < 4; i++)
        statuses.push((await new TestApp(strict.baseUrl, "", `guess${i}`).get("/admin/apps")).status)
      assert.deepStrictEqual(statuses, [401, 401, 401, 429])
    } finally {
      await strict.close()
    }
  })
})
