import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { type FakeModel, start } from "#test/support/FakeModel.ts"
import { createFleet } from "#test/support/Fleet.ts"
import { enableProactive, shiftIntoPast } from "#test/support/proactive.ts"
import {
  type FakeBot,
  type FakePerson,
  saidAtLeast,
  startTelegramHarness,
  type TelegramHarness
} from "#test/support/TelegramHarness.ts"
import { startFakeTelegram } from "#test/support/telegram/FakeTelegram.ts"
import type { LogEvent, TestApp } from "#test/support/TestApp.ts"
import { runTroupe } from "#test/support/TroupeProcess.ts"
import { until } from "#test/support/until.ts"

const BUBBLES = ["soup is hot", "bread is warm", "salt is white"]

let model: FakeModel
let harness: TelegramHarness
beforeAll(async () => {
  model = await start({
    otherwise: (_, index) => ({
      kind: "ok",
      bubbles: BUBBLES.map((what) => `Guest ${"abcdefgh".charAt(index)}, ${what}.`)
    })
  })
  harness = await startTelegramHarness()
})
afterAll(async () => {
  await harness.close()
  await model.close()
})

/** A command beside a server. Returns its output: one line of JSON and nothing else. */
const commandsOn =
  (url: string) =>
  async (...args: ReadonlyArray<string>) => {
    const { code, stdout, stderr } = await runTroupe({ DATABASE_URL: url }, ["telegram", ...args])
    assert.deepStrictEqual([code, stderr], [0, ""])
    assert.match(stdout, /^\{.*\}\n$/)
    return JSON.parse(stdout)
  }
const telegram = (...args: ReadonlyArray<string>) => commandsOn(harness.server.database.url)(...args)

/** A chat in which somebody was greeted, and its session. */
const met = async ({ bot, id }: { readonly bot: FakeBot; readonly id: string }, app: TestApp = harness.app) => {
  const person = harness.telegram.createUser()
  harness.telegram.start(person, bot)
  await saidAtLeast(harness, bot, person, 1)
  const { chats } = (await app.get(`/v1/telegram/bots/${id}/chats`)).body.data
  return {
    person,
    session: chats.find(({ chat_id }: { chat_id: number }) => chat_id === person.id).session_id as string
  }
}
const attachTo = async (app: TestApp) => {
  const bot = harness.telegram.createBot()
  const { body } = await app.post("/v1/telegram/bots", {
    mode: "byo",
    token: bot.token,
    join_window_ms: 0,
    character_slug: await app.createCharacter({ greeting: "Come in, the soup is hot." })
  })
  return { bot, id: body.data.id as string }
}

/** Everything sent to a chat, by any method. */
const shown = () => harness.telegram.calls().filter(({ method }) => method.startsWith("send")).length
const row = async (session: string) =>
  (
    await harness.server.database
      .sql`select status, position >= head as at_end from lanes where session_id = ${session}`
  )[0]
const parked = (session: string) =>
  until("the lane to be parked", async () => (await row(session))?.["status"] === "parked")
const atEnd = (session: string) =>
  until("the lane to reach its end", async () => (await row(session))?.["at_end"] === true)
const waiting = (id: string, count: number) =>
  until(
    `${count} updates to be kept`,
    async () =>
      (await harness.server.database.sql`select 1 from telegram_updates where channel_id = ${id} and done_at is null`)
        .length === count
  )
/** What the log contains for the chat, in order. */
const onLog = async (session: string, app: TestApp = harness.app) =>
  (await app.events(session)).flatMap(({ role, type, payload }) =>
    type === "channel.notice"
      ? [payload["text"]]
      : role === "character" && payload["bubbles"] !== undefined
        ? (payload["bubbles"] as ReadonlyArray<string>)
        : []
  )
const asked = async (session: string) =>
  (await harness.app.events(session)).flatMap(({ role, type, payload }) =>
    role === "user" && type === "message.created" ? [payload["text"]] : []
  )
const saidAsOnLog = async (bot: FakeBot, person: FakePerson, session: string) => {
  await atEnd(session)
  assert.deepStrictEqual(harness.said(bot, person), await onLog(session))
}
const told = async (app: TestApp) =>
  ((await app.get("/v1/delivery/events?since=0&limit=200")).body.data.events as ReadonlyArray<LogEvent>).flatMap(
    ({ type, payload }) => (type.startsWith("telegram.") ? [{ type, payload }] : [])
  )

describe("while the operator holds all bots", () => {
  it(
    "nothing is sent or shown, even if people write or something is due; afterwards each message is answered " +
      "once, in order",
    async () => {
      const first = await harness.attach()
      const { bot, id } = first
      const [anna, bea, carl] = [await met(first), await met(first), await met(first)]
      harness.telegram.say(bea.person, bot, "My dog Biscuit has learned to open doors.")
      await saidAtLeast(harness, bot, bea.person, 2)
      await enableProactive(harness.app, bea.session)

      assert.deepStrictEqual(await telegram("hold", "--reason", "Telegram has asked us to"), {
        app_id: null,
        held: true,
        already: false
      })
      const before = shown()
      for (const text of ["One.", "Two.", "Three."]) harness.telegram.say(anna.person, bot, text)
      const second = await harness.attach()
      const dora = harness.telegram.createUser()
      harness.telegram.start(dora, second.bot)
      await waiting(id, 3)
      await until(
        "the update to be stored",
        async () =>
          (
            await harness.server.database.sql`
                select 1 from telegram_updates where channel_id = ${second.id} and kind = 'command' and done_at is null`
          ).length === 1
      )
      await shiftIntoPast(harness.server.database.sql, bea.session, 13)
      const decisionsOf = async () =>
        (await harness.app.get(`/v1/apps/${harness.app.appId}/proactive-policy/decisions?session_id=${bea.session}`))
          .body.data.decisions
      await until("the skip", async () => (await decisionsOf())[0]?.skipped_by === "chat_unreachable")
      await harness.app.converse(carl.session, "From the app: is anybody there?")
      await parked(carl.session)

      // The app's own suspension exists beside the operator's hold.
      await harness.app.post(`/v1/telegram/bots/${id}/suspend`, {})
      const resumed = (await harness.app.post(`/v1/telegram/bots/${id}/resume`, {})).body.data
      assert.deepInclude(resumed, { status: "active", held: true })
      await parked(carl.session)
      const health = (await harness.app.get("/v1/health")).body.data
      assert.deepInclude(health.components.delivery.telegram_hold, { reason: "Telegram has asked us to" })
      assert.strictEqual(health.status, "degraded")
      assert.deepStrictEqual(await told(harness.app), [
        { type: "telegram.held", payload: { reason: "Telegram has asked us to" } }
      ])
      assert.strictEqual(shown(), before)

      assert.deepStrictEqual(await telegram("release"), { app_id: null, held: false, already: false })
      await until(
        "all to be answered",
        async () =>
          (
            await harness.server.database
              .sql`select 1 from turns where session_id = ${anna.session} and outcome = 'replied'`
          ).length === 3
      )
      for (const { person, session } of [anna, carl]) await saidAsOnLog(bot, person, session)
      assert.deepStrictEqual(await asked(anna.session), ["One.", "Two.", "Three."])
      await saidAtLeast(harness, second.bot, dora, 1)
      // By this job, or by the minute's job.
      await until(
        "the session to be checked",
        async () =>
          (
            await harness.server.database.sql`
      select graphile_worker.add_job('initiate')::text from relationships where session_id = ${bea.session}
        and initiate_at <= now()
      union all select run_ref from turns where session_id = ${bea.session} and initiative is not null`
          ).length > 0
      )
      await harness.app.waitFor(
        bea.session,
        ({ type, payload }) => type === "character.initiated" && payload["kind"] === "proactive"
      )
      await saidAsOnLog(bot, bea.person, bea.session)
      assert.deepInclude((await harness.app.get(`/v1/telegram/bots/${id}`)).body.data, { held: false })
      assert.isNull((await harness.app.get("/v1/health")).body.data.components.delivery.telegram_hold)
      assert.deepStrictEqual(
        (await told(harness.app)).map(({ type }) => type),
        ["telegram.held", "telegram.released"]
      )
    }
  )

  it("the typing indicator is not shown again", async () => {
    const slug = await harness.app.createCharacter({
      greeting: "Come in.",
      life_rhythm: { reply_delay_seconds: { min: 120, max: 120 } }
    })
    const attached = await harness.attach({ character_slug: slug })
    const { bot } = attached
    const { person, session } = await met(attached)
    harness.telegram.say(person, bot, "Take your time.")
    await harness.telegram.called({ bot, method: "sendChatAction" })
    await telegram("hold")
    const signs = harness.telegram.calls({ bot, method: "sendChatAction" }).length
    const heldAt = performance.now()
    await until("longer than between two typing indicators", () => performance.now() - heldAt > 6_000)
    await until(
      "the answer to be due",
      async () =>
        (
          await harness.server.database.sql`update turns set due_at = now() - interval '1 minute'
            where session_id = ${session} and deferred and owner is null returning 1`
        ).length > 0
    )
    await harness.app.waitFor(session, ({ type, role }) => type === "message.created" && role === "character")
    await parked(session)
    assert.lengthOf(harness.telegram.calls({ bot, method: "sendChatAction" }), signs)
    assert.lengthOf(harness.said(bot, person), 1)
    await telegram("release")
    await saidAsOnLog(bot, person, session)
  })
})

describe("a hold of one app", () => {
  it("does not affect other apps, remains when all holds are released, and is reported only to that app", async () => {
    const [app, other] = [await harness.server.createApp(), await harness.server.createApp()]
    const [mine, theirs] = [await attachTo(app), await attachTo(other)]
    const [anna, bea] = [await met(mine, app), await met(theirs, other)]
    assert.deepStrictEqual(await telegram("hold", "--app", app.appId, "--reason", "Spam"), {
      app_id: app.appId,
      held: true,
      already: false
    })
    assert.deepStrictEqual(await telegram("hold", "--app", app.appId), { app_id: app.appId, held: true, already: true })
    harness.telegram.say(anna.person, mine.bot, "Hello?")
    harness.telegram.say(bea.person, theirs.bot, "Hello?")
    await saidAtLeast(harness, theirs.bot, bea.person, 2)
    assert.strictEqual((await other.get(`/v1/telegram/bots/${theirs.id}`)).body.data.held, false)
    assert.isNull((await other.get("/v1/health")).body.data.components.delivery.telegram_hold)

    await telegram("hold")
    assert.deepStrictEqual(
      (await telegram("holds")).holds.map(({ app_id, reason }: { app_id: string; reason: string }) => ({
        app_id,
        reason
      })),
      [
        { app_id: null, reason: null },
        { app_id: app.appId, reason: "Spam" }
      ]
    )
    await telegram("release")
    harness.telegram.say(bea.person, theirs.bot, "And now?")
    await saidAtLeast(harness, theirs.bot, bea.person, 3)
    await waiting(mine.id, 1)
    assert.lengthOf(harness.said(mine.bot, anna.person), 1)
    await telegram("release", "--app", app.appId)
    await saidAtLeast(harness, mine.bot, anna.person, 2)
    assert.deepStrictEqual(
      (await told(app)).map(({ type }) => type),
      ["telegram.held", "telegram.released"]
    )
    assert.deepStrictEqual(
      (await told(other)).map(({ type }) => type),
      ["telegram.held", "telegram.released"]
    )
    assert.deepStrictEqual((await telegram("holds")).holds, [])
    const entries = await harness.server.database.sql`
        select actor_kind, action, detail from audit_log where app_id = ${app.appId} and action like 'telegram%'
        order by entry_id`
    assert.deepStrictEqual(
      entries.map(({ actor_kind, action, detail }) => [actor_kind, action, detail]),
      [
        ["operator", "telegram.held", { reason: "Spam" }],
        ["operator", "telegram.released", {}]
      ]
    )
  })

  it("for an app that does not exist is refused in one line, and never applied to all apps", async () => {
    const said = async (...args: ReadonlyArray<string>) =>
      (await runTroupe({ DATABASE_URL: harness.server.database.url }, ["telegram", ...args])).stderr
    assert.strictEqual(await said("hold", "--app", "app_nothing"), "troupe: there is no app app_nothing\n")
    assert.strictEqual(await said("hold", "--app", ""), "troupe: there is no app \n")
    assert.strictEqual(await said("release", "--app", "*"), "troupe: there is no app *\n")
    assert.strictEqual(
      await said("hold", "--reason", "x".repeat(201)),
      "troupe: --reason must be 1 to 200 characters\n"
    )
    assert.strictEqual(await said("hold", "--bot", "1"), "troupe: --bot 1: unknown argument; see --help\n")
    assert.isEmpty((await telegram("holds")).holds)
  })
})

describe("replies of several bubbles", () => {
  it("are interrupted by a hold after the bubble in flight, and continue from there", async () => {
    const talking = await startTelegramHarness({ env: { OPENAI_BASE_URL: model.url } })
    try {
      const { bot, id } = await talking.attach()
      const person = talking.telegram.createUser()
      talking.telegram.start(person, bot)
      await saidAtLeast(talking, bot, person, 1)
      const session = (await talking.chatsOf(id))[0]?.session_id ?? ""
      talking.telegram.fault({ bot, method: "sendMessage" }, { kind: "slow", ms: 30_000 })
      for (const text of ["What is there?", "And then?"]) talking.telegram.say(person, bot, text)
      await until("the first to be in flight", () => talking.telegram.calls({ bot, method: "sendMessage" }).length >= 2)
      const on = commandsOn(talking.server.database.url)
      await on("hold")
      const sent = talking.telegram.calls({ bot, method: "sendMessage" }).length
      talking.telegram.advance(30_000)
      const lane = async () =>
        (
          await talking.server.database
            .sql`select status, position >= head as at_end from lanes where session_id = ${session}`
        )[0]
      await until("the lane to be parked", async () => (await lane())?.["status"] === "parked")
      assert.isAtMost(talking.said(bot, person).length, sent + 1)
      assert.isBelow(talking.said(bot, person).length, 1 + 2 * BUBBLES.length)
      await on("release")
      await saidAtLeast(talking, bot, person, 1 + 2 * BUBBLES.length)
      await until("the lane to reach its end", async () => (await lane())?.["at_end"] === true)
      assert.deepStrictEqual(talking.said(bot, person), await onLog(session, talking.app))
    } finally {
      await talking.close()
    }
  })
})

describe("a hold", () => {
  it("survives the death of every process", async () => {
    const fake = await startFakeTelegram({ takesAnyWebhookUrl: true })
    const fleet = await createFleet()
    fleet.model.answerAfter(0)
    try {
      const env = { TELEGRAM_API_ROOT: fake.url }
      const { sql } = fleet.database
      const before = await fleet.start("api,worker", env)
      const app = fleet.clientOf(before)
      const [bot, anna, bea] = [fake.createBot(), fake.createUser(), fake.createUser()]
      await app.post("/v1/telegram/bots", {
        mode: "byo",
        token: bot.token,
        join_window_ms: 0,
        character_slug: await app.createCharacter({ greeting: "Hello." })
      })
      const said = (person: FakePerson) => fake.transcript(bot, person).filter(({ from }) => from?.id === bot.id).length
      for (const person of [anna, bea]) fake.start(person, bot)
      await until("both to be greeted", () => said(anna) === 1 && said(bea) === 1)
      const on = commandsOn(fleet.database.url)
      await on("hold")
      fake.say(anna, bot, "Anybody there?")
      await until(
        "the message to be stored",
        async () => (await sql`select 1 from telegram_updates where done_at is null`).length === 1
      )
      await before.stop("SIGKILL")

      const after = fleet.clientOf(await fleet.start("api,worker", env))
      const [chat] = await sql`select session_id from telegram_chats where chat_id = ${bea.id}`
      await after.converse(chat?.["session_id"], "From the app.")
      await until(
        "the lane to be parked",
        async () =>
          (await sql`select 1 from lanes where session_id = ${chat?.["session_id"]} and status = 'parked'`).length === 1
      )
      assert.deepStrictEqual([said(anna), said(bea)], [1, 1])
      await on("release")
      await until("both to be answered", () => said(anna) === 2 && said(bea) === 2)
    } finally {
      await fleet.close()
      await fake.close()
    }
  })
})
