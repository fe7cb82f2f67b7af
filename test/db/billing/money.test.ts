import * as fc from "fast-check"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { Outcome, type StageRecord } from "#pipeline/domain/Turn.ts"
import { Allowances, type AppLimitsChange, type EndUserLimits } from "#src/db/billing/Allowances.ts"
import { CharacterArchival } from "#src/db/conversation/CharacterArchival.ts"
import { Ledger } from "#src/db/billing/Ledger.ts"
import { OPERATOR } from "#src/db/tenancy/operator.ts"
import { type Lease, Turns } from "#src/db/conversation/Turns.ts"
import { type Engine, startEngine, type Verdict } from "#test/support/Engine.ts"
import { createTestDatabase, type TestDatabase } from "#test/support/TestDatabase.ts"

const HOLD = 100

let database: TestDatabase
let engines: ReadonlyArray<Engine>
let engine: Engine
beforeAll(async () => {
  database = await createTestDatabase()
  engines = Array.from({ length: 4 }, () => startEngine(database, { holdMicroUsd: HOLD }))
  engine = engines[0] as Engine
  await database.sql`insert into workers (worker_id) values ('wrk_0')`
})
afterAll(async () => {
  await Promise.all(engines.map((each) => each.close()))
  await database.drop()
})

const limitApp = (appId: string, change: AppLimitsChange) =>
  engine.run(Allowances.use((allowances) => allowances.limitApp(appId, OPERATOR, change)))
const limitUser = (appId: string, ref: string, change: Partial<EndUserLimits>) =>
  engine.run(Allowances.use((allowances) => allowances.limitEndUser(appId, ref, change)))
const ofApp = (appId: string) => engine.run(Allowances.use((allowances) => allowances.ofApp(appId)))
const ofUser = (appId: string, ref: string) =>
  engine.run(Allowances.use((allowances) => allowances.ofEndUser(appId, ref)))
const reconcile = (appId: string) =>
  engine.run(Ledger.use((ledger) => ledger.reconcile({ appId, since: new Date(Date.now() - 86_400_000) })))
const count = (verdicts: ReadonlyArray<Verdict>) =>
  Object.fromEntries(
    Object.entries(Object.groupBy(verdicts, ({ answer }) => answer)).map(([answer, some = []]) => [answer, some.length])
  )
/** This many concurrent sends over all processes, to these sessions in turn. */
const sendMany = (appId: string, sessions: ReadonlyArray<string>, times: number, text = "hello") =>
  Promise.all(
    Array.from({ length: times }, (_, i) =>
      (engines[i % 4] as Engine).send({ appId, sessionId: sessions[i % sessions.length] ?? "", text })
    )
  )
const claim = async (appId: string, sessionId: string): Promise<Lease | undefined> => {
  const row = await engine.run(Turns.use((turns) => turns.claim("wrk_0", { appId, sessionId })))
  return row === undefined
    ? undefined
    : { appId, sessionId, turnIndex: row.turn_index, owner: row.owner, fence: row.fence }
}
const spent = (costMicroUsd: number): StageRecord => ({
  stage: "generation",
  attempt: 1,
  startedAt: new Date(0),
  latencyMs: 1,
  status: "ok",
  decision: null,
  errorCode: null,
  detail: null,
  usage: { model: "test", inputTokens: 1, cachedInputTokens: 0, outputTokens: 1, costMicroUsd, estimated: false }
})
const OUTCOMES = {
  reply: Outcome.cases.Replied.make({ bubbles: ["Yes."] }),
  exit: Outcome.cases.Exited.make({ reasonCode: "boundary", bubbles: [] }),
  fail: Outcome.cases.Failed.make({ reason: "generation_failed" })
}
const sums = async (appId: string) => {
  const [row] = await database.sql<
    Array<{ settled: number; held: number; open: number; charged: number; staged: number }>
  >`
    select (select coalesce(sum(amount_micro_usd) filter (where entry = 'settle'), 0)::int from ledger
      where app_id = ${appId}) as settled,
      (select coalesce(sum(amount_micro_usd) filter (where entry <> 'settle'), 0)::int from ledger
        where app_id = ${appId}) as held,
      (select coalesce(sum(hold_micro_usd), 0)::int from turns where app_id = ${appId} and outcome is null) as open,
      (select coalesce(sum(cost_micro_usd), 0)::int from turns where app_id = ${appId}) as charged,
      (select coalesce(sum(cost_micro_usd), 0)::int from turn_stages where app_id = ${appId}) as staged`
  return { ...row }
}

describe("the ledger", () => {
  it("matches what is reserved and what was spent, whatever happens to turns", () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(
          fc.record({
            user: fc.nat({ max: 2 }),
            act: fc.constantFrom("send", "send", "reply", "fail", "exit", "book", "release"),
            cost: fc.nat({ max: 60 })
          }),
          { minLength: 5, maxLength: 40 }
        ),
        async (steps) => {
          const appId = await engine.createApp(1_000_000)
          const sessions = await Promise.all([0, 1, 2].map((user) => engine.createSession(appId, `user-${user}`)))
          await limitApp(appId, { defaults: { daily_limit_micro_usd: 1_000_000 } })
          for (const { user, act, cost } of steps) {
            const sessionId = sessions[user] ?? ""
            if (act === "send") await engine.send({ appId, sessionId })
            else {
              const lease = await claim(appId, sessionId)
              if (lease === undefined) continue
              if (act === "book" || act === "release")
                await engine.run(Turns.use((turns) => turns[act](lease, [spent(cost)])))
              else
                await engine.run(
                  Turns.use((turns) => turns.settle({ lease, outcome: OUTCOMES[act], stages: [spent(cost)] }))
                )
              await database.sql`update turns set owner = null where session_id = ${sessionId} and outcome is null`
            }
          }
          const { settled = 0, held = 0, open, charged, staged } = await sums(appId)
          assert.deepStrictEqual([held, charged, staged], [open, settled, settled])
          const before = await Promise.all([ofApp(appId), ...[0, 1, 2].map((user) => ofUser(appId, `user-${user}`))])
          assert.strictEqual(before[0]?.month_used_micro_usd, settled + held)
          assert.strictEqual(
            before.slice(1).reduce((sum, user) => sum + (user?.month_used_micro_usd ?? 0), 0),
            settled + held
          )
          assert.deepStrictEqual((await reconcile(appId)).mismatches, [])
          // A recount gives the same results as counting along the way.
          await engine.run(Allowances.use((allowances) => allowances.recount([appId])))
          assert.deepStrictEqual(
            await Promise.all([ofApp(appId), ...[0, 1, 2].map((user) => ofUser(appId, `user-${user}`))]),
            before
          )
        }
      ),
      { numRuns: 20 }
    ))

  it("is recounted over all time for a total limit, from the first entry on", async () => {
    const appId = await engine.createApp()
    const sessionId = await engine.createSession(appId)
    await database.sql`
      insert into allowances (app_id, kind, total_limit_micro_usd) values (${appId}, 'app', ${3 * HOLD})`
    await database.sql`
      insert into ledger (app_id, at, run_ref, activity, entry, amount_micro_usd, price_version)
        values (${appId}, now() - interval '70 days', 'run_old', 'message_fast', 'settle', ${HOLD}, 'old')`
    await engine.send({ appId, sessionId })
    await engine.run(Allowances.use((allowances) => allowances.recount([appId])))
    const [row] = await database.sql`
        select month_used_micro_usd::int as month, total_used_micro_usd::int as total from allowances
        where app_id = ${appId}`
    assert.deepStrictEqual({ ...row }, { month: HOLD, total: 2 * HOLD })
    assert.deepStrictEqual(count(await sendMany(appId, [sessionId], 3)), { accepted: 1, budget_exceeded: 2 })
  })

  it("releases reservations when a character is archived with its sessions", async () => {
    const appId = await engine.createApp(1_000_000)
    const sessionId = await engine.createSession(appId)
    await sendMany(appId, [sessionId], 3)
    await engine.run(CharacterArchival.use((archival) => archival.archive(appId, "mara", true)))
    assert.deepInclude(await sums(appId), { held: 0, settled: 0 })
    assert.strictEqual((await ofApp(appId)).month_used_micro_usd, 0)
  })

  it("cannot be changed or deleted", async () => {
    const appId = await engine.createApp()
    await engine.send({ appId, sessionId: await engine.createSession(appId) })
    for (const change of [
      database.sql`update ledger set amount_micro_usd = 0`,
      database.sql`delete from ledger`,
      database.sql`truncate ledger`
    ]) {
      assert.match(
        String(
          await change.then(
            () => "done",
            (error: unknown) => error
          )
        ),
        /append-only/
      )
    }
  })

  it("reports every turn that it does not match", async () => {
    const appId = await engine.createApp()
    const sessions = await Promise.all([engine.createSession(appId), engine.createSession(appId)])
    for (const sessionId of sessions) {
      await engine.send({ appId, sessionId })
      const lease = await claim(appId, sessionId)
      if (lease !== undefined)
        await engine.run(Turns.use((turns) => turns.settle({ lease, outcome: OUTCOMES.reply, stages: [spent(7)] })))
    }
    await database.sql`update turn_stages set cost_micro_usd = 8 where session_id = ${sessions[1] ?? ""}`
    const { turns, mismatches } = await reconcile(appId)
    assert.strictEqual(turns, 2)
    assert.lengthOf(mismatches, 1)
    assert.deepInclude(mismatches[0], {
      app_id: appId,
      session_id: sessions[1],
      turn_index: 1,
      staged: 8,
      settled: 7,
      charged: 7,
      held: 0
    })
  })
})

describe("limits under 50 concurrent sends from four processes", () => {
  const app = async (users: ReadonlyArray<string>) => {
    const appId = await engine.createApp()
    return { appId, sessions: await Promise.all(users.map((user) => engine.createSession(appId, user))) }
  }

  it("accept exactly the messages that a demo app may send", async () => {
    const { appId, sessions } = await app(["a", "b", "c", "d"])
    await database.sql`insert into allowances (app_id, kind, message_limit) values (${appId}, 'app', 20)`
    assert.deepStrictEqual(count(await sendMany(appId, sessions, 50)), { accepted: 20, message_limit_reached: 30 })
    await database.sql`update allowances set day = day - 40 where app_id = ${appId}`
    assert.deepStrictEqual(
      count(await sendMany(appId, sessions, 4)),
      { message_limit_reached: 4 },
      "they are not of a day or a month"
    )
  })

  it("accept exactly the messages that an end-user may send in a day, and do not affect other end-users", async () => {
    const { appId, sessions } = await app(["a", "a", "b"])
    await limitUser(appId, "a", { daily_message_limit: 7 })
    const verdicts = await sendMany(appId, sessions, 51)
    assert.deepStrictEqual(count(verdicts.filter((_, i) => i % 3 !== 2)), { accepted: 7, end_user_cap_exceeded: 27 })
    assert.deepStrictEqual(count(verdicts.filter((_, i) => i % 3 === 2)), { accepted: 17 })
    await database.sql`update allowances set day = day - 1 where app_id = ${appId}`
    assert.deepStrictEqual(
      count(await sendMany(appId, [sessions[0] ?? ""], 8)),
      { accepted: 7, end_user_cap_exceeded: 1 },
      "a day later the count restarts"
    )
  })

  it("let an app spend exactly its daily budget, and each end-user their own share", async () => {
    const { appId, sessions } = await app(["a", "b"])
    await limitApp(appId, { daily_limit_micro_usd: 12 * HOLD, defaults: { monthly_limit_micro_usd: 9 * HOLD } })
    assert.deepStrictEqual(count(await sendMany(appId, [sessions[0] ?? ""], 10)), {
      accepted: 9,
      end_user_cap_exceeded: 1
    })
    assert.deepStrictEqual(count(await sendMany(appId, [sessions[1] ?? ""], 10)), { accepted: 3, budget_exceeded: 7 })
    assert.deepInclude(await ofApp(appId), { day_used_micro_usd: 12 * HOLD, month_used_micro_usd: 12 * HOLD })
  })
})

describe("a limit", () => {
  it("refuses nothing if the app may exceed it", async () => {
    const appId = await engine.createApp()
    const sessionId = await engine.createSession(appId)
    await limitApp(appId, { daily_limit_micro_usd: HOLD, hard_stop: false })
    assert.deepStrictEqual(count(await sendMany(appId, [sessionId], 3)), { accepted: 3 })
    assert.strictEqual((await ofApp(appId)).day_used_micro_usd, 3 * HOLD)
  })

  it("includes usage from before it was set", async () => {
    const appId = await engine.createApp()
    const sessionId = await engine.createSession(appId, "early")
    await sendMany(appId, [sessionId], 2)
    await limitApp(appId, { monthly_limit_micro_usd: 3 * HOLD })
    await limitUser(appId, "early", { daily_message_limit: 10 })
    assert.deepInclude(await ofUser(appId, "early"), { day_messages: 2, day_used_micro_usd: 2 * HOLD })
    assert.deepStrictEqual(count(await sendMany(appId, [sessionId], 2)), { accepted: 1, budget_exceeded: 1 })
  })

  it("set as the default applies to later end-users, and an end-user's own limit takes precedence", async () => {
    const appId = await engine.createApp()
    const early = await engine.createSession(appId, "early")
    await limitApp(appId, { defaults: { daily_message_limit: 2 } })
    const [late, own] = [await engine.createSession(appId, "late"), await engine.createSession(appId, "own")]
    await limitUser(appId, "own", { daily_message_limit: 3 })
    for (const [session, allowed] of [
      [early, 2],
      [late, 2],
      [own, 3]
    ] as const) {
      assert.deepStrictEqual(count(await sendMany(appId, [session], 4)), {
        accepted: allowed,
        end_user_cap_exceeded: 4 - allowed
      })
    }
    await limitUser(appId, "own", { daily_message_limit: null })
    assert.deepInclude(await ofUser(appId, "own"), {
      own: {
        daily_message_limit: null,
        daily_limit_micro_usd: null,
        monthly_limit_micro_usd: null,
        daily_image_limit: null
      }
    })
    assert.strictEqual((await ofUser(appId, "own"))?.effective.daily_message_limit, 2)
  })

  it("on message length counts code points, and is checked before an exit and after the quota", async () => {
    const appId = await engine.createApp()
    const [open, ended] = [await engine.createSession(appId), await engine.createSession(appId)]
    await database.sql`
      insert into allowances (app_id, kind, message_limit, message_length_limit) values (${appId}, 'app', 1, 5)`
    await database.sql`update session_logs set status = 'exited' where session_id = ${ended}`
    const send = async (sessionId: string, text: string) => (await engine.send({ appId, sessionId, text })).answer
    assert.strictEqual(await send(open, "👩‍🚀👩‍🚀"), "message_too_long")
    assert.strictEqual(await send(ended, "123456"), "message_too_long")
    assert.strictEqual(await send(ended, "12345"), "session_exited")
    assert.strictEqual(await send(open, "👋👋👋👋👋"), "accepted")
    assert.strictEqual(await send(open, "123456"), "message_limit_reached")
    assert.strictEqual(await send(ended, "12345"), "message_limit_reached")
  })
})
