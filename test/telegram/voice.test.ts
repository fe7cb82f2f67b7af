import { once } from "node:events"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { BotApi } from "#channels/telegram/BotApi.ts"
import { type FakeModel, start } from "#test/support/model/FakeModel.ts"
import type { MediaOptions } from "#test/support/telegram/control/people.ts"
import { saidAtLeast, startTelegramHarness, type TelegramHarness } from "#test/support/TelegramHarness.ts"
import type { TestApp } from "#test/support/TestApp.ts"
import { until } from "#test/support/until.ts"

let model: FakeModel
let harness: TelegramHarness
beforeAll(async () => {
  model = await start()
  harness = await startTelegramHarness({
    env: { OPENAI_BASE_URL: model.url, OPENAI_API_KEY: "sk-test", OPENAI_TRANSCRIBE_MODEL: "gpt-4o-mini-transcribe" }
  })
})
afterAll(async () => {
  await harness.close()
  await model.close()
})

const started = async (app: TestApp = harness.app) => {
  const bot = harness.telegram.createBot()
  const character_slug = await app.createCharacter({ greeting: "Come in." })
  const { body } = await app.post("/v1/telegram/bots", {
    mode: "byo",
    token: bot.token,
    character_slug,
    join_window_ms: 0
  })
  const person = harness.telegram.createUser({ first_name: "Anna" })
  harness.telegram.start(person, bot)
  await saidAtLeast(harness, bot, person, 1)
  const [chat] = (await app.get(`/v1/telegram/bots/${body.data.id}/chats`)).body.data.chats
  const heard = () =>
    until("the message", async () => (await app.events(chat.session_id)).find(({ role }) => role === "user")?.payload)
  return {
    bot,
    person,
    heard,
    speak: (options: MediaOptions = {}) => harness.telegram.sendMedia(person, bot, "voice", { duration: 7, ...options })
  }
}

describe("a voice message", () => {
  it("is transcribed after Telegram has its response, and reaches the character as text", async () => {
    const { bot, person, heard, speak } = await started()
    const held = Promise.withResolvers<void>()
    const before = model.transcriber.requests.length
    model.transcriber.script({ kind: "heard", text: "What is for dinner?", after: held.promise })
    speak({ bytes: Buffer.from("OggS soup") })
    const listened = await until("the transcription request", () => model.transcriber.requests[before])
    assert.deepInclude(listened, {
      bytes: Buffer.from("OggS soup"),
      model: "gpt-4o-mini-transcribe",
      mimeType: "audio/ogg",
      authorization: "Bearer sk-test"
    })
    // The webhook was answered, and nothing has been transcribed yet.
    await until("Telegram to have its answer", () => harness.telegram.pendingUpdates(bot).length === 0)
    held.resolve()
    const said = await heard()
    assert.strictEqual(said["text"], "[voice message, 7 s]\nWhat is for dinner?")
    assert.deepStrictEqual(said["parts"], [
      { type: "voice", text: "[voice message, 7 s]", transcript: "What is for dinner?" }
    ])
    await saidAtLeast(harness, bot, person, 2)
  })

  it("that the model cannot understand is answered as a voice message without text", async () => {
    for (const hearing of [
      { kind: "status", status: 500 },
      { kind: "heard", text: "  " }
    ] as const) {
      const { bot, person, heard, speak } = await started()
      model.transcriber.script(hearing)
      speak()
      assert.deepInclude(await heard(), {
        text: "[voice message, 7 s]",
        parts: [{ type: "voice", text: "[voice message, 7 s]" }]
      })
      await saidAtLeast(harness, bot, person, 2)
    }
  })

  it("that cannot be downloaded is answered in the same way", async () => {
    const { bot, heard, speak } = await started()
    const before = model.transcriber.requests.length
    harness.telegram.fault({ bot, method: "getFile" }, { kind: "html502" })
    speak()
    assert.strictEqual((await heard())["text"], "[voice message, 7 s]")
    assert.lengthOf(model.transcriber.requests, before)
  })

  it.each([
    ["is too long", { duration: 601 }, "[voice message, 601 s]"],
    ["is too large", { size: 21 * 1_048_576 }, "[voice message, 7 s]"]
  ])("that %s is not even downloaded", async (_, options, text) => {
    const { bot, heard, speak } = await started()
    speak(options)
    assert.strictEqual((await heard())["text"], text)
    assert.isEmpty(harness.telegram.calls({ bot, method: "getFile" }))
  })

  it("that is larger than announced is downloaded only up to the limit", async () => {
    const { heard, speak } = await started()
    const before = model.transcriber.requests.length
    speak({ bytes: Buffer.alloc(21 * 1_048_576), size: 10 })
    assert.strictEqual((await heard())["text"], "[voice message, 7 s]")
    assert.lengthOf(model.transcriber.requests, before)
  })

  it("is not transcribed on an empty budget, and otherwise charged to it", async () => {
    const used = async (app: TestApp) =>
      Number(
        (
          await harness.server.database
            .sql`select month_used_micro_usd as used from allowances where app_id = ${app.appId}`
        )[0]?.["used"]
      )
    const [poor, rich] = [
      await harness.server.createApp({ budgetUsd: 0.000001 }),
      await harness.server.createApp({ budgetUsd: 1 })
    ]
    const before = model.transcriber.requests.length
    const beggar = await started(poor)
    beggar.speak()
    await saidAtLeast(harness, beggar.bot, beggar.person, 2)
    assert.lengthOf(model.transcriber.requests, before)
    const payer = await started(rich)
    const held = Promise.withResolvers<void>()
    model.transcriber.script({ kind: "heard", text: "Hello.", after: held.promise })
    payer.speak()
    await until("the transcription request", () => model.transcriber.requests.length > before)
    assert.strictEqual(await used(rich), 350)
    held.resolve()
    await payer.heard()
  })

  it("counts towards its speaker's cap, and is not transcribed beyond it", async () => {
    const app = await harness.server.createApp()
    const { bot, person, speak } = await started(app)
    const [{ external_user_ref: ref }] = (await app.get("/v1/end-users")).body.data.end_users
    const [caps, usage] = [`/v1/end-users/${ref}/caps`, `/v1/end-users/${ref}/usage?group_by=kind`]
    assert.strictEqual((await app.patch(caps, { daily_cost_usd: 1 })).status, 200)
    speak()
    await saidAtLeast(harness, bot, person, 2)
    const spent = async (): Promise<ReadonlyArray<{ key: string; cost_usd: number }>> =>
      (await app.get(usage)).body.data.groups
    assert.strictEqual((await spent()).find(({ key }) => key === "transcription")?.cost_usd, 0.00035)
    const { rates } = (await app.get("/v1/rates")).body.data
    assert.deepInclude(rates, {
      kind: "transcription",
      unit: "minute",
      price_source: "list",
      price_usd: 0.003,
      estimate_usd: 0.003
    })
    // The memory extraction of the turn is booked meanwhile.
    const inMicroUsd = (usd: number) => Math.round(usd * 1e6)
    await until(
      "the cap to have counted all of it",
      async () =>
        inMicroUsd((await app.get(caps)).body.data.used.day_usd) ===
        (await spent()).reduce((sum, { cost_usd }) => sum + inMicroUsd(cost_usd), 0)
    )
    await app.patch(caps, { daily_cost_usd: 0.00035 })
    const before = model.transcriber.requests.length
    speak()
    await saidAtLeast(harness, bot, person, 3)
    assert.lengthOf(model.transcriber.requests, before)
  })
})

describe("without a transcription model", () => {
  it("a voice message is answered with the character not having heard it, in the person's language", async () => {
    const deaf = await startTelegramHarness()
    try {
      const { bot } = await deaf.attach()
      const person = deaf.telegram.createUser({ first_name: "Jana", language_code: "de" })
      deaf.telegram.start(person, bot)
      await saidAtLeast(deaf, bot, person, 1)
      deaf.telegram.sendMedia(person, bot, "voice", { duration: 7 })
      assert.match((await saidAtLeast(deaf, bot, person, 2))[1] ?? "", /nicht anhören|nicht hören/)
    } finally {
      await deaf.close()
    }
  })

  it("a voice message is not downloaded, and the app can see that there was one", async () => {
    const deaf = await startTelegramHarness()
    try {
      const { bot, id } = await deaf.attach()
      const person = deaf.telegram.createUser({ first_name: "Anna", language_code: "en" })
      deaf.telegram.start(person, bot)
      await saidAtLeast(deaf, bot, person, 1)
      deaf.telegram.sendMedia(person, bot, "voice", { duration: 7 })
      await saidAtLeast(deaf, bot, person, 2)
      const [chat] = await deaf.chatsOf(id)
      const said = (await deaf.app.events(chat?.session_id ?? "")).find(({ role }) => role === "user")
      assert.deepInclude(said?.payload, {
        text: "[voice message, 7 s]",
        parts: [{ type: "voice", text: "[voice message, 7 s]" }]
      })
      assert.isEmpty(deaf.telegram.calls({ bot, method: "getFile" }))
      assert.include(deaf.said(bot, person)[1], "I can't hear recordings here")
    } finally {
      await deaf.close()
    }
  })
})

describe("a file from Telegram", () => {
  const token = `123456:${"A".repeat(35)}`
  it.each([
    "../bot1:x/getMe",
    "a/../../b",
    "/etc/passwd",
    "http://10.0.0.1/x",
    "a%2e%2e/b",
    "a?b",
    "",
    "voice/gone.oga"
  ])("is downloaded from its file address, and an error does not reveal the token: %s", async (file_path) => {
    const asked: Array<string> = []
    const server = createServer((request, response) => {
      asked.push(request.url ?? "")
      const isCall = request.url?.endsWith("/getFile") === true
      response
        .writeHead(isCall ? 200 : 404, { "content-type": "application/json" })
        .end(JSON.stringify({ ok: isCall, result: { file_id: "x", file_unique_id: "x", file_path } }))
    }).listen(0, "127.0.0.1")
    await once(server, "listening")
    try {
      const apiRoot = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
      const error = await Effect.runPromise(
        BotApi.use((api) => Effect.flip(api.download(Redacted.make(token), "x", 100))).pipe(
          Effect.provide(BotApi.layer({ apiRoot }))
        )
      )
      assert.notInclude(JSON.stringify(error) + error.message + String(error.stack), token)
      assert.deepStrictEqual(asked, [
        `/bot${token}/getFile`,
        ...(file_path === "voice/gone.oga" ? [`/file/bot${token}/voice/gone.oga`] : [])
      ])
    } finally {
      server.close()
    }
  })
})
