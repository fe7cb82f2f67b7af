import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { type FakeModel, start } from "#test/support/model/FakeModel.ts"
import { TestApp } from "#test/support/TestApp.ts"
import { startTestServer, type TestServer } from "#test/support/TestServer.ts"
import { until } from "#test/support/until.ts"

const ADMIN_TOKEN = "the-operator-who-waits-for-a-reply"

let model: FakeModel
let api: TestServer
let operator: TestApp
beforeAll(async () => {
  model = await start({ otherwise: () => ({ kind: "stall" }) })
  api = await startTestServer({ env: { ADMIN_TOKEN, ROLES: "api" } })
  operator = new TestApp(api.baseUrl, "", ADMIN_TOKEN)
})
afterAll(async () => {
  await api.close()
  await model.close()
})

/** What a screen says, without its markup. */
const read = async (path: string): Promise<string> => {
  const { status, body } = await operator.get(path)
  assert.strictEqual(status, 200, path)
  return String(body)
    .replace(/^.*<main/s, "<main")
    .replaceAll(/<[^>]*>/g, " ")
    .replaceAll(/\s+/g, " ")
}

describe("a message without a reply", () => {
  it("is said to wait, and why, until a worker answers it", async () => {
    const app = await api.createApp()
    const session = await app.createSession()
    await app.send(session, "What is for dinner?")
    const list = `/console/conversations?app=${app.appId}`
    const screen = `/console/conversations/${session}`
    const says = async (state: string) => {
      const text = await read(screen)
      assert.include(text, `State ${state} `)
      assert.include(text, `Turn 1 ${state} `)
      assert.include(await read(list), ` ${state} `)
    }
    await says("waits for an answer")
    await operator.post(`/admin/apps/${app.appId}/suspend`, { reason: "Invoice 2231 is unpaid" })
    await says("waits: the app is suspended")
    await operator.post(`/admin/apps/${app.appId}/resume`, {})
    const worker = await startTestServer({
      database: api.database,
      env: {
        ROLES: "api,worker",
        OPENAI_BASE_URL: model.url,
        OPENAI_MODEL: "gpt-5-mini",
        OUTBOUND_ALLOW: "127.0.0.1"
      }
    })
    try {
      await until("a worker to take the turn", async () => (await read(screen)).includes("Turn 1 being answered "))
      await says("being answered")
    } finally {
      await worker.close()
    }
  })
})
