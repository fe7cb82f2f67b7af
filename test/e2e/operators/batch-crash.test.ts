import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { createOperatorIn } from "#test/support/accounts/createOperatorIn.ts"
import { createFleet, type Fleet } from "#test/support/Fleet.ts"
import { type FakeTelegram, startFakeTelegram } from "#test/support/telegram/FakeTelegram.ts"
import { until } from "#test/support/until.ts"

const BOTS = 40

let fleet: Fleet
let telegram: FakeTelegram
beforeAll(async () => {
  telegram = await startFakeTelegram({ takesAnyWebhookUrl: true })
  fleet = await createFleet()
})
afterAll(async () => {
  await fleet.close()
  await telegram.close()
})

describe("a batch of the operator", () => {
  it("is finished by another process when its own is killed in the middle, each item once", async () => {
    const env = { TELEGRAM_API_ROOT: telegram.url, OUTBOUND_ALLOW: "127.0.0.1" }
    const first = await fleet.start("api,worker", env)
    const app = fleet.clientOf(first)
    const character_slug = await app.createCharacter()
    const bots = Array.from({ length: BOTS }, () => telegram.createBot())
    for (const { token } of bots) {
      const { status } = await app.post("/v1/telegram/bots", { mode: "byo", token, character_slug })
      assert.strictEqual(status, 200)
    }
    const { sql } = fleet.database
    const operator = await createOperatorIn({ baseUrl: first.baseUrl, database: fleet.database }, "operator")
    const begin = async (action: string) =>
      (await operator.post("/admin/bots/batches", { action, filter: { all: true }, expected_bots: BOTS })).body.data.id
    const items = async (id: string) =>
      Object.fromEntries(
        (
          await sql`select status, count(*)::int as n from telegram_batch_items where batch_id = ${id} group by status`
        ).map(({ status, n }) => [status, n])
      ) as { readonly done?: number; readonly pending?: number; readonly failed?: number }

    const suspended = await begin("suspend")
    await until("the bots to be suspended", async () => (await items(suspended)).done === BOTS)
    const armed = new Map(bots.map((bot) => [bot, telegram.calls({ bot, method: "setWebhook" }).length]))
    // It cannot finish before it is killed.
    const gate = telegram.fault({ method: "setWebhook", after: 8, count: Infinity }, { kind: "hang" })
    const resumed = await begin("resume")
    await until("some items", async () => ((await items(resumed)).done ?? 0) >= 5)
    await first.stop("SIGKILL")
    gate.remove()
    const left = await items(resumed)
    assert.isAbove(left.pending ?? 0, 0)

    await fleet.start("worker", env)
    // The leases of the killed process end, and another finds its items, within two minutes. Here at once.
    await sql`update telegram_batch_items set due_at = now() where batch_id = ${resumed} and status = 'pending'`
    await sql`select graphile_worker.add_job('batches', '{}'::json)`
    await until("the other process to finish", async () => (await items(resumed)).done === BOTS)
    assert.deepStrictEqual(await items(resumed), { done: BOTS })
    const [{ active } = { active: 0 }] = await sql`
      select count(*)::int as active from telegram_bots where status = 'active'`
    assert.strictEqual(active, BOTS)
    // Only the items that the killed process was working on were begun twice, and then their outcome is the same.
    const again = bots.filter((bot) => telegram.calls({ bot, method: "setWebhook" }).length > (armed.get(bot) ?? 0) + 1)
    assert.isAtMost(again.length, 4)
    const [{ entries } = { entries: 0 }] = await sql`
      select count(*)::int as entries from audit_log where subject = ${resumed}`
    assert.strictEqual(entries, 1)
  })
})
