import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { startTelegramHarness, type TelegramHarness } from "#test/support/TelegramHarness.ts"
import { TestApp } from "#test/support/TestApp.ts"
import { until } from "#test/support/until.ts"

const ADMIN_TOKEN = "the-operator-who-watches-the-fleet"

let harness: TelegramHarness
let operator: TestApp
beforeAll(async () => {
  harness = await startTelegramHarness({ env: { ADMIN_TOKEN } })
  operator = new TestApp(harness.server.baseUrl, "", ADMIN_TOKEN)
})
afterAll(() => harness.close())

/** What a screen says, without its markup. */
const read = async (path: string): Promise<string> => {
  const { status, body } = await operator.get(path)
  assert.strictEqual(status, 200, path)
  return String(body)
    .replace(/^.*<main/s, "<main")
    .replaceAll(/<[^>]*>/g, " ")
    .replaceAll(/\s+/g, " ")
}

describe("a bot whose every message ends in a 502", () => {
  it("is not shown as if all were right, and health tells at once what may not have arrived", async () => {
    const { bot, id } = await harness.attach()
    const person = harness.telegram.createUser()
    assert.match(await read("/console/bots"), new RegExp(`@${bot.username} active `))
    harness.telegram.fault({ bot, method: "sendMessage", count: Infinity }, { kind: "html502" })
    harness.telegram.start(person, bot)
    const session = await until("the chat", async () => (await harness.chatsOf(id))[0]?.session_id ?? undefined)
    const unknown = async (): Promise<number> => {
      const { body } = await harness.app.get(`/v1/sessions/${session}/delivery`)
      return body.data.deliveries.filter(({ outcome }: any) => outcome === "unknown").length
    }
    await until("the greeting to fail", async () => (await unknown()) === 1)
    harness.telegram.say(person, bot, "What is for dinner?")
    await until("the reply to fail", async () => (await unknown()) === 2)
    const { problems } = (await operator.get("/admin/health")).body.data
    const problem = problems.find(({ kind }: any) => kind === "deliveries_unknown")
    assert.deepInclude(problem, { count: 2, reach: 1, subject: { app_id: harness.app.appId, bot_id: id } })
    const state = "active, 2 failures in a row"
    await until("the failures to be counted", async () => (await read(`/console/bots/${id}`)).includes(state))
    assert.include(await read("/console/bots"), `@${bot.username} ${state} `)
  })
})
