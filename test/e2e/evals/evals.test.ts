import { readFileSync } from "node:fs"
import { resolve } from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { demoCharacters } from "#src/demo/characters.ts"
import { createFleet } from "#test/support/Fleet.ts"
import type { TestApp } from "#test/support/TestApp.ts"
import { startTestServer, type TestServer } from "#test/support/TestServer.ts"
import { runTroupe } from "#test/support/TroupeProcess.ts"
import { until } from "#test/support/until.ts"

const fileOf = (slug: string) => resolve(import.meta.dirname, `../../evals/${slug}.json`)

const finished = (app: TestApp, id: string) =>
  until("the run's end", async () => {
    const { body } = await app.get(`/v1/evals/runs/${id}`)
    return body.data.finished_at !== null && body.data
  })

const begin = async (app: TestApp, suite: unknown, order: object): Promise<string> => {
  const {
    body: { data }
  } = await app.post("/v1/evals/suites", suite)
  const run = await app.post(`/v1/evals/suites/${data.id}/runs`, order)
  assert.strictEqual(run.status, 200, JSON.stringify(run.body))
  return run.body.data.id
}

/** What did not pass, for the reader of a failed test. */
const wrongIn = async (app: TestApp, id: string) => {
  const { body } = await app.get(`/v1/evals/runs/${id}/results?limit=100`)
  return body.data.results.flatMap(({ case_key, status, checks }: any) =>
    status === "pass" ? [] : [{ case_key, checks: checks.filter((check: any) => check.status !== "pass") }]
  )
}

describe("the demo characters", () => {
  let server: TestServer
  let app: TestApp
  beforeAll(async () => {
    server = await startTestServer()
    app = await server.createApp()
    for (const character of demoCharacters)
      assert.strictEqual((await app.post("/v1/characters", character)).status, 200)
  })
  afterAll(() => server.close())
  let baseline = ""

  it("pass their suites without a model", async () => {
    const ids = await Promise.all(
      demoCharacters.map(async ({ slug }) =>
        begin(app, JSON.parse(readFileSync(fileOf(slug), "utf8")), { engine: "offline", max_cost_usd: 0 })
      )
    )
    for (const id of ids) {
      const run = await finished(app, id)
      assert.strictEqual(run.verdict, "pass", JSON.stringify(await wrongIn(app, id)))
      assert.strictEqual(run.cost_usd, 0)
      if (run.character_slug === "edda-brandvik") baseline = id
    }
  })

  it("fail the gate without their voice, and the comparison finds the difference significant", async () => {
    const dumb = await app.patch("/v1/characters/edda-brandvik", {
      voice: null,
      voice_samples: null,
      example_dialogues: null
    })
    assert.strictEqual(dumb.status, 200)
    const again = await app.get(`/v1/evals/runs/${baseline}`)
    const { body } = await app.post(`/v1/evals/suites/${again.body.data.suite_id}/runs`, {
      engine: "offline",
      baseline_run_id: baseline
    })
    const run = await finished(app, body.data.id)
    assert.strictEqual(run.verdict, "fail")
    const {
      body: { data: compared }
    } = await app.get(`/v1/evals/runs/${run.id}/compare`)
    assert.isTrue(compared.regression)
    assert.isTrue(compared.pass_rate.regression)
    assert.isBelow(compared.pass_rate.interval.high, 0)
    assert.isBelow(compared.mcnemar_p, 0.05)
    assert.strictEqual(compared.fixed, 0)
    assert.include(
      compared.cases.filter(({ flip }: any) => flip === "broken").map(({ case_key }: any) => case_key),
      "trade"
    )
    assert.strictEqual(compared.cases.find(({ case_key }: any) => case_key === "help-in-a-crisis").flip, "same")
  })

  it("pass again with the version that has a voice, on the command line, which fails if a gate fails", async () => {
    const env = { TROUPE_URL: app.baseUrl, TROUPE_KEY: app.key }
    const [good, bad, missing] = await Promise.all([
      runTroupe(env, ["eval", "run", fileOf("edda-brandvik"), "--offline", "--character-version", "1"]),
      runTroupe(env, ["eval", "run", fileOf("edda-brandvik"), "--offline", "--json", "--baseline", baseline]),
      runTroupe(env, ["eval", "run", "no-such-file.json"])
    ])
    assert.strictEqual(good.code, 0, good.stdout + good.stderr)
    assert.match(good.stdout, /^case +repeat +status +why$/m)
    assert.match(good.stdout, /^trade +1 +pass$/m)
    assert.match(good.stdout, /^gate pass: pass_rate gte 0\.95, actual: 1$/m)
    assert.match(good.stderr, /\d+ of 16/)
    assert.strictEqual(bad.code, 1)
    assert.match(bad.stderr, /did not pass/)
    assert.isTrue(JSON.parse(bad.stdout).comparison.regression)
    assert.strictEqual(missing.code, 1)
    assert.match(missing.stderr, /neither the id of a suite nor a readable file/)
    const { body } = await app.get("/v1/evals/suites?limit=100")
    assert.lengthOf(body.data.suites, demoCharacters.length)
  })
})

describe("a worker that is killed during a run", () => {
  it("loses the cases in progress, and no other", async () => {
    const fleet = await createFleet()
    try {
      const { sql } = fleet.database
      const api = await fleet.start("api")
      const victim = await fleet.start("worker")
      const app = fleet.clientOf(api)
      const character_slug = await app.createCharacter()
      const asked = (key: string) => ({
        key,
        turns: [{ user: `Which soup, ${key}?`, expect: [{ type: "contains", value: "soup" }] }]
      })
      const cases = ["one", "two", "three", "four", "five", "six"]
      const id = await begin(
        app,
        {
          name: "soups",
          character_slug,
          cases: cases.map(asked),
          gates: [{ metric: "pass_rate", op: "gte", value: 1 }]
        },
        { max_cost_usd: 5 }
      )
      // Four run in parallel, and the fifth starts when one of them has ended.
      await fleet.model.call(4)
      const soupsOf = (calls: ReadonlyArray<{ readonly prompt: string }>) =>
        calls.map(({ prompt }) => cases.find((key) => prompt.includes(`Which soup, ${key}?`)))
      ;(await fleet.model.call(1 + soupsOf(fleet.model.calls).indexOf("one"))).release()
      await fleet.model.call(5)
      assert.sameMembers(soupsOf(fleet.model.calls), ["one", "two", "three", "four", "five"])
      assert.deepStrictEqual((await app.get(`/v1/evals/runs/${id}`)).body.data.progress, { done: 1, total: 6 })
      assert.lengthOf((await app.get("/v1/sessions")).body.data.sessions, 0)
      assert.lengthOf((await app.get("/v1/end-users")).body.data.end_users, 0)
      await victim.stop("SIGKILL")

      await fleet.start("worker")
      for (const call of [6, 7, 8, 9, 10]) (await fleet.model.call(call)).release()
      const run = await finished(app, id)
      assert.deepStrictEqual([run.status, run.verdict], ["completed", "pass"])
      assert.sameMembers(soupsOf(fleet.model.calls.slice(5)), ["two", "three", "four", "five", "six"])
      const attempts = await sql`select case_key, attempts from eval_results where run_id = ${id} order by place`
      assert.deepStrictEqual(
        attempts.map((row) => row["attempts"]),
        [1, 2, 2, 2, 2, 1]
      )

      // Unused reservations are released, costs are booked on the app, and nothing of the played sessions remains.
      const [row] = await sql`select spent_micro_usd, held_micro_usd from eval_runs where run_id = ${id}`
      const [booked] = await sql`select coalesce(sum(amount_micro_usd), 0)::int8 as spent from ledger
            where run_ref = ${id} and activity = 'eval'`
      assert.isAbove(Number(row?.["spent_micro_usd"]), 0)
      assert.strictEqual(booked?.["spent"], row?.["spent_micro_usd"])
      assert.strictEqual(Number(row?.["held_micro_usd"]), 0)
      for (const table of ["apps", "characters", "sessions", "turns", "events", "ledger"]) {
        assert.lengthOf(await sql`select 1 from ${sql(table)} where app_id = ${id}`, 0, table)
      }
      const {
        body: { data: usage }
      } = await app.get("/v1/usage?group_by=kind")
      assert.deepStrictEqual(
        usage.groups.map(({ key, messages }: any) => ({ key, messages })),
        [{ key: "eval", messages: 0 }]
      )
    } finally {
      await fleet.close()
    }
  })
})
