import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { menusOf } from "#channels/telegram/commands.ts"
import { textsFor } from "#pipeline/texts/textsFor.ts"
import { createOperatorIn } from "#test/support/accounts/createOperatorIn.ts"
import { failCommitOnce } from "#test/support/postgres/failCommitOnce.ts"
import { pictureOf } from "#test/support/files/images.ts"
import { menusIn } from "#test/support/telegram/menusIn.ts"
import { type FakeTelegram, startFakeTelegram } from "#test/support/telegram/FakeTelegram.ts"
import type { LogEvent, TestApp } from "#test/support/TestApp.ts"
import { startTestServer, type TestServer } from "#test/support/TestServer.ts"
import { withoutUpdates } from "#test/support/postgres/withoutUpdates.ts"
import { until } from "#test/support/until.ts"

let telegram: FakeTelegram
let server: TestServer
let app: TestApp
let manager: ReturnType<FakeTelegram["createBot"]>
beforeAll(async () => {
  telegram = await startFakeTelegram({ takesAnyWebhookUrl: true })
  manager = telegram.createBot({ username: "maker_bot", can_manage_bots: true })
  server = await startTestServer({ env: { TELEGRAM_API_ROOT: telegram.url, TELEGRAM_MANAGER_TOKEN: manager.token } })
  app = await server.createApp()
})
afterAll(async () => {
  await server.close()
  await telegram.close()
})

const request = async (fields: object = {}) => {
  const character_slug = await app.createCharacter({ greeting: "Come in." })
  const { status, body } = await app.post("/v1/telegram/bots", {
    mode: "managed",
    character_slug,
    suggested_name: "Mara",
    join_window_ms: 0,
    ...fields
  })
  assert.strictEqual(status, 200, JSON.stringify(body))
  const [, username = "", name = ""] = /newbot\/maker_bot\/(\w+)\?name=(\w+)$/.exec(body.data.link.url) ?? []
  return {
    id: body.data.id as string,
    body: body.data,
    username,
    name,
    claim: String(body.data.link.claim_url).split("start=")[1] ?? ""
  }
}
const get = async (id: string) => (await app.get(`/v1/telegram/bots/${id}`)).body.data
const isActive = (id: string) =>
  until("the bot to be active", async () => {
    const bot = await get(id)
    return bot?.status === "active" && bot
  })
const said = (bot: ReturnType<FakeTelegram["createBot"]>, person: ReturnType<FakeTelegram["createUser"]>) =>
  telegram.transcript(bot, person).flatMap((message) => (message.from?.id === bot.id ? [message.text ?? ""] : []))
/** The operational events about the bot. */
const operations = async (id: string): Promise<ReadonlyArray<string>> =>
  (await app.get("/v1/delivery/events")).body.data.events.flatMap((event: LogEvent) =>
    event.payload["bot_id"] === id ? [event.type] : []
  )
/** A managed bot that answers. */
const made = async () => {
  const { id, username, name } = await request()
  const owner = telegram.createUser({ first_name: "Olga" })
  const bot = telegram.confirmNewBot(manager, owner, { username, name })
  await isActive(id)
  return { id, owner, bot }
}

describe("a managed bot", () => {
  it("is created by the person who opens the link, and answers from then on", async () => {
    const { id, body, username, name } = await request({ owner_ref: "customer-7" })
    assert.deepInclude(body, {
      status: "awaiting_creation",
      mode: "managed",
      username: null,
      token_hint: null,
      owner_ref: "customer-7"
    })
    assert.match(username, /^mara_\w+_[a-z0-9]{12}_bot$/)
    const owner = telegram.createUser({ first_name: "Olga" })
    const bot = telegram.confirmNewBot(manager, owner, { username, name })
    const active = await isActive(id)
    assert.deepInclude(active, {
      username,
      owner_ref: "customer-7",
      telegram_user_id: bot.id,
      token_hint: `${bot.id}:...${bot.token.slice(-4)}`
    })
    const person = telegram.createUser({ first_name: "Anna" })
    telegram.start(person, bot)
    await until("the greeting", () => said(bot, person).includes("Come in."))
    const [chat] = (await app.get(`/v1/telegram/bots/${id}/chats`)).body.data.chats
    telegram.say(person, bot, "Hello")
    await until("an answer", () => said(bot, person).length >= 2)
    assert.notInclude(
      (await app.events(chat.session_id)).map((event) => event.type),
      "run.status"
    )
    assert.isUndefined((await get(id)).link)
    assert.deepStrictEqual(menusIn(bot), menusOf([], new Map()))
  })

  it("is not suggested a name that Telegram would refuse", async () => {
    const character_slug = await app.createCharacter()
    for (const suggested_username of [
      "bot",
      "abot",
      "1nice_bot",
      "nice__bot",
      "nice_robo",
      "_nice_bot",
      `${"a_b".repeat(10)}_bot`
    ]) {
      assert.strictEqual(
        (await app.post("/v1/telegram/bots", { mode: "managed", character_slug, suggested_username })).status,
        422,
        suggested_username
      )
    }
    assert.strictEqual(
      (
        await app.post("/v1/telegram/bots", {
          mode: "managed",
          character_slug,
          suggested_username: "a_nice_name_of_32_characters_Bot"
        })
      ).status,
      200
    )
  })

  it("is recognized under another name by its creator's confirmation", async () => {
    const { id, claim } = await request()
    const owner = telegram.createUser({ first_name: "Olga" })
    telegram.start(owner, manager, claim)
    const [button] = await until("the manager's answer", () =>
      telegram
        .transcript(manager, owner)
        .find(({ reply_markup }) => reply_markup !== undefined)
        ?.reply_markup?.inline_keyboard.flat()
    )
    assert.match(
      button !== undefined && "url" in button ? button.url : "",
      /^https:\/\/t\.me\/newbot\/maker_bot\/mara_\w+_bot\?name=Mara$/
    )
    const bot = telegram.confirmNewBot(manager, owner, { username: "quite_another_bot", name: "Another" })
    assert.deepInclude(await isActive(id), { username: "quite_another_bot", telegram_user_id: bot.id })
  })

  it("that matches no request is kept, never guessed, and bound when its creator confirms", async () => {
    const { id, claim } = await request()
    const [owner, stranger] = [telegram.createUser({ first_name: "Olga" }), telegram.createUser({ first_name: "Eve" })]
    telegram.confirmNewBot(manager, stranger, { username: "strangers_own_bot", name: "Own" })
    telegram.confirmNewBot(manager, owner, { username: "renamed_by_hand_bot", name: "Renamed" })
    const unclaimed = async () =>
      (await server.database.sql`select username from telegram_unclaimed order by username`).map(
        (row) => row["username"]
      )
    await until("both to be stored", async () => (await unclaimed()).length === 2)
    assert.strictEqual((await get(id)).status, "awaiting_creation")
    telegram.start(owner, manager, claim)
    assert.strictEqual((await isActive(id)).username, "renamed_by_hand_bot")
    assert.deepStrictEqual(await unclaimed(), ["strangers_own_bot"])
  })

  it("is not awaited beyond the life of its link", async () => {
    const { id, username, name } = await request()
    await server.database
      .sql`update telegram_provisionings set expires_at = now() - interval '1 second' where channel_id = ${id}`
    telegram.confirmNewBot(manager, telegram.createUser(), { username, name })
    await until(
      "it to be kept unclaimed",
      async () =>
        (await server.database.sql`select 1 from telegram_unclaimed where username = ${username}`).length === 1
    )
    assert.isTrue(
      await until("the request to end", async () => (await app.get(`/v1/telegram/bots/${id}`)).status === 404)
    )
    await until("the operational event", async () => (await operations(id)).includes("bot.detached"))
  })

  it("that is detached before it is created belongs to nobody when it is created after all", async () => {
    const { id, username, name } = await request()
    assert.strictEqual((await app.delete(`/v1/telegram/bots/${id}`)).status, 200)
    const bot = telegram.confirmNewBot(manager, telegram.createUser(), { username, name })
    await until(
      "it to be kept unclaimed",
      async () =>
        (await server.database.sql`select 1 from telegram_unclaimed where username = ${username}`).length === 1
    )
    assert.isEmpty(await server.database.sql`select 1 from telegram_bots where user_id = ${bot.id}`)
  })

  it("is found again if the process died between its request and its token", async () => {
    const { id, username, name } = await request()
    const refused = telegram.fault({ bot: manager, method: "getManagedBotToken", count: 1000 }, { kind: "hang" })
    telegram.confirmNewBot(manager, telegram.createUser(), { username, name })
    const { sql } = server.database
    await until(
      "its request to be found",
      async () =>
        (await sql`select 1 from telegram_provisionings where channel_id = ${id} and matched_at is not null`).length ===
        1
    )
    refused.remove()
    // The state that another process finds if the first has died.
    await sql`update telegram_manager_updates set owner = null where done_at is null`
    await sql`select graphile_worker.add_job('manager', '{}'::json)`
    await isActive(id)
    assert.isEmpty(await sql`select 1 from telegram_unclaimed where username = ${username}`)
  })

  it("is bound even if the process died between the creator's confirmation and its token", async () => {
    const { id, claim } = await request()
    const { sql } = server.database
    const owner = telegram.createUser({ first_name: "Olga" })
    const bot = telegram.confirmNewBot(manager, owner, { username: "found_by_word_bot", name: "Word" })
    await until(
      "it to be kept",
      async () => (await sql`select 1 from telegram_unclaimed where user_id = ${bot.id}`).length === 1
    )
    const death = await failCommitOnce(server, {
      event: "update",
      table: "telegram_bots",
      when: `new.channel_id = '${id}'`
    })
    telegram.start(owner, manager, claim)
    await until("the simulated crash", death.hasFailed)
    const bound = await until("the bot to be active", async () => {
      await sql`update telegram_manager_updates set due_at = now() where done_at is null and error is not null`
      await sql`select graphile_worker.add_job('manager', '{}'::json)`
      const now = await get(id)
      return now?.status === "active" && now
    })
    assert.strictEqual(bound.username, "found_by_word_bot")
    await death.end()
    await until("the manager's answer", () =>
      telegram.transcript(manager, owner).some(({ text }) => text === "Your bot is being set up.")
    )
  })

  it("is explained by the manager bot in the language of the person", async () => {
    const { claim, username } = await request()
    const owner = telegram.createUser({ first_name: "Olga", language_code: "pt-br" })
    telegram.start(owner, manager, claim)
    const texts = textsFor(["pt-BR"], new Map())
    const [explained] = await until("the manager's answer", () => {
      const answers = telegram.transcript(manager, owner).filter(({ from }) => from?.id === manager.id)
      return answers.length > 0 && answers
    })
    assert.strictEqual(explained?.text, texts.manager_create)
    const [button] = explained?.reply_markup?.inline_keyboard.flat() ?? []
    assert.strictEqual(button?.text, texts.manager_button)
    assert.include(JSON.stringify(button), username)
    telegram.start(owner, manager, "spent")
    await until("the second answer", () =>
      telegram.transcript(manager, owner).some(({ text }) => text === texts.manager_link_spent)
    )
  })

  const suggest = async (by: TestApp, suggested_username: string) => {
    const { status, body } = await by.post("/v1/telegram/bots", {
      mode: "managed",
      character_slug: await by.createCharacter(),
      suggested_username
    })
    return {
      status,
      code: body.detail?.code,
      fix: body.detail?.fix,
      id: body.data?.id as string,
      link: body.data?.link
    }
  }
  const codeOf = (url: string) => url.split("start=")[1] ?? ""
  const claimed = (id: string, person: ReturnType<FakeTelegram["createUser"]>) =>
    until(
      "the operational event",
      async () =>
        (
          await server.database
            .sql`select 1 from telegram_provisionings where channel_id = ${id} and claimed_by = ${person.id}`
        ).length === 1
    )

  it("with a name that another app has suggested belongs to the app that its owner confirmed", async () => {
    const other = await server.createApp()
    const waiting = await suggest(other, "corner_shop_bot")
    const { id, claim, name } = await request()
    const owner = telegram.createUser({ first_name: "Olga" })
    telegram.start(owner, manager, claim)
    await claimed(id, owner)
    telegram.confirmNewBot(manager, owner, { username: "corner_shop_bot", name })
    assert.strictEqual((await isActive(id)).username, "corner_shop_bot")
    assert.strictEqual((await other.get(`/v1/telegram/bots/${waiting.id}`)).body.data.status, "awaiting_creation")
  })

  it("with a name that an app waits for is not bound to that app if somebody happens to choose the name", async () => {
    const other = await server.createApp()
    const waiting = await suggest(other, "market_shop_bot")
    const { id, claim } = await request()
    const owner = telegram.createUser({ first_name: "Olga" })
    // Through the link of the first request, under a name that the owner chose.
    const bot = telegram.confirmNewBot(manager, owner, { username: "market_shop_bot", name: "Market" })
    await until(
      "it to be kept unclaimed",
      async () => (await server.database.sql`select 1 from telegram_unclaimed where user_id = ${bot.id}`).length === 1
    )
    assert.strictEqual((await other.get(`/v1/telegram/bots/${waiting.id}`)).body.data.status, "awaiting_creation")
    telegram.start(owner, manager, claim)
    assert.strictEqual((await isActive(id)).username, "market_shop_bot")
    assert.strictEqual((await other.get(`/v1/telegram/bots/${waiting.id}`)).body.data.status, "awaiting_creation")
  })

  it("with a suggested name is created by a link that names its request", async () => {
    const { id, link } = await suggest(app, "harbour_shop_bot")
    assert.strictEqual(link.url, link.claim_url)
    const owner = telegram.createUser({ first_name: "Olga" })
    telegram.start(owner, manager, codeOf(link.url))
    await claimed(id, owner)
    telegram.confirmNewBot(manager, owner, { username: "harbour_shop_bot", name: "Harbour" })
    assert.strictEqual((await isActive(id)).username, "harbour_shop_bot")
  })

  it(
    "cannot be requested under a name that another app requests, or requested in the last day: 409 " +
      "telegram_name_taken",
    async () => {
      const { sql } = server.database
      const other = await server.createApp()
      const first = await suggest(other, "Village_Shop_bot")
      assert.strictEqual(first.status, 200)
      const refused = await suggest(app, "village_shop_bot")
      assert.deepStrictEqual([refused.status, refused.code], [409, "telegram_name_taken"])
      assert.include(refused.fix, "Suggest another username")
      // The app itself may request it again: its first link may have been lost.
      assert.strictEqual((await suggest(other, "village_shop_bot")).status, 200)
      await other.delete(`/v1/telegram/bots/${first.id}`)
      await sql`update telegram_provisionings set expires_at = now() - interval '1 second'
        where app_id = ${other.appId}`
      await sql`select graphile_worker.add_job('manager', '{}'::json)`
      await until(
        "the requests to end",
        async () => (await sql`select 1 from telegram_provisionings where app_id = ${other.appId}`).length === 0
      )
      assert.strictEqual((await suggest(app, "village_shop_bot")).code, "telegram_name_taken")
      await sql`update telegram_names set held_until = now() - interval '1 second' where name = 'village_shop_bot'`
      assert.strictEqual((await suggest(app, "village_shop_bot")).status, 200)
      assert.strictEqual((await suggest(other, "village_shop_bot")).code, "telegram_name_taken")
    }
  )

  it("with one name is requested by exactly one of many concurrent apps", async () => {
    const apps = await Promise.all(Array.from({ length: 6 }, () => server.createApp()))
    const answers = await Promise.all(apps.map((by) => suggest(by, "rush_shop_bot")))
    assert.deepStrictEqual(answers.map(({ status }) => status).sort(), [200, 409, 409, 409, 409, 409])
  })

  it("that is announced twice is bound once", async () => {
    const { id, bot, owner } = await made()
    const before = telegram.calls({ bot: manager, method: "replaceManagedBotToken" }).length
    const { sql } = server.database
    const again = { update_id: 2_000_000_001, managed_bot: { user: owner.user, bot: bot.user } }
    const secret = String(telegram.calls({ bot: manager, method: "setWebhook" }).at(-1)?.parameters["secret_token"])
    const { status } = await fetch(`${server.baseUrl}/v1/telegram/hooks/manager`, {
      method: "POST",
      headers: { "content-type": "application/json", "x-telegram-bot-api-secret-token": secret },
      body: JSON.stringify(again)
    })
    assert.strictEqual(status, 200)
    await until(
      "it to be handled",
      async () =>
        (await sql`select 1 from telegram_manager_updates where update_id = ${again.update_id} and done_at is not null`)
          .length === 1
    )
    assert.deepInclude(await get(id), { status: "active", telegram_user_id: bot.id })
    assert.lengthOf(telegram.calls({ bot: manager, method: "replaceManagedBotToken" }), before)
  })
})

describe("a managed bot's profile", () => {
  const bio = "Keeps a kitchen by the harbour."
  const profiled = async () => {
    const character_slug = await app.createCharacter({ visible_bio: bio })
    const content_base64 = (await pictureOf("png", 300, 200)).toString("base64")
    assert.strictEqual(
      (await app.post(`/v1/characters/${character_slug}/assets`, { kind: "avatar", content_base64 })).status,
      200
    )
    return request({ character_slug })
  }
  const probed = async (id: string) => (await app.post(`/v1/telegram/bots/${id}/probe`, {})).body.data
  const isDue = (id: string) =>
    server.database.sql`update telegram_bots set profile_due_at = now() where channel_id = ${id}`

  it("comes from its character, under the name that its creator chose", async () => {
    const { id, username } = await profiled()
    const bot = telegram.confirmNewBot(manager, telegram.createUser(), { username, name: "Mara of the third floor" })
    await isActive(id)
    await until("the picture", () => bot.profile.photo)
    assert.deepStrictEqual(
      [bot.profile.descriptions.get(""), bot.profile.shortDescriptions.get(""), bot.profile.names.get("")],
      [bio, bio, "Mara of the third floor"]
    )
    assert.isEmpty(telegram.calls({ bot, method: "setMyName" }))
    await until(
      "it to be noted",
      async () =>
        (await server.database.sql`select 1 from telegram_bots where channel_id = ${id} and profile_due_at is null`)
          .length === 1
    )
    assert.deepInclude(await probed(id), { status: "active", reason: null })
  })

  it("that Telegram rejects leaves the bot degraded but answering, until a later attempt completes it", async () => {
    const { id, username, name } = await profiled()
    const refusal = telegram.fault(
      { method: "setMyDescription", count: 1000 },
      {
        kind: "error",
        code: 429,
        description: "Too Many Requests: retry after 3600",
        parameters: { retry_after: 3600 }
      }
    )
    const bot = telegram.confirmNewBot(manager, telegram.createUser(), { username, name })
    const degraded = await until("the bot to be degraded", async () => {
      const now = await get(id)
      return now.status === "degraded" && now
    })
    assert.strictEqual(degraded.reason, "profile_incomplete")
    assert.deepStrictEqual([bot.profile.shortDescriptions.get(""), bot.profile.photo === undefined], [bio, false])
    const person = telegram.createUser({ first_name: "Anna" })
    telegram.start(person, bot)
    await until("the greeting", () => said(bot, person).includes("Come in.") || said(bot, person).length > 0)
    refusal.remove()
    assert.deepInclude(await probed(id), { status: "degraded", reason: "profile_incomplete" })
    await isDue(id)
    assert.deepInclude(await probed(id), { status: "active", reason: null })
    assert.strictEqual(bot.profile.descriptions.get(""), bio)
    assert.lengthOf(telegram.calls({ bot, method: "setMyProfilePhoto" }), 1)
    assert.deepStrictEqual(await operations(id), ["bot.active", "bot.degraded", "bot.recovered"])
  })

  it("is completed by the next attempt if the process died before it", async () => {
    const { id, username, name } = await profiled()
    const death = await failCommitOnce(server, {
      event: "update",
      table: "telegram_bots",
      when: `new.channel_id = '${id}' and new.profile_due_at is null and old.profile_due_at is not null`
    })
    const bot = telegram.confirmNewBot(manager, telegram.createUser(), { username, name })
    await until("the simulated crash", death.hasFailed)
    await death.end()
    bot.profile.descriptions.clear()
    const handled = async () =>
      (await server.database.sql`select 1 from telegram_manager_updates where done_at is null`).length === 0
    await until("the manager bot's updates to be handled", async () => {
      await server.database
        .sql`update telegram_manager_updates set due_at = now() where done_at is null and error is not null`
      await server.database.sql`select graphile_worker.add_job('manager', '{}'::json)`
      return handled()
    })
    assert.isUndefined(bot.profile.descriptions.get(""))
    await isDue(id)
    await probed(id)
    assert.strictEqual(bot.profile.descriptions.get(""), bio)
    assert.deepInclude(await probed(id), { status: "active", reason: null })
  })
})

describe("a managed bot that nobody waits for", () => {
  const handled = (userId: number) =>
    until(
      "the manager bot's updates about it to be handled",
      async () =>
        (
          await server.database.sql`
              select 1 from telegram_manager_updates where done_at is null
              and raw -> 'managed_bot' -> 'bot' ->> 'id' = ${String(userId)}`
        ).length === 0
    )
  const unclaimed = (userId: number) => server.database.sql`select 1 from telegram_unclaimed where user_id = ${userId}`

  it("is not kept for another request, even if two workers receive it at once", async () => {
    const { id, username, name } = await request()
    const { sql } = server.database
    const waiting = async () =>
      (await sql`select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`).length
    const owner = telegram.createUser({ first_name: "Olga" })
    let bot: ReturnType<FakeTelegram["createBot"]> | undefined
    await sql.begin(async (held) => {
      await held`select 1 from telegram_provisionings where channel_id = ${id} for update`
      bot = telegram.confirmNewBot(manager, owner, { username, name })
      for (const workers of [1, 2]) {
        await until(`worker ${workers} to wait`, async () => (await waiting()) >= workers)
        // The first worker is considered dead.
        await sql`update telegram_manager_updates set owner = null where done_at is null`
        await sql`select graphile_worker.add_job('manager', '{}'::json)`
      }
    })
    await isActive(id)
    await handled(bot?.id ?? 0)
    assert.isEmpty(await unclaimed(bot?.id ?? 0))
  })

  it("is not given to another request after an app detached it, because people still write to it", async () => {
    const { id, owner, bot } = await made()
    assert.strictEqual((await app.delete(`/v1/telegram/bots/${id}`)).status, 200)
    await handled(bot.id)
    assert.isEmpty(await unclaimed(bot.id))
    assert.notInclude(await operations(id), "bot.token_replaced")
    const next = await request()
    telegram.start(owner, manager, next.claim)
    const [button] = await until("the manager's answer", () =>
      telegram
        .transcript(manager, owner)
        .find(({ reply_markup }) => reply_markup !== undefined)
        ?.reply_markup?.inline_keyboard.flat()
    )
    assert.isDefined(button)
    assert.strictEqual((await get(next.id)).status, "awaiting_creation")
  })

  it("is dropped if its token cannot be fetched for hours", async () => {
    const { id, username, name } = await request()
    const refused = telegram.fault(
      { bot: manager, method: "getManagedBotToken", count: 1000 },
      { kind: "error", code: 400, description: "Bad Request: BOT_INVALID" }
    )
    telegram.confirmNewBot(manager, telegram.createUser(), { username, name })
    const { sql } = server.database
    await until(
      "its request to be found",
      async () =>
        (await sql`select 1 from telegram_provisionings where channel_id = ${id} and matched_at is not null`).length ===
        1
    )
    await sql`update telegram_provisionings set expires_at = now() - interval '7 hours',
      matched_at = now() - interval '7 hours' where channel_id = ${id}`
    await sql`update telegram_manager_updates set done_at = now()`
    await sql`select graphile_worker.add_job('manager', '{}'::json)`
    await until("the operational event", async () => (await operations(id)).includes("bot.detached"))
    refused.remove()
    assert.strictEqual((await app.get(`/v1/telegram/bots/${id}`)).status, 404)
  })
})

describe("the token of a managed bot", () => {
  it("is replaced on demand, without losing messages", async () => {
    const { id, bot } = await made()
    const person = telegram.createUser({ first_name: "Anna" })
    telegram.start(person, bot)
    await until("the greeting", () => said(bot, person).length === 1)
    const old = bot.token
    telegram.advance(2000)
    const { status, body } = await app.post(`/v1/telegram/bots/${id}/rotate-token`, {})
    assert.strictEqual(status, 200, JSON.stringify(body))
    assert.notStrictEqual(bot.token, old)
    assert.strictEqual(body.data.token_hint, `${bot.id}:...${bot.token.slice(-4)}`)
    telegram.say(person, bot, "Still there?")
    await until("an answer", () => said(bot, person).length >= 2)
    assert.notInclude(await operations(id), "bot.token_replaced")
  })

  it("may be replaced while updates wait at Telegram, and none of them is lost", async () => {
    const { id, bot } = await made()
    const person = telegram.createUser({ first_name: "Anna" })
    telegram.start(person, bot)
    await until("the greeting", () => said(bot, person).length === 1)
    await withoutUpdates(server, async () => {
      telegram.say(person, bot, "Still there?")
      await until("it to be rejected", () => telegram.deliveries(bot).some(({ outcome }) => outcome === 503))
      telegram.advance(2000)
      assert.strictEqual((await app.post(`/v1/telegram/bots/${id}/rotate-token`, {})).status, 200)
      assert.lengthOf(telegram.pendingUpdates(bot), 1)
    })
    telegram.advance(60_000)
    await until("an answer", () => said(bot, person).length >= 2)
    const [chat] = (await app.get(`/v1/telegram/bots/${id}/chats`)).body.data.chats
    assert.deepStrictEqual(
      (await app.events(chat.session_id)).filter(({ role }) => role === "user").map(({ payload }) => payload["text"]),
      ["Still there?"]
    )
  })

  it("is found again if the process died between the replacement and storing it", async () => {
    const { id, bot } = await made()
    const { sql } = server.database
    // The state after a crash: Telegram has another token than the row, and the row does not show it.
    await sql`update telegram_bots set rotating_since = now(), probe_due_at = now() + interval '1 hour'
      where channel_id = ${id}`
    bot.rotate()
    await sql`update telegram_bots set probe_due_at = now() where channel_id = ${id}`
    await sql`select graphile_worker.add_job('probe', '{}'::json)`
    await until("the new token", async () => (await get(id)).token_hint === `${bot.id}:...${bot.token.slice(-4)}`)
    assert.strictEqual((await isActive(id)).id, id)
  })

  it("stays the same if the replacement failed, and the bot is monitored as before", async () => {
    const { id, bot } = await made()
    const { sql } = server.database
    telegram.fault({ bot: manager, method: "replaceManagedBotToken" }, { kind: "html502" })
    assert.strictEqual((await app.post(`/v1/telegram/bots/${id}/rotate-token`, {})).status, 502)
    await sql`update telegram_bots set rotating_since = rotating_since - interval '2 minutes' where channel_id = ${id}`
    telegram.advance(2000)
    await fetch(`${telegram.url}/bot${bot.token}/setWebhook?url=https://example.com/stolen`)
    telegram.advance(2000)
    assert.deepInclude((await app.post(`/v1/telegram/bots/${id}/probe`, {})).body.data, {
      status: "degraded",
      reason: "webhook_hijacked"
    })
    assert.isEmpty(await sql`select 1 from telegram_bots where channel_id = ${id} and rotating_since is not null`)
    telegram.revokeToken(bot)
    await until("the operational event", async () => (await operations(id)).includes("bot.token_replaced"))
  })

  it("that Telegram has rejected by mistake is valid again at the next check", async () => {
    const { id, bot } = await made()
    telegram.fault({ bot, method: "getWebhookInfo" }, { kind: "error", code: 401, description: "Unauthorized" })
    assert.strictEqual((await app.post(`/v1/telegram/bots/${id}/probe`, {})).body.data.status, "revoked")
    telegram.advance(2000)
    assert.strictEqual((await app.post(`/v1/telegram/bots/${id}/probe`, {})).body.data.status, "active")
  })

  it("that Telegram has rejected is got again by an operator in the console, as its screen advises", async () => {
    const { id, bot } = await made()
    const operator = await createOperatorIn(server, "operator")
    telegram.fault({ bot, method: "getWebhookInfo" }, { kind: "error", code: 401, description: "Unauthorized" })
    assert.strictEqual((await app.post(`/v1/telegram/bots/${id}/probe`, {})).body.data.status, "revoked")
    const screen = String((await operator.get(`/console/bots/${id}`)).body)
    assert.include(screen, "token again from Telegram.")
    assert.include(screen, "Get the token again")
    assert.notInclude(screen, "Set a new token")
    const old = bot.token
    telegram.advance(2000)
    const { status } = await fetch(`${server.baseUrl}/console/bots/${id}/rotate-token`, {
      method: "POST",
      redirect: "manual",
      headers: { authorization: `Bearer ${operator.key}` },
      body: new URLSearchParams()
    })
    assert.strictEqual(status, 303)
    assert.notStrictEqual(bot.token, old)
    assert.strictEqual((await isActive(id)).token_hint, `${bot.id}:...${bot.token.slice(-4)}`)
  })

  it("that its owner has revoked is fetched again, and the bot continues by itself", async () => {
    const { id, bot } = await made()
    const person = telegram.createUser({ first_name: "Anna" })
    telegram.revokeToken(bot)
    await until("the new token", async () => (await get(id)).token_hint === `${bot.id}:...${bot.token.slice(-4)}`)
    await until("the operational event", async () => (await operations(id)).includes("bot.token_replaced"))
    await isActive(id)
    telegram.start(person, bot)
    await until("the greeting", () => said(bot, person).length === 1)
    assert.strictEqual(said(bot, person)[0], "Come in.")
  })

  it("is invalid once the bot is detached", async () => {
    const { id, bot } = await made()
    const old = bot.token
    await app.delete(`/v1/telegram/bots/${id}`)
    assert.notStrictEqual(bot.token, old)
    assert.strictEqual((await fetch(`${telegram.url}/bot${old}/getMe`)).status, 401)
  })
})

describe("a managed bot with a new owner", () => {
  it("is suspended until its app confirms", async () => {
    const { id, bot } = await made()
    telegram.transferBot(bot, telegram.createUser({ first_name: "Olaf" }))
    await until("the bot to be suspended", async () => (await get(id)).status === "suspended")
    assert.strictEqual((await get(id)).reason, "owner_changed")
    assert.include(await operations(id), "bot.owner_changed")
    telegram.advance(2000)
    assert.strictEqual((await app.post(`/v1/telegram/bots/${id}/resume`, {})).body.data.status, "active")
  })
})

describe("a managed bot that gets a new owner while its token is being replaced", () => {
  it("is suspended anyway, has the new token, and continues with it when its app confirms", async () => {
    const { id, bot } = await made()
    const person = telegram.createUser({ first_name: "Anna" })
    telegram.advance(2000)
    telegram.fault({ bot: manager, method: "replaceManagedBotToken" }, { kind: "slow", ms: 700 })
    const before = telegram.calls({ bot: manager, method: "replaceManagedBotToken" }).length
    const rotating = app.post(`/v1/telegram/bots/${id}/rotate-token`, {})
    await until(
      "the replacement to be in flight",
      () => telegram.calls({ bot: manager, method: "replaceManagedBotToken" }).length > before
    )
    telegram.transferBot(bot, telegram.createUser({ first_name: "Olaf" }))
    await rotating
    await until(
      "the manager's news",
      async () =>
        (await get(id)).status === "suspended" &&
        (
          await server.database.sql`
              select 1 from telegram_manager_updates where done_at is null
              and raw -> 'managed_bot' -> 'bot' ->> 'id' = ${String(bot.id)}`
        ).length === 0
    )
    assert.deepInclude(await get(id), {
      status: "suspended",
      reason: "owner_changed",
      token_hint: `${bot.id}:...${bot.token.slice(-4)}`
    })
    assert.notInclude(await operations(id), "bot.token_replaced")
    telegram.advance(2000)
    assert.strictEqual((await app.post(`/v1/telegram/bots/${id}/resume`, {})).body.data.status, "active")
    telegram.start(person, bot)
    await until("the greeting", () => said(bot, person).length === 1)
  })
})

describe("a managed bot's new owner", () => {
  it("keeps the bot suspended and is reported to its app once, even if the process died meanwhile", async () => {
    const { id, bot } = await made()
    const { sql } = server.database
    const death = await failCommitOnce(server, {
      event: "insert",
      table: "events",
      when: "new.type = 'bot.owner_changed'"
    })
    telegram.transferBot(bot, telegram.createUser({ first_name: "Olaf" }))
    await until("the simulated crash", death.hasFailed)
    await until("the bot to be suspended", async () => {
      await sql`update telegram_manager_updates set due_at = now() where done_at is null and error is not null`
      await sql`select graphile_worker.add_job('manager', '{}'::json)`
      return (await get(id)).status === "suspended"
    })
    await death.end()
    assert.lengthOf(
      (await operations(id)).filter((type) => type === "bot.owner_changed"),
      1
    )
  })

  it("is reported once, even if two workers receive the update at once", async () => {
    const { id, bot } = await made()
    const { sql } = server.database
    const waiting = async () =>
      (await sql`select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`).length
    await sql.begin(async (held) => {
      await held`select 1 from channels where channel_id = ${id} for update`
      telegram.transferBot(bot, telegram.createUser({ first_name: "Olaf" }))
      for (const workers of [1, 2]) {
        await until(`worker ${workers} to wait`, async () => (await waiting()) >= workers)
        // The first worker is considered dead.
        await sql`update telegram_manager_updates set owner = null where done_at is null`
        await sql`select graphile_worker.add_job('manager', '{}'::json)`
      }
    })
    await until("the bot to be suspended", async () => (await get(id)).status === "suspended")
    await until(
      "both to be done",
      async () => (await sql`select 1 from telegram_manager_updates where done_at is null`).length === 0
    )
    assert.lengthOf(
      (await operations(id)).filter((type) => type === "bot.owner_changed"),
      1
    )
  })
})

describe("the manager bot's webhook", () => {
  it("accepts nothing without its secret", async () => {
    for (const secret of ["", "x"]) {
      const { status } = await fetch(`${server.baseUrl}/v1/telegram/hooks/manager`, {
        method: "POST",
        headers: { "content-type": "application/json", "x-telegram-bot-api-secret-token": secret },
        body: `{"update_id":1,"managed_bot":{}}`
      })
      assert.strictEqual(status, 401)
    }
  })
})

describe("without a manager bot", () => {
  it("managed bots and their webhook are not available", async () => {
    const bare = await startTestServer({ env: { TELEGRAM_API_ROOT: telegram.url } })
    try {
      const other = await bare.createApp()
      const { status, body } = await other.post("/v1/telegram/bots", {
        mode: "managed",
        character_slug: await other.createCharacter()
      })
      assert.strictEqual(`${status} ${body.detail.code}`, "409 managed_bots_unavailable")
      assert.strictEqual(
        (
          await fetch(`${bare.baseUrl}/v1/telegram/hooks/manager`, {
            method: "POST",
            headers: { "content-type": "application/json" },
            body: "{}"
          })
        ).status,
        410
      )
    } finally {
      await bare.close()
    }
  })
})
