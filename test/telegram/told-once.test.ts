import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { dyingAt } from "#test/support/failCommitOnce.ts"
import { saidAtLeast, startTelegramGround, type TelegramGround } from "#test/support/TelegramHarness.ts"
import type { LogEvent } from "#test/support/TestApp.ts"
import { until } from "#test/support/until.ts"

let ground: TelegramGround
beforeAll(async () => {
  ground = await startTelegramGround()
})
afterAll(() => ground.close())

const started = async () => {
  const attached = await ground.attach()
  const person = ground.telegram.createUser({ first_name: "Anna" })
  ground.telegram.start(person, attached.bot)
  await saidAtLeast(ground, attached.bot, person, 1)
  await allDone(attached.id)
  return { ...attached, person, chat: { id: person.id, type: "private" as const, first_name: "Anna" } }
}
type Started = Awaited<ReturnType<typeof started>>
const allDone = (id: string) =>
  until("all to be done", async () => {
    const { sql } = ground.server.database
    // What waits for its next try need not wait here.
    await sql`update telegram_updates set due_at = now()
      where channel_id = ${id} and done_at is null and error is not null and due_at > now()`
    return (await sql`select 1 from telegram_updates where channel_id = ${id} and done_at is null`).length === 0
  })
const told = async (type: string, id: string): Promise<ReadonlyArray<LogEvent>> => {
  const { events } = (await ground.app.get("/v1/delivery/events?since=0&limit=200")).body.data
  return events.filter(
    (event: LogEvent) => event.type === type && (event.payload["channel_id"] ?? event.payload["bot_id"]) === id
  )
}

describe("what a process dies over", () => {
  it.each<readonly [string, (started: Started) => object]>([
    [
      "payment.pre_checkout",
      ({ person }) => ({
        pre_checkout_query: { id: "7", from: person.user, currency: "XTR", total_amount: 5, invoice_payload: "order-7" }
      })
    ],
    [
      "payment.succeeded",
      ({ person, chat }) => ({
        message: {
          message_id: 70,
          chat,
          from: person.user,
          date: 1,
          successful_payment: {
            currency: "XTR",
            total_amount: 5,
            invoice_payload: "order-7",
            telegram_payment_charge_id: "1",
            provider_payment_charge_id: ""
          }
        }
      })
    ],
    [
      "payment.paid_media",
      ({ person }) => ({ purchased_paid_media: { from: person.user, paid_media_payload: "picture-3" } })
    ],
    [
      "payment.subscription",
      ({ person }) => ({ subscription: { user: person.user, invoice_payload: "plan-1", state: "active" } })
    ]
  ])("is told to the app once: %s", async (type, update) => {
    const begun = await started()
    const death = await dyingAt(ground.server, {
      event: "update",
      table: "telegram_updates",
      when: `new.channel_id = '${begun.id}' and new.done_at is not null`
    })
    await ground.hand(begun, update(begun))
    await until("the death", death.hasDied)
    await allDone(begun.id)
    await death.end()
    assert.lengthOf(await told(type, begun.id), 1)
  })

  it.each<readonly [string, string, (started: Started) => unknown]>([
    ["chat.blocked", "by the person's word", ({ person, bot }) => ground.telegram.block(person, bot)],
    [
      "chat.blocked",
      "by what Telegram answers",
      async (begun) => {
        ground.telegram.fault(
          { bot: begun.bot, method: "sendMessage", count: 2 },
          { kind: "error", code: 403, description: "Forbidden: bot was blocked by the user" }
        )
        await ground.hand(begun, {
          message: { message_id: 71, chat: begun.chat, from: begun.person.user, date: 1, text: "/help" }
        })
      }
    ],
    [
      "chat.unblocked",
      "by the person's word",
      async ({ person, bot, id }) => {
        await ground.server.database.sql`update telegram_chats set status = 'blocked' where channel_id = ${id}`
        ground.telegram.say(person, bot, "Hello again")
      }
    ],
    [
      "bot.suspended",
      "by the app's word",
      ({ id }) =>
        until(
          "the bot to be suspended",
          async () => (await ground.app.post(`/v1/telegram/bots/${id}/suspend`, {})).status === 200
        )
    ]
  ])("comes to be and is told to the app, both: %s, %s", async (type, _, cause) => {
    const begun = await started()
    const death = await dyingAt(ground.server, { event: "insert", table: "events", when: `new.type = '${type}'` })
    await cause(begun)
    await until("the death", death.hasDied)
    await until("the app to be told", async () => {
      await ground.server.database
        .sql`update telegram_updates set due_at = now() where channel_id = ${begun.id} and done_at is null and error is not null and due_at > now()`
      return (await told(type, begun.id)).length > 0
    })
    await death.end()
    assert.lengthOf(await told(type, begun.id), 1)
  })
})
