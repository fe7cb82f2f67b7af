import { createHash } from "node:crypto"
import postgres from "postgres"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { newId } from "#pipeline/domain/Id.ts"
import { saidAtLeast, startTelegramHarness, type TelegramHarness } from "#test/support/TelegramHarness.ts"
import { withoutUpdates } from "#test/support/postgres/withoutUpdates.ts"
import { until } from "#test/support/until.ts"

let harness: TelegramHarness
beforeAll(async () => {
  harness = await startTelegramHarness()
})
afterAll(() => harness.close())

const attach = async () => {
  const { bot, id } = await harness.attach()
  const [set] = harness.telegram.calls({ bot, method: "setWebhook" })
  return { bot, id, secret: String(set?.parameters["secret_token"]) }
}
let updateId = 1_000_000
const message = (text: string, from = 777_000_111) => ({
  update_id: ++updateId,
  message: {
    message_id: updateId,
    date: 1,
    chat: { id: from, type: "private", first_name: "Anna" },
    from: { id: from, is_bot: false, first_name: "Anna" },
    text
  }
})
const post = (id: string, secret: string | null, body: unknown) =>
  fetch(`${harness.server.baseUrl}/v1/telegram/hooks/${id}`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      ...(secret !== null && { "x-telegram-bot-api-secret-token": secret })
    },
    body: typeof body === "string" ? body : JSON.stringify(body)
  })
const stored = async (id: string) =>
  (
    await harness.server.database.sql`select count(*)::int as count from telegram_updates where channel_id = ${id}`
  )[0]?.["count"]

describe("a bot's webhook", () => {
  it("accepts an update with the bot's secret, and no other", async () => {
    const { id, secret } = await attach()
    for (const wrong of [null, "", "x", `${secret}x`, createHash("sha256").update(secret).digest("hex")]) {
      assert.strictEqual((await post(id, wrong, message("hello"))).status, 401, String(wrong))
    }
    assert.strictEqual(await stored(id), 0)
    const taken = await post(id, secret, message("hello"))
    assert.strictEqual(taken.status, 200)
    assert.strictEqual(await taken.text(), "")
    assert.strictEqual(await stored(id), 1)
  })

  it("returns the request id in each response, and no header that only a browser would need", async () => {
    const { id, secret } = await attach()
    for (const shown of [secret, "x"]) {
      const { headers } = await post(id, shown, message("hello"))
      assert.sameMembers([...headers.keys()], ["connection", "content-length", "date", "keep-alive", "x-request-id"])
    }
    const tooLarge = await post(id, secret, "x".repeat(2 ** 20 + 1))
    assert.deepStrictEqual([tooLarge.status, tooLarge.headers.get("x-content-type-options")], [413, "nosniff"])
  })

  it("accepts the updates of other bots while a repeated update waits for its result", async () => {
    const [held, other] = [await attach(), await attach()]
    const { sql, url } = harness.server.database
    const update = message("hello")
    assert.strictEqual((await post(held.id, held.secret, update)).status, 200)
    const holder = postgres(url, { max: 1 })
    const isHeld = Promise.withResolvers<void>()
    const release = Promise.withResolvers<void>()
    const holding = holder.begin(async (held) => {
      await held`update telegram_updates set message_id = message_id + 0 where update_id = ${update.update_id}`
      isHeld.resolve()
      await release.promise
    })
    try {
      // Locks its row explicitly, because the lock could otherwise be that of a process that answers the update.
      await Promise.race([isHeld.promise, holding])
      let isAnswered = false
      const again = post(held.id, held.secret, update).then(({ status }) => {
        isAnswered = true
        return status
      })
      await until(
        "the update to wait",
        async () =>
          (
            await sql`select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'
              and query like '%insert into telegram_updates%'`
          ).length > 0
      )
      assert.strictEqual((await post(other.id, other.secret, message("hello"))).status, 200)
      assert.isFalse(isAnswered)
      release.resolve()
      await holding
      assert.strictEqual(await again, 200)
    } finally {
      release.resolve()
      await holding
      await holder.end()
    }
  })

  it("stores unusual JSON unchanged: spaces, escapes, unpaired surrogates, and a zero", async () => {
    const { id, secret } = await attach()
    const escaped = String.raw`\u0000 \ud83d "\\" {[ é \u00e9`.replaceAll('"', String.raw`\"`)
    const odd = ` \n${JSON.stringify(message("TEXT")).replace("TEXT", escaped)}\t\r\n `
    const others = Array.from({ length: 5 }, () => message("plain"))
    const answers = await Promise.all([odd, ...others].map((body) => post(id, secret, body)))
    assert.deepStrictEqual(
      answers.map(({ status }) => status),
      answers.map(() => 200)
    )
    const kept = await harness.server.database.sql<
      Array<{ raw: string }>
    >`select raw::text as raw from telegram_updates where channel_id = ${id} order by update_id`
    assert.deepStrictEqual(
      kept.map(({ raw }) => JSON.parse(raw)),
      [JSON.parse(odd), ...others]
    )
  })

  it("also accepts the old secret for ten minutes after a rotation, and the new one at once", async () => {
    const { bot, id, secret } = await attach()
    assert.strictEqual((await post(id, secret, message("warm"))).status, 200)
    harness.telegram.advance(2000)
    assert.strictEqual((await harness.app.post(`/v1/telegram/bots/${id}/rotate-secret`, {})).status, 200)
    const next = String(harness.telegram.calls({ bot, method: "setWebhook" }).at(-1)?.parameters["secret_token"])
    assert.notStrictEqual(next, secret)
    assert.strictEqual((await post(id, next, message("new"))).status, 200)
    assert.strictEqual((await post(id, secret, message("old"))).status, 200)
    await harness.server.database.sql`update telegram_bots set previous_secret_until = now() where channel_id = ${id}`
    await until("the old secret to be refused", async () => (await post(id, secret, message("too old"))).status === 401)
    assert.strictEqual((await post(id, next, message("new"))).status, 200)
  })

  it("accepts the old secret as long as Telegram may not have the new one, and sets the webhook again", async () => {
    const { bot, id, secret } = await attach()
    const { sql } = harness.server.database
    harness.telegram.advance(2000)
    harness.telegram.fault({ bot, method: "setWebhook" }, { kind: "html502" })
    assert.strictEqual(
      (await harness.app.post(`/v1/telegram/bots/${id}/rotate-secret`, {})).body.data.status,
      "degraded"
    )
    // Ten minutes later.
    await sql`update telegram_bots set previous_secret_until = previous_secret_until - interval '11 minutes',
      secret_pending_since = secret_pending_since - interval '11 minutes' where channel_id = ${id}`
    for (const text of ["one", "two"]) assert.strictEqual((await post(id, secret, message(text))).status, 200)
    assert.strictEqual((await harness.app.post(`/v1/telegram/bots/${id}/probe`, {})).body.data.status, "active")
    const next = String(harness.telegram.calls({ bot, method: "setWebhook" }).at(-1)?.parameters["secret_token"])
    assert.strictEqual((await post(id, next, message("new"))).status, 200)
    await sql`update telegram_bots set previous_secret_until = now()
      where channel_id = ${id} and previous_secret_until < now() + interval '11 minutes'`
    await until("the old secret to be refused", async () => (await post(id, secret, message("too old"))).status === 401)
  })

  it("stores an update once, however often Telegram repeats it, and answers it once", async () => {
    const { id, secret } = await attach()
    const update = message("What is for dinner?")
    const answers = await Promise.all(Array.from({ length: 10 }, () => post(id, secret, update)))
    assert.deepStrictEqual([...new Set(answers.map(({ status }) => status))], [200])
    assert.strictEqual(await stored(id), 1)
    const session = await until(
      "the session",
      async () => (await harness.app.get(`/v1/telegram/bots/${id}/chats`)).body.data.chats[0]?.session_id
    )
    await harness.app.waitFor(session, (event) => event.type === "message.created" && event.role === "character")
    await post(id, secret, update)
    assert.lengthOf(
      (await harness.app.events(session)).filter((event) => event.role === "user"),
      1
    )
  })

  it("answers an invalid update like a valid one, so that it is not repeated for a day", async () => {
    const { id, secret } = await attach()
    for (const odd of ["", "not json", "[]", "{}", `{"update_id":"x"}`, `{"update_id":1.5}`, "\u0000"])
      assert.strictEqual((await post(id, secret, odd)).status, 200, odd)
    assert.strictEqual(await stored(id), 0)
    assert.strictEqual(
      (await post(id, secret, { update_id: ++updateId, message: { strange: ["x"] }, poll: {} })).status,
      200
    )
    assert.strictEqual(
      (await post(id, secret, `{"update_id":${++updateId},"message":{"text":"\\u0000 \\ud800"}}`)).status,
      200
    )
    await until(
      "both to be done",
      async () =>
        (
          await harness.server.database.sql`
              select count(*)::int as count from telegram_updates where channel_id = ${id} and done_at is not null
              and error is null`
        )[0]?.["count"] === 2
    )
  })

  it("returns 410 for a bot that does not exist or was detached", async () => {
    const { id, secret } = await attach()
    await harness.app.delete(`/v1/telegram/bots/${id}`)
    await until("the bot to be detached everywhere", async () => (await post(id, secret, message("x"))).status === 410)
    for (const other of [newId("bot"), "manager", "bot_x"])
      assert.strictEqual((await post(other, secret, message("x"))).status, 410)
    assert.strictEqual((await fetch(`${harness.server.baseUrl}/v1/telegram/hooks/${id}`)).status, 405)
  })

  it("returns 503 with a retry time while the database is unreachable, and handles the update afterwards", async () => {
    const { bot, id } = await attach()
    const person = harness.telegram.createUser({ first_name: "Anna" })
    await withoutUpdates(harness.server, async () => {
      harness.telegram.start(person, bot)
      await until("an attempt", () => harness.telegram.deliveries(bot).find(({ outcome }) => outcome === 503))
    })
    harness.telegram.advance(6000)
    assert.lengthOf(await saidAtLeast(harness, bot, person, 1), 1)
    assert.strictEqual(await stored(id), 1)
  })
})
