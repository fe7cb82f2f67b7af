import sharp from "sharp"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import type * as z from "zod"
import { menusOf } from "#channels/telegram/commands.ts"
import type { BatchData, BatchItems } from "#src/http/telegram/telegramBatchSchemas.ts"
import { pictureOf } from "#test/support/files/images.ts"
import { menusIn } from "#test/support/telegram/menusIn.ts"
import { startTelegramHarness, type TelegramHarness } from "#test/support/TelegramHarness.ts"
import { until } from "#test/support/until.ts"

let harness: TelegramHarness
beforeAll(async () => {
  harness = await startTelegramHarness()
})
afterAll(() => harness.close())

const BIO = "Keeps a kitchen by the harbour."
const HOUR = {
  kind: "error",
  code: 429,
  description: "Too Many Requests: retry after 3600",
  parameters: { retry_after: 3600 }
} as const

const rebrand = async (bot_ids: ReadonlyArray<string>, fields: object = {}): Promise<string> => {
  const { status, body } = await harness.app.post("/v1/telegram/batches", { action: "rebrand", bot_ids, ...fields })
  assert.strictEqual(status, 200, JSON.stringify(body))
  return body.data.id
}
const statusOf = async (id: string): Promise<z.output<typeof BatchData>> =>
  (await harness.app.get(`/v1/telegram/batches/${id}`)).body.data
const completed = (id: string) =>
  until("the batch to end", async () => {
    const now = await statusOf(id)
    return now.status === "completed" && now
  })
const itemsOf = async (id: string): Promise<z.output<typeof BatchItems>["items"]> =>
  (await harness.app.get(`/v1/telegram/batches/${id}/items`)).body.data.items
const withPicture = async (slug: string, format: "png" | "webp" = "png") => {
  const content_base64 = (await pictureOf(format, 300, 200)).toString("base64")
  assert.strictEqual(
    (await harness.app.post(`/v1/characters/${slug}/assets`, { kind: "avatar", is_primary: true, content_base64 }))
      .status,
    200
  )
}
/** A bot of a character that has a bio and a picture. */
const attach = async (fields: Record<string, unknown> = {}) => {
  const character_slug = await harness.app.createCharacter({ visible_bio: BIO, ...fields })
  await withPicture(character_slug)
  return { ...(await harness.attach({ character_slug })), character_slug }
}
const profileOf = ({ profile }: Awaited<ReturnType<typeof attach>>["bot"]) => [
  profile.names.get(""),
  profile.descriptions.get(""),
  profile.shortDescriptions.get("")
]

describe("a rebrand", () => {
  it("gives bots their character's current name, descriptions, commands and picture", async () => {
    const { bot, id, character_slug } = await attach()
    assert.deepInclude(await completed(await rebrand([id])), { done: 1, failed: 0 })
    assert.deepStrictEqual(profileOf(bot), ["Mara", BIO, BIO])
    assert.deepStrictEqual(menusIn(bot), menusOf([], new Map()))
    const { format, width, height } = await sharp(bot.profile.photo?.bytes).metadata()
    assert.deepStrictEqual({ format, width, height }, { format: "jpeg", width: 640, height: 640 })
    const { body } = await harness.app.get(`/v1/characters/${character_slug}`)
    await harness.app.patch(`/v1/characters/${character_slug}`, {
      display_name: "Mara Lind",
      visible_bio: null,
      expected_version: body.data.version
    })
    assert.deepInclude(await completed(await rebrand([id])), { done: 1, failed: 0 })
    // What the character no longer has stays.
    assert.deepStrictEqual(profileOf(bot), ["Mara Lind", BIO, BIO])
  })

  it("writes only what differs, except for the picture, which cannot be read back", async () => {
    const { bot, id } = await attach()
    await completed(await rebrand([id]))
    await completed(await rebrand([id]))
    const counts = ["setMyName", "setMyDescription", "setMyShortDescription", "setMyCommands", "setMyProfilePhoto"].map(
      (method) => harness.telegram.calls({ bot, method }).length
    )
    assert.deepStrictEqual(counts, [1, 1, 1, menusOf([], new Map()).size, 2])
  })

  it("shortens overlong text at the end of a sentence or with an ellipsis, and splits no character", async () => {
    const display_name = "🎭".repeat(40)
    const bio = `She sees the harbour. ${"🐟🐠 ".repeat(200)}`
    const { bot, id } = await attach({ display_name, visible_bio: bio })
    assert.deepInclude(await completed(await rebrand([id])), { done: 1, failed: 0 })
    const [name = "", description = "", short = ""] = profileOf(bot)
    assert.strictEqual(name, `${"🎭".repeat(31)}…`)
    assert.strictEqual(short, "She sees the harbour.")
    assert.isAtMost(description.length, 512)
    assert.isTrue(description.isWellFormed())
  })

  it("changes nothing in a dry run, and never affects a bot of another app", async () => {
    const { bot, id } = await attach()
    assert.deepInclude(await completed(await rebrand([id], { dry_run: true })), { done: 1, failed: 0 })
    assert.isEmpty(harness.telegram.calls({ bot, method: "setMyName" }))
    const other = await harness.server.createApp()
    const { body } = await other.post("/v1/telegram/batches", { action: "rebrand", bot_ids: [id] })
    await until(
      "it to end",
      async () => (await other.get(`/v1/telegram/batches/${body.data.id}`)).body.data.failed === 1
    )
    const {
      body: { data }
    } = await other.get(`/v1/telegram/batches/${body.data.id}/items`)
    assert.deepInclude(data.items[0], { status: "failed", error_code: "bot_not_found" })
    assert.isEmpty(harness.telegram.calls({ bot, method: "setMyName" }))
  })

  it("reports which part Telegram rejects, and sets the others", async () => {
    const { bot, id } = await attach()
    harness.telegram.fault(
      { bot, method: "setMyProfilePhoto" },
      { kind: "error", code: 400, description: "Bad Request: PHOTO_INVALID_DIMENSIONS" }
    )
    const batch = await rebrand([id])
    assert.deepInclude(await completed(batch), { done: 0, failed: 1 })
    assert.strictEqual((await itemsOf(batch))[0]?.error_code, "profile_photo_rejected")
    assert.deepStrictEqual(profileOf(bot), ["Mara", BIO, BIO])
  })
})

describe("a name change that Telegram delays", () => {
  const wake = async (batch: string) => {
    const { sql } = harness.server.database
    await sql`update telegram_batch_items set due_at = now() where batch_id = ${batch} and status = 'pending'`
    await sql`select graphile_worker.add_job('batches', '{}'::json)`
  }
  const waits = (batch: string) =>
    until("the item to wait", async () => {
      const [item] = await itemsOf(batch)
      return item?.error_code === "rate_limited" && item
    })

  it("delays no other bot, uses up no attempts, and is applied when its time has come", async () => {
    const [slow, other] = [await attach(), await attach()]
    const { sql } = harness.server.database
    const refusal = harness.telegram.fault({ bot: slow.bot, method: "setMyName", count: 1000 }, HOUR)
    const batch = await rebrand([slow.id, other.id])
    await until("the other bot", async () => (await statusOf(batch)).done === 1)
    const item = await waits(batch)
    assert.strictEqual(item.status, "pending")
    const [row] = await sql`select due_at - now() between interval '59 minutes' and interval '61 minutes' as in_an_hour
        from telegram_batch_items where batch_id = ${batch} and status = 'pending'`
    assert.isTrue(row?.["in_an_hour"])
    assert.isAbove(Date.parse(item.next_attempt_at ?? ""), Date.now())
    for (let tries = 2; tries <= 7; tries++) {
      await wake(batch)
      await until("it to be refused again", () => refusal.hits() === tries)
      await until(
        "it to wait again",
        async () =>
          (
            await sql`select 1 from telegram_batch_items
              where batch_id = ${batch} and status = 'pending' and attempts = 0
                and due_at > now() + interval '30 minutes'`
          ).length === 1
      )
    }
    refusal.remove()
    await wake(batch)
    assert.deepInclude(await completed(batch), { done: 2, failed: 0 })
    assert.deepStrictEqual(profileOf(slow.bot), ["Mara", BIO, BIO])
    assert.deepStrictEqual(
      ["setMyDescription", "setMyProfilePhoto"].map(
        (method) => harness.telegram.calls({ bot: slow.bot, method }).length
      ),
      [1, 1]
    )
    assert.isNull((await itemsOf(batch))[0]?.next_attempt_at)
  })

  it("uses the character's name and picture of that time", async () => {
    const { bot, id, character_slug } = await attach()
    harness.telegram.fault({ bot, method: "setMyName" }, HOUR)
    const batch = await rebrand([id])
    await waits(batch)
    await harness.app.patch(`/v1/characters/${character_slug}`, { display_name: "Mara Lind" })
    await withPicture(character_slug, "webp")
    await wake(batch)
    await completed(batch)
    assert.strictEqual(bot.profile.names.get(""), "Mara Lind")
    assert.lengthOf(harness.telegram.calls({ bot, method: "setMyProfilePhoto" }), 2)
  })

  it("continues if the process died that had set the rest", async () => {
    const { bot, id } = await attach()
    harness.telegram.fault({ bot, method: "setMyName" }, { kind: "hang" })
    const batch = await rebrand([id])
    await until(
      "the name change to be in flight",
      () => harness.telegram.calls({ bot, method: "setMyName" }).length >= 1
    )
    await wake(batch)
    assert.deepInclude(await completed(batch), { done: 1, failed: 0 })
    assert.deepStrictEqual(
      ["setMyName", "setMyDescription", "setMyProfilePhoto"].map(
        (method) => harness.telegram.calls({ bot, method }).length
      ),
      [2, 1, 1]
    )
  })
})
