import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { TestApp } from "#test/support/TestApp.ts"
import { startTestServer, type TestServer } from "#test/support/TestServer.ts"
import { until } from "#test/support/until.ts"

const ADMIN_TOKEN = "the-operator-and-nobody-else"

let server: TestServer
let operator: TestApp
beforeAll(async () => {
  server = await startTestServer({ env: { ADMIN_TOKEN } })
  operator = new TestApp(server.baseUrl, "", ADMIN_TOKEN)
})
afterAll(() => server.close())

const sql = () => server.database.sql

/** The times of replies in the hours of the last day that have any. */
const counted = async (): Promise<ReadonlyArray<readonly [p50: number, p99: number]>> => {
  await sql()`select graphile_worker.add_job('health', queue_name := 'health', job_key := 'test')`
  const { hours } = (await operator.get("/admin/overview")).body.data
  return hours
    .map((hour: any) => [hour.accept_to_reply_p50_ms, hour.accept_to_reply_p99_ms])
    .filter(([p50]: ReadonlyArray<number | null>) => p50 !== null)
}

describe("the time of a reply", () => {
  it("is known of an app that no channel pushes to, and no delivery is part of it", async () => {
    const app = await server.createApp()
    const session = await app.createSession()
    const reply = await app.converse(session, "What is for dinner?")
    // It took three seconds, and a receiver accepted it ten minutes later.
    await sql()`
      update turns t set accepted_at = e.created_at - interval '3 seconds' from events e
      where e.id = ${reply.id} and t.app_id = e.app_id and t.session_id = e.session_id and t.run_ref = e.trace_id`
    await sql()`
      insert into delivery_attempts (app_id, session_id, channel_id, cursor, fence, event_id, outcome, started_at,
        latency_ms)
      values (${app.appId}, ${session}, 'chn_x', ${reply.cursor}, 1, ${reply.id}, 'sent', now(), 600000)`
    const [p50, p99] = await until("the time of the reply, as it is now", async () => {
      const [first, ...others] = await counted()
      assert.deepStrictEqual(others, [])
      return first !== undefined && first[0] >= 3000 && first
    })
    // Times are counted in steps of 15 %.
    assert.deepStrictEqual([p50, p99], [3292, 3292])
  })
})
