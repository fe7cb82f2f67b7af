import type postgres from "postgres"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { saidAtLeast, startTelegramHarness, type TelegramHarness } from "#test/support/TelegramHarness.ts"
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
  harness.telegram.say(person, attached.bot, "/forget")
  await saidAtLeast(harness, attached.bot, person, 2)
  return { ...attached, person }
}
const isLast = (text: string) => text.startsWith("Your data has been deleted")
const lastWords = ({ bot, person }: Awaited<ReturnType<typeof started>>) => harness.said(bot, person).filter(isLast)
const wordOf = async (id: string) =>
  (
    await harness.server.database.sql<Array<{ done: boolean; error: string | null; raw: unknown }>>`
    select done_at is not null as done, error, raw from telegram_updates where channel_id = ${id} and kind in ('word', 'word_sent')`
  )[0]
const wordIsOver = (id: string) =>
  until("the service reply to be finished", async () => {
    const word = await wordOf(id)
    return word?.done === true && word
  })
/** Simulates the death of the process that has claimed the reply, in this state. */
const takenUpByTheDead = async (id: string, kind: "word" | "word_sent") => {
  const { sql } = harness.server.database
  await sql.unsafe(
    `create function take() returns trigger language plpgsql as $$ begin new.owner = 'wrk_dead'; new.kind = ` +
      `'${kind}'; return new; end $$`
  )
  await sql.unsafe(
    `create trigger take before update on telegram_updates for each row when (new.channel_id = '${id}' and ` +
      `new.kind = 'word' and old.kind = 'command') execute function take()`
  )
  return async () => {
    await sql`drop trigger take on telegram_updates`
    await sql`drop function take`
  }
}
/** It is claimed, and gets its slot only after this has happened. */
const takenUpMeanwhile = (
  { id, bot, person }: Awaited<ReturnType<typeof started>>,
  happens: (tx: postgres.TransactionSql) => PromiseLike<unknown>
) =>
  harness.server.database.sql.begin(async (tx) => {
    await tx`select from telegram_paces where channel_id = ${id} for update`
    harness.telegram.say(person, bot, "/forget")
    await until(
      "the service reply to be claimed",
      async () =>
        (
          await harness.server.database
            .sql`select 1 from telegram_updates where channel_id = ${id} and kind = 'word' and owner is not null`
        ).length === 1
    )
    await happens(tx)
  })

describe("the answer to /forget", () => {
  it("is sent by the next process if the one that deleted died before", async () => {
    const begun = await started()
    const end = await takenUpByTheDead(begun.id, "word")
    harness.telegram.say(begun.person, begun.bot, "/forget")
    await wordIsOver(begun.id)
    await end()
    assert.lengthOf(lastWords(begun), 1)
  })

  it("is not sent again if nobody knows whether it arrived, which is recorded, and the chat continues", async () => {
    const begun = await started()
    const end = await takenUpByTheDead(begun.id, "word_sent")
    harness.telegram.say(begun.person, begun.bot, "/forget")
    assert.strictEqual((await wordIsOver(begun.id)).error, "unknown")
    await end()
    harness.telegram.say(begun.person, begun.bot, "/start")
    await saidAtLeast(harness, begun.bot, begun.person, 3)
    assert.isEmpty(lastWords(begun))
  })

  it("waits with everything else if the operator holds the bot just before it is sent", async () => {
    const begun = await started()
    const { sql } = harness.server.database
    await takenUpMeanwhile(begun, () => sql`insert into telegram_holds (scope) values (${harness.app.appId})`)
    await until(
      "the service reply to be released",
      async () =>
        (
          await sql`select 1 from telegram_updates
            where channel_id = ${begun.id} and kind = 'word' and owner is null and done_at is null`
        ).length === 1
    )
    assert.isEmpty(lastWords(begun))
    await sql`update telegram_holds set released_at = now()`
    await sql`select graphile_worker.add_job('release', '{}'::json)`
    await wordIsOver(begun.id)
    assert.lengthOf(lastWords(begun), 1)
  })

  it("is not returned to the queue by a process that had it before another one sent it", async () => {
    const begun = await started()
    await takenUpMeanwhile(begun, async (tx) => {
      await tx`update telegram_updates set kind = 'word_sent', owner = 'wrk_other', attempts = attempts + 1
        where channel_id = ${begun.id} and kind = 'word'`
      await tx`update telegram_paces set taken_until = now() + interval '6 seconds'
        where channel_id = ${begun.id} and chat_id <> 0`
    })
    assert.strictEqual((await wordIsOver(begun.id)).error, "unknown")
    assert.isEmpty(lastWords(begun))
  })

  it.each<
    readonly [
      string,
      (
        | { readonly kind: "drop_after" }
        | { readonly kind: "error"; readonly code: number; readonly description: string; readonly parameters?: object }
      ),
      number,
      string | null
    ]
  >([
    ["is sent once, even if Telegram breaks the connection", { kind: "drop_after" }, 1, "unknown"],
    [
      "waits as long as Telegram asks",
      { kind: "error", code: 429, description: "Too Many Requests: retry after 1", parameters: { retry_after: 1 } },
      1,
      null
    ],
    [
      "is over where Telegram will not have it",
      { kind: "error", code: 400, description: "Bad Request: chat not found" },
      0,
      "chat_gone"
    ]
  ])("%s", async (_, fault, times, error) => {
    const begun = await started()
    harness.telegram.fault({ bot: begun.bot, method: "sendMessage" }, fault)
    harness.telegram.say(begun.person, begun.bot, "/forget")
    assert.strictEqual((await wordIsOver(begun.id)).error, error)
    assert.lengthOf(lastWords(begun), times)
  })

  it("comes before the greeting if the person starts over at once, and waits for a suspended bot", async () => {
    const begun = await started()
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
    assert.deepStrictEqual(rest.map(isLast), [true, false])
  })
})
