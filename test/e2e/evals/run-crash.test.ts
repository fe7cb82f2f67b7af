import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { createAppIn } from "#test/support/createAppIn.ts"
import { type FakeModel, start } from "#test/support/FakeModel.ts"
import { SECRETS_KEY } from "#test/support/secretsKey.ts"
import { TestApp } from "#test/support/TestApp.ts"
import { createTestDatabase, type TestDatabase } from "#test/support/TestDatabase.ts"
import { startTroupe, type TroupeProcess } from "#test/support/TroupeProcess.ts"
import { until } from "#test/support/until.ts"

let database: TestDatabase
let model: FakeModel
let app: TestApp
const processes: Array<TroupeProcess> = []
/** While it is true, the model does not answer. */
let stalled = true

const serve = async (roles: "api" | "worker") => {
  const process = await startTroupe({
    NODE_ENV: "production",
    SECRETS_KEY,
    DATABASE_URL: database.url,
    ROLES: roles,
    OPENAI_BASE_URL: model.url,
    OPENAI_TIMEOUT_SECONDS: "120",
    TURN_DEADLINE_FAST_SECONDS: "120"
  })
  processes.push(process)
  return process
}
beforeAll(async () => {
  database = await createTestDatabase()
  model = await start({ otherwise: () => (stalled ? { kind: "stall" } : { kind: "ok", bubbles: ["Soup."] }) })
  // Two runs are each begun twice while the model does not answer.
  model.scriptFor("findings", ...Array.from({ length: 4 }, () => ({ kind: "stall" }) as const))
  const { appId, key } = await createAppIn(database.sql)
  app = new TestApp((await serve("api")).baseUrl, appId, key)
})
afterAll(async () => {
  await Promise.all(processes.map((process) => process.stop("SIGKILL")))
  await model.close()
  await database.drop()
})

const RUNS = ["research", "readiness_probes", "eval_results"] as const
/** How often the two runs of each table were begun, the older one first. */
const attempts = async (table: (typeof RUNS)[number]) => {
  const { sql } = database
  const id = table === "eval_results" ? "run_id" : "run_ref"
  const rows = await sql<Array<{ id: string; attempts: number; owner: string | null }>>`
    select ${sql(id)} as id, attempts, owner from ${sql(table)} order by 1`
  return [...rows]
}
const whenAll = (what: string, test: (row: { attempts: number; owner: string | null }) => boolean) =>
  until(what, async () => {
    const all = await Promise.all(RUNS.map(attempts))
    return all.every((rows) => rows.length === 2 && rows.every(test))
  })

describe("research, probes and evals", () => {
  it("get an attempt back when their worker stops, and are given up alone at the fifth death", async () => {
    const { sql } = database
    const post = async (path: string, body: unknown) => {
      const answer = await app.post(path, body)
      assert.isBelow(answer.status, 300, JSON.stringify(answer.body))
      return answer.body.data
    }
    const slugs = [await app.createCharacter(), await app.createCharacter()]
    for (const slug of slugs) {
      const sources = [{ kind: "text", text: "The lighthouse was built in 1891." }]
      await post(`/v1/characters/${slug}/research`, { question: "When?", purpose: "world", sources })
      await post(`/v1/characters/${slug}/readiness/probe`, undefined)
      const hello = { key: "hello", turns: [{ user: "Hello!", expect: [{ type: "event_type", value: "replied" }] }] }
      const suite = await post("/v1/evals/suites", { name: "greets", character_slug: slug, cases: [hello] })
      await post(`/v1/evals/suites/${suite.id}/runs`, { max_cost_usd: 5 })
    }

    const whenAsked = (times: number) =>
      until("the model to be asked", () => model.requests.filter((of) => of.question === "findings").length >= times)

    const stopping = await serve("worker")
    await whenAll("all to be begun", (row) => row.attempts === 1 && row.owner !== null)
    await whenAsked(2)
    assert.strictEqual(await stopping.stop("SIGTERM"), 0)
    await whenAll("all to get their try back", (row) => row.attempts === 0 && row.owner === null)

    // As if the workers of the older ones had died four times before.
    const guilty = await Promise.all(RUNS.map(async (table) => (await attempts(table))[0]?.id ?? ""))
    const [research = "", probe = "", run = ""] = guilty
    await sql`update research set attempts = 4 where run_ref = ${research}`
    await sql`update readiness_probes set attempts = 4 where run_ref = ${probe}`
    await sql`update eval_results set attempts = 4 where run_id = ${run}`
    const dying = await serve("worker")
    await whenAll("all to be begun again", (row) => (row.attempts === 5 || row.attempts === 1) && row.owner !== null)
    await whenAsked(4)
    await dying.stop("SIGKILL")
    await whenAll("all to be released", (row) => row.owner === null)
    stalled = false

    await serve("worker")
    assert.strictEqual((await app.get("/v1/characters")).status, 200)
    const ended = async (query: Promise<ReadonlyArray<unknown>>) => [...(await query)]
    await until("all to end", async () => {
      const open = await sql`
        select 1 from research where finished_at is null union all
        select 1 from readiness_probes where finished_at is null union all
        select 1 from eval_runs where finished_at is null`
      return open.length === 0
    })
    const given = { status: "failed", error_code: "given_up" }
    const done = { status: "completed", error_code: null }
    assert.deepStrictEqual(
      await ended(sql`select status, error_code from research order by run_ref = ${research} desc`),
      [given, done]
    )
    assert.deepStrictEqual(
      await ended(sql`select status, error_code from readiness_probes order by run_ref = ${probe} desc`),
      [given, done]
    )
    assert.deepStrictEqual(
      await ended(sql`select status, checks::text like '%begun 5 times%' as said from eval_results
        order by run_id = ${run} desc`),
      [
        { status: "error", said: true },
        { status: "pass", said: false }
      ]
    )
  })
})
