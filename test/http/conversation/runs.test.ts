import { afterAll, assert, beforeAll, describe, it } from "vitest"
import type { TestApp } from "#test/support/TestApp.ts"
import { startTestServer, type TestServer } from "#test/support/TestServer.ts"
import { until } from "#test/support/until.ts"

let server: TestServer
let app: TestApp
let sessions: ReadonlyArray<string>
beforeAll(async () => {
  server = await startTestServer({})
  app = await server.createApp()
  sessions = [await app.createSession(), await app.createSession()]
  for (const session of sessions)
    for (const text of ["What is for dinner?", "And for breakfast?"]) await say(session, text)
})
afterAll(() => server.close())

const say = async (session: string, text: string) => {
  const { trace_id } = await app.converse(session, text)
  await until("memory extraction", async () =>
    (await app.get(`/v1/sessions/${session}/trace?run_ref=${trace_id}`)).body.data.trace[0].settled ? true : undefined
  )
}
interface Run {
  readonly trace_id: string
  readonly session_id: string
  readonly kind: string
  readonly status: string
  readonly [field: string]: unknown
}
/** All pages of a list, with this page size. */
const all = async (path: string, size: number, query = ""): Promise<ReadonlyArray<Run>> => {
  const runs: Array<Run> = []
  for (let cursor = ""; ;) {
    const { status, body } = await app.get(`${path}?limit=${size}${query}${cursor === "" ? "" : `&cursor=${cursor}`}`)
    assert.strictEqual(status, 200, JSON.stringify(body))
    assert.isAtMost(body.data.runs.length, size)
    runs.push(...body.data.runs)
    if (body.data.next_cursor === null) return runs
    cursor = body.data.next_cursor
  }
}

describe("the runs of a session", () => {
  it("are its turns, the newest first, each with its memory extraction", async () => {
    const [session = ""] = sessions
    const runs = await all(`/v1/sessions/${session}/runs`, 25)
    assert.deepStrictEqual(
      runs.map(({ kind, status }) => [kind, status]),
      [
        ["reply", "replied"],
        ["relational_update", "completed"],
        ["reply", "replied"],
        ["relational_update", "completed"]
      ]
    )
    assert.deepStrictEqual(
      runs.map(({ parent_trace_id }) => parent_trace_id),
      [null, runs[0]?.trace_id, null, runs[2]?.trace_id]
    )
    for (const run of runs) {
      assert.strictEqual(run.session_id, session)
      assert.deepInclude(run, { attempts: 1, error_code: null })
      assert.isAtMost(Date.parse(String(run["started_at"])), Date.parse(String(run["finished_at"])))
    }
  })

  it("keep the outcome of a turn if a client indexes them by trace_id", async () => {
    const [session = ""] = sessions
    for (const path of [`/v1/sessions/${session}/runs`, "/v1/runs"]) {
      const runs = await all(path, 25)
      const byTrace = new Map(runs.map((run) => [run.trace_id, run]))
      assert.strictEqual(byTrace.size, runs.length)
      const { trace } = (await app.get(`/v1/sessions/${session}/trace`)).body.data
      for (const { run_ref } of trace) assert.deepInclude(byTrace.get(run_ref), { kind: "reply", status: "replied" })
    }
  })

  it("are paged in any size, each once", async () => {
    const [session = ""] = sessions
    const runs = await all(`/v1/sessions/${session}/runs`, 25)
    for (const size of [1, 2, 3]) assert.deepStrictEqual(await all(`/v1/sessions/${session}/runs`, size), runs)
  })

  it("can be filtered by kind and status", async () => {
    const [session = ""] = sessions
    assert.lengthOf(await all(`/v1/sessions/${session}/runs`, 1, "&kind=reply"), 2)
    assert.lengthOf(await all(`/v1/sessions/${session}/runs`, 25, "&status=completed"), 2)
    assert.lengthOf(await all(`/v1/sessions/${session}/runs`, 25, "&status=failed"), 0)
    assert.strictEqual((await app.get(`/v1/sessions/${session}/runs?kind=dream`)).status, 422)
    assert.strictEqual(
      (await app.get(`/v1/sessions/${session}/runs?cursor=${Buffer.from("1-x").toString("base64url")}`)).status,
      422
    )
  })
})

describe("the runs of an app", () => {
  it("are those of all its sessions and no other app, the newest first, in pages of any size", async () => {
    const runs = await all("/v1/runs", 25)
    assert.lengthOf(runs, 8)
    assert.deepStrictEqual([...new Set(runs.map(({ session_id }) => session_id))], sessions.toReversed())
    for (const size of [1, 2, 3]) assert.deepStrictEqual(await all("/v1/runs", size), runs)
    const other = await server.createApp()
    assert.deepStrictEqual((await other.get("/v1/runs")).body.data, { runs: [], next_cursor: null })
  })

  it("can be filtered by kind and status", async () => {
    assert.lengthOf(await all("/v1/runs", 3, "&kind=relational_update"), 4)
    assert.lengthOf(await all("/v1/runs", 3, "&status=replied&kind=reply"), 4)
    assert.lengthOf(await all("/v1/runs", 3, "&status=failed"), 0)
  })

  it("continue past sessions that were erased", async () => {
    const session = await app.createSession({ external_user_ref: "to-be-erased" })
    for (const text of ["One?", "Two?", "Three?"]) await say(session, text)
    await app.delete("/v1/end-users/to-be-erased")
    await until("the erasure", async () =>
      (await app.get(`/v1/sessions/${session}`)).status === 404 ? true : undefined
    )
    assert.lengthOf(await all("/v1/runs", 1), 8)
  })
})
