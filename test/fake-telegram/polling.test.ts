import type { ApiResponse } from "@grammyjs/types"
import { afterEach, assert, beforeEach, describe, it } from "vitest"
import { until } from "../support/until.ts"
import { startWithMia } from "./harness.ts"

let fake: Awaited<ReturnType<typeof startWithMia>>
beforeEach(async () => {
  fake = await startWithMia()
})
afterEach(() => fake.telegram.close())

const poll = (parameters: Record<string, unknown> = {}) => fake.result("getUpdates", parameters)
const description = ({ body }: { readonly body: ApiResponse<unknown> }) =>
  body.ok ? "ok" : `${body.error_code} ${body.description}`
/** A waiting poll, wrapped so that it is not awaited too early. */
const begin = async (parameters: Record<string, unknown> = {}) => {
  const before = fake.telegram.calls({ method: "getUpdates" }).length
  const box = { answer: fake.call("getUpdates", { timeout: 50, ...parameters }) }
  await until("the poll has come", () => fake.telegram.calls({ method: "getUpdates" }).length > before)
  return box
}

describe("getUpdates", () => {
  it("returns pending updates again until an offset confirms them", async () => {
    const { bot, mia, telegram } = fake
    const [first] = await poll()
    telegram.say(mia, bot, "two")
    telegram.advance(5_000)
    assert.deepStrictEqual(
      (await poll()).map(({ message }) => message?.text),
      ["/start", "two"]
    )
    assert.deepStrictEqual(
      (await poll({ offset: (first?.update_id ?? 0) + 1 })).map(({ message }) => message?.text),
      ["two"]
    )
    assert.lengthOf(telegram.pendingUpdates(bot), 1)
  })

  it("drops all but the last with a negative offset", async () => {
    const { bot, mia, telegram } = fake
    for (const text of ["two", "three"]) telegram.say(mia, bot, text)
    assert.deepStrictEqual(
      (await poll({ offset: -1 })).map(({ message }) => message?.text),
      ["three"]
    )
    assert.lengthOf(telegram.pendingUpdates(bot), 1)
  })

  it("waits for an update as long as requested", async () => {
    const { bot, mia, telegram } = fake
    telegram.advance(5_000)
    const [first] = await poll()
    const offset = (first?.update_id ?? 0) + 1
    const { answer } = await begin({ offset })
    telegram.say(mia, bot, "two")
    const { body } = await answer
    assert.lengthOf(body.ok ? (body.result as ReadonlyArray<unknown>) : [], 1)
    const empty = await begin({ offset: offset + 1, timeout: 999 })
    telegram.advance(50_000)
    assert.deepStrictEqual((await empty.answer).body, { ok: true, result: [] })
  })

  it("slows down a client that repeats the same call at once", async () => {
    const { telegram } = fake
    const [first] = await poll()
    const offset = (first?.update_id ?? 0) + 1
    await poll({ offset })
    const { answer } = await begin({ offset, timeout: 0 })
    telegram.advance(3_000)
    assert.deepStrictEqual((await answer).body, { ok: true, result: [] })
  })

  it("is refused while a webhook is set", async () => {
    await fake.result("setWebhook", { url: "http://127.0.0.1:9/hook" })
    assert.strictEqual(
      description(await fake.call("getUpdates")),
      "409 Conflict: can't use getUpdates method while webhook is active; use deleteWebhook to delete the webhook first"
    )
    const again = await begin()
    fake.telegram.advance(3_000)
    assert.match(description(await again.answer), /^409 Conflict: can't use getUpdates/)
  })

  it("ends an earlier call that is waiting", async () => {
    const { telegram } = fake
    const [first] = await poll()
    const offset = (first?.update_id ?? 0) + 1
    const one = await begin({ offset })
    const other = await begin({ offset })
    assert.strictEqual(
      description(await one.answer),
      "409 Conflict: terminated by other getUpdates request; make sure that only one bot instance is running"
    )
    telegram.advance(50_000)
    assert.strictEqual(description(await other.answer), "ok")
  })

  it("is ended by a webhook, and when its token is revoked", async () => {
    const { bot, telegram } = fake
    const [first] = await poll()
    const offset = (first?.update_id ?? 0) + 1
    const one = await begin({ offset })
    await fake.result("setWebhook", { url: "http://127.0.0.1:9/hook" })
    assert.strictEqual(description(await one.answer), "409 Conflict: terminated by setWebhook request")
    await fake.result("deleteWebhook")
    const other = await begin({ offset })
    telegram.revokeToken(bot)
    assert.strictEqual(description(await other.answer), "401 Unauthorized")
  })
})
