import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { startTestServer, type TestServer } from "#test/support/TestServer.ts"

let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.close())

describe("a claim whose result was lost with its connection", () => {
  it("is released by the worker that does not know about it, and the turn is answered", async () => {
    const app = await server.createApp()
    const session = await app.createSession()
    const { sql } = server.database
    // The state after accept and claim: a turn that belongs to a live worker, which never learned of it.
    await sql.begin(async (t) => {
      await t`
        insert into events (app_id, session_id, cursor, id, type, role, trace_id, source_kind, payload)
        values (${app.appId}, ${session}, 1, 'evt_stray', 'message.created', 'user', 'run_stray', 'api',
          '{"text":"What is for dinner?","bubbles":["What is for dinner?"]}')`
      await t`update session_logs set last_cursor = 1, turn_count = 1, open_turns = 1 where session_id = ${session}`
      await t`
        insert into turns (app_id, session_id, turn_index, run_ref, cursor, reply_mode, source_kind, hold_micro_usd,
          owner, fence, character_version)
        select ${app.appId}, ${session}, 1, 'run_stray', 1, 'fast', 'api', 0, worker_id, 1, 1 from workers`
    })
    const reply = await app.waitFor(session, (event) => event.role === "character")
    assert.strictEqual(reply.payload["turn_index"], 1)
    const [turn] = await sql`select crashes, fence from turns where session_id = ${session}`
    assert.deepStrictEqual({ ...turn }, { crashes: 0, fence: 2 })
  })
})
