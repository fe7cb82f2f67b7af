import type postgres from "postgres"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { readZip } from "#test/support/files/readZip.ts"
import { saidAtLeast, startTelegramHarness, type TelegramHarness } from "#test/support/TelegramHarness.ts"
import { until } from "#test/support/until.ts"

const GREETING = "Come in, the soup is hot."
/** Telegram certainly did not send it, and the lane tries again after a second. */
const TWO_POLLERS = {
  kind: "error",
  code: 409,
  description: "Conflict: terminated by other getUpdates request"
} as const
const BLOCKED = { kind: "error", code: 403, description: "Forbidden: bot was blocked by the user" } as const

let harness: TelegramHarness
beforeAll(async () => {
  harness = await startTelegramHarness()
})
afterAll(() => harness.close())

/** A chat in which the next /forget confirms the deletion. */
const begin = async (fields: Record<string, unknown> = {}) => {
  const attached = await harness.attach(fields)
  const person = harness.telegram.createUser({ first_name: "Anna" })
  harness.telegram.start(person, attached.bot)
  await saidAtLeast(harness, attached.bot, person, 1)
  harness.telegram.say(person, attached.bot, "/forget")
  await saidAtLeast(harness, attached.bot, person, 2)
  return { ...attached, person }
}
type Begun = Awaited<ReturnType<typeof begin>>
const isForgotten = (text: string) => text.startsWith("Your data has been deleted")
const replies = ({ bot, person }: Pick<Begun, "bot" | "person">) => harness.said(bot, person).filter(isForgotten)

interface LaneRow {
  readonly status: string
  readonly owner: string | null
  readonly at_end: boolean
}
const serviceLogOf = async ({ id }: Pick<Begun, "id">) =>
  (
    await harness.server.database.sql<Array<{ log_id: string }>>`
      select service_log_id as log_id from telegram_chats where channel_id = ${id} and service_log_id is not null`
  )[0]?.log_id ?? assert.fail("no service log")
/** The number of rows that belong to a log: itself, its event and its lane. */
const rowsOf = (log: string) => harness.server.database.sql`
  select 1 from session_logs where session_id = ${log} union all select 1 from events where session_id = ${log}
  union all select 1 from lanes where session_id = ${log}`
/** The lane of the chat's service log. */
const laneOf = async ({ id }: Pick<Begun, "id">) =>
  (
    await harness.server.database.sql<Array<LaneRow>>`
      select l.status, l.owner, l.position >= l.head as at_end from lanes l
      join telegram_chats c on c.service_log_id = l.session_id where l.channel_id = ${id}`
  )[0]
const laneIs = (begun: Pick<Begun, "id">, what: (lane: LaneRow) => boolean) =>
  until("the lane of the service log", async () => {
    const lane = await laneOf(begun)
    return lane !== undefined && what(lane)
  })
const isOver = (begun: Pick<Begun, "id">) => laneIs(begun, ({ at_end, owner }) => at_end && owner === null)
const outcomes = async ({ id }: Pick<Begun, "id">) =>
  (
    await harness.server.database.sql<Array<{ outcome: string; error_code: string | null }>>`
      select a.outcome, a.error_code from delivery_attempts a
      join telegram_chats c on c.service_log_id = a.session_id where a.channel_id = ${id} order by a.fence`
  ).map(({ outcome, error_code }) => [outcome, error_code])

/** Leases the lane of the reply, and makes it wait for its slot until this has happened. */
const whileItWaits = ({ id, bot, person }: Begun, happens: (tx: postgres.TransactionSql) => PromiseLike<unknown>) =>
  harness.server.database.sql.begin(async (tx) => {
    await tx`select from telegram_paces where channel_id = ${id} for update`
    harness.telegram.say(person, bot, "/forget")
    await laneIs({ id }, ({ owner }) => owner !== null)
    await happens(tx)
  })
const ofServiceLog = (tx: postgres.TransactionSql, id: string) =>
  tx`session_id = (select service_log_id from telegram_chats where channel_id = ${id})`

/** The chats in the export of a person. */
const exportedChats = async (ref: string) => {
  const { app } = harness
  const response = await until("the export", async () => {
    const answer = await fetch(`${app.baseUrl}/v1/end-users/${encodeURIComponent(ref)}/export`, {
      headers: { authorization: `Bearer ${app.key}` }
    })
    return answer.status === 200 && answer
  })
  const files = await readZip(Buffer.from(await response.arrayBuffer()))
  return JSON.parse(files.get("telegram_chats.json")?.toString() ?? assert.fail("no chats"))
}

const status = async ({ id }: Pick<Begun, "id">) => (await harness.chatsOf(id))[0]?.status

describe("the reply to a completed /forget", () => {
  it("is sent by another worker if the one that was about to send it dies", async () => {
    const begun = await begin()
    await whileItWaits(begun, (tx) => tx`update lanes set owner = 'wrk_dead' where ${ofServiceLog(tx, begun.id)}`)
    await isOver(begun)
    assert.lengthOf(replies(begun), 1)
  })

  it("is not sent again if the worker dies while sending: it is recorded, and the app is told", async () => {
    const begun = await begin()
    await whileItWaits(
      begun,
      (tx) => tx`
        update lanes set owner = 'wrk_dead', sending = 1, sending_part = 0, sending_fence = fence, sending_at = now()
        where ${ofServiceLog(tx, begun.id)}`
    )
    harness.telegram.say(begun.person, begun.bot, "/start")
    assert.deepStrictEqual((await saidAtLeast(harness, begun.bot, begun.person, 3)).slice(2), [GREETING])
    assert.deepStrictEqual(await outcomes(begun), [["unknown", "interrupted"]])
    const { events } = (await harness.app.get("/v1/delivery/events?since=0&limit=200")).body.data
    const told = events.find(
      ({ type, payload }: { type: string; payload: Record<string, unknown> }) =>
        type === "delivery.unknown" && payload["channel_id"] === begun.id
    )
    assert.deepInclude(told.payload, { session_id: null, event_cursor: 1, part: 0 })
  })

  it("waits with everything else if the operator holds the bot just before it is sent", async () => {
    const begun = await begin()
    const { sql } = harness.server.database
    await whileItWaits(begun, (tx) => tx`insert into telegram_holds (scope) values (${harness.app.appId})`)
    await laneIs(begun, (lane) => lane.status === "parked")
    assert.isEmpty(replies(begun))
    await sql`update telegram_holds set released_at = now()`
    await sql`select graphile_worker.add_job('release', '{}'::json)`
    await isOver(begun)
    assert.lengthOf(replies(begun), 1)
  })

  it.each([
    ["is sent once, even if Telegram breaks the connection", { kind: "drop_after" }, [["unknown", "econnreset"]]],
    [
      "waits as long as Telegram asks",
      { kind: "error", code: 429, description: "Too Many Requests: retry after 1", parameters: { retry_after: 1 } },
      [
        ["not_sent", "rate_limited"],
        ["sent", null]
      ]
    ],
    [
      "is retried after a temporary refusal",
      TWO_POLLERS,
      [
        ["not_sent", "conflict"],
        ["sent", null]
      ]
    ]
  ] as const)("%s", async (_, fault, expected) => {
    const begun = await begin()
    harness.telegram.fault({ bot: begun.bot, method: "sendMessage" }, fault)
    harness.telegram.say(begun.person, begun.bot, "/forget")
    await isOver(begun)
    assert.deepStrictEqual(
      await outcomes(begun),
      expected.map((each) => [...each])
    )
    assert.lengthOf(replies(begun), 1)
  })

  it.each([
    ["blocked", BLOCKED],
    ["unreachable", { kind: "error", code: 400, description: "Bad Request: chat not found" } as const]
  ] as const)(
    "marks the chat as %s if Telegram says so, as any message does, and is sent when the person writes again",
    async (state, fault) => {
      const begun = await begin()
      harness.telegram.fault({ bot: begun.bot, method: "sendMessage" }, fault)
      harness.telegram.say(begun.person, begun.bot, "/forget")
      await laneIs(begun, (lane) => lane.status === "parked")
      assert.strictEqual(await status(begun), state)
      assert.isEmpty(replies(begun))
      harness.telegram.say(begun.person, begun.bot, "/start")
      const [, , ...rest] = await saidAtLeast(harness, begun.bot, begun.person, 4)
      assert.deepStrictEqual(rest.map(isForgotten), [true, false])
      assert.strictEqual(await status(begun), "active")
    }
  )

  it("does not delay a person who returns to an unreachable chat, and the next reply is sent again", async () => {
    const begun = await begin()
    const { sql } = harness.server.database
    harness.telegram.fault({ bot: begun.bot, method: "sendMessage" }, BLOCKED)
    harness.telegram.say(begun.person, begun.bot, "/forget")
    await laneIs(begun, (lane) => lane.status === "parked")
    // So long ago that neither the sweep nor the return of the person retries it.
    await sql`update lanes set due_at = now() - interval '1 day'
      where session_id = (select service_log_id from telegram_chats where channel_id = ${begun.id})`
    await sql`update events set created_at = now() - interval '1 day'
      where session_id = (select service_log_id from telegram_chats where channel_id = ${begun.id})`
    harness.telegram.say(begun.person, begun.bot, "Hello again")
    await saidAtLeast(harness, begun.bot, begun.person, 3)
    assert.strictEqual(harness.said(begun.bot, begun.person)[2], GREETING)
    for (const _ of [1, 2]) harness.telegram.say(begun.person, begun.bot, "/forget")
    await until("the reply", () => replies(begun).length === 1)
    await isOver(begun)
  })
})

describe("service replies and the messages of sessions in one chat", () => {
  it("keep their order: the greeting after a restart waits for the reply, even while it is retried", async () => {
    const begun = await begin()
    harness.telegram.fault({ bot: begun.bot, method: "sendMessage" }, TWO_POLLERS)
    for (const text of ["/forget", "/start"]) harness.telegram.say(begun.person, begun.bot, text)
    const [, , ...rest] = await saidAtLeast(harness, begun.bot, begun.person, 4)
    assert.deepStrictEqual(rest.map(isForgotten), [true, false])
  })

  it("keep their order when a suspended bot is resumed", async () => {
    const begun = await begin()
    await harness.app.post(`/v1/telegram/bots/${begun.id}/suspend`, {})
    for (const text of ["/forget", "/start"]) harness.telegram.say(begun.person, begun.bot, text)
    await until(
      "both to be stored",
      async () =>
        (
          await harness.server.database
            .sql`select 1 from telegram_updates where channel_id = ${begun.id} and done_at is null`
        ).length === 2
    )
    harness.telegram.advance(2000)
    await harness.app.post(`/v1/telegram/bots/${begun.id}/resume`, {})
    const [, , ...rest] = await saidAtLeast(harness, begun.bot, begun.person, 4)
    assert.deepStrictEqual(rest.map(isForgotten), [true, false])
  })

  it("keep their order in a session: the reply follows earlier messages on its log", async () => {
    const character_slug = await harness.app.createCharacter({ greeting: GREETING })
    const { bot, id } = await harness.attach({ character_slug })
    const person = harness.telegram.createUser({ first_name: "Bea" })
    harness.telegram.start(person, bot)
    await saidAtLeast(harness, bot, person, 1)
    const session = (await harness.chatsOf(id))[0]?.session_id ?? ""
    harness.telegram.fault({ bot, method: "sendMessage" }, TWO_POLLERS)
    harness.telegram.say(person, bot, "What is for dinner?")
    const reply = await harness.app.waitFor(
      session,
      ({ type, role }) => type === "message.created" && role === "character"
    )
    await harness.app.delete(`/v1/characters/${character_slug}`)
    harness.telegram.say(person, bot, "/reset")
    const said = await until("the last", () => {
      const texts = harness.said(bot, person)
      return texts.at(-1)?.startsWith("There is nobody here") === true && texts
    })
    assert.deepStrictEqual(said.slice(1, -1), reply.payload["bubbles"])
    assert.deepStrictEqual(
      (await harness.app.events(session)).filter(({ type }) => type === "channel.notice").map(({ payload }) => payload),
      [{ kind: "unavailable", text: said.at(-1) }]
    )
    assert.isUndefined(await laneOf({ id }))
  })
})

describe("a person whom no character can answer", () => {
  const declined = async () => {
    const character_slug = await harness.app.createCharacter({ greeting: GREETING })
    const attached = await harness.attach({ character_slug })
    await harness.app.delete(`/v1/characters/${character_slug}`)
    const person = harness.telegram.createUser({ first_name: "Cleo" })
    return { ...attached, person }
  }

  it("is told so after each message, in a chat without a session that the app can see", async () => {
    const begun = await declined()
    harness.telegram.start(begun.person, begun.bot)
    await saidAtLeast(harness, begun.bot, begun.person, 1)
    harness.telegram.say(begun.person, begun.bot, "Anybody?")
    const said = await saidAtLeast(harness, begun.bot, begun.person, 2)
    assert.deepStrictEqual(new Set(said), new Set(["There is nobody here to talk to anymore."]))
    await isOver(begun)
    const [chat, ...others] = await harness.chatsOf(begun.id)
    assert.isEmpty(others)
    assert.deepInclude(chat, { chat_id: begun.person.id, kind: "private", session_id: null, status: "active" })
  })

  it("is told so again after unblocking the bot", async () => {
    const begun = await declined()
    harness.telegram.fault({ bot: begun.bot, method: "sendMessage" }, BLOCKED)
    harness.telegram.start(begun.person, begun.bot)
    await until("the chat to be blocked", async () => (await status(begun)) === "blocked")
    harness.telegram.say(begun.person, begun.bot, "Anybody?")
    await saidAtLeast(harness, begun.bot, begun.person, 2)
    assert.strictEqual(await status(begun), "active")
  })
})

describe("a service log", () => {
  it("is not a session: no other channel gets it, and the API does not return it", async () => {
    const begun = await begin()
    const channels = `/v1/apps/${harness.app.appId}/channels`
    const create = async (url: string) => (await harness.app.post(channels, { kind: "webhook", url })).body.data.id
    const before = await create("https://example.com/before")
    harness.telegram.say(begun.person, begun.bot, "/forget")
    await isOver(begun)
    const after = await create("https://example.com/after")
    const { sql } = harness.server.database
    await until(
      "the channel to be aligned",
      async () => (await sql`select 1 from channels where channel_id = ${after} and aligned_to is null`).length === 1
    )
    const log = await serviceLogOf(begun)
    assert.deepStrictEqual(
      (await sql`select channel_id from lanes where session_id = ${log}`).map((row) => row["channel_id"]),
      [begun.id]
    )
    for (const path of ["", "/events", "/delivery"])
      assert.strictEqual((await harness.app.get(`/v1/sessions/${log}${path}`)).status, 404, path)
    for (const channel of [before, after]) await harness.app.delete(`${channels}/${channel}`)
  })

  it("is deleted with its chat when the group has moved to another chat", async () => {
    const character_slug = await harness.app.createCharacter({ greeting: GREETING })
    const { bot, id } = await harness.attach({ character_slug })
    const dora = harness.telegram.createUser({ first_name: "Dora" })
    const [group, supergroup] = [
      harness.telegram.createGroup([dora]),
      harness.telegram.createGroup([dora], { type: "supergroup" })
    ]
    for (const chat of [group, supergroup]) harness.telegram.addBot(chat, dora, bot)
    harness.telegram.say(dora, group, `@${bot.username} hello`)
    await until("the session", async () => (await harness.chatsOf(id))[0]?.session_id ?? undefined)
    await harness.app.delete(`/v1/characters/${character_slug}`)
    harness.telegram.say(dora, supergroup, `@${bot.username} and here?`)
    await isOver({ id })
    const log = await serviceLogOf({ id })
    const chat = { id: group.id, type: "group" as const, title: "Fake group" }
    await harness.hand(
      { bot, id },
      { message: { message_id: 92, chat, from: dora.user, date: 1, migrate_to_chat_id: supergroup.id } }
    )
    await until("one chat to be left", async () => (await harness.chatsOf(id)).length === 1)
    assert.isEmpty(await rowsOf(log))
  })

  it("is in the export of its person, and is erased with them", async () => {
    const begun = await begin()
    harness.telegram.say(begun.person, begun.bot, "/forget")
    await isOver(begun)
    const log = await serviceLogOf(begun)
    assert.lengthOf(await rowsOf(log), 3)
    const ref = `tg:${begun.person.id}`
    const [chat] = await exportedChats(ref)
    assert.deepStrictEqual(
      chat.service_replies.map(({ text }: { text: string }) => text),
      replies(begun)
    )
    const { erasure_id } = (await harness.app.delete(`/v1/end-users/${encodeURIComponent(ref)}`)).body.data
    await until(
      "the erasure",
      async () => (await harness.app.get(`/v1/erasures/${erasure_id}`)).body.data.status === "completed"
    )
    assert.isEmpty(await rowsOf(log))
    assert.isEmpty(await harness.chatsOf(begun.id))
  })
})
