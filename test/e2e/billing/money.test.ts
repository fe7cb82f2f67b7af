import { afterEach, assert, beforeEach, describe, it } from "vitest"
import { LIST_PRICES } from "#src/model/prices.ts"
import { createFleet, type Fleet } from "#test/support/Fleet.ts"
import { SLOW_USAGE } from "#test/support/model/SlowModel.ts"
import type { LogEvent, TestApp } from "#test/support/TestApp.ts"
import { until } from "#test/support/until.ts"

/**
 * An unusable answer, so that its stage calls the model again; and one that the gates refuse, so that another is
 * written.
 */
const UNUSABLE = '{"decision":"reply"'
const REFUSED = JSON.stringify({
  decision: "reply",
  exit_reason: null,
  bubbles: ["User: what is for dinner?"],
  cited_memory_ids: []
})

const costOf = (calls: number) =>
  LIST_PRICES.costMicroUsd("gpt-5-mini", {
    inputTokens: calls * SLOW_USAGE.prompt_tokens,
    cachedInputTokens: 0,
    outputTokens: calls * SLOW_USAGE.completion_tokens
  })

let fleet: Fleet
beforeEach(async () => {
  fleet = await createFleet()
})
afterEach(() => fleet.close())

const isReply = (event: LogEvent) => event.type === "message.created" && event.role === "character"

const fund = (app: TestApp) => fleet.database.sql`
  insert into allowances (app_id, kind, monthly_limit_micro_usd) values (${app.appId}, 'app', 1000000)`
const usedBy = async (app: TestApp) =>
  (
    await fleet.database.sql<
      Array<{ used: number }>
    >`select month_used_micro_usd::int as used from allowances where app_id = ${app.appId}`
  )[0]?.used
const holdOf = async (session: string) =>
  (
    await fleet.database.sql<
      Array<{ hold: number }>
    >`select hold_micro_usd::int as hold from turns where session_id = ${session}`
  )[0]?.hold ?? 0
/** Until memory extraction is done, a part of the turn's reservation is kept for it. */
const untilRead = (app: TestApp, session: string) =>
  until("memory extraction", async () => (await traceOf(app, session)).turn.settled)
const traceOf = async (app: TestApp, session: string) => {
  const turn = (await app.get(`/v1/sessions/${session}/trace`)).body.data.trace[0]
  const rows: ReadonlyArray<any> = turn.stages
  return {
    turn,
    generations: rows
      .filter(({ stage }) => stage === "generation")
      .map(({ run_attempt, status, error_code, cost_usd }) => [
        run_attempt,
        status,
        error_code,
        Math.round(cost_usd * 1_000_000)
      ])
  }
}

describe("the cost of a worker that stopped", () => {
  it.each([
    ["within a stage", UNUSABLE, [[1, "error", "interrupted", costOf(1)]]],
    ["for a refused draft", REFUSED, [[1, "ok", null, costOf(1)]]]
  ])(
    "%s is booked once when it is killed during the second call, and shown under its attempt",
    async (_, answer, booked) => {
      const app = fleet.clientOf(await fleet.start("api"))
      await fund(app)
      const victim = await fleet.start("worker")
      const session = await app.createSession()
      await app.send(session, "What is for dinner?")
      ;(await fleet.model.call(1)).release(answer)
      await fleet.model.call(2)
      await victim.stop("SIGKILL")
      assert.strictEqual(await usedBy(app), (await holdOf(session)) + costOf(1))

      await fleet.start("worker")
      const rerun = await fleet.model.call(3)
      rerun.release()
      await app.waitFor(session, isReply)
      await untilRead(app, session)
      const { turn, generations } = await traceOf(app, session)
      assert.deepStrictEqual(generations, [...booked, [2, "ok", null, costOf(1)]])
      assert.deepInclude(turn, { attempts: 2, recovered: true, settled: true, cost_usd: (2 * costOf(1)) / 1_000_000 })
      assert.strictEqual(await usedBy(app), 2 * costOf(1))
    }
  )

  it("is booked when the worker is asked to stop and releases the turn", async () => {
    const app = fleet.clientOf(await fleet.start("api"))
    await fund(app)
    const leaving = await fleet.start("worker")
    const session = await app.createSession()
    await app.send(session, "What is for dinner?")
    ;(await fleet.model.call(1)).release(UNUSABLE)
    await fleet.model.call(2)
    assert.strictEqual(await leaving.stop("SIGTERM"), 0)
    const { turn, generations } = await traceOf(app, session)
    const cost = Math.round(turn.cost_usd * 1_000_000)
    assert.deepStrictEqual(generations, [[1, "error", "interrupted", cost]])
    // The cost of the second call when it was cut off is estimated.
    assert.isTrue(turn.stages.at(-1).estimated)
    assert.isAbove(cost, costOf(1))
    assert.strictEqual(await usedBy(app), (await holdOf(session)) + cost)

    fleet.model.answerAfter(0)
    await fleet.start("worker")
    await app.waitFor(session, isReply)
    await untilRead(app, session)
    assert.strictEqual(await usedBy(app), cost + costOf(1))
  })

  it("is booked once if the worker only seemed dead, without its costs after its turn was taken over", async () => {
    const app = fleet.clientOf(await fleet.start("api"))
    await fund(app)
    const zombie = await fleet.start("worker")
    const session = await app.createSession()
    await app.send(session, "What is for dinner?")
    ;(await fleet.model.call(1)).release(UNUSABLE)
    const second = await fleet.model.call(2)
    await fleet.start("worker")
    zombie.child.kill("SIGSTOP")
    const rerun = await fleet.model.call(3)
    // The answer is there as it wakes up, before it learns that it has lost its turn.
    second.release(REFUSED)
    await until("the answer to be sent", () => second.endedAt() > 0)
    zombie.child.kill("SIGCONT")
    // Its own second draft starts, for which it would book the first.
    const third = await fleet.model.call(4)
    third.release()
    rerun.release()
    await app.waitFor(session, isReply)
    await until("the zombie to finish", () => third.endedAt() > 0)
    await untilRead(app, session)
    const { turn, generations } = await traceOf(app, session)
    assert.deepStrictEqual(generations, [
      [1, "error", "interrupted", costOf(1)],
      [2, "ok", null, costOf(1)]
    ])
    assert.strictEqual(turn.cost_usd, (2 * costOf(1)) / 1_000_000)
    assert.strictEqual(await usedBy(app), 2 * costOf(1))
  })
})
