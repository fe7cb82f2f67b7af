import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { startTestServer, type TestServer } from "#test/support/TestServer.ts"
import { until } from "#test/support/until.ts"

let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.close())

describe("a job whose payload no task can read", () => {
  it("is parked with its error and not retried, and others continue", async () => {
    const { sql } = server.database
    await sql`select graphile_worker.add_job('turn', '{"nonsense":1}'::json)`
    const parked = await until("the job to be parked", async () => {
      const [row] = await sql`select j.payload from graphile_worker._private_jobs j
          join graphile_worker._private_tasks t on t.id = j.task_id where t.identifier = 'parked'`
      return row
    })
    assert.strictEqual(parked["payload"].task, "turn")
    assert.deepStrictEqual(parked["payload"].payload, { nonsense: 1 })
    assert.include(parked["payload"].error, "sessions")
    await until("the job itself to be done", async () => {
      const [row] = await sql`select count(*)::int as left from graphile_worker.jobs where task_identifier = 'turn'`
      return row?.["left"] === 0
    })
    const app = await server.createApp()
    assert.strictEqual((await app.converse(await app.createSession(), "What is for dinner?")).type, "message.created")
  })
})
