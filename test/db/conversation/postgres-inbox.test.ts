import * as fc from "fast-check"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { MAX_OPEN_TURNS } from "#src/db/conversation/acceptStatements.ts"
import { type Engine, startEngine, type Verdict } from "#test/support/Engine.ts"
import { loseTransactions } from "#test/support/loseTransactions.ts"
import { createTestDatabase, type TestDatabase } from "#test/support/TestDatabase.ts"

const HOLD = 100

let database: TestDatabase
let engines: ReadonlyArray<Engine>
let engine: Engine
beforeAll(async () => {
  database = await createTestDatabase()
  engines = Array.from({ length: 4 }, () => startEngine(database, { holdMicroUsd: HOLD }))
  engine = engines[0] as Engine
})
afterAll(async () => {
  await Promise.all(engines.map((each) => each.close()))
  await database.drop()
})

const countOf = (verdicts: ReadonlyArray<Verdict>) => Object.groupBy(verdicts, ({ answer }) => answer)
const logOf = (sessionId: string) => database.sql<Array<{ cursor: number; type: string; trace_id: string }>>`
  select cursor::int, type, trace_id from events where session_id = ${sessionId} order by cursor`
const heldOf = async (appId: string) => {
  const [row] = await database.sql<
    Array<{ used: number }>
  >`select month_used_micro_usd::int as used from allowances where app_id = ${appId}`
  return row?.used
}

describe("concurrent sends", () => {
  it("create one turn for each key of 40 sends from four processes", async () => {
    const appId = await engine.createApp()
    const sessionId = await engine.createSession(appId)
    const verdicts = await Promise.all(
      Array.from({ length: 40 }, (_, i) =>
        (engines[i % 4] as Engine).send({ appId, sessionId, clientMessageId: `key-${Math.floor(i / 4) % 4}` })
      )
    )
    const { accepted = [], replay = [] } = countOf(verdicts)
    assert.lengthOf(accepted, 4)
    assert.lengthOf(replay, 36)
    assert.lengthOf(new Set(verdicts.map(({ runRef }) => runRef)), 4)
    const log = await logOf(sessionId)
    assert.deepStrictEqual(
      log.map(({ cursor }) => cursor),
      [1, 2, 3, 4, 5, 6, 7, 8]
    )
    for (const { cursor = 0, runRef } of verdicts) {
      assert.deepStrictEqual({ ...log[cursor - 1] }, { cursor, type: "message.created", trace_id: runRef })
    }
  })

  it("are accepted exactly 10 times out of 40 on a budget for 10, across sessions and processes", async () => {
    const appId = await engine.createApp(10 * HOLD)
    const sessions = await Promise.all([1, 2, 3, 4].map(() => engine.createSession(appId)))
    const verdicts = await Promise.all(
      Array.from({ length: 40 }, (_, i) =>
        (engines[i % 4] as Engine).send({ appId, sessionId: sessions[Math.floor(i / 4) % 4] ?? "" })
      )
    )
    const { accepted = [], budget_exceeded = [] } = countOf(verdicts)
    assert.lengthOf(accepted, 10)
    assert.lengthOf(budget_exceeded, 30)
    assert.strictEqual(await heldOf(appId), 10 * HOLD)
    assert.lengthOf((await Promise.all(sessions.map(logOf))).flat(), 20)
  })

  it("start a new budget with each month", async () => {
    const appId = await engine.createApp(HOLD)
    const sessionId = await engine.createSession(appId)
    assert.strictEqual((await engine.send({ appId, sessionId })).answer, "accepted")
    assert.strictEqual((await engine.send({ appId, sessionId })).answer, "budget_exceeded")
    await database.sql`update allowances set day = (day - interval '1 month')::date where app_id = ${appId}`
    assert.strictEqual((await engine.send({ appId, sessionId })).answer, "accepted")
    assert.strictEqual(await heldOf(appId), HOLD)
  })

  it("number every session without gaps, whatever combination of sessions they belong to", () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(
          fc.record({
            session: fc.nat({ max: 3 }),
            process: fc.nat({ max: 3 }),
            key: fc.option(fc.nat({ max: 5 })),
            source: fc.constantFrom("api", "telegram")
          }),
          { minLength: 1, maxLength: 60 }
        ),
        async (sends) => {
          const appId = await engine.createApp()
          const sessions = await Promise.all([0, 1, 2, 3].map(() => engine.createSession(appId)))
          const verdicts = await Promise.all(
            sends.map(({ session, process, key, source }) =>
              (engines[process] as Engine).send({
                appId,
                sessionId: sessions[session] ?? "",
                clientMessageId: key === null ? null : String(key),
                source: source as "api"
              })
            )
          )
          for (const [index, sessionId] of sessions.entries()) {
            const answers = verdicts.filter((_, i) => sends[i]?.session === index)
            const turns = new Set(answers.map(({ turnIndex }) => turnIndex))
            assert.deepStrictEqual(
              [...turns].sort((a = 0, b = 0) => a - b),
              [...turns].map((_, i) => i + 1)
            )
            assert.lengthOf(
              answers.filter(({ answer }) => answer === "accepted"),
              turns.size
            )
            const log = await logOf(sessionId)
            assert.deepStrictEqual(
              log.map(({ cursor }) => cursor),
              log.map((_, i) => i + 1)
            )
            for (const { cursor = 0, runRef } of answers) assert.strictEqual(log[cursor - 1]?.trace_id, runRef)
          }
        }
      ),
      { numRuns: 15 }
    ))
})

describe("a batch", () => {
  it("gives each row its own result, and no row affects another", async () => {
    const rich = await engine.createApp()
    const poor = await engine.createApp(2 * HOLD)
    const [open, ended, funded] = await Promise.all([
      engine.createSession(rich),
      engine.createSession(rich),
      engine.createSession(poor)
    ])
    await database.sql`update session_logs set status = 'exited' where session_id = ${ended}`
    const verdicts = await Promise.all(
      [
        { appId: rich, sessionId: open, clientMessageId: "k" },
        { appId: rich, sessionId: open, clientMessageId: "k" },
        { appId: rich, sessionId: ended },
        { appId: rich, sessionId: "ses_00000000000000000000000000" },
        { appId: poor, sessionId: funded, clientMessageId: "a" },
        { appId: poor, sessionId: funded, clientMessageId: "b" },
        { appId: poor, sessionId: funded, clientMessageId: "c" },
        { appId: poor, sessionId: funded, clientMessageId: "c" },
        { appId: rich, sessionId: open },
        { appId: poor, sessionId: open }
      ].map(engine.send)
    )
    assert.deepStrictEqual(
      verdicts.map(({ answer, cursor, turnIndex }) =>
        cursor === undefined ? answer : `${answer}@${cursor}#${turnIndex}`
      ),
      [
        "accepted@1#1",
        "replay@1#1",
        "session_exited",
        "session_not_found",
        "accepted@1#1",
        "accepted@3#2",
        "budget_exceeded",
        "budget_exceeded",
        "accepted@3#2",
        "session_not_found"
      ]
    )
    assert.lengthOf(await logOf(ended), 0)
  })

  it("refuses sends that would make a session's queue too long", async () => {
    const appId = await engine.createApp()
    const sessionId = await engine.createSession(appId)
    await database.sql`update session_logs set open_turns = ${MAX_OPEN_TURNS - 1} where session_id = ${sessionId}`
    const verdicts = await Promise.all([1, 2, 3].map(() => engine.send({ appId, sessionId })))
    assert.deepStrictEqual(
      verdicts.map(({ answer }) => answer),
      ["accepted", "turn_queue_full", "turn_queue_full"]
    )
  })

  it("answers a known key even if the session has ended since", async () => {
    const appId = await engine.createApp()
    const sessionId = await engine.createSession(appId)
    const first = await engine.send({ appId, sessionId, clientMessageId: "k" })
    await database.sql`update session_logs set status = 'exited' where session_id = ${sessionId}`
    const again = await engine.send({ appId, sessionId, clientMessageId: "k" })
    assert.deepStrictEqual(again, { ...first, answer: "replay", replayed: true })
  })

  it("survives a row that the database rejects", async () => {
    const appId = await engine.createApp()
    const sessionId = await engine.createSession(appId)
    const verdicts = await Promise.all(
      ["fine", "nul \u0000", "fine too"].map((clientMessageId) => engine.send({ appId, sessionId, clientMessageId }))
    )
    assert.deepStrictEqual(
      verdicts.map(({ answer }) => answer),
      ["accepted", "unavailable", "accepted"]
    )
    assert.deepStrictEqual(
      (await logOf(sessionId)).map(({ cursor }) => cursor),
      [1, 2, 3, 4]
    )
  })
})

describe("a commit with an unknown outcome", () => {
  const sendThrough = async (when: "after" | "before") => {
    const breaking = startEngine(database, {
      holdMicroUsd: HOLD,
      wrap: (service) => ({ ...service, pool: loseTransactions(service.pool, when, 1) })
    })
    try {
      const appId = await engine.createApp(100 * HOLD)
      const sessionId = await engine.createSession(appId)
      const verdicts = await Promise.all(
        ["a", "b", null].map((clientMessageId) => breaking.send({ appId, sessionId, clientMessageId }))
      )
      return { appId, sessionId, verdicts }
    } finally {
      await breaking.close()
    }
  }

  it("is found if it succeeded, and not written again", async () => {
    const { appId, sessionId, verdicts } = await sendThrough("after")
    assert.deepStrictEqual(
      verdicts.map(({ answer, cursor }) => `${answer}@${cursor}`),
      ["accepted@1", "accepted@3", "accepted@5"]
    )
    const log = await logOf(sessionId)
    assert.deepStrictEqual(
      log.map(({ cursor }) => cursor),
      [1, 2, 3, 4, 5, 6]
    )
    assert.deepStrictEqual(
      verdicts.map(({ cursor = 0 }) => log[cursor - 1]?.trace_id),
      verdicts.map(({ runRef }) => runRef)
    )
    assert.strictEqual(await heldOf(appId), 3 * HOLD)
  })

  it("is written once if the server dropped the connection before the commit", async () => {
    const { appId, sessionId, verdicts } = await sendThrough("before")
    assert.deepStrictEqual(
      verdicts.map(({ answer }) => answer),
      ["accepted", "accepted", "accepted"]
    )
    assert.deepStrictEqual(
      (await logOf(sessionId)).map(({ cursor }) => cursor),
      [1, 2, 3, 4, 5, 6]
    )
    assert.strictEqual(await heldOf(appId), 3 * HOLD)
  })
})
