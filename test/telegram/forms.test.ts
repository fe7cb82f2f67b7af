import { afterAll, assert, beforeAll, describe, it } from "vitest"
import sharp from "sharp"
import { newId } from "#pipeline/domain/Id.ts"
import { saidAtLeast, startTelegramHarness, type TelegramHarness } from "#test/support/TelegramHarness.ts"
import type { Group } from "#test/support/telegram/ChatState.ts"
import { until } from "#test/support/until.ts"

let harness: TelegramHarness
beforeAll(async () => {
  harness = await startTelegramHarness()
})
afterAll(() => harness.close())

/** An event on the log of a session, as a turn leaves it. */
const log = async (
  session: string,
  type: string,
  payload: Record<string, string | boolean | ReadonlyArray<string>>
) => {
  const { sql } = harness.server.database
  const [row] = await sql`update session_logs set last_cursor = last_cursor + 1
      where session_id = ${session} returning app_id, last_cursor::int as cursor`
  await sql`insert into events (app_id, session_id, cursor, id, type, role, trace_id, source_kind, payload)
    values (${row?.["app_id"]}, ${session},
      ${row?.["cursor"]}, ${`evt_${session}_${row?.["cursor"]}`},
        ${type}, 'character', 'run_1', 'telegram', ${sql.json(payload)})`
  await sql`update lanes set head =
    ${row?.["cursor"]}, status = case status when 'idle' then 'ready' else status end where session_id = ${session}`
  await sql`select graphile_worker.add_job('deliver', '{}'::json)`
}
const speak = (session: string, text: string) => log(session, "message.created", { text, bubbles: [text] })
/** A picture that the app has requested for that session. */
const picture = async (character_slug: string, session_id: string, fields: Record<string, unknown>) => {
  const { status, body } = await harness.app.post("/v1/images", {
    character_slug,
    session_id,
    kind: "scene",
    prompt: "The harbour at dusk.",
    deliver: true,
    ...fields
  })
  assert.strictEqual(status, 200, JSON.stringify(body))
}
const greeted = async (options: Record<string, unknown> = {}) => {
  const attached = await harness.attach(options)
  const person = harness.telegram.createUser({ first_name: "Anna" })
  harness.telegram.start(person, attached.bot)
  await saidAtLeast(harness, attached.bot, person, 1)
  const [chat] = await harness.chatsOf(attached.id)
  return { ...attached, person, session: chat?.session_id ?? "" }
}
const inGroup = (bot: Awaited<ReturnType<typeof greeted>>["bot"], group: Group) =>
  harness.telegram.transcript(group).filter((message) => message.from?.id === bot.id)
/** A group in which the bot has been addressed, and has answered. */
const met = async (thread?: "topic") => {
  const { bot, id } = await harness.attach()
  const anna = harness.telegram.createUser({ first_name: "Anna" })
  const group = harness.telegram.createGroup([anna], thread === undefined ? {} : { type: "supergroup", isForum: true })
  harness.telegram.addBot(group, anna, bot)
  const topic = thread === undefined ? undefined : harness.telegram.createTopic(group, anna, "Soups")
  harness.telegram.say(anna, group, `@${bot.username} hello`, topic === undefined ? {} : { thread: topic })
  await until("an answer", () => inGroup(bot, group).length >= 2)
  const [chat] = await harness.chatsOf(id)
  return { bot, id, anna, group, topic, session: chat?.session_id ?? "" }
}

describe("a message that Telegram rejects as it is", () => {
  it("is sent to the group's new id, and so are all later ones", async () => {
    const { bot, id, anna, group, session } = await met()
    const supergroup = harness.telegram.createGroup([anna], { type: "supergroup" })
    harness.telegram.addBot(supergroup, anna, bot)
    harness.telegram.fault(
      { bot, method: "sendMessage", chat: group.id },
      {
        kind: "error",
        code: 400,
        description: "Bad Request: group chat was upgraded to a supergroup chat",
        parameters: { migrate_to_chat_id: supergroup.id }
      }
    )
    await speak(session, "Here now.")
    await until("it there", () => inGroup(bot, supergroup).some(({ text }) => text === "Here now."))
    assert.deepInclude((await harness.chatsOf(id))[0], {
      chat_id: supergroup.id,
      kind: "supergroup",
      session_id: session
    })
    await speak(session, "And here.")
    await until("the next there", () => inGroup(bot, supergroup).some(({ text }) => text === "And here."))
    assert.notInclude(
      inGroup(bot, group).map(({ text }) => text),
      "And here."
    )
  })

  it("is sent to the chat itself if its topic is gone", async () => {
    const { bot, group, topic, session } = await met("topic")
    harness.telegram.deleteTopic(group, topic ?? 0)
    await speak(session, "Where is everybody?")
    const sent = await until("it in the chat", () =>
      inGroup(bot, group).find(({ text }) => text === "Where is everybody?")
    )
    assert.isUndefined(sent.message_thread_id)
  })

  it("is split again if it exceeds an unknown limit, and is unknown if only a part arrives", async () => {
    const long = Array.from({ length: 300 }, (_, n) => `Word ${n}.`).join(" ")
    const tooLong = { kind: "error", code: 400, description: "Bad Request: message is too long" } as const
    const { bot, person, session } = await greeted()
    harness.telegram.fault({ bot, method: "sendMessage" }, tooLong)
    await speak(session, long)
    await speak(session, "That was it.")
    await until("all of it", () => harness.said(bot, person).includes("That was it."))
    const parts = harness.said(bot, person).slice(1, -1)
    assert.lengthOf(parts, 2)
    assert.strictEqual(parts.join(" "), long)
    // There is no endless loop: if the halves are also too long, the message is skipped.
    harness.telegram.fault({ bot, method: "sendMessage", count: 2 }, tooLong)
    await speak(session, long)
    await speak(session, "Never mind.")
    await until("the next message", () => harness.said(bot, person).includes("Never mind."))
    harness.telegram.fault({ bot, method: "sendMessage" }, tooLong)
    harness.telegram.fault(
      { bot, method: "sendMessage", after: 1 },
      { kind: "error", code: 400, description: "Bad Request: something new" }
    )
    await speak(session, long)
    await speak(session, "Where were we?")
    await until("the next message", () => harness.said(bot, person).includes("Where were we?"))
    const outcomes = await until("the outcomes", async () => {
      const rows = await harness.server.database.sql`
          select outcome || ' ' || coalesce(error_code, '') as said from delivery_attempts where session_id = ${session}
          and cursor > 1 order by cursor`
      return rows.length === 6 && rows.map((row) => String(row["said"]).trim())
    })
    assert.deepStrictEqual(outcomes, ["sent", "sent", "rejected too_long", "sent", "unknown partly_sent", "sent"])
  })

  it("is a picture and a separate text if its caption is too long", async () => {
    const { bot, person, session, body } = await greeted()
    harness.telegram.fault(
      { bot, method: "sendPhoto" },
      { kind: "error", code: 400, description: "Bad Request: message caption is too long" }
    )
    await picture(body.character_slug, session, { caption: "From my window" })
    assert.deepStrictEqual((await saidAtLeast(harness, bot, person, 3)).slice(1), ["", "From my window"])
  })

  it.each([
    [403, "Forbidden: user is deactivated", "chat_gone"],
    [403, "Forbidden: bot can't initiate conversation with a user", "chat_not_started"],
    [403, "Forbidden: bot was kicked from the group chat", "chat_gone"],
    [400, "Bad Request: chat not found", "chat_gone"],
    [400, "Bad Request: PEER_ID_INVALID", "chat_gone"],
    [400, "Bad Request: not enough rights to send text messages to the chat", "no_rights"],
    [400, "Bad Request: CHAT_WRITE_FORBIDDEN", "no_rights"]
  ])(
    "waits while the chat cannot be reached, which the app is told, and is sent when somebody writes there: %i %s",
    async (code, description, reason) => {
      const { bot, person, session, id } = await greeted()
      harness.telegram.fault({ bot, method: "sendMessage" }, { kind: "error", code, description })
      await speak(session, "Are you there?")
      await until("the chat to be unreachable", async () => (await harness.chatsOf(id))[0]?.status === "unreachable")
      assert.strictEqual((await harness.chatsOf(id))[0]?.reason, reason)
      const { events } = (await harness.app.get("/v1/delivery/events?since=0&limit=200")).body.data
      assert.isTrue(
        events.some(
          ({ type, payload }: { type: string; payload: Record<string, unknown> }) =>
            type === "chat.unreachable" && payload["session_id"] === session && payload["reason"] === reason
        )
      )
      assert.notInclude(harness.said(bot, person), "Are you there?")
      harness.telegram.say(person, bot, "Here I am")
      await until("the waiting messages", () => harness.said(bot, person).includes("Are you there?"))
    }
  )

  it("is split at 4,096 UTF-16 units and never inside a character, not even an emoji", async () => {
    const { bot, person, session } = await greeted()
    for (const [place, letter] of [
      [4093, "😀"],
      [4090, "👩‍👩‍👧‍👦"],
      [4095, "e\u0301"]
    ] as const) {
      const text = `${"x".repeat(place)}${letter.repeat(3)}`
      const before = harness.said(bot, person).length
      await speak(session, text)
      const parts = (await saidAtLeast(harness, bot, person, before + 2)).slice(before)
      assert.strictEqual(parts.join(""), text)
      for (const part of parts)
        assert.isTrue(
          part.length <= 4096 && part.isWellFormed() && !/^(?:\u200d|\u0301)|\u200d$/u.test(part),
          part.slice(-12)
        )
    }
    assert.isEmpty(harness.telegram.calls({ bot, method: "sendMessage" }).filter(({ answer }) => answer?.ok === false))
  })

  it("is sent as text if Telegram cannot use its picture", async () => {
    const { bot, person, session, body } = await greeted()
    harness.telegram.fault(
      { bot, method: "sendPhoto" },
      { kind: "error", code: 400, description: "Bad Request: IMAGE_PROCESS_FAILED" }
    )
    await picture(body.character_slug, session, {})
    assert.match((await saidAtLeast(harness, bot, person, 2))[1] ?? "", /^A placeholder image/)
  })
})

describe("a picture", () => {
  it("is uploaded as one, with its caption, in order with the text", async () => {
    const { bot, person, session, body } = await greeted()
    await picture(body.character_slug, session, { caption: "From my window" })
    await until("the picture", () => harness.said(bot, person).includes("From my window"))
    await speak(session, "Do you like it?")
    assert.deepStrictEqual((await saidAtLeast(harness, bot, person, 3)).slice(1), ["From my window", "Do you like it?"])
    const [call] = harness.telegram.calls({ bot, method: "sendPhoto" })
    assert.deepInclude(call?.parameters, { caption: "From my window" })
    const photo = harness.telegram
      .transcript(bot, person)
      .find((message) => message.photo !== undefined)
      ?.photo?.at(-1)
    const path = (
      (await (await fetch(`${harness.telegram.url}/bot${bot.token}/getFile?file_id=${photo?.file_id}`)).json()) as {
        readonly result: { readonly file_path: string }
      }
    ).result.file_path
    const bytes = Buffer.from(await (await fetch(`${harness.telegram.url}/file/bot${bot.token}/${path}`)).arrayBuffer())
    assert.deepInclude(await sharp(bytes).metadata(), { format: "png", width: 512, height: 512 })
    const { deliveries } = (await harness.app.get(`/v1/sessions/${session}/delivery`)).body.data
    assert.isTrue(
      deliveries.some(
        ({ event_id, outcome }: { event_id: string; outcome: string }) => event_id !== "" && outcome === "sent"
      )
    )
  })

  it("with an unknown outcome is also marked if it is sent once more", async () => {
    const { bot, person, session, body } = await greeted({ unknown_policy: "resend_marked" })
    harness.telegram.fault({ bot, method: "sendPhoto" }, { kind: "drop_before" })
    await picture(body.character_slug, session, {})
    assert.deepStrictEqual((await saidAtLeast(harness, bot, person, 2)).slice(1), ["↻"])
  })

  it("that was deleted before it could be sent is skipped, and the following text is sent", async () => {
    const { bot, person, session } = await greeted()
    await log(session, "image.ready", {
      image_url: "http://127.0.0.1/x",
      servable: true,
      image_request_id: newId("img"),
      visible_description: "The harbour"
    })
    await speak(session, "Never mind.")
    assert.deepStrictEqual((await saidAtLeast(harness, bot, person, 2)).slice(1), ["Never mind."])
    assert.isEmpty(harness.telegram.calls({ bot, method: "sendPhoto" }))
  })
})

describe("a chat with private topics", () => {
  it("has a session for each topic, and answers in the right one", async () => {
    const bot = harness.telegram.createBot({ has_topics_enabled: true })
    const { id } = await harness.attach({}, bot)
    const person = harness.telegram.createUser({ first_name: "Anna" })
    harness.telegram.start(person, bot)
    await saidAtLeast(harness, bot, person, 1)
    const topic = (await (
      await fetch(`${harness.telegram.url}/bot${bot.token}/createForumTopic?chat_id=${person.id}&name=Soups`)
    ).json()) as { readonly result: { readonly message_thread_id: number } }
    const thread = topic.result.message_thread_id
    harness.telegram.say(person, bot, "And here?", { thread })
    await until("an answer in the topic", () =>
      harness.telegram
        .transcript(bot, person)
        .some(
          (message) => message.from?.id === bot.id && message.message_thread_id === thread && message.text !== undefined
        )
    )
    const chats = await harness.chatsOf(id)
    assert.lengthOf(chats, 2)
    assert.lengthOf(new Set(chats.map(({ session_id }) => session_id)), 2)
    for (const chat of chats) assert.strictEqual(chat.external_user_ref, `tg:${person.id}`)
  })
})
