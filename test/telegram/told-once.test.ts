import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { failCommitOnce } from "#test/support/postgres/failCommitOnce.ts"
import { saidAtLeast, startTelegramHarness, type TelegramHarness } from "#test/support/TelegramHarness.ts"
import type { LogEvent } from "#test/support/TestApp.ts"
import { until } from "#test/support/until.ts"

let harness: TelegramHarness
beforeAll(async () => {
  harness = await startTelegramHarness()
})
afterAll(() => harness.close())

const started = async () => {
  const attached = await harness.attach()
  const person = harness.telegram.createUser({ first_name: "Anna" })
  harness.telegram.start(person, attached.bot)
  await saidAtLeast(harness, attached.bot, person, 1)
  await allDone(attached.id)
  return { ...attached, person, chat: { id: person.id, type: "private" as const, first_name: "Anna" } }
}
type Started = Awaited<ReturnType<typeof started>>
const allDone = (id: string) =>
  until("all to be done", async () => {
    const { sql } = harness.server.database
    // Updates that wait for a retry become due at once.
    await sql`update telegram_updates set due_at = now()
      where channel_id = ${id} and done_at is null and error is not null and due_at > now()`
    return (await sql`select 1 from telegram_updates where channel_id = ${id} and done_at is null`).length === 0
  })
const told = async (type: string, id: string): Promise<ReadonlyArray<LogEvent>> => {
  const { events } = (await harness.app.get("/v1/delivery/events?since=0&limit=200")).body.data
  return events.filter(
    (event: LogEvent) => event.type === type && (event.payload["channel_id"] ?? event.payload["bot_id"]) === id
  )
}

describe("a change whose process dies", () => {
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
  ])("is reported to the app once: %s", async (type, update) => {
    const begun = await started()
    const death = await failCommitOnce(harness.server, {
      event: "update",
      table: "telegram_updates",
      when: `new.channel_id = '${begun.id}' and new.done_at is not null`
    })
    await harness.hand(begun, update(begun))
    await until("the simulated crash", death.hasFailed)
    await allDone(begun.id)
    await death.end()
    assert.lengthOf(await told(type, begun.id), 1)
  })

  it.each<readonly [string, string, (started: Started) => unknown]>([
    ["chat.blocked", "by the person's word", ({ person, bot }) => harness.telegram.block(person, bot)],
    [
      "chat.blocked",
      "by what Telegram answers",
      async (begun) => {
        harness.telegram.fault(
          { bot: begun.bot, method: "sendMessage", count: 2 },
          { kind: "error", code: 403, description: "Forbidden: bot was blocked by the user" }
        )
        await harness.hand(begun, {
          message: { message_id: 71, chat: begun.chat, from: begun.person.user, date: 1, text: "/help" }
        })
      }
    ],
    [
      "chat.unblocked",
      "by the person's word",
      async ({ person, bot, id }) => {
        await harness.server.database.sql`update telegram_chats set status = 'blocked' where channel_id = ${id}`
        harness.telegram.say(person, bot, "Hello again")
      }
    ],
    [
      "bot.suspended",
      "by the app's word",
      ({ id }) =>
        until(
          "the bot to be suspended",
          async () => (await harness.app.post(`/v1/telegram/bots/${id}/suspend`, {})).status === 200
        )
    ]
  ])("takes effect and is reported to the app: %s, %s", async (type, _, cause) => {
    const begun = await started()
    const death = await failCommitOnce(harness.server, {
      event: "insert",
      table: "events",
      when: `new.type = '${type}'`
    })
    await cause(begun)
    await until("the simulated crash", death.hasFailed)
    await until("the app to be told", async () => {
      await harness.server.database.sql`
          update telegram_updates set due_at = now() where channel_id = ${begun.id} and done_at is null
          and error is not null and due_at > now()`
      return (await told(type, begun.id)).length > 0
    })
    await death.end()
    assert.lengthOf(await told(type, begun.id), 1)
  })
})
