import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { claimTurns } from "#src/db/conversation/claimTurns.ts"
import { openPool, type Pool } from "#src/db/postgres/postgres.ts"
import { type Engine, startEngine } from "#test/support/Engine.ts"
import { createTestDatabase, type TestDatabase } from "#test/support/TestDatabase.ts"

const PILED_UP = 2000

let database: TestDatabase
let engine: Engine
/** A single connection, which keeps its plans and its statistics. */
let pool: Pool
beforeAll(async () => {
  database = await createTestDatabase()
  engine = startEngine(database)
  pool = openPool(database.url, 1)
  // An analysis would discard the plans.
  await database.sql`alter table turns set (autovacuum_enabled = false)`
  await database.sql`insert into workers (worker_id) values ('wrk_0')`
})
afterAll(async () => {
  await pool.end()
  await engine.close()
  await database.drop()
})

/** How many entries of indexes of turns were read so far, including all that this connection has read. */
const entriesRead = async (): Promise<number> => {
  await pool`select pg_stat_force_next_flush()`
  const [row] = await pool<Array<{ read: number }>>`
    select sum(idx_tup_read)::int as read from pg_stat_user_indexes where relname = 'turns'`
  return row!.read
}

describe("a claim that was planned when few turns were open", () => {
  it("reads only the turns of its own session when thousands have piled up in others", async () => {
    const appId = await engine.createApp()
    const sessionId = await engine.createSession(appId)
    for (const text of ["one", "two"]) await engine.send({ appId, sessionId, text })
    await database.sql`update turns set outcome = 'replied', settled_at = now()`
    await database.sql`analyze turns`
    assert.lengthOf(await claimTurns(pool, "wrk_0", [appId], [sessionId]), 0)

    await engine.send({ appId, sessionId, text: "three" })
    await database.sql`
      insert into turns (app_id, session_id, turn_index, run_ref, cursor, reply_mode, source_kind, hold_micro_usd)
      select app_id, 'ses_of_' || n, turn_index, 'run_of_' || n, cursor, reply_mode, source_kind, hold_micro_usd
      from turns, generate_series(1, ${PILED_UP}) n where outcome is null`
    const before = await entriesRead()
    assert.lengthOf(await claimTurns(pool, "wrk_0", [appId], [sessionId]), 1)
    assert.isBelow((await entriesRead()) - before, 100)
  })
})
