import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { SECRETS_KEY } from "#test/support/secretsKey.ts"
import { TestApp } from "#test/support/TestApp.ts"
import { createTestDatabase } from "#test/support/TestDatabase.ts"
import { startTestServer, type TestServer } from "#test/support/TestServer.ts"
import { saidAtLeast, startTelegramHarness, type TelegramHarness } from "#test/support/TelegramHarness.ts"
import { startTroupe } from "#test/support/TroupeProcess.ts"
import { until } from "#test/support/until.ts"

let harness: TelegramHarness
beforeAll(async () => {
  harness = await startTelegramHarness({ env: { TELEGRAM_MODE: "polling" } })
})
afterAll(() => harness.close())

describe("a polled bot", () => {
  it("answers without a webhook, and confirms an update to Telegram only once it is stored", async () => {
    const { bot, body } = await harness.attach()
    assert.strictEqual(body.status, "active")
    const person = harness.telegram.createUser({ first_name: "Anna" })
    harness.telegram.start(person, bot)
    await saidAtLeast(harness, bot, person, 1)
    harness.telegram.say(person, bot, "What is for dinner?")
    await saidAtLeast(harness, bot, person, 2)
    assert.isEmpty(harness.telegram.calls({ bot, method: "setWebhook" }))
    assert.isEmpty(harness.telegram.deliveries(bot))
    await until("all to be confirmed", () => harness.telegram.pendingUpdates(bot).length === 0)
  })

  it("has the next messages answered with its current settings", async () => {
    const { bot, id } = await harness.attach()
    const person = harness.telegram.createUser({ first_name: "Anna" })
    harness.telegram.start(person, bot)
    await saidAtLeast(harness, bot, person, 1)
    await harness.app.patch(`/v1/telegram/bots/${id}`, { join_window_ms: 3_000 })
    for (const text of ["Hey", "are you there?"]) harness.telegram.say(person, bot, text)
    const [chat] = await harness.chatsOf(id)
    const heard = await harness.app.waitFor(
      chat?.session_id ?? "",
      ({ type, role }) => type === "message.created" && role === "user"
    )
    assert.strictEqual(heard.payload["text"], "Hey\nare you there?")
  })

  it("is polled by one process at a time, and by the next if that one stops", async () => {
    const { bot, id } = await harness.attach()
    const { sql } = harness.server.database
    const poller = async () =>
      ((await sql`select poller from telegram_bots where channel_id = ${id}`)[0]?.["poller"] as string | null) ??
      undefined
    const first = await until("a poller", poller)
    const second: TestServer = await startTestServer({
      database: harness.server.database,
      env: { TELEGRAM_API_ROOT: harness.telegram.url, TELEGRAM_MODE: "polling" }
    })
    try {
      await until("a second worker", async () => (await sql`select 1 from workers`).length >= 2)
      const person = harness.telegram.createUser({ first_name: "Anna" })
      harness.telegram.start(person, bot)
      await saidAtLeast(harness, bot, person, 1)
      assert.strictEqual(await poller(), first)
      assert.isEmpty(
        harness.telegram
          .calls({ bot, method: "getUpdates" })
          .filter(({ answer }) => answer !== undefined && "error_code" in answer && answer.error_code === 409)
      )
    } finally {
      await second.close()
    }
  })

  it("asks a Bot API that always answers at once with nothing new at most every few seconds", async () => {
    const { bot } = await harness.attach()
    const asked = () => harness.telegram.calls({ bot, method: "getUpdates" })
    await until("a poll", () => asked().length > 0)
    const body = { ok: true, result: [{ update_id: 5, message: { text: "again" } }] }
    harness.telegram.fault({ bot, method: "getUpdates", count: 1_000 }, { kind: "nonsense", status: 200, body })
    // Ends the poll that waits.
    harness.telegram.say(harness.telegram.createUser({ first_name: "Anna" }), bot, "Hello?")
    const calls = await until("four answers", () => {
      const answered = asked().filter(({ fault }) => fault === "nonsense")
      return answered.length >= 4 && answered
    })
    assert.isAtLeast((calls[3]?.atMs ?? 0) - (calls[0]?.atMs ?? 0), 1_000)
  })

  it("is not stopped by an answer that is too large, and then asks for one update", async () => {
    const { bot } = await harness.attach()
    const asked = () => harness.telegram.calls({ bot, method: "getUpdates" })
    await until("a poll", () => asked().length > 0)
    const body = { ok: true, result: [{ update_id: 1, message: "x".repeat(17 * 1_048_576) }] }
    const fault = harness.telegram.fault({ bot, method: "getUpdates" }, { kind: "nonsense", status: 200, body })
    const person = harness.telegram.createUser({ first_name: "Anna" })
    harness.telegram.start(person, bot)
    await saidAtLeast(harness, bot, person, 1)
    await until("the large answer", () => fault.hits() === 1)
    harness.telegram.say(person, bot, "What is for dinner?")
    await saidAtLeast(harness, bot, person, 2)
    assert.include(
      asked().map(({ parameters }) => Number(parameters["limit"])),
      1
    )
  })

  it("is degraded, and paused for a while, if another system polls it", async () => {
    const { bot, id } = await harness.attach()
    await until("a poll", () => harness.telegram.calls({ bot, method: "getUpdates" }).length > 0)
    harness.telegram.fault(
      { bot, method: "getUpdates" },
      {
        kind: "error",
        code: 409,
        description: "Conflict: terminated by other getUpdates request; make sure that only one bot instance is running"
      }
    )
    const person = harness.telegram.createUser({ first_name: "Anna" })
    harness.telegram.start(person, bot)
    const degraded = await until("the bot to be degraded", async () => {
      const { data } = (await harness.app.get(`/v1/telegram/bots/${id}`)).body
      return data.status === "degraded" && data
    })
    assert.strictEqual(degraded.reason, "conflict")
    // It stays so for as long as the other system polls, whatever Telegram says about the webhook.
    const probed = async () => (await harness.app.post(`/v1/telegram/bots/${id}/probe`, {})).body.data.status
    assert.deepStrictEqual([await probed(), await probed(), await probed()], Array(3).fill("degraded"))
    await harness.server.database.sql`
      update telegram_bots set health = jsonb_set(health, '{conflict_at}', '"2020-01-01T00:00:00.000Z"')
      where channel_id = ${id}`
    assert.deepStrictEqual([await probed(), await probed()], ["degraded", "active"])
    const before = harness.telegram.calls({ bot, method: "getUpdates" }).length
    await saidAtLeast(harness, bot, person, 1)
    assert.isAtMost(harness.telegram.calls({ bot, method: "getUpdates" }).length, before + 1)
  })

  it("is named in the log with its app if another program polls it", async () => {
    const database = await createTestDatabase()
    const program = await startTroupe({
      DATABASE_URL: database.url,
      SECRETS_KEY,
      TELEGRAM_API_ROOT: harness.telegram.url,
      TELEGRAM_MODE: "polling"
    })
    try {
      const bot = harness.telegram.createBot()
      harness.telegram.fault(
        { bot, method: "getUpdates" },
        { kind: "error", code: 409, description: "Conflict: terminated by other getUpdates request" }
      )
      const key = /ck_[0-9A-Za-z]+/.exec(program.stdout())?.[0] ?? assert.fail("no key was printed")
      const app = new TestApp(program.baseUrl, "", key)
      const { status, body } = await app.post("/v1/telegram/bots", {
        mode: "byo",
        token: bot.token,
        character_slug: "edda-brandvik"
      })
      assert.strictEqual(status, 200, JSON.stringify(body))
      const line = await until("the line in the log", () =>
        `${program.stdout()}${program.stderr()}`
          .split("\n")
          .find((each) => each.includes("another program polls a bot"))
      )
      assert.include(line, `@${bot.username}`)
      assert.include(line, "app_")
    } finally {
      await program.stop("SIGTERM")
      await database.drop()
    }
  })
})
