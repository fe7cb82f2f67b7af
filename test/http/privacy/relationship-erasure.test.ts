import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { newId } from "#pipeline/domain/Id.ts"
import type { TestApp } from "#test/support/TestApp.ts"
import { startTestServer, type TestServer } from "#test/support/TestServer.ts"
import { until } from "#test/support/until.ts"

let server: TestServer
let app: TestApp
beforeAll(async () => {
  server = await startTestServer({})
  app = await server.createApp()
})
afterAll(() => server.close())

const TABLES = ["relationships", "relational_patches", "memories", "open_loops", "snapshots", "proactive_decisions"]
const kept = async (session: string) => {
  const { sql } = server.database
  const counts = await Promise.all(
    TABLES.map(
      async (table) => [table, (await sql`select 1 from ${sql(table)} where session_id = ${session}`).length] as const
    )
  )
  return counts.filter(([, count]) => count > 0).map(([table]) => table)
}

describe("the erasure of an end-user", () => {
  it("also deletes what a character knows about them, but not what it knows about others", async () => {
    const { sql } = server.database
    const settle = async (external_user_ref: string) => {
      const session = await app.createSession({ external_user_ref })
      const { trace_id } = await app.converse(session, "I have an ornithology exam tomorrow. Thank you!")
      await until("memory extraction", async () =>
        (await app.get(`/v1/sessions/${session}/trace?run_ref=${trace_id}`)).body.data.trace[0].settled
          ? true
          : undefined
      )
      await app.post(
        `/v1/sessions/${session}/memories`,
        { text: `${external_user_ref} studies ornithology.` },
        { "idempotency-key": external_user_ref }
      )
      await sql`insert into snapshots (app_id, session_id, snapshot_id, turn_index, snapshot, created_at)
        values (${app.appId}, ${session}, ${newId("snp")}, 1, '{}', now())`
      await sql`insert into proactive_decisions (app_id, session_id, decision_id, decision)
        values (${app.appId}, ${session}, ${newId("dec")}, 'skipped')`
      return session
    }
    const [gone, stays] = [await settle("ann"), await settle("bob")]
    assert.deepStrictEqual(await kept(gone), TABLES)
    await app.delete("/v1/end-users/ann")
    await until("the erasure", async () => ((await app.get(`/v1/sessions/${gone}`)).status === 404 ? true : undefined))
    assert.deepStrictEqual(await kept(gone), [])
    assert.deepStrictEqual(await kept(stays), TABLES)
    assert.lengthOf(await sql`select 1 from idempotency_keys where response::text like '%ann studies%'`, 0)
    assert.lengthOf(await sql`select 1 from idempotency_keys where response::text like '%bob studies%'`, 1)
  })

  it("is not undone by a concurrent edit", async () => {
    const session = await app.createSession({ external_user_ref: "cat" })
    const [, ...answers] = await Promise.all([
      app.delete("/v1/end-users/cat"),
      ...Array.from({ length: 20 }, (_, n) => app.post(`/v1/sessions/${session}/memories`, { text: `Thing ${n}.` }))
    ])
    for (const { status } of answers) assert.include([200, 404], status)
    await until("the erasure", async () =>
      (await app.get(`/v1/sessions/${session}`)).status === 404 ? true : undefined
    )
    assert.deepStrictEqual(await kept(session), [])
  })
})
