import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { Outcome, type StageRecord } from "#pipeline/domain/Turn.ts"
import { CharacterArchival } from "#src/db/conversation/CharacterArchival.ts"
import { type Lease, Turns } from "#src/db/conversation/Turns.ts"
import type { ClaimRow } from "#src/db/conversation/claimTurns.ts"
import { type Engine, startEngine } from "#test/support/Engine.ts"
import { loseTransactions } from "#test/support/postgres/loseTransactions.ts"
import { createTestDatabase, type TestDatabase } from "#test/support/TestDatabase.ts"

const HOLD = 100

let database: TestDatabase
let engines: ReadonlyArray<Engine>
let engine: Engine
beforeAll(async () => {
  database = await createTestDatabase()
  engines = Array.from({ length: 4 }, () => startEngine(database, { holdMicroUsd: HOLD }))
  engine = engines[0] as Engine
  await database.sql`insert into workers (worker_id) values ('wrk_0'), ('wrk_1'), ('wrk_2'), ('wrk_3')`
})
afterAll(async () => {
  await Promise.all(engines.map((each) => each.close()))
  await database.drop()
})

interface TestSession {
  readonly appId: string
  readonly sessionId: string
}

/** A session with this many waiting messages, of an app with a limit of 100. */
const waiting = async (messages: number): Promise<TestSession> => {
  const appId = await engine.createApp(100 * HOLD)
  const sessionId = await engine.createSession(appId)
  for (let i = 0; i < messages; i++) await engine.send({ appId, sessionId, text: `message ${i + 1}` })
  return { appId, sessionId }
}
const claim = (session: TestSession, process = 0, owner = `wrk_${process}`) =>
  (engines[process] as Engine).run(Turns.use((turns) => turns.claim(owner, session)))
const leaseOf = (row: ClaimRow | undefined): Lease => {
  if (row === undefined) throw new Error("nothing was claimed")
  return { appId: row.app_id, sessionId: row.session_id, turnIndex: row.turn_index, owner: row.owner, fence: row.fence }
}
const settle = (lease: Lease, outcome: Outcome, stages: ReadonlyArray<StageRecord> = []) =>
  engine.run(Turns.use((turns) => turns.settle({ lease, outcome, stages })))
const reply = (text: string) => Outcome.cases.Replied.make({ bubbles: [text] })
const exit = Outcome.cases.Exited.make({ reasonCode: "boundary", bubbles: ["Goodbye."] })
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

const turnsOf = ({ sessionId }: TestSession) => database.sql<
  Array<{ outcome: string | null; owner: string | null; fence: number }>
>`
  select outcome, owner, fence from turns where session_id = ${sessionId} order by turn_index`
const outcomesOf = async (session: TestSession) => (await turnsOf(session)).map(({ outcome }) => outcome)
const typesOf = async ({ sessionId }: TestSession) =>
  (
    await database.sql<
      Array<{ cursor: number; said: string }>
    >`select cursor::int, role || ' ' || type as said from events where session_id = ${sessionId} order by cursor`
  ).map(({ said }) => said)
const heldOf = async ({ appId }: TestSession) =>
  (
    await database.sql<
      Array<{ used: number }>
    >`select month_used_micro_usd::int as used from allowances where app_id = ${appId}`
  )[0]?.used
const countersOf = async ({ sessionId }: TestSession) => {
  const [row] = await database.sql<Array<{ status: string; open_turns: number; gaps: number }>>`
    select status, open_turns, (last_cursor - (select count(*) from events e
      where e.session_id = l.session_id))::int as gaps from session_logs l where session_id = ${sessionId}`
  return { ...row }
}

describe("a claim", () => {
  it("takes the oldest unsettled turn, and no other until that one is settled", async () => {
    const session = await waiting(3)
    const first = await claim(session)
    assert.deepInclude(first, { turn_index: 1, text: "message 1", owner: "wrk_0", fence: 1 })
    assert.isUndefined(await claim(session))
    assert.isUndefined(await claim(session, 1))
    await settle(leaseOf(first), reply("one"))
    assert.strictEqual((await claim(session, 1))?.turn_index, 2)
  })

  it("is won by exactly one of 20 concurrent claims from four processes", async () => {
    const places = await Promise.all(Array.from({ length: 10 }, () => waiting(2)))
    for (const session of places) {
      const rows = await Promise.all(Array.from({ length: 20 }, (_, i) => claim(session, i % 4)))
      const won = rows.filter((row) => row !== undefined)
      assert.lengthOf(won, 1)
      assert.deepStrictEqual(
        (await turnsOf(session)).map(({ owner, fence }) => ({ owner, fence })),
        [
          { owner: won[0]?.owner ?? "", fence: 1 },
          { owner: null, fence: 0 }
        ]
      )
    }
  })

  it("returns nothing for an unregistered worker", async () => {
    const session = await waiting(1)
    assert.isUndefined(await claim(session, 0, "wrk_unheard_of"))
    assert.strictEqual((await claim(session))?.turn_index, 1)
  })

  it("belongs to its own worker when two workers of a process claim at the same time", async () => {
    const places = await Promise.all([waiting(1), waiting(1)])
    const rows = await Promise.all(places.map((session, i) => claim(session, 0, `wrk_${i}`)))
    assert.deepStrictEqual(
      rows.map((row) => row?.owner),
      ["wrk_0", "wrk_1"]
    )
  })

  it("takes only turns that are due", async () => {
    const session = await waiting(1)
    await database.sql`update turns set due_at = now() + interval '1 hour' where session_id = ${session.sessionId}`
    assert.isUndefined(await claim(session))
  })

  it("pins the character to the version that the turn started with", async () => {
    const session = await waiting(1)
    const first = await claim(session)
    await database.sql`
      insert into character_versions select app_id, slug, 2, profile from character_versions
      where app_id = ${session.appId}`
    await database.sql`update characters set version = 2 where app_id = ${session.appId}`
    await engine.run(Turns.use((turns) => turns.release(leaseOf(first), [])))
    assert.deepInclude(await claim(session, 1), { character_version: 1, fence: 2 })
  })

  it("returns a released turn to the queue, and wakes another worker for it", async () => {
    const session = await waiting(1)
    const first = leaseOf(await claim(session))
    await database.sql`delete from graphile_worker._private_jobs`
    await engine.run(Turns.use((turns) => turns.release(first, [])))
    assert.lengthOf(
      await database.sql`
        select 1 from graphile_worker._private_jobs where strpos(payload::text, ${session.sessionId}) > 0`,
      1
    )
    const second = leaseOf(await claim(session, 1))
    assert.deepStrictEqual(second, { ...first, owner: "wrk_1", fence: 2 })
    await engine.run(Turns.use((turns) => turns.release(first, [])))
    assert.strictEqual((await turnsOf(session))[0]?.owner, "wrk_1", "an old lease releases nothing")
  })
})

describe("a settlement", () => {
  it("writes the reply at the end of the log, lowers the count of waiting turns, and pays the cost", async () => {
    const session = await waiting(2)
    assert.strictEqual(await heldOf(session), 2 * HOLD)
    const settled = await settle(leaseOf(await claim(session)), reply("one"), [spent(30), spent(7)])
    assert.deepStrictEqual(settled, { _tag: "Settled", openTurns: 1 })
    assert.deepStrictEqual(await typesOf(session), [
      "user message.created",
      "character run.status",
      "user message.created",
      "character run.status",
      "character message.created"
    ])
    assert.deepStrictEqual(await countersOf(session), { status: "active", open_turns: 1, gaps: 0 })
    assert.strictEqual(await heldOf(session), HOLD + 37)
  })

  it.each([
    ["a failure", Outcome.cases.Failed.make({ reason: "timed_out" }), ["failed"], ["system message.failed"]],
    ["silence", Outcome.cases.Withheld.make({}), ["withheld"], []],
    ["an exit", exit, ["exited"], ["character message.created", "system session.exited"]]
  ])("books the cost of %s, and no more", async (_, outcome, outcomes, said) => {
    const session = await waiting(1)
    await settle(leaseOf(await claim(session)), outcome, [spent(12)])
    assert.deepStrictEqual(await outcomesOf(session), outcomes)
    assert.deepStrictEqual((await typesOf(session)).slice(2), said)
    assert.strictEqual(await heldOf(session), 12)
  })

  it("is refused to an owner who has lost the lease, and writes nothing", async () => {
    const session = await waiting(1)
    const old = leaseOf(await claim(session))
    await database.sql`update turns set owner = null where session_id = ${session.sessionId}`
    const young = leaseOf(await claim(session, 1))
    assert.deepStrictEqual(await settle(old, reply("from the dead"), [spent(50)]), { _tag: "Taken" })
    assert.deepStrictEqual(await settle({ ...old, fence: young.fence }, reply("right fence, wrong owner")), {
      _tag: "Taken"
    })
    assert.deepStrictEqual(await settle({ ...young, fence: old.fence }, reply("right owner, old fence")), {
      _tag: "Taken"
    })
    assert.lengthOf(await typesOf(session), 2)
    assert.strictEqual(await heldOf(session), HOLD)
    assert.deepStrictEqual(await settle(young, reply("alive")), { _tag: "Settled", openTurns: 0 })
    assert.deepStrictEqual(
      await settle(young, reply("once more"), [spent(50)]),
      { _tag: "Settled", openTurns: 0 },
      "it is, by its own hand"
    )
    assert.deepStrictEqual(await settle(old, reply("from the dead")), { _tag: "Taken" })
    assert.deepStrictEqual((await typesOf(session)).slice(2), ["character message.created"])
    assert.strictEqual(await heldOf(session), 0)
  })

  it.each(["after", "before"] as const)(
    "whose connection was lost %s its commit is written once, and recognized as its own",
    async (when) => {
      const session = await waiting(2)
      const lease = leaseOf(await claim(session))
      const breaking = startEngine(database, {
        wrap: (service) => ({ ...service, pool: loseTransactions(service.pool, when, 1) })
      })
      try {
        const settled = await breaking.run(
          Turns.use((turns) => turns.settle({ lease, outcome: reply("one"), stages: [spent(30)] }))
        )
        assert.deepStrictEqual(settled, { _tag: "Settled", openTurns: 1 })
      } finally {
        await breaking.close()
      }
      assert.deepStrictEqual((await typesOf(session)).slice(4), ["character message.created"])
      assert.strictEqual(await heldOf(session), HOLD + 30)
    }
  )

  it("writes only once if 10 run at the same time", async () => {
    const session = await waiting(1)
    const lease = leaseOf(await claim(session))
    const settled = await Promise.all(
      Array.from({ length: 10 }, (_, i) =>
        (engines[i % 4] as Engine).run(
          Turns.use((turns) => turns.settle({ lease, outcome: reply(`try ${i}`), stages: [spent(3)] }))
        )
      )
    )
    assert.deepStrictEqual(
      settled,
      settled.map(() => ({ _tag: "Settled", openTurns: 0 }))
    )
    assert.strictEqual(await heldOf(session), 3)
    assert.lengthOf(await typesOf(session), 3)
    assert.deepStrictEqual(await countersOf(session), { status: "active", open_turns: 0, gaps: 0 })
  })

  it("keeps the sessions of one batch separate", async () => {
    const places = await Promise.all(Array.from({ length: 12 }, () => waiting(1)))
    const leases = await Promise.all(places.map(async (session) => leaseOf(await claim(session))))
    await Promise.all(
      leases.map((lease, i) =>
        settle(
          lease,
          i % 3 === 0 ? exit : i % 3 === 1 ? reply("yes") : Outcome.cases.Failed.make({ reason: "generation_failed" }),
          [spent(i)]
        )
      )
    )
    for (const [i, session] of places.entries()) {
      assert.deepStrictEqual(await outcomesOf(session), [["exited", "replied", "failed"][i % 3] ?? ""])
      assert.deepStrictEqual(await countersOf(session), {
        status: i % 3 === 0 ? "exited" : "active",
        open_turns: 0,
        gaps: 0
      })
      assert.strictEqual(await heldOf(session), i)
    }
  })
})

describe("the cost of an attempt", () => {
  const book = (lease: Lease, stages: ReadonlyArray<StageRecord>) =>
    engine.run(Turns.use((turns) => turns.book(lease, stages)))
  const release = (lease: Lease, stages: ReadonlyArray<StageRecord>) =>
    engine.run(Turns.use((turns) => turns.release(lease, stages)))
  const free = ({ sessionId }: TestSession) =>
    database.sql`update turns set owner = null where session_id = ${sessionId}`
  const costOf = async ({ sessionId }: TestSession) =>
    (
      await database.sql<
        Array<{ cost: number | null }>
      >`select cost_micro_usd::int as cost from turns where session_id = ${sessionId} order by turn_index`
    ).map(({ cost }) => cost)
  const rowsOf = async ({ sessionId }: TestSession) =>
    (
      await database.sql<Array<{ row: string }>>`
        select fence || ' ' || seq || ' ' || status || ' ' || cost_micro_usd as row from turn_stages
        where session_id = ${sessionId} order by fence, seq`
    ).map(({ row }) => row)
  const cutOff = (costMicroUsd: number): StageRecord => ({
    ...spent(costMicroUsd),
    status: "error",
    errorCode: "interrupted"
  })

  it("is booked in addition to the reservation while it runs, and only once however often it is reported", async () => {
    const session = await waiting(1)
    const lease = leaseOf(await claim(session))
    await book(lease, [cutOff(10)])
    await book(lease, [cutOff(10)])
    assert.strictEqual(await heldOf(session), HOLD + 10)
    await book(lease, [spent(25), cutOff(5)])
    assert.strictEqual(await heldOf(session), HOLD + 30)
    assert.deepStrictEqual(await rowsOf(session), ["1 0 ok 25", "1 1 error 5"])
    await book(lease, [cutOff(10)])
    assert.strictEqual(
      await heldOf(session),
      HOLD + 15,
      "a late report changes its entries, and the final report corrects them"
    )
    await settle(lease, reply("done"), [spent(25), spent(9)])
    assert.strictEqual(await heldOf(session), 34)
    assert.deepStrictEqual(await costOf(session), [34])
    assert.deepStrictEqual(await rowsOf(session), ["1 0 ok 25", "1 1 ok 9"])
  })

  it("stays booked if the attempt dies, and the next attempt adds to it", async () => {
    const session = await waiting(1)
    await book(leaseOf(await claim(session)), [cutOff(10)])
    await free(session)
    const second = leaseOf(await claim(session, 1))
    await book(second, [cutOff(4)])
    await settle(second, reply("done"), [spent(6)])
    assert.strictEqual(await heldOf(session), 16)
    assert.deepStrictEqual(await costOf(session), [16])
    assert.deepStrictEqual(await rowsOf(session), ["1 0 error 10", "2 0 ok 6"])
  })

  it("is booked when the turn is released, and the reservation stays", async () => {
    const session = await waiting(1)
    const lease = leaseOf(await claim(session))
    await book(lease, [cutOff(10)])
    await release(lease, [spent(10), cutOff(3)])
    assert.strictEqual(await heldOf(session), HOLD + 13)
    await settle(leaseOf(await claim(session, 1)), reply("done"), [spent(6)])
    assert.strictEqual(await heldOf(session), 19)
    assert.deepStrictEqual(await rowsOf(session), ["1 0 ok 10", "1 1 error 3", "2 0 ok 6"])
  })

  it("stays booked if the session ends before the next attempt", async () => {
    const session = await waiting(1)
    await release(leaseOf(await claim(session)), [spent(10)])
    await engine.run(CharacterArchival.use((archival) => archival.archive(session.appId, "mara", true)))
    assert.deepStrictEqual(await outcomesOf(session), ["exited"])
    assert.deepStrictEqual(await costOf(session), [10])
    assert.strictEqual(await heldOf(session), 10)
  })

  it("is not booked by an attempt that lost its lease, before or after the turn is settled", async () => {
    const session = await waiting(1)
    const zombie = leaseOf(await claim(session))
    await free(session)
    const lease = leaseOf(await claim(session, 1))
    await book(zombie, [spent(50)])
    await release(zombie, [spent(50)])
    assert.strictEqual((await turnsOf(session))[0]?.owner, "wrk_1")
    await settle(lease, reply("done"), [spent(6)])
    for (const late of [zombie, lease]) {
      await book(late, [spent(50)])
      await release(late, [spent(50)])
    }
    assert.strictEqual(await heldOf(session), 6)
    assert.deepStrictEqual(await costOf(session), [6])
    assert.deepStrictEqual(await rowsOf(session), ["2 0 ok 6"])
  })

  it("adds up when reported at the same time and in any order", async () => {
    const session = await waiting(1)
    const lease = leaseOf(await claim(session))
    const told = [
      book(lease, [cutOff(10)]),
      book(lease, [spent(10), cutOff(5)]),
      settle(lease, reply("done"), [spent(10), spent(5)]),
      release(lease, [spent(10), cutOff(5)])
    ]
    await Promise.all(told)
    if ((await outcomesOf(session))[0] === null) await settle(leaseOf(await claim(session)), reply("done"))
    assert.strictEqual(await heldOf(session), (await costOf(session))[0])
    const [{ sum } = { sum: 0 }] = await database.sql<
      Array<{ sum: number }>
    >`select sum(cost_micro_usd)::int as sum from turn_stages where session_id = ${session.sessionId}`
    assert.deepStrictEqual(await costOf(session), [sum])
  })
})

describe("a session that ends", () => {
  it("settles the turns after the exit without a reply, and releases their reservations", async () => {
    const session = await waiting(4)
    await settle(leaseOf(await claim(session)), exit, [spent(20)])
    assert.deepStrictEqual(await outcomesOf(session), ["exited", "exited", "exited", "exited"])
    assert.deepStrictEqual((await typesOf(session)).slice(8), ["character message.created", "system session.exited"])
    assert.deepStrictEqual(await countersOf(session), { status: "exited", open_turns: 0, gaps: 0 })
    assert.strictEqual(await heldOf(session), 20)
    assert.isUndefined(await claim(session))
    assert.strictEqual((await engine.send(session)).answer, "session_exited")
  })

  it("rejects the reply of a turn in progress, but books its cost", async () => {
    const session = await waiting(1)
    const lease = leaseOf(await claim(session))
    await database.sql`update session_logs set status = 'exited' where session_id = ${session.sessionId}`
    assert.deepStrictEqual(await settle(lease, reply("too late"), [spent(40)]), { _tag: "Settled", openTurns: 0 })
    assert.lengthOf(await typesOf(session), 2)
    assert.deepStrictEqual(await outcomesOf(session), ["exited"])
    assert.strictEqual(await heldOf(session), 40)
  })

  it("because its character was archived lets the running turn settle with its cost, and ends the rest", async () => {
    const session = await waiting(3)
    const lease = leaseOf(await claim(session))
    await engine.run(CharacterArchival.use((archival) => archival.archive(session.appId, "mara", true)))
    assert.deepStrictEqual(await outcomesOf(session), [null, "exited", "exited"])
    assert.deepStrictEqual(await settle(lease, reply("too late"), [spent(40)]), { _tag: "Settled", openTurns: 0 })
    assert.deepStrictEqual(await outcomesOf(session), ["exited", "exited", "exited"])
    assert.deepStrictEqual(await countersOf(session), { status: "exited", open_turns: 0, gaps: 0 })
    assert.strictEqual(await heldOf(session), 40)
  })
})
