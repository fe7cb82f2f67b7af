import { afterEach, assert, beforeEach, describe, it } from "vitest"
import type { Bot } from "../support/telegram/Bot.ts"
import { type FakeTelegram, startFakeTelegram } from "../support/telegram/FakeTelegram.ts"
import type { Person } from "../support/telegram/ChatState.ts"
import { rawCall } from "./harness.ts"

let telegram: FakeTelegram
let manager: Bot
let mia: Person

beforeEach(async () => {
  telegram = await startFakeTelegram()
  manager = telegram.createBot({ username: "keeper_bot", can_manage_bots: true })
  mia = telegram.createUser({ first_name: "Mia" })
})
afterEach(() => telegram.close())

const confirm = (username = "rose_x1_bot", person = mia) =>
  telegram.confirmNewBot(manager, person, { username, name: "Rose" })
const ask = async (method: string, child: Bot, more: Record<string, unknown> = {}, asker = manager) => {
  const { body } = await rawCall(telegram, asker.token, method, { user_id: child.id, ...more })
  return body.ok ? body.result : `${body.error_code} ${body.description}`
}
const announced = () =>
  telegram.pendingUpdates(manager).map(({ managed_bot }) => [managed_bot?.user.id, managed_bot?.bot.username])

describe("a managed bot", () => {
  it("is announced to its manager, who reads its token", async () => {
    const child = confirm()
    assert.deepStrictEqual(announced(), [[mia.id, "rose_x1_bot"]])
    assert.strictEqual(await ask("getManagedBotToken", child), child.token)
    const me = await rawCall(telegram, child.token, "getMe")
    assert.deepInclude(me.body, { ok: true })
    assert.deepInclude(me.body.ok ? me.body.result : undefined, {
      username: "rose_x1_bot",
      first_name: "Rose",
      can_manage_bots: false
    })
  })

  it("is refused with Telegram's codes", () => {
    confirm("taken_bot")
    const attempts = [
      ["Taken_Bot", "Rose", manager, "USERNAME_OCCUPIED"],
      ["rose_person", "Rose", manager, "USERNAME_SUFFIX_MISSING"],
      ["9rose_bot", "Rose", manager, "USERNAME_INVALID"],
      ["rose_bot", " ", manager, "NAME_INVALID"],
      ["rose_bot", "Rose", telegram.createBot(), "MANAGER_PERMISSION_MISSING"]
    ] as const
    for (const [username, name, from, code] of attempts)
      assert.throws(() => telegram.confirmNewBot(from, mia, { username, name }), code)
  })

  it("counts towards the 20 bots of an account", () => {
    for (let index = 0; index < 20; index += 1) confirm(`rose_${index}x_bot`)
    assert.throws(() => confirm("rose_more_bot"), "BOT_CREATE_LIMIT_EXCEEDED")
    confirm("rose_more_bot", telegram.createUser())
  })

  it("can get a new token through its manager or its owner", async () => {
    const child = confirm()
    const old = child.token
    const replaced = await ask("replaceManagedBotToken", child)
    assert.strictEqual(replaced, child.token)
    assert.strictEqual((await rawCall(telegram, old, "getMe")).status, 401)
    telegram.revokeToken(child)
    assert.notStrictEqual(child.token, replaced)
    assert.strictEqual(await ask("getManagedBotToken", child), child.token)
    assert.lengthOf(announced(), 3)
  })

  it("can be transferred to another person", () => {
    const leo = telegram.createUser()
    telegram.transferBot(confirm(), leo)
    assert.deepStrictEqual(
      announced().map(([owner]) => owner),
      [mia.id, leo.id]
    )
  })

  it("is closed to all other bots", async () => {
    const child = confirm()
    const stranger = telegram.createBot({ can_manage_bots: true })
    assert.strictEqual(await ask("getManagedBotToken", child, {}, stranger), "400 Bad Request: BOT_ACCESS_FORBIDDEN")
    assert.strictEqual(await ask("getManagedBotToken", manager), "400 Bad Request: BOT_ACCESS_FORBIDDEN")
    telegram.deleteBot(child)
    assert.strictEqual(await ask("getManagedBotToken", child), "400 Bad Request: BOT_INVALID")
  })

  it("can be restricted to its owner and up to ten other people", async () => {
    const child = confirm()
    const [friend, stranger] = [telegram.createUser(), telegram.createUser()]
    assert.isTrue(
      await ask("setManagedBotAccessSettings", child, { is_access_restricted: true, added_user_ids: [friend.id] })
    )
    assert.deepStrictEqual(await ask("getManagedBotAccessSettings", child), {
      is_access_restricted: true,
      added_users: [friend.user]
    })
    for (const person of [mia, friend, stranger]) telegram.start(person, child)
    assert.deepStrictEqual(
      telegram.pendingUpdates(child).map(({ message }) => message?.from.id),
      [mia.id, friend.id]
    )
    assert.strictEqual(
      await ask("setManagedBotAccessSettings", child, {
        is_access_restricted: true,
        added_user_ids: Array.from({ length: 11 }, (_, index) => index)
      }),
      "400 Bad Request: too many users specified"
    )
    await ask("setManagedBotAccessSettings", child, { is_access_restricted: false, added_user_ids: [friend.id] })
    assert.deepStrictEqual(await ask("getManagedBotAccessSettings", child), { is_access_restricted: false })
  })

  it("has its own profile", async () => {
    const child = confirm()
    const own = (method: string, parameters: Record<string, unknown> = {}) =>
      rawCall(telegram, child.token, method, parameters).then(({ body }) => (body.ok ? body.result : body.description))
    assert.isTrue(await own("setMyName", { name: "Rosa" }))
    assert.deepStrictEqual(await own("getMyName"), { name: "Rosa" })
    assert.strictEqual(child.user.first_name, "Rosa")
    assert.strictEqual(await own("setMyName", { name: "a".repeat(65) }), "Bad Request: BOT_TITLE_INVALID")
    await own("setMyDescription", { description: "A rose" })
    await own("setMyShortDescription", { short_description: "Rose" })
    assert.deepStrictEqual(
      [await own("getMyDescription"), await own("getMyShortDescription")],
      [{ description: "A rose" }, { short_description: "Rose" }]
    )
    await own("setMyCommands", { commands: [{ command: "help", description: "What I do" }] })
    assert.deepStrictEqual(await own("getMyCommands"), [{ command: "help", description: "What I do" }])
    assert.strictEqual(
      await own("setMyCommands", { commands: [{ command: "Help!", description: "x" }] }),
      "Bad Request: BOT_COMMAND_INVALID"
    )
    await own("setChatMenuButton", { menu_button: { type: "commands" } })
    assert.deepStrictEqual(await own("getChatMenuButton"), { type: "commands" })
    const form = new FormData()
    form.set("photo", JSON.stringify({ type: "static", photo: "attach://face" }))
    form.set("face", new Blob(["jpeg"]), "face.jpg")
    assert.strictEqual(
      (await fetch(`${telegram.url}/bot${child.token}/setMyProfilePhoto`, { method: "POST", body: form })).status,
      200
    )
    assert.strictEqual(child.profile.photo?.bytes.toString(), "jpeg")
  })
})

describe("a bot's username", () => {
  it("is found by getChat once a bot has it", async () => {
    const look = () => rawCall(telegram, manager.token, "getChat", { chat_id: "@rose_x1_bot" })
    assert.deepInclude((await look()).body, { error_code: 400, description: "Bad Request: chat not found" })
    const child = confirm()
    const { body } = await look()
    assert.deepInclude(body.ok ? body.result : undefined, { id: child.id, username: "rose_x1_bot", type: "private" })
  })
})
