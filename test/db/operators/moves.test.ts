import { afterEach, assert, beforeEach, describe, it } from "vitest"
import { allTables } from "#src/db/catalogue/allTables.ts"
import { moveApp } from "#src/db/operators/move/moveApp.ts"
import { openPool, type Pool } from "#src/db/postgres/postgres.ts"
import { createAppIn } from "#test/support/accounts/createAppIn.ts"
import { type Engine, startEngine } from "#test/support/Engine.ts"
import { createTestDatabase, type TestDatabase } from "#test/support/TestDatabase.ts"
import { until } from "#test/support/until.ts"

let old: TestDatabase
let next: TestDatabase
let source: Pool
let target: Pool
let engine: Engine
beforeEach(async () => {
  old = await createTestDatabase()
  next = await createTestDatabase()
  source = openPool(old.url, 4)
  target = openPool(next.url, 4)
  engine = startEngine(old)
})
afterEach(async () => {
  await engine.close()
  await source.end()
  await target.end()
  await old.drop()
  await next.drop()
})

const hold = (appId: string) =>
  old.sql`insert into telegram_holds (scope, kind, reason) values (${appId}, 'move', 'new1')`
const move = (appId: string) =>
  moveApp({
    appId,
    cell: "new1",
    tables: allTables,
    source,
    target,
    onProgress: () => {},
    limits: { signal: new AbortController().signal, stallMs: 30_000 }
  })
const appsThere = async () =>
  (await next.sql<Array<{ app_id: string }>>`select app_id from apps where starts_with(app_id, 'app_')`).map(
    (row) => row.app_id
  )

describe("a move", () => {
  it("refuses a message that was under way when the hold began, and takes it after a cancellation", async () => {
    const appId = await engine.createApp()
    const sessionId = await engine.createSession(appId)
    const send = { appId, sessionId, text: "Hello.", clientMessageId: "one" }
    await hold(appId)
    assert.strictEqual((await engine.send(send)).answer, "unavailable")
    await old.sql`delete from telegram_holds where kind = 'move'`
    assert.strictEqual((await engine.send(send)).answer, "accepted")
  })

  it("fails if a row is written here while it is copied, and nothing is there then", async () => {
    const appId = await engine.createApp()
    const sessionId = await engine.createSession(appId)
    await hold(appId)
    const refused = await next.sql.begin(async (sql) => {
      await sql`lock table storyline_steps in access exclusive mode`
      const moving = move(appId).then(
        () => null,
        (error: unknown) => error
      )
      await until("the copy to wait", async () => {
        const waiting = await next.sql`select 1 from pg_stat_activity
          where datname = current_database() and wait_event_type = 'Lock' and starts_with(query, 'copy')`
        return waiting.length > 0
      })
      await old.sql`update session_logs set unanswered_character_turns = 7 where session_id = ${sessionId}`
      return { moving }
    })
    assert.match(String(await refused.moving), /rows of session_logs have changed/)
    assert.deepStrictEqual(await appsThere(), [])
    assert.isNotNull(await move(appId))
    assert.deepStrictEqual(await appsThere(), [appId])
  })

  it("copies nothing of an app that is not on hold", async () => {
    const { appId } = await createAppIn(old.sql)
    assert.match(String(await move(appId).catch((error: unknown) => error)), /cancelled/)
    assert.deepStrictEqual(await appsThere(), [])
  })

  it("takes the account along, unless its person has one in the new cell", async () => {
    const open = (sql: TestDatabase["sql"], id: string, subject: string) => sql`
      insert into accounts (account_id, kind, issuer, subject)
        values (${id}, 'person', 'https://id.example', ${subject})`
    const accountThere = async (account: string) => {
      const { appId } = await createAppIn(old.sql)
      await old.sql`update apps set account_id = ${account} where app_id = ${appId}`
      await hold(appId)
      await move(appId)
      const [row] = await next.sql`select account_id from apps where app_id = ${appId}`
      return row?.["account_id"]
    }
    await open(old.sql, "acc_ada", "ada")
    await open(old.sql, "acc_bo", "bo")
    await open(next.sql, "acc_bo_there", "bo")
    assert.strictEqual(await accountThere("acc_ada"), "acc_ada")
    assert.strictEqual(await accountThere("acc_bo"), "acc_bo_there")
  })
})
