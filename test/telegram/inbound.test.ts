import { Api, InlineKeyboard } from "grammy"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { failCommitOnce } from "#test/support/postgres/failCommitOnce.ts"
import {
  type ChatResource,
  saidAtLeast,
  startTelegramHarness,
  type TelegramHarness
} from "#test/support/TelegramHarness.ts"
import type { Bot } from "#test/support/telegram/Bot.ts"
import type { Group } from "#test/support/telegram/ChatState.ts"
import { until } from "#test/support/until.ts"

let harness: TelegramHarness
beforeAll(async () => {
  harness = await startTelegramHarness()
})
afterAll(() => harness.close())

const GREETING = "Come in, the soup is hot."
const FRESH = "A new conversation has begun. Just write."
/** Long enough for messages of one moment to arrive, also on a busy machine. */
const JOIN_MS = 3_000
const chatsOf = (id: string) => harness.chatsOf(id)
const chatOf = async (id: string): Promise<ChatResource> => (await chatsOf(id))[0] ?? assert.fail("there is no chat")
const heard = async (session: string) =>
  (await harness.app.events(session)).filter((event) => event.role === "user").map((event) => event.payload["text"])
const hears = (session: string, count: number) =>
  until(`${count} messages`, async () => {
    const texts = await heard(session)
    return texts.length >= count && texts
  })
const started = async (fields: Record<string, unknown> = {}) => {
  const attached = await harness.attach(fields)
  const person = harness.telegram.createUser({ first_name: "Anna" })
  harness.telegram.start(person, attached.bot)
  await saidAtLeast(harness, attached.bot, person, 1)
  const { session_id } = await chatOf(attached.id)
  return { ...attached, person, session: session_id ?? "" }
}
const allDone = (id: string) =>
  until(
    "all to be done",
    async () =>
      (await harness.server.database.sql`select 1 from telegram_updates where channel_id = ${id} and done_at is null`)
        .length === 0
  )
/**
 * Simulates the death of a process that has handled a command completely but not committed it. Another process then
 * handles it.
 */
const dyingOver = async (id: string, command: () => void) => {
  const { sql } = harness.server.database
  await allDone(id)
  const death = await failCommitOnce(harness.server, {
    event: "update",
    table: "telegram_updates",
    when: `new.channel_id = '${id}' and new.done_at is not null`
  })
  command()
  await until("the simulated crash", death.hasFailed)
  await until("all to be done", async () => {
    // What waits for a retry becomes due at once.
    await sql`update telegram_updates set due_at = now()
      where channel_id = ${id} and done_at is null and error is not null and due_at > now()`
    return (await sql`select 1 from telegram_updates where channel_id = ${id} and done_at is null`).length === 0
  })
  await death.end()
}
const forgets = async ({ bot, person }: Awaited<ReturnType<typeof started>>) => {
  harness.telegram.say(person, bot, "/forget")
  await until("the end", () => harness.said(bot, person).some((text) => text.startsWith("Your data has been deleted")))
}
const inGroup = (bot: Parameters<typeof harness.telegram.start>[1], group: Group) =>
  harness.telegram.transcript(group).filter((message) => message.from?.id === bot.id)

describe("messages in quick succession", () => {
  it("are one turn, in the order in which they were sent", async () => {
    const { bot, person, session } = await started({ join_window_ms: JOIN_MS })
    for (const text of ["Hey", "are you there?", "I have news"]) harness.telegram.say(person, bot, text)
    assert.deepStrictEqual(await hears(session, 1), ["Hey\nare you there?\nI have news"])
    await harness.app.waitFor(session, (event) => event.type === "message.created" && event.role === "character")
    harness.telegram.say(person, bot, "So?")
    assert.deepStrictEqual((await hears(session, 2)).slice(1), ["So?"])
  })

  it("are a turn each if the bot's owner wants that", async () => {
    const { bot, person, session } = await started({ join_window_ms: 0 })
    for (const text of ["one", "two", "three"]) harness.telegram.say(person, bot, text)
    assert.deepStrictEqual(await hears(session, 3), ["one", "two", "three"])
  })

  it("in an album are one turn in any case", async () => {
    const { bot, person, session } = await started({ join_window_ms: 0 })
    harness.telegram.sendMedia(person, bot, "photo", { album: "a", caption: "The garden" })
    harness.telegram.sendMedia(person, bot, "photo", { album: "a" })
    assert.deepStrictEqual(await hears(session, 1), ["[photo]\nThe garden\n[photo]"])
  })

  it.each([0, JOIN_MS])("in an album are one turn, however many its pictures (%i ms)", async (join_window_ms) => {
    const { bot, person, session, id } = await started({ join_window_ms })
    for (const caption of "0123456789") harness.telegram.sendMedia(person, bot, "photo", { album: "a", caption })
    const [text, ...more] = await hears(session, 1)
    await allDone(id)
    assert.strictEqual(String(text).replaceAll("[photo]\n", "").replaceAll("\n", ""), "0123456789")
    assert.isEmpty([...more, ...(await heard(session)).slice(1)])
  })
})

describe("a message that is not plain text", () => {
  it("is distinguished from a command: text that only starts like one is said", async () => {
    const { bot, person, session } = await started()
    harness.telegram.say(person, bot, "/привет")
    assert.deepStrictEqual(await hears(session, 1), ["/привет"])
  })

  it("reaches the character in plain words", async () => {
    const { bot, person, session } = await started()
    harness.telegram.sendMedia(person, bot, "voice", { duration: 7 })
    harness.telegram.sendMedia(person, bot, "document", { name: "list.pdf" })
    const texts = await hears(session, 2)
    assert.deepStrictEqual(texts, ["[voice message, 7 s]", "[file: list.pdf]"])
  })
})

describe("an edit of a message", () => {
  it("changes what is answered if it arrives in time", async () => {
    const { bot, person, session } = await started({ join_window_ms: JOIN_MS })
    const message = harness.telegram.say(person, bot, "Good morning")
    harness.telegram.say(person, bot, "How are you?")
    harness.telegram.edit(person, bot, message, "Good evening")
    assert.deepStrictEqual(await hears(session, 1), ["Good evening\nHow are you?"])
    assert.notInclude(
      (await harness.app.events(session)).map(({ type }) => type),
      "message.edited"
    )
  })

  it("that has been answered starts no new turn: the log says that the text has changed", async () => {
    const attached = await started()
    const { bot, person, session } = attached
    const message = harness.telegram.say(person, bot, "I live in Bremen")
    await hears(session, 1)
    await harness.app.waitFor(session, (event) => event.type === "message.created" && event.role === "character")
    harness.telegram.edit(person, bot, message, "I live in Bergen")
    const edited = await harness.app.waitFor(session, ({ type }) => type === "message.edited")
    const said = (await harness.app.events(session)).find(
      ({ type, role }) => type === "message.created" && role === "user"
    )
    assert.deepInclude(edited, { role: "user", payload: { text: "I live in Bergen", message_cursor: said?.cursor } })
    // Values that the database cannot read as text cause no failure.
    const odd = await harness.hand(attached, {
      message: {
        message_id: 9000,
        chat: { id: person.id, type: "private", first_name: "Anna" },
        from: person.user,
        date: 1,
        text: "\u0000"
      }
    })
    harness.telegram.edit(person, bot, message, "I live in Bergen now")
    await until(
      "the other edit",
      async () => (await harness.app.events(session)).filter(({ type }) => type === "message.edited").length === 2
    )
    await harness.hand(attached, {
      edited_message: {
        message_id: 9000,
        chat: { id: person.id, type: "private", first_name: "Anna" },
        from: person.user,
        date: 1,
        edit_date: 2,
        text: "x"
      }
    })
    await allDone(attached.id)
    assert.isAbove(odd, 0)
    harness.telegram.say(person, bot, "Well?")
    await hears(session, 4)
    assert.lengthOf(
      (await harness.app.events(session)).filter(({ type, role }) => type === "message.created" && role === "user"),
      2
    )
  })

  it("that was never for the character is skipped", async () => {
    const attached = await started()
    const { bot, person, session } = attached
    await harness.hand(attached, {
      edited_message: {
        message_id: 1,
        chat: { id: person.id, type: "private", first_name: "Anna" },
        from: person.user,
        date: 1,
        edit_date: 2,
        text: "Hm"
      }
    })
    harness.telegram.say(person, bot, "Well?")
    assert.deepStrictEqual(await hears(session, 1), ["Well?"])
  })
})

describe("a press of a button", () => {
  it("is confirmed, and says what is written on the button", async () => {
    const attached = await started()
    const { bot, person, session } = attached
    const api = new Api(bot.token, { apiRoot: harness.telegram.url })
    await api.sendMessage(person.id, "Soup or bread?", {
      reply_markup: new InlineKeyboard().text("Soup", "s").text("Bread", "b")
    })
    const asked = harness.telegram.transcript(bot, person).at(-1) ?? assert.fail("nothing was sent")
    const query = harness.telegram.press(person, bot, asked, "Bread")
    assert.deepStrictEqual(await hears(session, 1), ["Bread"])
    await until("it to be answered", () => harness.telegram.callbackAnswer(query) !== undefined)
    await harness.app.waitFor(session, (event) => event.type === "message.created" && event.role === "character")
  })
})

describe("a bot that shows drafts", () => {
  const slow = async () =>
    harness.app.createCharacter({ greeting: GREETING, life_rhythm: { reply_delay_seconds: { min: 60, max: 60 } } })
  const ofMethods = (bot: Bot) =>
    harness.telegram
      .calls({ bot })
      .map(({ method }) => method)
      .filter((method) => method === "sendChatAction" || method === "sendMessageDraft")

  it("has its answer stopped by the button under the draft, in private chats only", async () => {
    const { bot, person, session } = await started({ character_slug: await slow(), drafts: true })
    const group = harness.telegram.createGroup([person])
    harness.telegram.addBot(group, person, bot)
    harness.telegram.say(person, bot, "Tell me a long story")
    const { text } = await until("the draft", () => harness.telegram.draft(bot, person))
    assert.strictEqual(text, "")
    assert.deepStrictEqual(ofMethods(bot), ["sendMessageDraft"])
    harness.telegram.stopGeneration(person, bot)
    await until(
      "the end of the turn",
      async () =>
        (await harness.app.get(`/v1/sessions/${session}/runs?kind=reply`)).body.data.runs[0]?.error_code === "stopped"
    )
    harness.telegram.say(person, group, `@${bot.username} and you?`)
    await until("the typing", () => harness.telegram.activity(bot, group) === "typing")
  })

  it("continues without them once Telegram says that it cannot, and shows typing instead", async () => {
    const { bot, id, person } = await started({ character_slug: await slow(), drafts: true })
    harness.telegram.fault(
      { bot, method: "sendMessageDraft" },
      { kind: "error", code: 400, description: "Bad Request: TEXTDRAFT_PEER_INVALID" }
    )
    harness.telegram.say(person, bot, "Well?")
    await until("the typing", () => harness.telegram.activity(bot, person) === "typing")
    assert.deepStrictEqual(ofMethods(bot), ["sendMessageDraft", "sendChatAction"])
    assert.isFalse((await harness.app.get(`/v1/telegram/bots/${id}`)).body.data.drafts)
  })
})

describe("an answer that a person stops", () => {
  it("is not sent; the next one is", async () => {
    const slow = await harness.app.createCharacter({
      greeting: GREETING,
      life_rhythm: { reply_delay_seconds: { min: 60, max: 60 } }
    })
    const attached = await started({ character_slug: slow })
    const { person, bot, session } = attached
    harness.telegram.say(person, bot, "Tell me a long story")
    await hears(session, 1)
    await harness.hand(attached, {
      stopped_message_generation: { chat: { id: person.id, type: "private", first_name: "Anna" }, draft_id: 1 }
    })
    const [run] = await until("the end of the turn", async () => {
      const { runs } = (await harness.app.get(`/v1/sessions/${session}/runs?kind=reply`)).body.data
      return runs[0]?.finished_at !== null && runs
    })
    assert.deepInclude(run, { status: "withheld", error_code: "stopped" })
    harness.telegram.say(person, bot, "A short one, then")
    await hears(session, 2)
    assert.lengthOf(
      await harness.server.database
        .sql`select 1 from turns where session_id = ${session} and outcome is null and not stopped`,
      1
    )
  })
})

describe("an update that a bot does not use", () => {
  it("is stored, answered and skipped, and delays nothing", async () => {
    const attached = await started()
    const { bot, person, session, id } = attached
    const chat = { id: person.id, type: "private" as const, first_name: "Anna" }
    await harness.hand(attached, { stopped_message_generation: { chat, draft_id: 1 } })
    await harness.hand(attached, {
      message_reaction: { chat, message_id: 1, user: person.user, date: 1, old_reaction: [], new_reaction: [] }
    })
    await harness.hand(attached, {
      message: {
        message_id: 9,
        chat,
        from: person.user,
        date: 1,
        successful_payment: {
          currency: "XTR",
          total_amount: 1,
          invoice_payload: "x",
          telegram_payment_charge_id: "1",
          provider_payment_charge_id: "1"
        }
      }
    })
    await harness.hand(attached, {
      channel_post: {
        message_id: 1,
        chat: { id: -1001, type: "channel", title: "News" },
        sender_chat: { id: -1001, type: "channel", title: "News" },
        date: 1,
        text: "News!"
      }
    })
    const { sql } = harness.server.database
    const done = async () =>
      (
        await sql`select update_id from telegram_updates
          where channel_id = ${id} and update_id >= 3000000000 and done_at is not null and error is null`
      ).length
    await until("all to be done", async () => (await done()) === 4)
    harness.telegram.say(person, bot, "Well?")
    assert.deepStrictEqual(await hears(session, 1), ["Well?"])
  })
})

describe("an update that cannot be handled", () => {
  it("is set aside after a few attempts, and the chat continues", async () => {
    const { bot, person, session, id } = await started()
    const { sql } = harness.server.database
    const [kept] = await sql`select token from telegram_bots where channel_id = ${id}`
    await sql`update telegram_bots set token = 'nonsense' where channel_id = ${id}`
    const chat = { id: person.id, type: "private" as const, first_name: "Anna" }
    const updateId = await harness.hand(
      { bot, id },
      {
        callback_query: {
          id: "1",
          from: person.user,
          chat_instance: "1",
          data: "x",
          message: { message_id: 1, chat, date: 0 }
        }
      }
    )
    harness.telegram.say(person, bot, "Well?")
    const aside = await until("the update to be set aside", async () => {
      await sql`update telegram_updates set due_at = now()
        where channel_id = ${id} and update_id = ${updateId} and done_at is null and owner is null`
      return (
        await sql`select attempts, error from telegram_updates
          where channel_id = ${id} and update_id = ${updateId} and done_at is not null`
      )[0]
    })
    assert.deepStrictEqual({ ...aside }, { attempts: 5, error: "defect" })
    await sql`update telegram_bots set token = ${kept?.["token"]} where channel_id = ${id}`
    assert.deepStrictEqual(await hears(session, 1), ["Well?"])
  })
})

describe("a value that the database cannot store", () => {
  it("is omitted from the person's data", async () => {
    const attached = await harness.attach()
    const { user, id } = harness.telegram.createUser({ first_name: "Anna" })
    await harness.hand(attached, {
      message: {
        message_id: 1,
        chat: { id, type: "private", first_name: "Anna" },
        from: { ...user, first_name: "An\u0000na", language_code: "d\u0000e" },
        date: 1,
        text: "Hello"
      }
    })
    await allDone(attached.id)
    assert.deepStrictEqual(await heard((await chatOf(attached.id)).session_id ?? ""), ["Hello"])
  })

  it("causes its update to be set aside, and not retried forever", async () => {
    const { bot, person, id, session } = await started()
    const { sql } = harness.server.database
    await sql`
      create function stumble() returns trigger language plpgsql as $$
      begin raise exception 'no' using errcode = '22021'; end $$`
    await sql.unsafe(
      `create trigger stumble before insert on turns for each row when (new.client_message_id like ` +
        `'tg:${id}:%') execute function stumble()`
    )
    harness.telegram.say(person, bot, "Odd")
    await until("the update to be set aside", async () => {
      await sql`update telegram_updates set due_at = now()
        where channel_id = ${id} and done_at is null and owner is null`
      return (
        (
          await sql`select 1 from telegram_updates
            where channel_id = ${id} and done_at is not null and error is not null`
        ).length === 1
      )
    })
    await sql`drop trigger stumble on turns`
    harness.telegram.say(person, bot, "Well?")
    assert.deepStrictEqual(await hears(session, 1), ["Well?"])
  })
})

describe("a command", () => {
  it("is answered without a model: /help, and any unknown one", async () => {
    const { bot, person, session } = await started()
    harness.telegram.say(person, bot, "/help")
    harness.telegram.say(person, bot, "/dance")
    const said = await saidAtLeast(harness, bot, person, 3)
    assert.include(said[1], "/reset: Start a new conversation")
    assert.strictEqual(said[2], said[1])
    const events = await harness.app.events(session)
    assert.deepStrictEqual(
      events.slice(1).map(({ type, role }) => `${type} ${role}`),
      ["channel.notice system", "channel.notice system"]
    )
    assert.deepStrictEqual(
      await harness.server.database.sql`select 1 from turns where session_id = ${session}`,
      [] as never
    )
  })

  it("/start says that a conversation exists; /reset starts another, and does not repeat the greeting", async () => {
    const { bot, person, id, session } = await started()
    harness.telegram.say(person, bot, "/start")
    assert.include((await saidAtLeast(harness, bot, person, 2))[1], "already")
    harness.telegram.say(person, bot, "/reset")
    assert.strictEqual((await saidAtLeast(harness, bot, person, 3))[2], FRESH)
    const chat = await chatOf(id)
    assert.notStrictEqual(chat.session_id, session)
    harness.telegram.say(person, bot, "Hello again")
    assert.deepStrictEqual(await hears(chat.session_id ?? "", 1), ["Hello again"])
    assert.deepStrictEqual(await heard(session), [])
    harness.telegram.say(person, bot, "/reset")
    await until("the second new conversation", async () => (await chatOf(id)).session_id !== chat.session_id)
    await until("its first line", () => harness.said(bot, person).at(-1) === FRESH)
    assert.lengthOf(
      harness.said(bot, person).filter((text) => text === GREETING),
      1
    )
  })

  it("/reset greets with another greeting each time, if the character has several", async () => {
    const greeting = { mode: "authored", bubbles: [GREETING], alternates: ["Back for more soup?"] }
    const { bot, person } = await started({ character_slug: await harness.app.createCharacter({ greeting }) })
    for (const count of [2, 3]) {
      harness.telegram.say(person, bot, "/reset")
      await saidAtLeast(harness, bot, person, count)
    }
    const [first, second, third] = harness.said(bot, person)
    assert.notStrictEqual(second, first)
    assert.strictEqual(third, first)
    assert.sameMembers([first, second], [GREETING, "Back for more soup?"])
  })

  it("/start with the app's own payload stores it on the session that it opens, if it opens one", async () => {
    for (const [payload, metadata] of [
      ["gift-7", { start_payload: "gift-7" }],
      ["two words", {}]
    ] as const) {
      const { bot, id } = await harness.attach()
      const person = harness.telegram.createUser({ first_name: "Anna" })
      harness.telegram.start(person, bot, payload)
      assert.deepStrictEqual(await saidAtLeast(harness, bot, person, 1), [GREETING])
      assert.deepStrictEqual(
        (await harness.app.get(`/v1/sessions/${(await chatOf(id)).session_id}`)).body.data.metadata,
        metadata
      )
    }
  })

  it("/stop ends proactive messages", async () => {
    const { bot, person, session } = await started()
    harness.telegram.say(person, bot, "/stop")
    await saidAtLeast(harness, bot, person, 2)
    const [row] = await harness.server.database
      .sql`select proactive_controls from sessions where session_id = ${session}`
    assert.deepStrictEqual(row?.["proactive_controls"], { proactive_enabled: false })
  })

  it("/forget deletes what was said, after a confirmation", async () => {
    const { bot, person, session, id } = await started()
    harness.telegram.say(person, bot, "My secret is safe")
    await hears(session, 1)
    // The state after a long conversation.
    await harness.server.database
      .sql`insert into memory_blocks values (${harness.app.appId}, ${session}, 1, array[2], 4)`
    await harness.server.database
      .sql`insert into memory_terms values (${harness.app.appId}, ${session}, 'secret', 1, 1, 0, 4, 0)`
    await harness.app.waitFor(session, (event) => event.type === "message.created" && event.role === "character")
    harness.telegram.say(person, bot, "/forget")
    await until("the question", () =>
      harness.said(bot, person).some((text) => text.includes("again within five minutes"))
    )
    assert.isNotEmpty(await heard(session))
    harness.telegram.say(person, bot, "/forget")
    await until("the end", () =>
      harness.said(bot, person).some((text) => text.startsWith("Your data has been deleted"))
    )
    assert.strictEqual((await harness.app.get(`/v1/sessions/${session}`)).status, 404)
    assert.isNull((await chatOf(id)).session_id)
    const { sql } = harness.server.database
    const tables = await sql<
      Array<{ name: string }>
    >`select table_name as name from information_schema.columns where table_schema = 'public'
      and column_name = 'session_id'`
    assert.includeMembers(
      tables.map(({ name }) => name),
      ["events", "turns", "memory_terms", "memory_blocks"]
    )
    // Costs stay in the ledger, which names no person.
    for (const { name } of tables.filter(({ name }) => name !== "ledger"))
      assert.isEmpty(await sql`select 1 from ${sql(name)} where session_id = ${session}`, name)
    // By its mark, a restore of an older backup can repeat it.
    const receipts = await sql`
      select 1 from erasures where app_id = ${harness.app.appId} and status = 'completed' and mark is not null`
    assert.isNotEmpty(receipts)
    await until("no trace", async () => {
      const found = await Promise.all([
        sql`select 1 from events where payload::text like '%My secret%'`,
        sql`select 1 from telegram_updates where raw::text like '%My secret%'`
      ])
      return found.flat().length === 0
    })
    harness.telegram.say(person, bot, "/start")
    await until("a new start", () => harness.said(bot, person).at(-1) === GREETING)
  })

  it("/forget deletes nothing if the process died while handling the first one", async () => {
    const begun = await started()
    const { bot, person, session, id } = begun
    await dyingOver(id, () => harness.telegram.say(person, bot, "/forget"))
    await saidAtLeast(harness, bot, person, 2)
    assert.strictEqual((await harness.app.get(`/v1/sessions/${session}`)).status, 200)
    assert.lengthOf(harness.said(bot, person), 2)
    await forgets(begun)
  })

  it("/forget opens no new session if the process died while handling the second one", async () => {
    const { bot, person, session, id } = await started()
    harness.telegram.say(person, bot, "/forget")
    await saidAtLeast(harness, bot, person, 2)
    await dyingOver(id, () => harness.telegram.say(person, bot, "/forget"))
    await until("the end", () =>
      harness.said(bot, person).some((text) => text.startsWith("Your data has been deleted"))
    )
    assert.strictEqual((await harness.app.get(`/v1/sessions/${session}`)).status, 404)
    assert.isNull((await chatOf(id)).session_id)
    assert.lengthOf(harness.said(bot, person), 3)
  })

  it(
    "takes effect once if a process dies while handling it: /reset answers once, in one session, and /start " +
      "answers once",
    async () => {
      const { bot, person, id, session } = await started()
      await dyingOver(id, () => harness.telegram.say(person, bot, "/reset"))
      await saidAtLeast(harness, bot, person, 2)
      assert.notStrictEqual((await chatOf(id)).session_id, session)
      const anna = harness.telegram.createUser({ first_name: "Anna" })
      await dyingOver(id, () => harness.telegram.start(anna, bot))
      await saidAtLeast(harness, bot, anna, 1)
      harness.telegram.say(anna, bot, "/help")
      await saidAtLeast(harness, bot, anna, 2)
      harness.telegram.say(person, bot, "/help")
      await saidAtLeast(harness, bot, person, 3)
      assert.deepStrictEqual(harness.said(bot, person).slice(0, 2), [GREETING, FRESH])
      assert.strictEqual(harness.said(bot, anna)[0], GREETING)
      assert.include(harness.said(bot, anna)[1], "/reset")
      const refs = [person, anna].map(({ id }) => `tg:${id}`)
      assert.lengthOf(
        await harness.server.database
          .sql`select 1 from sessions where external_user_ref in ${harness.server.database.sql(refs)}`,
        3
      )
    }
  )

  it("/forget also deletes what was said before a link", async () => {
    const { bot, person, session, id } = await started()
    harness.telegram.say(person, bot, "My old secret")
    await hears(session, 1)
    await harness.app.waitFor(session, (event) => event.type === "message.created" && event.role === "character")
    const { url } = (await harness.app.post(`/v1/telegram/bots/${id}/links`, { external_user_ref: "user-45" })).body
      .data
    harness.telegram.start(person, bot, url.split("start=")[1])
    await until("the link", async () => (await chatOf(id)).external_user_ref === "user-45")
    harness.telegram.say(person, bot, "/forget")
    await until("the question", () =>
      harness.said(bot, person).some((text) => text.includes("again within five minutes"))
    )
    harness.telegram.say(person, bot, "/forget")
    await until("the end", () =>
      harness.said(bot, person).some((text) => text.startsWith("Your data has been deleted"))
    )
    assert.isEmpty(await harness.server.database.sql`select 1 from sessions where session_id = ${session}`)
    assert.isEmpty(await harness.server.database.sql`select 1 from events where payload::text like '%My old secret%'`)
  })

  it("with the code of a link continues the app's session with its user, once", async () => {
    const { app } = harness
    const character_slug = await app.createCharacter({ greeting: GREETING })
    const { bot, id } = await harness.attach({ character_slug })
    const session = await app.createSession({ character_slug, external_user_ref: "user-42" })
    const { url } = (await app.post(`/v1/telegram/bots/${id}/links`, { external_user_ref: "user-42" })).body.data
    assert.match(url, new RegExp(`^https://t\\.me/${bot.username}\\?start=[\\w-]{32}$`))
    const code = url.split("start=")[1]
    const [anna, thief] = [
      harness.telegram.createUser({ first_name: "Anna" }),
      harness.telegram.createUser({ first_name: "Eve" })
    ]
    harness.telegram.start(anna, bot, code)
    assert.include((await saidAtLeast(harness, bot, anna, 1))[0], "connected")
    const chat = (await chatsOf(id)).find((each) => each.chat_id === anna.id)
    assert.deepInclude(chat, { session_id: session, external_user_ref: "user-42" })
    harness.telegram.say(anna, bot, "It is me")
    assert.deepStrictEqual(await hears(session, 1), ["It is me"])
    harness.telegram.start(thief, bot, code)
    assert.include((await saidAtLeast(harness, bot, thief, 2)).join(), "expired or has already been used")
    assert.notStrictEqual((await chatsOf(id)).find((each) => each.chat_id === thief.id)?.session_id, session)
  })
})

describe("a link for a user of the app", () => {
  it("that has expired says so, and leads only to a new session", async () => {
    const { bot, id } = await harness.attach()
    const { url } = (await harness.app.post(`/v1/telegram/bots/${id}/links`, { external_user_ref: "user-43" })).body
      .data
    await harness.server.database.sql`update telegram_links set expires_at = now() where channel_id = ${id}`
    const person = harness.telegram.createUser({ first_name: "Anna" })
    harness.telegram.start(person, bot, url.split("start=")[1])
    assert.include((await saidAtLeast(harness, bot, person, 2)).join(), "expired or has already been used")
    assert.strictEqual((await chatOf(id)).external_user_ref, `tg:${person.id}`)
  })

  it("of another bot, even of another app, does not work here and stays valid there", async () => {
    const other = await harness.server.createApp()
    const there = harness.telegram.createBot()
    const attached = await other.post("/v1/telegram/bots", {
      mode: "byo",
      token: there.token,
      character_slug: await other.createCharacter({ greeting: GREETING })
    })
    const { url } = (
      await other.post(`/v1/telegram/bots/${attached.body.data.id}/links`, { external_user_ref: "user-48" })
    ).body.data
    const { bot, id } = await harness.attach()
    const person = harness.telegram.createUser({ first_name: "Anna" })
    harness.telegram.start(person, bot, url.split("start=")[1])
    assert.include((await saidAtLeast(harness, bot, person, 2)).join(), "expired or has already been used")
    assert.strictEqual((await chatOf(id)).external_user_ref, `tg:${person.id}`)
    harness.telegram.start(person, there, url.split("start=")[1])
    await saidAtLeast(harness, there, person, 1)
    assert.strictEqual(
      (await other.get(`/v1/telegram/bots/${attached.body.data.id}/chats`)).body.data.chats[0].external_user_ref,
      "user-48"
    )
  })

  it("does nothing in a group, and stays valid for its person", async () => {
    const { bot, id } = await harness.attach()
    const { url } = (await harness.app.post(`/v1/telegram/bots/${id}/links`, { external_user_ref: "user-47" })).body
      .data
    const code = url.split("start=")[1]
    const anna = harness.telegram.createUser({ first_name: "Anna" })
    const group = harness.telegram.createGroup([anna])
    harness.telegram.addBot(group, anna, bot)
    harness.telegram.say(anna, group, `/start@${bot.username} ${code}`)
    await until("the answer", () =>
      inGroup(bot, group).some(({ text }) => text?.includes("in a private chat with me") === true)
    )
    assert.strictEqual((await chatOf(id)).external_user_ref, `tg:${group.id}`)
    harness.telegram.start(anna, bot, code)
    await saidAtLeast(harness, bot, anna, 1)
    assert.strictEqual((await chatsOf(id)).find((each) => each.chat_id === anna.id)?.external_user_ref, "user-47")
  })

  it("works for the person who has opened it, even if the process died before", async () => {
    const { bot, id } = await harness.attach()
    const { sql } = harness.server.database
    const { url } = (await harness.app.post(`/v1/telegram/bots/${id}/links`, { external_user_ref: "user-46" })).body
      .data
    await sql`alter table telegram_chats add constraint away check (external_user_ref <> 'user-46')`
    const person = harness.telegram.createUser({ first_name: "Anna" })
    harness.telegram.start(person, bot, url.split("start=")[1])
    await until(
      "the failure",
      async () =>
        (await sql`select 1 from telegram_updates where channel_id = ${id} and error is not null`).length === 1
    )
    await sql`alter table telegram_chats drop constraint away`
    await allDone(id)
    assert.strictEqual((await chatOf(id)).external_user_ref, "user-46")
  })

  it("is also available as a QR code", async () => {
    const { id } = await harness.attach()
    const { qr } = (await harness.app.post(`/v1/telegram/bots/${id}/links`, { external_user_ref: "user-44" })).body.data
    assert.match(
      Buffer.from(qr.split("base64,")[1], "base64").toString(),
      /^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg" viewBox="0 0 (\d+) \1"/
    )
  })
})

describe("a message that exceeds the queue", () => {
  it("of its session gets one short line, and no raw error", async () => {
    const { bot, person, session } = await started()
    await harness.server.database.sql`update session_logs set open_turns = 500 where session_id = ${session}`
    harness.telegram.say(person, bot, "And another thing")
    assert.strictEqual(
      (await saidAtLeast(harness, bot, person, 2))[1],
      "Sorry, I lost my train of thought. Say that again?"
    )
    assert.deepStrictEqual(await heard(session), [])
  })
})

describe("a command in a group", () => {
  it("that is unknown belongs to another bot, unless it names this one", async () => {
    const { bot, id } = await harness.attach()
    const anna = harness.telegram.createUser({ first_name: "Anna" })
    const group = harness.telegram.createGroup([anna])
    harness.telegram.addBot(group, anna, bot)
    await harness.hand(
      { bot, id },
      {
        message: {
          message_id: 90,
          chat: { id: group.id, type: "group", title: "x" },
          from: anna.user,
          date: 1,
          text: "/dance"
        }
      }
    )
    harness.telegram.say(anna, group, `/sing@${bot.username}`)
    await until("the help", () => inGroup(bot, group).some((message) => message.text?.includes("/reset") === true))
    assert.lengthOf(
      inGroup(bot, group).filter((message) => message.text?.includes("/reset") === true),
      1
    )
  })
})

describe("a session that the character has left", () => {
  it("gets one line that says how to start over; nothing else answers, and /start starts over", async () => {
    const { bot, person, session } = await started()
    const { sql } = harness.server.database
    await sql`update session_logs set status = 'exited', exit_reason = 'boundary', exited_at = now(),
      last_cursor = last_cursor + 1 where session_id = ${session}`
    await sql`insert into events (app_id, session_id, cursor, id, type, role, trace_id, source_kind, payload)
      select app_id, session_id, last_cursor, 'evt_' || session_id, 'session.exited', 'system', 'run_1', 'telegram',
        '{"reason_code":"boundary"}' from session_logs where session_id = ${session}`
    await sql`update lanes set head = head + 1, status = 'ready' where session_id = ${session}`
    await sql`select graphile_worker.add_job('deliver', '{}'::json)`
    assert.include((await saidAtLeast(harness, bot, person, 2))[1], "/start")
    harness.telegram.say(person, bot, "Wait!")
    await until(
      "it to be handled",
      async () =>
        (
          await sql`select 1 from telegram_updates where kind = 'text'
            and chat_id = ${person.id} and done_at is not null`
        ).length === 1
    )
    assert.lengthOf(harness.said(bot, person), 2)
    harness.telegram.say(person, bot, "/start")
    assert.strictEqual((await saidAtLeast(harness, bot, person, 3))[2], GREETING)
  })
})

describe("an archived character", () => {
  it("has new people told that nobody is available, and continues existing conversations", async () => {
    const character_slug = await harness.app.createCharacter({ greeting: GREETING })
    const { bot, person, session } = await started({ character_slug })
    assert.strictEqual((await harness.app.delete(`/v1/characters/${character_slug}`)).status, 200)
    const late = harness.telegram.createUser({ first_name: "Bea" })
    harness.telegram.start(late, bot)
    assert.deepStrictEqual(await saidAtLeast(harness, bot, late, 1), ["There is nobody here to talk to anymore."])
    harness.telegram.say(person, bot, "/reset")
    assert.strictEqual((await saidAtLeast(harness, bot, person, 2))[1], "There is nobody here to talk to anymore.")
    harness.telegram.say(person, bot, "And you?")
    assert.deepStrictEqual(await hears(session, 1), ["And you?"])
  })
})

describe("a message that the app's budget does not cover", () => {
  it("gets one short line in the character's voice, and not another within the hour", async () => {
    const poor = await harness.server.createApp({ budgetUsd: 0.000001 })
    const character_slug = await poor.createCharacter({ fallback_lines: ["Not now, {{user}}."] })
    const bot = harness.telegram.createBot()
    assert.strictEqual(
      (await poor.post("/v1/telegram/bots", { mode: "byo", token: bot.token, character_slug, join_window_ms: 0 }))
        .status,
      200
    )
    const person = harness.telegram.createUser({ first_name: "Anna" })
    for (const text of ["Hello?", "Hello??"]) harness.telegram.say(person, bot, text)
    await until(
      "both to be handled",
      async () =>
        (
          await harness.server.database
            .sql`select 1 from telegram_updates where chat_id = ${person.id} and done_at is not null`
        ).length === 2
    )
    await saidAtLeast(harness, bot, person, 1)
    assert.deepStrictEqual(harness.said(bot, person), ["Not now, Anna."])
  })
})

describe.concurrent("a group", () => {
  it("is answered if the bot is addressed, as one session with speakers' names, or one per topic", async () => {
    const { bot, id } = await harness.attach()
    const [anna, bea] = [
      harness.telegram.createUser({ first_name: "Anna" }),
      harness.telegram.createUser({ first_name: "Bea" })
    ]
    const group = harness.telegram.createGroup([anna, bea], { type: "supergroup", isForum: true })
    harness.telegram.addBot(group, anna, bot)
    harness.telegram.say(anna, group, `@${bot.username} what is for dinner?`)
    await until("an answer", () => inGroup(bot, group).length >= 2)
    const chat = await chatOf(id)
    assert.deepInclude(chat, { kind: "supergroup", thread_id: null, external_user_ref: `tg:${group.id}` })
    assert.deepStrictEqual(await hears(chat.session_id ?? "", 1), ["Anna: what is for dinner?"])
    const reply = inGroup(bot, group).at(-1)
    harness.telegram.say(bea, group, "And for me?", reply === undefined ? {} : { replyTo: reply })
    assert.deepStrictEqual((await hears(chat.session_id ?? "", 2)).slice(1), ["Bea: And for me?"])
    const thread = harness.telegram.createTopic(group, anna, "Soups")
    harness.telegram.say(anna, group, `@${bot.username} and here?`, { thread })
    const topic = await until("the topic's session", async () =>
      (await chatsOf(id)).find((each) => each.thread_id === thread)
    )
    assert.notStrictEqual(topic.session_id, chat.session_id)
    await until("an answer in the topic", () =>
      inGroup(bot, group).some((message) => message.message_thread_id === thread)
    )
  })

  it("that becomes a supergroup continues there", async () => {
    const { bot, id } = await harness.attach()
    const anna = harness.telegram.createUser({ first_name: "Anna" })
    const group = harness.telegram.createGroup([anna])
    harness.telegram.addBot(group, anna, bot)
    harness.telegram.say(anna, group, `@${bot.username} hello`)
    await until("an answer", () => inGroup(bot, group).length >= 2)
    const supergroup = harness.telegram.upgrade(group, anna)
    await until("the chat to move", async () => (await chatsOf(id)).some((each) => each.chat_id === supergroup.id))
    harness.telegram.say(anna, supergroup, `@${bot.username} and now?`)
    await until("an answer there", () => inGroup(bot, supergroup).length >= 1)
    assert.lengthOf(await chatsOf(id), 1)
  })

  it.each([
    ["before it was answered", 120],
    ["and was answered", 0]
  ] as const)(
    "that became a supergroup in which somebody wrote before we were notified, %s, is one session",
    async (_, reply_delay_seconds) => {
      const character_slug = await harness.app.createCharacter({
        greeting: GREETING,
        life_rhythm: { reply_delay_seconds: { min: reply_delay_seconds, max: reply_delay_seconds } }
      })
      const { bot, id } = await harness.attach({ character_slug })
      const { sql } = harness.server.database
      /** Ends the delays of the answers in a chat. */
      const hurry = ({ id: chat }: Group) => sql`
        update turns set due_at = now() - interval '1 minute' where deferred and owner is null and outcome is null
          and session_id in (select session_id from telegram_chats where channel_id = ${id} and chat_id = ${chat})`
      const anna = harness.telegram.createUser({ first_name: "Anna" })
      const [group, supergroup] = [
        harness.telegram.createGroup([anna]),
        harness.telegram.createGroup([anna], { type: "supergroup" })
      ]
      for (const place of [group, supergroup]) harness.telegram.addBot(place, anna, bot)
      harness.telegram.say(anna, group, `@${bot.username} hello`)
      await until("an answer", async () => {
        await hurry(group)
        return inGroup(bot, group).length >= 2
      })
      const old = (await chatOf(id)).session_id ?? ""
      harness.telegram.say(anna, supergroup, `@${bot.username} and now?`)
      const young = await until(
        "the young session",
        async () => (await chatsOf(id)).find((each) => each.chat_id === supergroup.id)?.session_id ?? undefined
      )
      await hears(young, 1)
      if (reply_delay_seconds === 0) await until("an answer there", () => inGroup(bot, supergroup).length >= 2)
      const title = "Fake group"
      await harness.hand(
        { bot, id },
        {
          message: {
            message_id: 91,
            chat: { id: group.id, type: "group", title },
            from: anna.user,
            date: 1,
            migrate_to_chat_id: supergroup.id
          }
        }
      )
      await until("the chat to move", async () => (await chatsOf(id)).length === 1)
      assert.deepInclude(await chatOf(id), {
        chat_id: supergroup.id,
        kind: "supergroup",
        session_id: old,
        external_user_ref: `tg:${group.id}`
      })
      if (reply_delay_seconds > 0) {
        assert.deepStrictEqual((await hears(old, 2)).slice(1), ["Anna: and now?"])
        assert.strictEqual((await harness.app.get(`/v1/sessions/${young}`)).status, 404)
      }
      harness.telegram.say(anna, supergroup, `@${bot.username} still there?`)
      await harness.app.waitFor(old, ({ role, payload }) => role === "user" && payload["text"] === "Anna: still there?")
      const users = (await harness.app.events(old)).filter(({ role }) => role === "user").length
      await until("all to be answered", async () => {
        await hurry(supergroup)
        const answers = (await harness.app.events(old)).filter(
          ({ type, role }) => type === "message.created" && role === "character"
        )
        return answers.length === users
      })
      await until("the last answer", async () => {
        const bubbles = (await harness.app.events(old)).at(-1)?.payload["bubbles"] as ReadonlyArray<string> | undefined
        return inGroup(bot, supergroup).at(-1)?.text === bubbles?.at(-1)
      })
      assert.lengthOf(await chatsOf(id), 1)
    }
  )

  it("that removes the bot is unreachable until the bot is added again", async () => {
    const { bot, id } = await harness.attach()
    const anna = harness.telegram.createUser({ first_name: "Anna" })
    const group = harness.telegram.createGroup([anna])
    harness.telegram.addBot(group, anna, bot)
    harness.telegram.say(anna, group, `@${bot.username} hello`)
    await until("an answer", () => inGroup(bot, group).length >= 2)
    harness.telegram.setMembership(group, anna, bot, "kicked")
    await until("the chat to be unreachable", async () => (await chatOf(id)).status === "unreachable")
    harness.telegram.setMembership(group, anna, bot, "member")
    assert.isTrue(await until("the chat to be unblocked", async () => (await chatOf(id)).status === "active"))
  })
})
