import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Redacted from "effect/Redacted"
import { afterAll, assert, beforeAll, beforeEach, describe, it } from "vitest"
import { heldUnits } from "#src/composition/heldUnits.ts"
import { Workers } from "#src/db/conversation/Workers.ts"
import { Database } from "#src/db/postgres/Database.ts"
import { type Engine, startEngine } from "#test/support/Engine.ts"
import { createTestDatabase, type TestDatabase } from "#test/support/TestDatabase.ts"

let database: TestDatabase
let engine: Engine
let runtime: ManagedRuntime.ManagedRuntime<Workers, unknown>
let appId: string
beforeAll(async () => {
  database = await createTestDatabase()
  engine = startEngine(database)
  appId = await engine.createApp()
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
beforeEach(async () => {
  await database.sql`delete from crashed_units`
})

/** Lets a worker hold something, and stop. */
const holdAndStop = (hold: (worker: string) => Promise<unknown>) =>
  runtime.runPromise(
    Workers.use(({ register }) =>
      Effect.scoped(Effect.flatMap(register, ({ workerId }) => Effect.promise(() => hold(workerId))))
    )
  )
/** Lets a worker hold something, and die. `stuckIn`: the unit that the monitor has recorded. */
const holdAndDie = async (hold: (worker: string) => Promise<unknown>, stuckIn?: { kind: string; unit: string }) => {
  await database.sql`insert into workers (worker_id, stuck_app_id, stuck_kind, stuck_unit)
    values ('wrk_dead', ${stuckIn === undefined ? null : appId}, ${stuckIn?.kind ?? null}, ${stuckIn?.unit ?? null})`
  await hold("wrk_dead")
  await runtime.runPromise(Workers.use(({ rescue }) => rescue))
}
const counted = async () =>
  (
    await database.sql<Array<{ unit: string; crashes: number }>>`
      select unit, crashes from crashed_units where app_id = ${appId} order by unit`
  ).map(({ unit, crashes }) => [unit, crashes])

describe("a batch of proactive checks", () => {
  const BATCH = 6
  let sessions: Array<string>
  beforeEach(async () => {
    sessions = []
    for (let i = 0; i < BATCH; i++) sessions.push(await engine.createSession(appId))
    sessions.sort()
    await database.sql`delete from relationships`
    await database.sql`delete from graphile_worker._private_jobs`
    await database.sql`insert into relationships (app_id, session_id)
      select ${appId}, * from unnest(${sessions}::text[])`
  })

  const lease = (worker: string) => database.sql`
    update relationships set initiate_at = now() + interval '2 minutes',
      check_lease = ${`${worker} 2026-01-01T00:00:00.000Z`} where app_id = ${appId}`
  /** In how many seconds each session is due, in their order. */
  const due = async () =>
    (
      await database.sql<Array<{ wait: number; check_lease: string | null }>>`
        select extract(epoch from initiate_at - now())::float8 as wait, check_lease from relationships
        where app_id = ${appId} order by session_id`
    ).map(({ wait, check_lease }) => {
      assert.isNull(check_lease)
      return wait
    })
  const jobs = async () =>
    (await database.sql`select 1 from graphile_worker.jobs where task_identifier = 'initiate'`).length

  it("is due again at once when its worker stops, and counts nothing", async () => {
    await holdAndStop(lease)
    for (const wait of await due()) assert.isAtMost(wait, 0)
    assert.deepStrictEqual(await counted(), [])
    assert.strictEqual(await jobs(), 1)
  })

  it("is due again at once when its worker dies, and counts a crash for the four that were being checked", async () => {
    await holdAndDie(lease)
    for (const wait of await due()) assert.isAtMost(wait, 0)
    assert.deepStrictEqual(
      await counted(),
      sessions.slice(0, 4).map((session) => [session, 1])
    )
  })

  it("counts nothing when the monitor has found what its worker was stuck in", async () => {
    await holdAndDie(lease, { kind: "proactive", unit: sessions[1] ?? "" })
    for (const wait of await due()) assert.isAtMost(wait, 0)
    assert.deepStrictEqual(await counted(), [])
  })

  it("checks those that were beside several crashes each at another time, and the others at once", async () => {
    await database.sql`insert into crashed_units (app_id, kind, unit, crashes)
      select ${appId}, 'proactive', * , 3 from unnest(${sessions.slice(0, 4)}::text[])`
    await holdAndDie(lease)
    const [suspects, others] = [(await due()).slice(0, 4), (await due()).slice(4)]
    assert.strictEqual(new Set(suspects).size, 4)
    for (const wait of suspects) assert.isAtMost(wait, 90)
    assert.isAbove(Math.max(...suspects), 0)
    for (const wait of others) assert.isAtMost(wait, 0)
    assert.strictEqual(await jobs(), 5)
  })
})
