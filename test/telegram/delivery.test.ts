import { afterAll, assert, beforeAll, describe, it } from "vitest"
import type * as z from "zod"
import type { DeliveryData, DeliveryDetail } from "#src/http/delivery/channelSchemas.ts"
import type { LogEvent } from "#test/support/TestApp.ts"
import { saidAtLeast, startTelegramHarness, type TelegramHarness } from "#test/support/TelegramHarness.ts"
import type { FaultSelection, Trouble } from "#test/support/telegram/Faults.ts"
import { until } from "#test/support/until.ts"

let harness: TelegramHarness
beforeAll(async () => {
  harness = await startTelegramHarness()
})
afterAll(() => harness.close())

const GREETING = "Come in, the soup is hot."

/** A chat whose greeting has arrived. */
const greeted = async (fields: Record<string, unknown> = {}) => {
  const { telegram, app } = harness
  const attached = await harness.attach(fields)
  const person = telegram.createUser({ first_name: "Anna" })
  telegram.start(person, attached.bot)
  await saidAtLeast(harness, attached.bot, person, 1)
  const [chat] = (await app.get(`/v1/telegram/bots/${attached.id}/chats`)).body.data.chats
  await until("the greeting's outcome", async () => (await deliveries(chat.session_id))[0]?.outcome === "sent")
  return { ...attached, person, session: chat.session_id as string }
}
const deliveries = async (session: string): Promise<ReadonlyArray<z.output<typeof DeliveryData>>> =>
  (await harness.app.get(`/v1/sessions/${session}/delivery`)).body.data.deliveries
const attemptsOf = async (session: string, cursor: number) => {
  const found = (await deliveries(session)).find((delivery) => delivery.event_cursor === cursor)
  return (await harness.app.get(`/v1/sessions/${session}/delivery/${found?.id}`)).body.data.attempt_list as z.output<
    typeof DeliveryDetail
  >["attempt_list"]
}
/** How far a process got before it died: what it had recorded of the event. */
interface Death {
  readonly part: number
  readonly sending: number | null
}
/**
 * An event of the character with these bubbles, as a turn leaves it, or as a process that died while sending leaves it.
 */
const speak = async (session: string, bubbles: ReadonlyArray<string>, death?: Death) => {
  const { sql } = harness.server.database
  const [log] = await sql`update session_logs set last_cursor = last_cursor + 1
      where session_id = ${session} returning app_id, last_cursor::int as cursor`
  await sql`insert into events (app_id, session_id, cursor, id, type, role, trace_id, source_kind, payload)
    values (${log?.["app_id"]}, ${session},
      ${log?.["cursor"]}, ${`evt_${session}_${log?.["cursor"]}`}, 'message.created', 'character', 'run_1', 'telegram',
        ${sql.json({ text: bubbles.join("\n"), bubbles: [...bubbles] })})`
  await sql`update lanes set head =
    ${log?.["cursor"]}, status = case status when 'idle' then 'ready' else status end
      where session_id = ${session} and ${death === undefined}`
  if (death !== undefined) {
    const { part, sending } = death
    await sql`update lanes set head =
      ${log?.["cursor"]}, status = 'ready', owner = 'wrk_dead', fence = fence + 1,
        part = ${part}, sending_part = ${sending ?? 0},
      sending = case when ${sending !== null}
        then ${log?.["cursor"]}::bigint end, sending_fence = case
          when ${sending !== null} then fence + 1 end, sending_at = case
            when ${sending !== null} then now() end where session_id = ${session}`
  }
  await sql`select graphile_worker.add_job('deliver', '{}'::json)`
  return log?.["cursor"] as number
}
/** A model whose answer is withheld until a test releases it. */
const takingItsTime = () =>
  harness.app.createCharacter({ greeting: GREETING, life_rhythm: { reply_delay_seconds: { min: 60, max: 60 } } })
const fault = (selection: FaultSelection, trouble: Trouble) =>
  harness.telegram.fault({ method: "sendMessage", ...selection }, trouble)
const operations = async () =>
  (await harness.app.get("/v1/delivery/events")).body.data.events as ReadonlyArray<LogEvent>
const refused = (code: number, description: string, parameters: object = {}): Trouble => ({
  kind: "error",
  code,
  description,
  parameters
})

describe("an event of several bubbles", () => {
  it("is sent message by message, in order, and counts as sent only when all of them are", async () => {
    const { bot, person, session } = await greeted()
    const cursor = await speak(session, ["One.", "Two.", "Three."])
    assert.deepStrictEqual(await saidAtLeast(harness, bot, person, 4), [GREETING, "One.", "Two.", "Three."])
    await until("the outcome", async () => (await attemptsOf(session, cursor)).length === 3)
    assert.deepStrictEqual(
      (await attemptsOf(session, cursor)).map(({ part, outcome }) => ({ part, outcome })),
      [0, 1, 2].map((part) => ({ part, outcome: "sent" }))
    )
  })

  it("continues with the bubble that failed, and sends no earlier one again", async () => {
    const { bot, person, session } = await greeted()
    fault({ bot, after: 1 }, { kind: "html502" })
    fault({ bot, after: 1 }, refused(429, "Too Many Requests: retry after 1", { retry_after: 1 }))
    const cursor = await speak(session, ["One.", "Two.", "Three."])
    await saidAtLeast(harness, bot, person, 3)
    await until("the last bubble", () => harness.said(bot, person).includes("Three."))
    // The gateway's page does not say whether the second arrived: it is not sent again, and the third is.
    assert.deepStrictEqual(harness.said(bot, person), [GREETING, "One.", "Three."])
    await until("the outcomes", async () => (await attemptsOf(session, cursor)).length === 4)
    assert.deepStrictEqual(
      (await attemptsOf(session, cursor)).map(({ part, outcome }) => `${part} ${outcome}`),
      ["0 sent", "1 unknown", "2 not_sent", "2 sent"]
    )
    const view = (await deliveries(session)).find((delivery) => delivery.event_cursor === cursor)
    assert.strictEqual(view?.outcome, "unknown")
  })

  it("with an unknown part can be retried, and only that part is sent", async () => {
    const { bot, person, session } = await greeted()
    fault({ bot, after: 1 }, { kind: "drop_before" })
    const cursor = await speak(session, ["One.", "Two.", "Three."])
    await until("the last bubble", () => harness.said(bot, person).includes("Three."))
    const id = await until(
      "the delivery",
      async () =>
        (await deliveries(session)).find(
          (delivery) => delivery.event_cursor === cursor && delivery.outcome === "unknown"
        )?.id
    )
    assert.strictEqual((await harness.app.post(`/v1/sessions/${session}/delivery/${id}/retry`, {})).status, 200)
    await until("the missing bubble", () => harness.said(bot, person).includes("Two."))
    assert.deepStrictEqual(harness.said(bot, person), [GREETING, "One.", "Three.", "Two."])
    await until(
      "the outcome",
      async () => (await deliveries(session)).find((delivery) => delivery.id === id)?.outcome === "sent"
    )
  })
})

describe("a message with an unknown outcome", () => {
  it("is not sent again, and the app is told, whether or not it had arrived", async () => {
    for (const kind of ["drop_before", "drop_after"] as const) {
      const { bot, person, session } = await greeted()
      fault({ bot }, { kind })
      const cursor = await speak(session, ["Only once.", "And then."])
      await until("the next message", () => harness.said(bot, person).includes("And then."))
      assert.lengthOf(
        harness.said(bot, person).filter((text) => text === "Only once."),
        kind === "drop_after" ? 1 : 0
      )
      const told = await until("the operational event", async () =>
        (await operations()).find((event) => event.type === "delivery.unknown" && event.payload.session_id === session)
      )
      assert.deepInclude(told.payload, { event_cursor: cursor, part: 0 })
    }
  })

  it("is sent once more, with or without a mark, if the bot's owner has chosen that", async () => {
    for (const [unknown_policy, copy] of [
      ["resend_once", "Here."],
      ["resend_marked", "↻ Here."]
    ] as const) {
      const { bot, person, session } = await greeted({ unknown_policy })
      fault({ bot }, { kind: "drop_after" })
      await speak(session, ["Here.", "Then."])
      await until("the next message", () => harness.said(bot, person).includes("Then."))
      assert.deepStrictEqual(harness.said(bot, person), [GREETING, "Here.", copy, "Then."])
    }
  })

  it("is marked whatever its length", async () => {
    const { bot, person, session } = await greeted({ unknown_policy: "resend_marked" })
    fault({ bot }, { kind: "drop_before" })
    await speak(session, ["x".repeat(4096), "Then."])
    await until("the next message", () => harness.said(bot, person).includes("Then."))
    assert.strictEqual(harness.said(bot, person).slice(1, -1).join(""), `↻ ${"x".repeat(4096)}`)
  })

  it("is given up after a second time", async () => {
    const { bot, person, session } = await greeted({ unknown_policy: "resend_once" })
    fault({ bot, count: 2 }, { kind: "drop_before" })
    const cursor = await speak(session, ["Lost.", "Then."])
    await until("the next message", () => harness.said(bot, person).includes("Then."))
    assert.deepStrictEqual(
      (await attemptsOf(session, cursor)).slice(0, 2).map(({ outcome }) => outcome),
      ["unknown", "unknown"]
    )
    assert.notInclude(harness.said(bot, person), "Lost.")
  })
})

describe("a process that dies while sending an event", () => {
  it.each<readonly [string, Death, ReadonlyArray<string>, ReadonlyArray<number>]>([
    ["before it has recorded its intent", { part: 0, sending: null }, ["One.", "Two."], []],
    ["between the intent, the call and its result", { part: 0, sending: 0 }, ["Two."], [0]],
    ["between two messages", { part: 1, sending: null }, ["Two."], []],
    ["during the second", { part: 1, sending: 1 }, [], [1]]
  ])(
    "%s leaves unsent bubbles to the next process, and records possibly sent ones as unknown",
    async (_, death, heard, unknown) => {
      const { bot, person, session } = await greeted()
      const cursor = await speak(session, ["One.", "Two."], death)
      await speak(session, ["And then."])
      await until("the next message", () => harness.said(bot, person).includes("And then."))
      assert.deepStrictEqual(harness.said(bot, person), [GREETING, ...heard, "And then."])
      const attempts = await harness.server.database.sql`
          select part from delivery_attempts where session_id = ${session} and cursor = ${cursor}
          and outcome = 'unknown'`
      assert.deepStrictEqual(
        attempts.map(({ part }) => part),
        [...unknown]
      )
      const told = (await operations()).filter(
        ({ type, payload }) => type === "delivery.unknown" && payload["session_id"] === session
      )
      assert.deepStrictEqual(
        told.map(({ payload }) => payload["part"]),
        [...unknown]
      )
    }
  )
})

describe("a message that certainly was not sent", () => {
  it("waits as long as Telegram asks, which is not a failed attempt", async () => {
    const { bot, person, session } = await greeted()
    fault({ bot }, refused(429, "Too Many Requests: retry after 3", { retry_after: 3 }))
    const cursor = await speak(session, ["Patience."])
    await until("the message", () => harness.said(bot, person).includes("Patience."))
    const [first, second] = harness.telegram
      .calls({ bot, method: "sendMessage" })
      .filter((call) => call.parameters["text"] === "Patience.")
    assert.isAtLeast((second?.atMs ?? 0) - (first?.atMs ?? 0), 3000)
    await until("the outcome", async () => (await attemptsOf(session, cursor)).length === 2)
    assert.deepInclude((await attemptsOf(session, cursor))[0], {
      outcome: "not_sent",
      error_code: "rate_limited",
      status_code: 429
    })
  })

  it("is reported to the app if the wait is long", async () => {
    const { bot, session } = await greeted()
    fault({ bot }, refused(429, "Too Many Requests: retry after 4000", { retry_after: 4000 }))
    await speak(session, ["Much later."])
    const told = await until("the operational event", async () =>
      (await operations()).find((event) => event.type === "delivery.delayed" && event.payload.session_id === session)
    )
    assert.strictEqual(told.payload.seconds, 4000)
    await until("the lane to wait", async () => {
      const [lane] = await harness.server.database.sql`
          select status, owner, due_at > now() + interval '3900 seconds' as later from lanes
          where session_id = ${session}`
      return lane?.["status"] === "waiting" && lane["owner"] === null && lane["later"]
    })
    const [waiting] = await deliveries(session)
    assert.strictEqual(waiting?.outcome, "not_sent")
    assert.isAbove(Date.parse(waiting?.next_attempt_at ?? ""), Date.now() + 3_900_000)
  })

  it("is sent without formatting if Telegram rejects it, and as text if it rejects the picture", async () => {
    const { bot, person, session } = await greeted()
    fault({ bot }, refused(400, "Bad Request: can't parse entities: oops"))
    await speak(session, ["*nods* Yes."])
    await until("the message", () => harness.said(bot, person).includes("nods Yes."))
    const [first, second] = harness.telegram
      .calls({ bot, method: "sendMessage" })
      .filter((call) => call.parameters["text"] === "nods Yes.")
    assert.lengthOf(first?.parameters["entities"] as Array<unknown>, 1)
    assert.isEmpty(second?.parameters["entities"])
  })

  it("is skipped if Telegram refuses it permanently: one message blocks nobody", async () => {
    const { bot, person, session } = await greeted()
    fault({ bot }, refused(400, "Bad Request: something nobody has seen"))
    const cursor = await speak(session, ["Cursed.", "Fine."])
    await until("the next", () => harness.said(bot, person).includes("Fine."))
    assert.deepInclude((await attemptsOf(session, cursor))[0], {
      outcome: "rejected",
      error_code: "rejected",
      status_code: 400
    })
  })
})

describe("a person who blocks the bot", () => {
  it("in the middle of a reply gets the rest of it after unblocking, and the app is told", async () => {
    const { bot, person, session, id } = await greeted()
    harness.telegram.block(person, bot)
    const cursor = await speak(session, ["One.", "Two."])
    await until(
      "the lane to be parked",
      async () =>
        (await harness.server.database.sql`select status from lanes where session_id = ${session}`)[0]?.["status"] ===
        "parked"
    )
    const told = await until("the operational event", async () =>
      (await operations()).find((event) => event.type === "chat.blocked" && event.payload.session_id === session)
    )
    assert.strictEqual(told.payload.channel_id, id)
    assert.strictEqual((await harness.app.get(`/v1/telegram/bots/${id}/chats`)).body.data.chats[0].status, "blocked")
    harness.telegram.unblock(person, bot)
    await until("the reply", () => harness.said(bot, person).includes("Two."))
    assert.deepStrictEqual(harness.said(bot, person), [GREETING, "One.", "Two."])
    await until(
      "the outcome",
      async () => (await deliveries(session)).find((delivery) => delivery.event_cursor === cursor)?.outcome === "sent"
    )
    assert.isDefined(
      await until("the operational event", async () =>
        (await operations()).find((event) => event.type === "chat.unblocked" && event.payload.session_id === session)
      )
    )
  })

  it("for a long time is not flooded with old messages afterwards", async () => {
    const { bot, person, session } = await greeted()
    harness.telegram.block(person, bot)
    const cursor = await speak(session, ["Long ago."])
    // An attempt that is still in flight when the person returns is not late.
    await until(
      "the lane to be parked",
      async () =>
        (
          await harness.server.database
            .sql`select 1 from lanes where session_id = ${session} and status = 'parked' and owner is null`
        ).length > 0
    )
    await harness.server.database.sql`
        update events set created_at = now() - interval '11 minutes' where session_id = ${session}
        and cursor = ${cursor}`
    harness.telegram.unblock(person, bot)
    await until(
      "the outcome",
      async () =>
        (await deliveries(session)).find((delivery) => delivery.event_cursor === cursor)?.outcome === "expired"
    )
    await speak(session, ["Now."])
    await until("the new events", () => harness.said(bot, person).includes("Now."))
    assert.notInclude(harness.said(bot, person), "Long ago.")
  })

  it("is treated by the more recent of the two updates, in whichever order they arrive", async () => {
    const { bot, id } = await greeted()
    const { sql } = harness.server.database
    const [row] = await sql`select chat_id from telegram_chats where channel_id = ${id}`
    const person = {
      chat: { id: Number(row?.["chat_id"]), type: "private" },
      from: { id: Number(row?.["chat_id"]), is_bot: false, first_name: "Anna" },
      date: 1
    }
    const member = (update_id: number, status: string) => ({
      update_id,
      my_chat_member: {
        ...person,
        old_chat_member: { user: bot.user, status: "member" },
        new_chat_member: { user: bot.user, status }
      }
    })
    const status = async () => (await sql`select status from telegram_chats where channel_id = ${id}`)[0]?.["status"]
    const secret = String(harness.telegram.calls({ bot, method: "setWebhook" }).at(-1)?.parameters["secret_token"])
    const hand = async (update: { readonly update_id: number }) => {
      const { status } = await fetch(`${harness.server.baseUrl}/v1/telegram/hooks/${id}`, {
        method: "POST",
        headers: { "content-type": "application/json", "x-telegram-bot-api-secret-token": secret },
        body: JSON.stringify(update)
      })
      assert.strictEqual(status, 200)
      await until(
        "the update",
        async () =>
          (
            await sql`select 1 from telegram_updates
              where channel_id = ${id} and update_id = ${update.update_id} and done_at is not null`
          ).length === 1
      )
    }
    await hand(member(2_000_000_000, "kicked"))
    assert.strictEqual(await status(), "blocked")
    await hand(member(1_999_999_999, "member"))
    assert.strictEqual(await status(), "blocked")
    await hand(member(2_000_000_002, "member"))
    assert.strictEqual(await status(), "active")
    await hand(member(2_000_000_001, "kicked"))
    assert.strictEqual(await status(), "active")
    // A message from them is a more recent update, too.
    await hand({ update_id: 2_000_000_009, message: { ...person, message_id: 5, text: "I am here" } } as {
      readonly update_id: number
    })
    await hand(member(2_000_000_008, "kicked"))
    assert.strictEqual(await status(), "active")
    await hand(member(2_000_000_010, "kicked"))
    assert.strictEqual(await status(), "blocked")
    // After a quiet week, Telegram's next update id is arbitrary.
    await sql`update telegram_chats set status_update_at = status_update_at - interval '8 days'
      where channel_id = ${id}`
    await sql`delete from telegram_updates where channel_id = ${id}`
    await hand(member(1_000_000, "member"))
    assert.strictEqual(await status(), "active")
  })
})

describe("typing", () => {
  it("is shown while the answer is generated, and ends with its first bubble", async () => {
    const { bot, person, session } = await greeted({ character_slug: await takingItsTime() })
    harness.telegram.say(person, bot, "What is for dinner?")
    await harness.telegram.called({ bot, method: "sendChatAction" })
    const { sql } = harness.server.database
    await until(
      "the answer to be delayed",
      async () =>
        (
          await sql`update turns set due_at = now() - interval '1 minute'
            where session_id = ${session} and deferred and owner is null returning 1`
        ).length > 0
    )
    await saidAtLeast(harness, bot, person, 2)
    const calls = harness.telegram.calls({ bot }).map((call) => call.method)
    assert.isBelow(calls.indexOf("sendChatAction"), calls.lastIndexOf("sendMessage"))
  })
})

describe("a token that Telegram no longer accepts", () => {
  it("ends the typing indicator with the one call that discovers it", async () => {
    const { bot, person, id } = await greeted({ character_slug: await takingItsTime() })
    harness.telegram.fault({ bot, method: "sendChatAction" }, refused(401, "Unauthorized"))
    harness.telegram.say(person, bot, "What is for dinner?")
    await until(
      "the bot to be revoked",
      async () => (await harness.app.get(`/v1/telegram/bots/${id}`)).body.data.status === "revoked"
    )
    assert.lengthOf(harness.telegram.calls({ bot, method: "sendChatAction" }), 1)
  })

  it("revokes the bot at the first refusal, stops its lanes, and tells the app; a new token restores it", async () => {
    const { bot, person, session, id } = await greeted()
    harness.telegram.revokeToken(bot)
    const cursor = await speak(session, ["Late."])
    await until(
      "the bot to be revoked",
      async () => (await harness.app.get(`/v1/telegram/bots/${id}`)).body.data.status === "revoked"
    )
    const told = await until("the operational event", async () =>
      (await operations()).find((event) => event.type === "bot.revoked" && event.payload.bot_id === id)
    )
    assert.isDefined(told)
    const before = harness.telegram.calls({ bot }).length
    await speak(session, ["Later."])
    harness.telegram.say(person, bot, "Are you there?")
    const { body, status } = await harness.app.patch(`/v1/telegram/bots/${id}`, { token: bot.token })
    assert.strictEqual(status, 200, JSON.stringify(body))
    assert.strictEqual(body.data.status, "active")
    await until("all waiting messages", () => harness.said(bot, person).includes("Later."))
    assert.deepStrictEqual(harness.said(bot, person).slice(0, 3), [GREETING, "Late.", "Later."])
    // Messages that people wrote meanwhile waited at Telegram, and are answered.
    await until("the answer", () => harness.said(bot, person).length > 3)
    assert.isAbove(harness.telegram.calls({ bot }).length, before)
    await until(
      "the outcome",
      async () => (await deliveries(session)).find((delivery) => delivery.event_cursor === cursor)?.outcome === "sent"
    )
  })
})
