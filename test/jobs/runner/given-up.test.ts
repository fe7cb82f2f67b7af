import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { startTestServer, type TestServer } from "#test/support/TestServer.ts"
import type { TestApp } from "#test/support/TestApp.ts"
import { until } from "#test/support/until.ts"

let api: TestServer
let app: TestApp
let slug: string
beforeAll(async () => {
  api = await startTestServer({ env: { ROLES: "api" } })
  app = await api.createApp()
  slug = await app.createCharacter()
})
afterAll(() => api.close())

/** Starts a worker, with these units recorded as having crashed their processes five times, that checks the queues. */
const startWorker = async (units: ReadonlyArray<readonly [kind: string, unit: string]>) => {
  const { sql } = api.database
  for (const [kind, unit] of units)
    await sql`insert into crashed_units (app_id, kind, unit, crashes) values (${app.appId}, ${kind}, ${unit}, 5)`
  return startTestServer({ env: { ROLES: "api,worker" }, database: api.database })
}
const one = async (query: Promise<ReadonlyArray<Record<string, unknown>>>) => (await query)[0] ?? assert.fail("no row")

describe("work that has crashed its processes five times", () => {
  it("ends as given up without being restarted, while similar work is done", async () => {
    const { sql } = api.database
    const research = () =>
      app.post(`/v1/characters/${slug}/research`, {
        question: "When?",
        purpose: "world",
        sources: [{ kind: "text", text: "The lighthouse was built in 1891." }]
      })
    const image = () => app.post("/v1/images", { character_slug: slug, kind: "selfie", prompt: "By the harbour." })
    await app.request("PUT", `/v1/characters/${slug}/visual-identity`, {
      appearance: "A tall woman of forty with grey eyes."
    })
    const suite = await app.post("/v1/evals/suites", {
      name: "greets",
      character_slug: slug,
      cases: [{ key: "hello", turns: [{ user: "Hello!", expect: [{ type: "event_type", value: "replied" }] }] }]
    })
    for (const { status, body } of [await research(), await research(), await image(), await image(), suite])
      assert.strictEqual(status, 200, JSON.stringify(body))
    const play = () => app.post(`/v1/evals/suites/${suite.body.data.id}/runs`, {})
    for (const { status, body } of [await play(), await play()]) assert.strictEqual(status, 200, JSON.stringify(body))

    const { run_ref } = await one(
      sql`select run_ref from research where app_id = ${app.appId} order by created_at limit 1`
    )
    const { image_id } = await one(
      sql`select image_id from images where app_id = ${app.appId} order by created_at limit 1`
    )
    const { run_id } = await one(
      sql`select run_id from eval_runs where app_id = ${app.appId} order by created_at limit 1`
    )
    const worker = await startWorker([
      ["research", String(run_ref)],
      ["image", String(image_id)],
      ["eval", `${String(run_id)} 0`],
      ["eval", `${String(run_id)} 1`]
    ])
    const all = await until("all to end", async () => {
      const rows = [
        await sql`select status, error_code from research
          where app_id = ${app.appId} and finished_at is not null order by run_ref = ${String(run_ref)} desc`,
        await sql`select status, error_code from images
          where app_id = ${app.appId} and finished_at is not null order by image_id = ${String(image_id)} desc`,
        await sql`select status from eval_results
          where app_id = ${app.appId} and finished_at is not null order by run_id = ${String(run_id)} desc`
      ]
      return rows.every(({ length }) => length === 2) ? rows.map((of) => of.map((row) => ({ ...row }))) : undefined
    }).finally(() => worker.close())
    assert.deepStrictEqual(all, [
      [
        { status: "failed", error_code: "given_up" },
        { status: "completed", error_code: null }
      ],
      [
        { status: "failed", error_code: "crashed" },
        { status: "ready", error_code: null }
      ],
      [{ status: "error" }, { status: "pass" }]
    ])
  })

  it("in a proactive check is not tried again before the next day, and its decision says why", async () => {
    const { sql } = api.database
    const session = await app.createSession({ character_slug: slug })
    await sql`
      insert into relationships (app_id, session_id, initiate_at) values (${app.appId}, ${session}, now())
      on conflict (app_id, session_id) do update set initiate_at = now()`
    const worker = await startWorker([["proactive", session]])
    await sql`select graphile_worker.add_job('initiate', '{}'::json)`
    await until(
      "it to be put off",
      async () =>
        (
          await sql`select 1 from relationships
            where session_id = ${session} and initiate_at > now() + interval '20 hours'`
        ).length === 1
    ).finally(() => worker.close())
    assert.deepStrictEqual(
      [...(await sql`select decision, skipped_by, reason from proactive_decisions where session_id = ${session}`)],
      [{ decision: "skipped", skipped_by: "crashed", reason: null }]
    )
  })
})
