import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Redacted from "effect/Redacted"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { heldUnits } from "#src/composition/heldUnits.ts"
import { Workers } from "#src/db/conversation/Workers.ts"
import { Database } from "#src/db/postgres/Database.ts"
import { type Engine, startEngine } from "#test/support/Engine.ts"
import { createTestDatabase, type TestDatabase } from "#test/support/TestDatabase.ts"

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

/** Sessions of one extraction job, each with an answered turn, whose worker is gone and had crashed this often. */
const readByTheDead = async (count: number, crashes: number) => {
  const { sql } = database
  const appId = await engine.createApp()
  const sessions: Array<string> = []
  for (let i = 0; i < count; i++) {
    const sessionId = await engine.createSession(appId)
    sessions.push(sessionId)
    await engine.send({ appId, sessionId })
  }
  await sql`update turns set outcome = 'replied', settled_at = now() where app_id = ${appId}`
  await sql`delete from crashed_units`
  if (crashes > 0)
    await sql`insert into crashed_units (app_id, kind, unit, crashes)
      select app_id, 'reading', session_id || ' 1', ${crashes} from turns where app_id = ${appId}`
  await sql`delete from graphile_worker._private_jobs`
  const payload = JSON.stringify({ sessions: sessions.map((id) => [appId, id]) })
  await sql`select graphile_worker.add_job('relate', ${payload}::text::json)`
  await sql`update graphile_worker._private_jobs set locked_by = 'pool-dead', locked_at = now()`
  await sql`insert into workers (worker_id, pool_id) values ('wrk_dead', 'pool-dead')`
  return sessions
}
const waits = async () =>
  (
    await database.sql<Array<{ sessions: number; wait: number; free: boolean }>>`
      select json_array_length(payload -> 'sessions') as sessions, locked_at is null as free,
        extract(epoch from run_at - now())::float8 as wait from graphile_worker._private_jobs`
  ).map(({ sessions, wait, free }) => {
    assert.deepStrictEqual([sessions, free], [1, true])
    return wait
  })
const crashes = async () =>
  (await database.sql<Array<{ crashes: number }>>`select crashes from crashed_units`).map((row) => row.crashes)

describe("memory extractions of a dead worker", () => {
  it("are restarted at once the first time, each by its own job", async () => {
    await readByTheDead(3, 0)
    await rescue()
    assert.deepStrictEqual(await crashes(), [1, 1, 1])
    assert.deepStrictEqual(
      (await waits()).map((wait) => wait <= 0),
      [true, true, true]
    )
  })

  it.each([
    [1, 10],
    [2, 30],
    [3, 90]
  ])(
    "are restarted at different times when they had already crashed %i times: within %i seconds",
    async (before, seconds) => {
      await readByTheDead(12, before)
      await rescue()
      assert.deepStrictEqual(await crashes(), Array(12).fill(before + 1))
      const found = await waits()
      assert.lengthOf(found, 12)
      assert.isAtMost(Math.max(...found), seconds)
      assert.isAbove(Math.max(...found), seconds / 4)
      assert.isAbove(new Set(found.map((wait) => Math.round(wait * 100))).size, 6)
    }
  )

  it("count no crash if nothing is left to extract", async () => {
    const [read] = await readByTheDead(2, 0)
    await database.sql`insert into relationships (app_id, session_id, read_turn)
      select app_id, session_id, 1 from turns where session_id = ${read ?? ""}
      on conflict (app_id, session_id) do update set read_turn = 1`
    await rescue()
    assert.deepStrictEqual(await crashes(), [1])
    assert.lengthOf(await waits(), 2)
  })

  it("count no crash if the monitor recorded another unit that blocked their process", async () => {
    const [stuck] = await readByTheDead(2, 0)
    await database.sql`update workers set stuck_kind = 'reading', stuck_unit = ${`${stuck} 1`}, stuck_counted = true,
      stuck_app_id = (select app_id from sessions where session_id = ${stuck ?? ""}) where worker_id = 'wrk_dead'`
    await rescue()
    assert.deepStrictEqual(await crashes(), [])
    const [job] = await database.sql`select locked_by from graphile_worker.jobs`
    assert.deepStrictEqual({ ...job }, { locked_by: null })
  })
})
