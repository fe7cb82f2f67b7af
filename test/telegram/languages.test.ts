import { mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { commandsIn, helpIn, menusOf } from "#channels/telegram/commands.ts"
import type { TextsByTag } from "#pipeline/texts/OwnTexts.ts"
import { fillText } from "#pipeline/texts/ServiceTexts.ts"
import { textsFor } from "#pipeline/texts/textsFor.ts"
import { type FakeModel, start as startModel } from "#test/support/model/FakeModel.ts"
import { type FakeTelegram, startFakeTelegram } from "#test/support/telegram/FakeTelegram.ts"
import { menusIn } from "#test/support/telegram/menusIn.ts"
import { type FakeBot, saidAtLeast, startTelegramHarness, type TelegramHarness } from "#test/support/TelegramHarness.ts"
import { TestApp } from "#test/support/TestApp.ts"
import { createTestDatabase, type TestDatabase } from "#test/support/TestDatabase.ts"
import { startTestServer } from "#test/support/TestServer.ts"
import { until } from "#test/support/until.ts"

const OWN = {
  pt: { help: "Escreve-me.", greeting: "Olá da {name}, {name}!", apology: "Perdi-me. Outra vez?" },
  sw: { stopped: "Sawa.", command_help: "Msaada" }
}
const own: TextsByTag = new Map(Object.entries(OWN))
const fileOf = (texts: object) => {
  const path = join(mkdtempSync(join(tmpdir(), "troupe-texts-")), "texts.json")
  writeFileSync(path, JSON.stringify(texts))
  return path
}

/** One server with the built-in texts, and one with the operator's. Their model never answers. */
let model: FakeModel
let harness: TelegramHarness
let owned: TelegramHarness
beforeAll(async () => {
  model = await startModel({ otherwise: { kind: "status", status: 401, body: { error: { message: "no" } } } })
  const env = { OPENAI_BASE_URL: model.url, OPENAI_MODEL: "gpt-5-mini" }
  harness = await startTelegramHarness({ env })
  owned = await startTelegramHarness({ env: { ...env, SERVICE_TEXTS: fileOf(OWN) } })
})
afterAll(async () => {
  await harness.close()
  await owned.close()
  await model.close()
})

const attach = async (at: TelegramHarness, fields: Record<string, unknown> = {}) =>
  at.attach({ character_slug: await at.app.createCharacter(fields) })
const tagged = (language: string | undefined) => (language === undefined ? {} : { language_code: language })
const personOf = (at: TelegramHarness, language: string | undefined) =>
  at.telegram.createUser({ first_name: "Rui", ...tagged(language) })
/** What the bot says to each of these, one after the other. */
const conversation = async (
  at: TelegramHarness,
  bot: FakeBot,
  person: ReturnType<typeof personOf>,
  says: ReadonlyArray<string>
) => {
  const before = at.said(bot, person).length
  for (const [place, text] of says.entries()) {
    at.telegram.say(person, bot, text)
    await saidAtLeast(at, bot, person, before + place + 1)
  }
  return at.said(bot, person).slice(before)
}
const ALL = ["/start", "/start", "/help", "/reset", "/stop", "/forget", "/forget", `/start ${"x".repeat(32)}`]
const allIn = (tags: ReadonlyArray<string>, texts: TextsByTag = new Map()) => {
  const said = textsFor(tags, texts)
  return [
    fillText(said.greeting, { name: "Mara" }),
    said.already_talking,
    helpIn(said),
    said.new_conversation,
    said.stopped,
    said.forget_confirm,
    said.forgotten,
    said.link_spent
  ]
}

describe.concurrent("the replies to commands", () => {
  it.each([
    ["pt", [], "pt"],
    ["pt-br", [], "pt-BR"],
    ["zh-hans", [], "zh"],
    ["zh-hant", ["en"], "zh-Hant"],
    ["ar", ["pt"], "ar"],
    ["uk", [], "uk"],
    ["fil", ["pt"], "pt"],
    ["fil", ["xx", "ja-JP"], "ja"],
    ["fil", [], "en"],
    [undefined, ["pt-BR"], "pt-BR"]
  ])(
    "are in the language of the person, whose Telegram has %s, or of the voice, %j: %s",
    async (told, languages, tag) => {
      const { bot } = await attach(harness, { voice: { languages } })
      assert.deepStrictEqual(await conversation(harness, bot, personOf(harness, told), ALL), allIn([tag]))
    }
  )

  it("are the operator's own, and the built-in ones where the file has none", async () => {
    const { bot } = await attach(owned)
    for (const language of ["pt-br", "sw", "pl"])
      assert.deepStrictEqual(
        await conversation(owned, bot, personOf(owned, language), ALL),
        allIn([language], own),
        language
      )
  })

  it("follow the person to another language, and the end-user's locale if Telegram names none", async () => {
    const { bot, id } = await attach(harness)
    const person = personOf(harness, "pl")
    await conversation(harness, bot, person, ["/start"])
    Object.assign(person.user, { language_code: "tr" })
    assert.deepStrictEqual(await conversation(harness, bot, person, ["/help"]), [helpIn(textsFor(["tr"], new Map()))])
    const other = personOf(harness, undefined)
    await conversation(harness, bot, other, ["/start"])
    await harness.app.patch(`/v1/end-users/tg:${other.id}`, { locale: "es-MX" })
    assert.deepStrictEqual(await conversation(harness, bot, other, ["/help"]), [helpIn(textsFor(["es"], new Map()))])
    assert.lengthOf(await harness.chatsOf(id), 2)
  })

  it("are in the language of the one who asks in a group", async () => {
    const { bot } = await attach(harness, { voice: { languages: ["de"] } })
    const people = ["pt", "ko", "fil"].map((language) => personOf(harness, language))
    const [first] = people
    if (first === undefined) return assert.fail("nobody")
    const group = harness.telegram.createGroup(people)
    harness.telegram.addBot(group, first, bot)
    const said = () =>
      harness.telegram.transcript(group).flatMap(({ from, text }) => (from?.id === bot.id ? [text ?? ""] : []))
    for (const [place, person] of people.entries()) {
      harness.telegram.say(person, group, `/help@${bot.username}`)
      await until("the help", () => said().length > place)
    }
    assert.deepStrictEqual(
      said(),
      ["pt", "ko", "de"].map((tag) => helpIn(textsFor([tag], new Map())))
    )
  })

  it("say in the person's language that nobody is there", async () => {
    const { bot, body } = await attach(harness)
    assert.strictEqual((await harness.app.delete(`/v1/characters/${body.character_slug}`)).status, 200)
    assert.deepStrictEqual(await conversation(harness, bot, personOf(harness, "nl"), ["/start"]), [
      textsFor(["nl"], new Map()).gone
    ])
  })
})

describe.concurrent("the line after a message that could not be answered", () => {
  it.each([
    ["pt", [], "pt"],
    ["pt-br", ["en"], "pt-BR"],
    ["fil", ["it"], "it"],
    ["fil", [], "en"],
    [undefined, ["hi"], "hi"]
  ])(
    "is in the language of the person, whose Telegram has %s, or of the voice, %j: %s",
    async (told, languages, tag) => {
      const { bot } = await attach(harness, { voice: { languages } })
      assert.deepStrictEqual(await conversation(harness, bot, personOf(harness, told), ["Olá?"]), [
        textsFor([tag], new Map()).apology
      ])
    }
  )

  it("is the operator's own, but never before the character's", async () => {
    const plain = await attach(owned)
    const person = personOf(owned, "pt-br")
    assert.deepStrictEqual(await conversation(owned, plain.bot, person, ["Oi"]), [OWN.pt.apology])
    const authored = await attach(owned, { fallback_lines: ["Hm, {{user}}."] })
    assert.deepStrictEqual(await conversation(owned, authored.bot, person, ["Oi"]), ["Hm, Rui."])
  })

  it("is in the language of the one who wrote last in a group", async () => {
    const { bot } = await attach(harness)
    const people = ["vi", "fr"].map((language) => personOf(harness, language))
    const [first, last] = people
    if (first === undefined || last === undefined) return assert.fail("nobody")
    const group = harness.telegram.createGroup(people)
    harness.telegram.addBot(group, first, bot)
    const said = () =>
      harness.telegram.transcript(group).flatMap(({ from, text }) => (from?.id === bot.id ? [text ?? ""] : []))
    harness.telegram.say(first, group, `/help@${bot.username}`)
    await until("the help", () => said().length > 0)
    harness.telegram.say(last, group, `@${bot.username} salut`)
    await until("the line", () => said().length > 1)
    assert.strictEqual(said()[1], textsFor(["fr"], new Map()).apology)
  })
})

describe("the line after the character has left", () => {
  it("is in the language of the person", async () => {
    const { bot, id } = await attach(harness)
    const { sql } = harness.server.database
    const person = personOf(harness, "id")
    await conversation(harness, bot, person, ["/start"])
    const session = (await harness.chatsOf(id))[0]?.session_id ?? ""
    await sql`update session_logs set status = 'exited', exit_reason = 'boundary', exited_at = now(),
      last_cursor = last_cursor + 1 where session_id = ${session}`
    await sql`insert into events (app_id, session_id, cursor, id, type, role, trace_id, source_kind, payload)
      select app_id, session_id, last_cursor, 'evt_' || session_id, 'session.exited', 'system', 'run_1', 'telegram',
        '{"reason_code":"boundary"}' from session_logs where session_id = ${session}`
    await sql`update lanes set head = head + 1, status = 'ready' where session_id = ${session}`
    await sql`select graphile_worker.add_job('deliver', '{}'::json)`
    assert.strictEqual((await saidAtLeast(harness, bot, person, 2))[1], textsFor(["id"], new Map()).ended)
  })
})

describe("the menus of commands", () => {
  let telegram: FakeTelegram
  let database: TestDatabase
  beforeAll(async () => {
    telegram = await startFakeTelegram({ takesAnyWebhookUrl: true })
    database = await createTestDatabase()
  })
  afterAll(async () => {
    await database.drop()
    await telegram.close()
  })

  /** Runs a server with these texts. */
  const within = async <A>(texts: object, use: (app: TestApp) => Promise<A>): Promise<A> => {
    const env = { TELEGRAM_API_ROOT: telegram.url, TELEGRAM_MODE: "polling", SERVICE_TEXTS: fileOf(texts) }
    const server = await startTestServer({ database, env })
    try {
      return await use(await server.createApp())
    } finally {
      await server.close()
    }
  }
  const callsOf = (bot: FakeBot) =>
    ["setMyCommands", "deleteMyCommands"].flatMap((method) =>
      telegram
        .calls({ bot, method })
        .map(({ parameters }) => `${method} ${String(parameters["language_code"] ?? "")}`.trim())
    )

  it("are one for each language, and one in the character's language for everybody else", async () => {
    const bot = telegram.createBot()
    await within({}, async (app) => {
      const character_slug = await app.createCharacter({ voice: { languages: ["pt-BR"] } })
      await app.post("/v1/telegram/bots", { mode: "byo", token: bot.token, character_slug })
    })
    const menus = menusIn(bot)
    assert.deepStrictEqual(menus, new Map(menusOf(["pt-BR"], new Map())))
    assert.isAbove(menus.size, 17)
    assert.deepStrictEqual(menus.get("pt"), commandsIn(textsFor(["pt"], new Map())))
    assert.deepStrictEqual(menus.get(""), commandsIn(textsFor(["pt-BR"], new Map())))
  })

  it("that Telegram rejects are left out, and Telegram is not asked again", async () => {
    const bot = harness.telegram.createBot()
    harness.telegram.fault(
      { bot, method: "setMyCommands", after: 3 },
      { kind: "error", code: 400, description: "Bad Request: LANG_CODE_INVALID" }
    )
    const { id, body } = await harness.attach({}, bot)
    assert.deepInclude(body, { status: "active", reason: null })
    await harness.app.post(`/v1/telegram/bots/${id}/probe`, {})
    assert.lengthOf(harness.telegram.calls({ bot, method: "setMyCommands" }), menusOf([], new Map()).size)
    assert.strictEqual(menusIn(bot).size, menusOf([], new Map()).size - 1)
  })

  it("that have to wait are set later, and only these", async () => {
    const bot = harness.telegram.createBot()
    harness.telegram.fault(
      { bot, method: "setMyCommands", after: 5 },
      { kind: "error", code: 429, description: "Too Many Requests: retry after 9", parameters: { retry_after: 9 } }
    )
    const { id, body } = await harness.attach({}, bot)
    assert.deepInclude(body, { status: "degraded", reason: "profile_incomplete" })
    await harness.server.database.sql`update telegram_bots set profile_due_at = now() where channel_id = ${id}`
    assert.strictEqual((await harness.app.post(`/v1/telegram/bots/${id}/probe`, {})).body.data.status, "active")
    assert.deepStrictEqual(menusIn(bot), menusOf([], new Map()))
    // At most the calls that were on their way with the one that had to wait are repeated.
    assert.isAtMost(harness.telegram.calls({ bot, method: "setMyCommands" }).length, menusIn(bot).size + 4)
  })

  it("are written only where they differ: after other texts, and after another character", async () => {
    const bot = telegram.createBot()
    const { owner, id } = await within({}, async (app) => {
      const character_slug = await app.createCharacter()
      const { body } = await app.post("/v1/telegram/bots", { mode: "byo", token: bot.token, character_slug })
      return { owner: app, id: body.data.id as string }
    })
    const probed = (texts: object) =>
      within(texts, async (app) => {
        const before = callsOf(bot).length
        const same = new TestApp(app.baseUrl, owner.appId, owner.key)
        assert.strictEqual((await same.post(`/v1/telegram/bots/${id}/probe`, {})).status, 200)
        assert.strictEqual((await same.post(`/v1/telegram/bots/${id}/probe`, {})).status, 200)
        return callsOf(bot).slice(before)
      })
    assert.deepStrictEqual(await probed({}), [])
    const changed = { pt: { command_help: "Ajuda" }, sw: { command_help: "Msaada" }, fil: { help: "Sumulat." } }
    assert.sameMembers(await probed(changed), ["setMyCommands pt", "setMyCommands sw"])
    assert.deepStrictEqual(menusIn(bot).get("sw")?.at(-1), { command: "help", description: "Msaada" })
    assert.deepStrictEqual(await probed(changed), [])
    assert.sameMembers(await probed({}), ["setMyCommands pt", "deleteMyCommands sw"])
    assert.deepStrictEqual(menusIn(bot), new Map(menusOf([], new Map())))
  })
})
