import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Redacted from "effect/Redacted"
import postgres from "postgres"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { Outcome } from "#pipeline/domain/Turn.ts"
import { Database } from "#src/db/postgres/Database.ts"
import { Turns } from "#src/db/conversation/Turns.ts"
import { heldUnits } from "#src/composition/heldUnits.ts"
import { Workers } from "#src/db/conversation/Workers.ts"
import { type Engine, startEngine } from "#test/support/Engine.ts"
import { createTestDatabase, type TestDatabase } from "#test/support/TestDatabase.ts"
import { until } from "#test/support/until.ts"

let database: TestDatabase
let engine: Engine
let runtime: ManagedRuntime.ManagedRuntime<Workers, unknown>
beforeAll(async () => {
  database = await createTestDatabase()
  engine = startEngine(database)
  runtime = ManagedRuntime.make(
    Workers.layer.pipe(
      Layer.provide(heldUnits),
      Layer.provide(Database.layer({ url: Redacted.make(database.url), maxConnections: 2 }))
    )
  )
})
afterAll(async () => {
  await runtime.dispose()
  await engine.close()
  await database.drop()
})

const rescue = () => runtime.runPromise(Workers.use((workers) => workers.rescue))
const releaseOwnerless = () => runtime.runPromise(Workers.use((workers) => workers.releaseOwnerless))
const wakeLate = () => runtime.runPromise(Workers.use((workers) => workers.wakeLate([])))

/** Sessions with one message each, all run by a dead worker: nobody holds its lock. */
const heldByTheDead = async (count: number, crashes: number) => {
  await database.sql`delete from turns`
  const appId = await engine.createApp()
  const sessions: Array<string> = []
  for (let i = 0; i < count; i++) {
    const sessionId = await engine.createSession(appId)
    sessions.push(sessionId)
    await engine.send({ appId, sessionId })
  }
  await database.sql`insert into workers (worker_id) values ('wrk_dead')`
  await database.sql`update turns set owner = 'wrk_dead', fence = 1, crashes = ${crashes}`
  await database.sql`delete from graphile_worker._private_jobs`
  return { appId, sessions }
}
const freed = async () =>
  await database.sql<Array<{ crashes: number; wait: number; free: boolean }>>`
    select crashes, extract(epoch from due_at - now())::float8 as wait, owner is null as free from turns
      where outcome is null`
const jobs = async () =>
  (await database.sql<Array<{ jobs: number }>>`select count(*)::int as jobs from graphile_worker.jobs`)[0]?.jobs

describe("turns of a dead worker", () => {
  it.each([
    [0, 1],
    [4, 5]
  ])("are restarted at once when they had crashed %i times before", async (before, after) => {
    await heldByTheDead(3, before)
    assert.deepStrictEqual(await rescue(), { workers: 1, turns: 3 })
    const turns = await freed()
    assert.deepStrictEqual(
      turns.map(({ crashes, free, wait }) => [crashes, free, wait <= 0]),
      [
        [after, true, true],
        [after, true, true],
        [after, true, true]
      ]
    )
    assert.strictEqual(await jobs(), 1)
  })

  it.each([
    [1, 10],
    [2, 30],
    [3, 90]
  ])(
    "are restarted at different times when they had already crashed %i times: in the second half of %i seconds",
    async (before, seconds) => {
      await heldByTheDead(12, before)
      const clock = async () =>
        (await database.sql<[{ now: number }]>`select extract(epoch from clock_timestamp())::float8 as now`)[0].now
      const from = await clock()
      assert.deepStrictEqual(await rescue(), { workers: 1, turns: 12 })
      const to = await clock()
      const rows = await database.sql<Array<{ crashes: number; due: number }>>`
        select crashes, extract(epoch from due_at)::float8 as due from turns where outcome is null`
      const dues = rows.map(({ crashes, due }) => {
        assert.strictEqual(crashes, before + 1)
        return due
      })
      assert.lengthOf(dues, 12)
      assert.isAtMost(Math.max(...dues), to + seconds)
      assert.isAtLeast(Math.min(...dues), from + seconds / 2)
      assert.isAbove(new Set(dues.map((due) => Math.round(due * 100))).size, 6)
    }
  )

  it("leave no job locked, with or without a named pool, and jobs of a live worker stay locked", async () => {
    await heldByTheDead(1, 0)
    const pools = ["pool-named", "pool-unnamed", "pool-alive"]
    for (const pool of pools) await database.sql`select graphile_worker.add_job('turn', '{}', job_key := ${pool})`
    await database.sql`
      update graphile_worker._private_jobs set locked_by = key, locked_at = now() where key = any(${pools})`
    await database.sql`update workers set pool_id = 'pool-named' where worker_id = 'wrk_dead'`
    await database.sql.begin(async (alive) => {
      await alive`select pg_advisory_xact_lock(hashtextextended('wrk_alive', 0))`
      await database.sql`insert into workers (worker_id, pool_id) values ('wrk_alive', 'pool-alive')`
      assert.deepStrictEqual(await rescue(), { workers: 1, turns: 1 })
    })
    const locked = await database.sql<
      Array<{ locked_by: string }>
    >`select locked_by from graphile_worker.jobs where locked_by is not null`
    assert.deepStrictEqual(
      locked.map(({ locked_by }) => locked_by),
      ["pool-alive"]
    )
    await rescue()
  })

  it("leave jobs locked that nobody names, and the next pool of a live worker unlocks them", async () => {
    await database.sql`delete from graphile_worker._private_jobs`
    await database.sql`select graphile_worker.add_job('turn', '{}', queue_name := 'one at a time')`
    await database.sql`update graphile_worker._private_jobs set locked_by = 'pool-ended', locked_at = now()`
    await database.sql`update graphile_worker._private_job_queues set locked_by = 'pool-ended', locked_at = now()`
    await runtime.runPromise(
      Workers.use((workers) => Effect.flatMap(workers.register, (worker) => worker.usePool("pool-next"))).pipe(
        Effect.scoped
      )
    )
    const locks = await database.sql`
      select locked_by from graphile_worker._private_jobs
      union select locked_by from graphile_worker._private_job_queues`
    assert.deepStrictEqual(
      locks.map((row) => row["locked_by"]),
      [null]
    )
  })

  it("are released if it is silent and holds its lock, and the same lock in another database stays", async () => {
    await heldByTheDead(1, 0)
    await database.sql`update workers set heartbeat_at = now() - interval '11 seconds' where worker_id = 'wrk_dead'`
    const other = await createTestDatabase()
    const connect = (url: string) => postgres(url, { max: 1, onnotice: () => {} })
    const [silent, elsewhere] = [connect(database.url), connect(other.url)]
    for (const sql of [silent, elsewhere]) await sql`select pg_advisory_lock(hashtextextended('wrk_dead', 0))`
    // A connection that is ended may hold its lock a moment longer.
    const released = await until("the silent worker to lose its lock", async () => {
      const rescued = await rescue()
      return rescued.workers > 0 && rescued
    })
    assert.deepStrictEqual(released, { workers: 1, turns: 1 })
    const [lock] = await elsewhere`select pg_advisory_unlock(hashtextextended('wrk_dead', 0)) as held`
    assert.deepStrictEqual({ ...lock }, { held: true })
    await Promise.all([silent.end(), elsewhere.end()])
    await other.drop()
  })

  it("are released by the sweeper if their worker is not registered at all", async () => {
    await heldByTheDead(2, 0)
    await database.sql`delete from workers where worker_id = 'wrk_dead'`
    assert.strictEqual(await releaseOwnerless(), 2)
    assert.deepStrictEqual(
      (await freed()).map(({ crashes, free }) => [crashes, free]),
      [
        [1, true],
        [1, true]
      ]
    )
    assert.strictEqual(await jobs(), 1)
  })

  it("are released or settled without a deadlock if the worker was still alive", async () => {
    for (let round = 0; round < 5; round++) {
      const { appId, sessions } = await heldByTheDead(20, 0)
      const outcome = Outcome.cases.Replied.make({ bubbles: ["alive"] })
      const settle = (sessionId: string) =>
        engine.run(
          Turns.use((turns) =>
            turns.settle({
              lease: { appId, sessionId, turnIndex: 1, owner: "wrk_dead", fence: 1 },
              outcome,
              stages: []
            })
          )
        )
      const [settled, { turns }] = await Promise.all([Promise.all(sessions.toReversed().map(settle)), rescue()])
      assert.strictEqual(settled.filter(({ _tag }) => _tag === "Settled").length + turns, 20)
    }
  })
})

describe("the sweeper", () => {
  it("starts the turns first that have waited longest", async () => {
    const { sessions } = await heldByTheDead(250, 0)
    await database.sql`delete from workers where worker_id = 'wrk_dead'`
    // From one time for all, so that nothing depends on when each is written.
    await database.sql`
      update turns set owner = null, due_at = now() - make_interval(secs => 9 + s.place)
      from unnest(${sessions}::text[]) with ordinality as s(session_id, place)
      where turns.session_id = s.session_id`
    assert.strictEqual(await wakeLate(), 200)
    const woken = await database.sql<Array<{ key: string }>>`select key from graphile_worker.jobs order by id`
    assert.deepStrictEqual(
      woken.map(({ key }) => key),
      sessions
        .toReversed()
        .slice(0, 200)
        .map((sessionId) => `sweep:${sessionId}`)
    )
  })
})
