import { afterEach, assert, beforeEach, describe, it } from "vitest"
import { createFleet, type Fleet } from "#test/support/Fleet.ts"
import type { LoggedCall } from "#test/support/telegram/CallLog.ts"
import { type FakeTelegram, startFakeTelegram } from "#test/support/telegram/FakeTelegram.ts"
import { speakIn } from "#test/support/telegram/speakIn.ts"
import type { TestApp } from "#test/support/TestApp.ts"
import type { TroupeProcess } from "#test/support/TroupeProcess.ts"
import { until } from "#test/support/until.ts"

type FakeBot = ReturnType<FakeTelegram["createBot"]>
type FakePerson = ReturnType<FakeTelegram["createUser"]>

let fleet: Fleet
let telegram: FakeTelegram
let env: Record<string, string>
beforeEach(async () => {
  telegram = await startFakeTelegram({
    takesAnyWebhookUrl: true,
    rates: { chat: { perSecond: 1, burst: 3 }, bot: { perSecond: 100, burst: 100 } }
  })
  fleet = await createFleet()
  fleet.model.answerAfter(0)
  env = { TELEGRAM_API_ROOT: telegram.url }
})
afterEach(async () => {
  await fleet.close()
  await telegram.close()
})

const attach = async (app: TestApp): Promise<FakeBot> => {
  const bot = telegram.createBot()
  const { status, body } = await app.post("/v1/telegram/bots", {
    mode: "byo",
    token: bot.token,
    join_window_ms: 0,
    character_slug: await app.createCharacter({ greeting: "Hello." })
  })
  assert.strictEqual(status, 200, JSON.stringify(body))
  return bot
}
/** People who have started the bot, with the sessions of their chats. */
const meet = async (
  bot: FakeBot,
  count: number
): Promise<ReadonlyArray<{ readonly person: FakePerson; readonly session: string }>> => {
  const people = Array.from({ length: count }, () => telegram.createUser())
  for (const person of people) telegram.start(person, bot)
  await until("all to be greeted", () => people.every((person) => said(bot, person).length === 1))
  await until(
    "the greetings' outcomes",
    async () => (await fleet.database.sql`select 1 from lanes where position < head`).length === 0
  )
  const rows = await fleet.database.sql<
    Array<{ chat_id: string; session_id: string }>
  >`select chat_id, session_id from telegram_chats`
  return people.map((person) => ({
    person,
    session: rows.find((row) => Number(row.chat_id) === person.id)?.session_id ?? ""
  }))
}
const said = (bot: FakeBot, person: FakePerson) =>
  telegram.transcript(bot, person).flatMap((message) => (message.from?.id === bot.id ? [message.text ?? ""] : []))
/** Events of the character with these bubbles, as turns leave them. */
const speak = async (session: string, events: ReadonlyArray<ReadonlyArray<string>>) => {
  for (const bubbles of events) await speakIn(fleet.database.sql, session, bubbles)
}
/** Whether a call reached Telegram before the first message with this text of that bot. */
const isBefore = (bot: FakeBot, text: string) => {
  const calls = telegram.calls()
  const place = calls.findIndex(({ botId, parameters }) => botId === bot.id && parameters["text"] === text)
  const earlier = new Set(calls.slice(0, place))
  return (call: LoggedCall): boolean => earlier.has(call)
}
const atRest = () =>
  until(
    "every lane to reach its head",
    async () => (await fleet.database.sql`select 1 from lanes where position < head`).length === 0
  )

describe("two workers on the lanes of one bot", () => {
  it(
    "send every message once and in order although they are killed repeatedly and Telegram fails in every way; " +
      "losses are recorded as unknown",
    async ({ annotate }) => {
      const api = await fleet.start("api", env)
      const app = fleet.clientOf(api)
      let workers: Array<TroupeProcess> = [await fleet.start("worker", env), await fleet.start("worker", env)]
      const all = [api, ...workers]
      const bot = await attach(app)
      const chats = await meet(bot, 20)
      const texts = (session: string) =>
        [0, 1, 2, 3, 4].map((event) => [0, 1, 2].map((part) => `${session.slice(-6)} ${event}.${part}`))
      const method = "sendMessage"
      telegram.fault({ bot, method, count: 8, probability: 0.06 }, { kind: "drop_before" })
      telegram.fault({ bot, method, count: 8, probability: 0.06 }, { kind: "drop_after" })
      telegram.fault({ bot, method, count: 5, probability: 0.04 }, { kind: "html502" })
      telegram.fault(
        { bot, method, count: 6, probability: 0.05 },
        { kind: "error", code: 429, description: "Too Many Requests: retry after 1", parameters: { retry_after: 1 } }
      )
      for (const { session } of chats) await speak(session, texts(session))

      let kills = 0
      while (kills < 8 && (await fleet.database.sql`select 1 from lanes where position < head`).length > 0) {
        await until("messages to flow, or none to be left", async () => {
          const [lanes] = await fleet.database.sql`
            select count(sending)::int as sending, count(*) filter (where position < head)::int as behind from lanes`
          return lanes?.["sending"] > 0 || lanes?.["behind"] === 0
        })
        const [victim, ...others] = workers
        const [heir] = await Promise.all([fleet.start("worker", env), victim?.stop("SIGKILL")])
        kills++
        workers = [...others, heir]
        all.push(heir)
      }
      await atRest()

      let missing = 0
      for (const { person, session } of chats) {
        const wanted = texts(session).flat()
        const got = said(bot, person).slice(1)
        assert.deepStrictEqual(
          got,
          wanted.filter((text) => got.includes(text)),
          "in order, and none twice"
        )
        const unknown = await fleet.database.sql<Array<{ cursor: number; part: number }>>`
        select distinct cursor::int as cursor, part from delivery_attempts where session_id = ${session}
          and outcome = 'unknown'`
        const lost = wanted.flatMap((text, index) =>
          got.includes(text) ? [] : [{ cursor: 2 + Math.floor(index / 3), part: index % 3 }]
        )
        for (const place of lost) assert.deepInclude(unknown, place)
        missing += lost.length
      }
      const [ambiguous] = await fleet.database
        .sql`select count(*)::int as count from delivery_attempts where outcome = 'unknown'`
      await annotate(
        `${kills} kills, ${chats.length * 15} messages, ${ambiguous?.["count"]} unknown, ${missing} of them not there`
      )
      const printed = all.map((process) => process.stdout() + process.stderr()).join("\n")
      assert.include(printed, "ready")
      assert.notInclude(printed, bot.token.split(":")[1] ?? "")
      // The fake answers 429 to a client that is too fast: none of these was caused by Troupe.
      assert.isEmpty(telegram.calls({ bot }).filter(({ fault }) => fault === "rate_limit"))
    }
  )
})

describe("two workers on 200 chats of a busy bot", () => {
  it("serve the chats in the order in which they became due, and a quiet bot in between", async ({ annotate }) => {
    const [CHATS, MESSAGES, PLACES] = [200, 4, 2 * 20]
    const app = fleet.clientOf(await fleet.start("api", env))
    await Promise.all([fleet.start("worker", env), fleet.start("worker", env)])
    const [loud, quiet] = [await attach(app), await attach(app)]
    const [crowd, [one]] = [await meet(loud, CHATS), await meet(quiet, 1)]
    const { sql } = fleet.database
    const sent = () =>
      telegram
        .calls({ bot: loud, method: "sendMessage" })
        .filter(({ answer, parameters }) => answer?.ok === true && /^[1-4]$/.test(String(parameters["text"])))
    // All at once: as soon as one is due, all are.
    await sql.begin(async (held) => {
      for (const [rank, { session }] of crowd.entries()) {
        await held`with log as (
          update session_logs set last_cursor = last_cursor + 1 where session_id = ${session}
            returning app_id, last_cursor
        ), said as (
          insert into events (app_id, session_id, cursor, id, type, role, trace_id, source_kind, payload)
          select app_id, ${session}, last_cursor, 'evt_' || ${session}::text || last_cursor, 'message.created',
            'character', 'run_1', 'telegram', '{"text":"1","bubbles":["1","2","3","4"]}' from log
        ) update lanes l set head = log.last_cursor, status = 'ready',
          due_at = now() - interval '1 minute' + ${rank}::int * interval '1 millisecond' from log
          where l.session_id = ${session}`
      }
      await held`select graphile_worker.add_job('deliver', '{}'::json)`
    })
    await until("messages to flow", () => sent().length > PLACES)
    await speak(one?.session ?? "", [["between"]])
    // From here on it can be sent.
    const before = sent().length
    await until("the quiet bot's message", () => one !== undefined && said(quiet, one.person).includes("between"))
    await atRest()

    const order = sent()
    const earlier = order.filter(isBefore(quiet, "between")).length
    const meanwhile = earlier - before
    assert.isBelow(earlier, CHATS * MESSAGES, "the loud one was still at it")
    assert.lengthOf(order, CHATS * MESSAGES)
    const ahead = crowd.map(({ person }, rank) => {
      const own = order.filter(({ chatId }) => chatId === String(person.id))
      assert.deepStrictEqual(
        own.map(({ parameters }) => parameters["text"]),
        ["1", "2", "3", "4"]
      )
      // Before it come those that were due earlier, and those that are processed together with it.
      return order.findIndex(({ chatId }) => chatId === String(person.id)) - rank * MESSAGES
    })
    await annotate(`${Math.max(...ahead)} messages before a chat's turn at most, ${meanwhile} before the quiet bot's`)
    assert.isAtMost(Math.max(...ahead), PLACES * MESSAGES)
    assert.isAtMost(meanwhile, 2 * PLACES * MESSAGES)
    assert.isEmpty(telegram.calls({ bot: loud }).filter(({ fault }) => fault === "rate_limit"))
  })
})

describe("a wait that Telegram asked for", () => {
  it("outlives the worker that received it", async () => {
    const app = fleet.clientOf(await fleet.start("api", env))
    const worker = await fleet.start("worker", env)
    const bot = await attach(app)
    const [chat] = await meet(bot, 1)
    telegram.fault(
      { bot, method: "sendMessage" },
      { kind: "error", code: 429, description: "Too Many Requests: retry after 4", parameters: { retry_after: 4 } }
    )
    await speak(chat?.session ?? "", [["Patience."]])
    // As the lane begins to wait.
    await until(
      "the refusal to be recorded",
      async () => (await fleet.database.sql`select 1 from delivery_attempts where status_code = 429`).length === 1
    )
    await worker.stop("SIGKILL")
    await fleet.start("worker", env)
    await until("the message", () => chat !== undefined && said(bot, chat.person).includes("Patience."))
    const [refused, sent] = telegram
      .calls({ bot, method: "sendMessage" })
      .filter((call) => call.parameters["text"] === "Patience.")
    assert.isAtLeast((sent?.atMs ?? 0) - (refused?.atMs ?? 0), 4000)
  })
})

describe("a busy bot", () => {
  it("does not delay a quiet one", async ({ annotate }) => {
    const app = fleet.clientOf(await fleet.start("api", env))
    await fleet.start("worker", env)
    const [loud, quiet] = [await attach(app), await attach(app)]
    const [crowd, [one]] = [await meet(loud, 40), await meet(quiet, 1)]
    const delayOf = async (text: string) => {
      const began = performance.now()
      await speak(one?.session ?? "", [[text]])
      await until("the quiet bot's message", () => one !== undefined && said(quiet, one.person).includes(text))
      return performance.now() - began
    }
    await delayOf("alone")
    const alone = await delayOf("alone again")
    for (const { session } of crowd) await speak(session, [["1", "2", "3", "4", "5", "6"]])
    const beside = await delayOf("beside")
    await annotate(`${Math.round(alone)} ms alone, ${Math.round(beside)} ms beside 240 messages`)
    await atRest()
    const messages = telegram
      .calls({ bot: loud, method: "sendMessage" })
      .filter(({ parameters }) => /^[1-6]$/.test(String(parameters["text"])))
    const earlier = messages.filter(isBefore(quiet, "beside")).length
    assert.isBelow(earlier, messages.length, "the loud one was still at it")
  })
})
