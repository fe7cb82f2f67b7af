import { afterAll, assert, beforeAll, describe, it } from "vitest"
import type { LogEvent } from "#test/support/TestApp.ts"
import { recordWaits } from "#test/support/recordWaits.ts"
import { type FakeBot, saidAtLeast, startTelegramHarness, type TelegramHarness } from "#test/support/TelegramHarness.ts"
import { until } from "#test/support/until.ts"

let harness: TelegramHarness
let waitsOf: Awaited<ReturnType<typeof recordWaits>>
beforeAll(async () => {
  harness = await startTelegramHarness()
  waitsOf = await recordWaits(harness.server)
})
afterAll(() => harness.close())

/** A chat whose greeting has arrived. */
const greeted = async () => {
  const attached = await harness.attach()
  const person = harness.telegram.createUser({ first_name: "Anna" })
  harness.telegram.start(person, attached.bot)
  await saidAtLeast(harness, attached.bot, person, 1)
  const [chat] = await harness.chatsOf(attached.id)
  return { ...attached, person, session: chat?.session_id ?? "" }
}
/** An event of the character with these bubbles, as a turn leaves it. */
const speak = async (session: string, bubbles: ReadonlyArray<string>) => {
  const { sql } = harness.server.database
  const [log] = await sql`update session_logs set last_cursor = last_cursor + 1
      where session_id = ${session} returning app_id, last_cursor::int as cursor`
  await sql`insert into events (app_id, session_id, cursor, id, type, role, trace_id, source_kind, payload)
    values (${log?.["app_id"]}, ${session},
      ${log?.["cursor"]}, ${`evt_${session}_${log?.["cursor"]}`}, 'message.created', 'character', 'run_1', 'telegram',
        ${sql.json({ text: bubbles.join("\n"), bubbles: [...bubbles] })})`
  await sql`update lanes set head =
    ${log?.["cursor"]}, status = case status when 'idle' then 'ready' else status end where session_id = ${session}`
  await sql`select graphile_worker.add_job('deliver', '{}'::json)`
}
const outcomes = async (session: string) =>
  (
    await harness.server.database.sql`
        select outcome, error_code from delivery_attempts where session_id = ${session} and cursor > 1
        order by cursor, part, started_at`
  ).map((row) => `${row["outcome"]} ${row["error_code"]}`)
const told = async (session: string): Promise<ReadonlyArray<LogEvent>> =>
  (await harness.app.get("/v1/delivery/events?since=0&limit=200")).body.data.events.filter(
    (event: LogEvent) => event.payload["session_id"] === session
  )
const answers = (bot: FakeBot, method: string, status: number, body: unknown) =>
  harness.telegram.fault({ bot, method }, { kind: "nonsense", status, body })
const wait = (retry_after: unknown, description: unknown = "Too Many Requests") => ({
  ok: false,
  error_code: 429,
  description,
  parameters: { retry_after }
})

describe("a wait that Telegram asks for", () => {
  it.concurrent.each<readonly [string, unknown]>([
    ["as text", wait("1")],
    ["of a negative time", wait(-5)],
    ["of a fraction of a second", wait(0.0005)],
    ["without words", wait(1, "")],
    ["without a text description", wait(1, { retry: "later" })],
    ["with its code as text", { ...wait(1), error_code: "429" }]
  ])("%s loses nothing: the message is sent afterwards", async (_, body) => {
    const { bot, person, session } = await greeted()
    answers(bot, "sendMessage", 429, body)
    await speak(session, ["Patience."])
    await until("the message", () => harness.said(bot, person).includes("Patience."))
    await until("the outcomes", async () => (await outcomes(session)).length === 2)
    assert.deepStrictEqual(await outcomes(session), ["not_sent rate_limited", "sent null"])
  })

  it("without a duration is a few seconds, and with an infinite one a day", async () => {
    for (const [parameters, atLeast, atMost] of [
      [undefined, 3, 6],
      [{ retry_after: 1e18 }, 86_000, 86_500],
      [{ retry_after: "9".repeat(300) }, 86_000, 86_500]
    ] as const) {
      const { bot, session } = await greeted()
      answers(bot, "sendMessage", 429, { ok: false, error_code: 429, description: "Too Many Requests", parameters })
      // A second try has no outcome while the test looks.
      const next = harness.telegram.fault({ bot, method: "sendMessage" }, { kind: "hang" })
      const before = (await waitsOf(session)).length
      await speak(session, ["Patience."])
      const { seconds } = await until("the lane to wait", async () => (await waitsOf(session))[before])
      assert.isAtLeast(seconds, atLeast)
      assert.isAtMost(seconds, atMost)
      assert.deepStrictEqual(await outcomes(session), ["not_sent rate_limited"])
      next.remove()
    }
  })
})

describe("an answer that is not from the Bot API", () => {
  it.concurrent.each<readonly [string, number, unknown]>([
    ["a refusal without a code", 200, { ok: false }],
    ["a refusal with an unknown code", 400, { ok: false, error_code: "many", description: ["x"], parameters: null }],
    ["a list", 200, []],
    ["nothing", 200, null],
    ["a success without a result", 200, { ok: true }],
    ["a success with an empty result", 200, { ok: true, result: null }],
    ["a success with another result", 200, { ok: true, result: { message_id: "7" } }],
    ["a redirect", 302, {}]
  ])("leaves a message with an unknown outcome, recorded once, and the next is sent: %s", async (_, status, body) => {
    const { bot, person, session } = await greeted()
    answers(bot, "sendMessage", status, body)
    await speak(session, ["Perhaps.", "Surely."])
    await until("the next message", () => harness.said(bot, person).includes("Surely."))
    await until("the outcomes", async () => (await outcomes(session)).length === 2)
    assert.deepStrictEqual(await outcomes(session), ["unknown no_answer", "sent null"])
    assert.deepStrictEqual(
      (await told(session)).map(({ type }) => type),
      ["delivery.unknown"]
    )
  })

  it("is not used as a bot's name, and the app is told that Telegram is unreachable", async () => {
    for (const result of [
      null,
      {},
      [],
      { id: "7", username: "x_bot" },
      { id: 7 },
      { id: 1e300, username: "x_bot" },
      { id: 7, username: "((" }
    ]) {
      const bot = harness.telegram.createBot()
      answers(bot, "getMe", 200, { ok: true, result })
      const { status, body } = await harness.app.post("/v1/telegram/bots", {
        mode: "byo",
        token: bot.token,
        character_slug: await harness.app.createCharacter()
      })
      assert.strictEqual(`${status} ${body.detail?.code}`, "502 upstream_failed", JSON.stringify(result))
    }
  })

  it("does not change the status of a webhook: the bot stays as it is, and nothing breaks", async () => {
    const { bot, id } = await greeted()
    for (const result of [
      null,
      "x",
      { url: 7 },
      { url: "", pending_update_count: "many" },
      { url: "", pending_update_count: 0, last_error_date: 1e17 },
      { pending_update_count: 1, allowed_updates: {} }
    ]) {
      answers(bot, "getWebhookInfo", 200, { ok: true, result })
      const { status, body } = await harness.app.post(`/v1/telegram/bots/${id}/probe`, {})
      assert.strictEqual(`${status} ${body.data?.status}`, "200 active", JSON.stringify(result))
    }
  })

  it("is not shown with a token that it contains", async () => {
    const { bot, session, id } = await greeted()
    answers(bot, "sendMessage", 400, { ok: false, error_code: 400, description: `Bad Request: ${bot.token} is odd` })
    await speak(session, ["Cursed."])
    await until("the outcome", async () => (await outcomes(session)).length === 1)
    const [row] = await harness.server.database
      .sql`select answer from delivery_attempts where session_id = ${session} and cursor > 1`
    assert.strictEqual(row?.["answer"], "Bad Request: [token] is odd")
    assert.notInclude(
      JSON.stringify((await harness.app.get(`/v1/telegram/bots/${id}`)).body),
      bot.token.split(":")[1] ?? ""
    )
  })
})
