import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { type FakeModel, start } from "#test/support/model/FakeModel.ts"
import type { TestApp } from "#test/support/TestApp.ts"
import { startTestServer, type TestServer } from "#test/support/TestServer.ts"
import { until } from "#test/support/until.ts"

let model: FakeModel
/** One server without a model and one with. */
let server: TestServer
let live: TestServer
let app: TestApp
let liveApp: TestApp
let slug: string
beforeAll(async () => {
  model = await start()
  ;[server, live] = await Promise.all([
    startTestServer(),
    startTestServer({ env: { OPENAI_BASE_URL: model.url, OPENAI_MODEL: "gpt-5-mini" } })
  ])
  ;[app, liveApp] = [await server.createApp(), await live.createApp()]
  slug = await app.createCharacter()
})
afterAll(async () => {
  await Promise.all([server.close(), live.close()])
  await model.close()
})

const dinner = {
  key: "dinner",
  turns: [{ user: "What is for dinner?", expect: [{ type: "contains", value: "leek SOUP" }] }]
}
const hello = (key = "hello", expect: ReadonlyArray<object> = [{ type: "event_type", value: "replied" }]) => ({
  key,
  turns: [{ user: `Hello, ${key}.`, expect }]
})
const suiteOf = (cases: ReadonlyArray<object> = [dinner], more: object = {}) => ({
  name: "dinner",
  character_slug: slug,
  cases,
  ...more
})
const made = async (of: TestApp, suite: object): Promise<string> => {
  const { status, body } = await of.post("/v1/evals/suites", suite)
  assert.strictEqual(status, 200, JSON.stringify(body))
  return body.data.id
}
const ended = (of: TestApp, id: string) =>
  until("the run's end", async () => {
    const { body } = await of.get(`/v1/evals/runs/${id}`)
    return body.data.finished_at !== null && body.data
  })
const begun = async (of: TestApp, suite: object, order: object = {}): Promise<string> => {
  const { status, body } = await of.post(`/v1/evals/suites/${await made(of, suite)}/runs`, order)
  assert.strictEqual(status, 200, JSON.stringify(body))
  return body.data.id
}
const played = async (of: TestApp, suite: object, order: object = {}) => ended(of, await begun(of, suite, order))
const resultsOf = async (of: TestApp, id: string, query = "") =>
  (await of.get(`/v1/evals/runs/${id}/results?limit=100${query}`)).body.data.results
const code = ({ status, body }: { status: number; body: any }) => [status, body.detail?.code]

describe("suites", () => {
  it("are created, listed, read, changed and deleted", async () => {
    const id = await made(app, suiteOf([dinner], { gates: [{ metric: "pass_rate", op: "gte", value: 1 }] }))
    const {
      body: { data }
    } = await app.get(`/v1/evals/suites/${id}`)
    assert.deepInclude(data, { id, name: "dinner", character_slug: slug, version: 1 })
    assert.deepInclude(data.cases[0], {
      key: "dinner",
      weight: 1,
      tags: [],
      setup: { memories: [], scores: {}, end_user: {} }
    })
    const changed = await app.patch(`/v1/evals/suites/${id}`, {
      name: "supper",
      gates: null,
      expected_version: 1,
      naem: "x"
    })
    assert.deepInclude(changed.body.data, { name: "supper", gates: [], version: 2, ignored_fields: ["naem"] })
    assert.deepStrictEqual(code(await app.patch(`/v1/evals/suites/${id}`, { name: "late", expected_version: 1 })), [
      409,
      "version_conflict"
    ])
    assert.include(
      (await app.get(`/v1/evals/suites?character_slug=${slug}`)).body.data.suites.map((one: any) => one.id),
      id
    )
    assert.deepStrictEqual((await app.get("/v1/evals/suites?character_slug=nobody")).body.data.suites, [])
    assert.strictEqual((await app.delete(`/v1/evals/suites/${id}`)).body.data.status, "deleted")
    assert.deepStrictEqual(code(await app.delete(`/v1/evals/suites/${id}`)), [404, "eval_suite_not_found"])
    assert.deepStrictEqual(code(await app.get(`/v1/evals/suites/${id}`)), [404, "eval_suite_not_found"])
    assert.deepStrictEqual(code(await app.patch(`/v1/evals/suites/${id}`, { name: "x" })), [
      404,
      "eval_suite_not_found"
    ])
    assert.deepStrictEqual(code(await app.post(`/v1/evals/suites/${id}/runs`, {})), [404, "eval_suite_not_found"])
  })

  it("are created once under an Idempotency-Key, and so are their runs", async () => {
    const headers = { "idempotency-key": "suite-1" }
    const first = await app.post("/v1/evals/suites", suiteOf(), headers)
    const again = await app.post("/v1/evals/suites", suiteOf(), headers)
    assert.deepInclude(again.body.data, { id: first.body.data.id, idempotent_replay: true })
    assert.deepStrictEqual(code(await app.post("/v1/evals/suites", suiteOf([dinner], { name: "other" }), headers)), [
      422,
      "idempotency_key_reused"
    ])
    const runs = `/v1/evals/suites/${first.body.data.id}/runs`
    const [one, two] = [await app.post(runs, {}, headers), await app.post(runs, {}, headers)]
    assert.strictEqual(two.body.data.id, one.body.data.id)
    await ended(app, one.body.data.id)
  })

  it("report what is wrong with them by path", async () => {
    const wrong = async (cases: ReadonlyArray<object>, more: object = {}) => {
      const { status, body } = await app.post("/v1/evals/suites", suiteOf(cases, more))
      assert.strictEqual(status, 422)
      return body.detail.message as string
    }
    const turn = (...expect: ReadonlyArray<object>) => [{ key: "one", turns: [{ user: "Hi" }, { user: "Hi", expect }] }]
    assert.include(await wrong(turn({ type: "contains" })), "body.cases[0].turns[1].expect[0].value: Required")
    assert.include(
      await wrong(turn({ type: "regex", value: "(?=x)" })),
      "body.cases[0].turns[1].expect[0].value: Must be a regular expression in RE2 syntax"
    )
    assert.include(await wrong(turn({ type: "vibes" })), "body.cases[0].turns[1].expect[0].type")
    assert.include(
      await wrong(turn({ type: "recalls", value: "dog" })),
      "body.cases[0].turns[1].expect[0].value: No memory in setup has the key dog"
    )
    assert.include(
      await wrong(turn({ type: "judge", rubric: "empathy", min: 9 })),
      "body.cases[0].turns[1].expect[0].min: Must be from 1 to 5 for empathy"
    )
    assert.include(
      await wrong(turn({ type: "retrieval_recall_at_k", keys: ["dog"], k: 3 })),
      "expect[0].keys[0]: No memory"
    )
    assert.include(
      await wrong([{ key: "one", turns: [{ user: "Hi" }] }]),
      "body.cases[0].expect: A case must have at least one check"
    )
    assert.include(await wrong([dinner, dinner]), "body.cases: Each case must have a unique key")
    assert.include(await wrong([]), "body.cases")
    assert.include(await wrong([dinner], { gates: [{ metric: "charm", op: "gte", value: 1 }] }), "body.gates[0].metric")
    assert.include(
      await wrong([{ ...dinner, setup: { clock: "yesterday", scores: { trust: 2 } } }]),
      "body.cases[0].setup.clock"
    )
    assert.include(await wrong(Array.from({ length: 201 }, (_, n) => ({ ...dinner, key: `case-${n}` }))), "body.cases")
    assert.deepStrictEqual(code(await app.post("/v1/evals/suites", suiteOf([dinner], { character_slug: "nobody" }))), [
      404,
      "character_not_found"
    ])
  })
})

describe("a run", () => {
  it("plays each case as often as requested, and reports the result", async () => {
    const run = await played(
      app,
      suiteOf([dinner, hello("hello", [{ type: "contains", value: "submarine" }])], {
        gates: [
          { metric: "pass_rate", op: "gte", value: 1 },
          { metric: "latency_p95_ms", op: "lte", value: 600_000 }
        ]
      }),
      { repeats: 2 }
    )
    assert.deepInclude(run, {
      status: "completed",
      verdict: "fail",
      progress: { done: 4, total: 4 },
      cost_usd: 0,
      character_version: 1,
      engine: "default"
    })
    assert.deepStrictEqual(
      run.gates.map(({ status, actual }: any) => [status, actual === 0.5]),
      [
        ["fail", true],
        ["pass", false]
      ]
    )
    assert.deepInclude(run.metrics, { counts: { pass: 2, fail: 2, skipped: 0, error: 0 }, break_rate: 0 })
    const results = await resultsOf(app, run.id)
    assert.deepStrictEqual(
      results.map(({ case_key, repeat, status }: any) => [case_key, repeat, status]),
      [
        ["dinner", 1, "pass"],
        ["dinner", 2, "pass"],
        ["hello", 1, "fail"],
        ["hello", 2, "fail"]
      ]
    )
    assert.deepStrictEqual(results[0].turns[0].bubbles, ["Leek soup, and bread if you cut it."])
    assert.match(results[2].checks[0].detail, /submarine/)
    assert.lengthOf(await resultsOf(app, run.id, "&status=fail"), 2)
    const first = await app.get(`/v1/evals/runs/${run.id}/results?limit=3`)
    assert.lengthOf(
      (await app.get(`/v1/evals/runs/${run.id}/results?limit=3&cursor=${first.body.data.next_cursor}`)).body.data
        .results,
      1
    )
    assert.include(
      (await app.get(`/v1/evals/runs?suite_id=${run.suite_id}&status=completed`)).body.data.runs.map(
        ({ id }: any) => id
      ),
      run.id
    )
  })

  it("sets up the session as its case says", async () => {
    const setup = {
      memories: [
        { key: "dog", text: "Their dog is called Biscuit." },
        { key: "rent", text: "They pay too much rent." }
      ],
      emotion: { label: "joy", valence: 0.8, arousal: 0.5 },
      scores: { warmth: 0.4 },
      clock: "2031-05-05T10:00:00Z",
      end_user: { display_name: "Ben", timezone: "Europe/London", age_band: "adult" }
    }
    const run = await played(
      app,
      suiteOf([
        {
          key: "dog",
          setup,
          turns: [
            {
              user: "What is the name of my dog?",
              expect: [
                { type: "retrieval_recall_at_k", keys: ["dog"], k: 1 },
                { type: "emotion_in", value: ["joy"] }
              ]
            },
            {
              user: "Thank you so much, that was kind.",
              expect: [{ type: "score_direction", key: "warmth", value: "up" }]
            }
          ]
        }
      ])
    )
    const [result] = await resultsOf(app, run.id)
    assert.strictEqual(result.status, "pass", JSON.stringify(result.checks))
    assert.deepStrictEqual(result.turns[0].retrieved, ["dog"])
    assert.notMatch(JSON.stringify(result), /"scores"|[:[,]0\.4[\]},]/)
  })

  it("with the same seed produces the same, in sessions with other names", async () => {
    const talk = {
      key: "talk",
      turns: ["hi", "how are you", "tell me something", "ok bye"].map((user) => ({ user })),
      expect: [{ type: "no_assistant_tells" }]
    }
    const said = async (seed: number) =>
      JSON.stringify(
        (await resultsOf(app, (await played(app, suiteOf([talk]), { seed })).id))[0].turns.map(
          ({ bubbles }: any) => bubbles
        )
      )
    const [one, same] = await Promise.all([said(3), said(3)])
    assert.strictEqual(same, one)
  })

  it("plays the requested version", async () => {
    const changing = await app.createCharacter()
    await app.patch(`/v1/characters/${changing}`, {
      example_dialogues: [{ user: "What is for dinner?", character: "Nothing. The kitchen burnt down." }]
    })
    const suite = suiteOf([dinner], { character_slug: changing })
    const [now, before] = [await played(app, suite), await played(app, suite, { character_version: 1 })]
    assert.deepStrictEqual(
      [now.character_version, now.metrics.counts.fail, before.character_version, before.metrics.counts.pass],
      [2, 1, 1, 1]
    )
    const id = await made(app, suite)
    assert.deepStrictEqual(code(await app.post(`/v1/evals/suites/${id}/runs`, { character_version: 3 })), [
      404,
      "version_not_found"
    ])
    assert.deepStrictEqual(
      code(await app.post(`/v1/evals/suites/${id}/runs`, { baseline_run_id: "evr_01ARZ3NDEKTSV4RRFFQ69G5FAV" })),
      [404, "eval_run_not_found"]
    )
    assert.strictEqual((await app.post(`/v1/evals/suites/${id}/runs`, { repeats: 6 })).status, 422)
    const compared = await app.get(`/v1/evals/runs/${now.id}/compare?baseline=${before.id}`)
    assert.deepInclude(compared.body.data, {
      baseline_run_id: before.id,
      fixed: 0,
      broken: 1,
      regression: false,
      mcnemar_p: 1
    })
    assert.deepStrictEqual(compared.body.data.cases, [{ case_key: "dinner", baseline: 1, run: 0, flip: "broken" }])
    assert.match((await app.get(`/v1/evals/runs/${now.id}/compare`)).body.detail.message, /query\.baseline: Required/)
    assert.deepStrictEqual(
      code(await app.get(`/v1/evals/runs/${now.id}/compare?baseline=evr_01ARZ3NDEKTSV4RRFFQ69G5FAV`)),
      [404, "eval_run_not_found"]
    )
  })

  it("is visible only among the runs: no session, end-user, message, lane or app", async () => {
    const own = await server.createApp()
    const character_slug = await own.createCharacter({
      greeting: "Come in.",
      behavioral_thresholds: { proactive_enabled: true, proactivity_tolerance: 1, cold_initiate_enabled: true }
    })
    await own.post(`/v1/apps/${own.appId}/channels`, { kind: "webhook", url: "https://example.com/hook" })
    const run = await played(own, suiteOf([dinner], { character_slug }))
    assert.deepStrictEqual((await resultsOf(own, run.id))[0].greeting, ["Come in."])
    const read = async (path: string) => (await own.get(path)).body.data
    assert.deepStrictEqual([(await read("/v1/sessions")).sessions, (await read("/v1/end-users")).end_users], [[], []])
    assert.deepInclude(await read("/v1/usage"), { messages: 0, proactive: 0, cost_usd: 0 })
    assert.strictEqual((await read("/v1/metrics?window=1h")).turns, 0)
    const { runs } = await read("/v1/runs")
    assert.deepStrictEqual(
      runs.map(({ trace_id, kind, session_id, status }: any) => ({ trace_id, kind, session_id, status })),
      [{ trace_id: run.id, kind: "eval", session_id: null, status: "completed" }]
    )
    assert.lengthOf((await read("/v1/runs?kind=eval&limit=1")).runs, 1)
    assert.deepStrictEqual((await read("/v1/runs?kind=reply")).runs, [])
    const { sql } = server.database
    const tables = await sql<
      Array<{ name: string }>
    >`select table_name as name from information_schema.columns join information_schema.tables using (table_schema,
      table_name) where table_schema = 'public' and column_name = 'app_id' and table_type = 'BASE TABLE'`
    assert.isAbove(tables.length, 40)
    for (const { name } of tables)
      assert.lengthOf(await sql`select 1 from ${sql(name)} where app_id = ${run.id}`, 0, name)
  })

  it("can be cancelled, and cannot be compared or regraded before it has ended", async () => {
    const own = await live.createApp({ budgetUsd: 5 })
    const answered = Promise.withResolvers<void>()
    const before = model.requests.length
    // Four cases are played at once. Those end, and no other one begins after the cancellation.
    const held = { kind: "ok", after: answered.promise } as const
    model.scriptFor("reply", held, held, held, held)
    const cases = Array.from({ length: 9 }, (_, n) => hello(`case-${n}`))
    const id = await begun(own, suiteOf(cases, { character_slug: await own.createCharacter() }), { max_cost_usd: 1 })
    await until("the requests to the model", async () => {
      const asked = model.requests.slice(before).filter(({ question }) => question === "reply")
      return asked.length === 4
    })
    assert.deepStrictEqual(code(await own.post(`/v1/evals/runs/${id}/regrade`, {})), [409, "eval_run_not_finished"])
    assert.deepStrictEqual(code(await own.get(`/v1/evals/runs/${id}/compare?baseline=${id}`)), [
      409,
      "eval_run_not_finished"
    ])
    assert.strictEqual((await own.post(`/v1/evals/runs/${id}/cancel`, {})).body.data.status, "cancelled")
    answered.resolve()
    const run = await ended(own, id)
    assert.strictEqual(run.status, "cancelled")
    assert.isAtMost(run.progress.done, 4)
    assert.strictEqual((await own.post(`/v1/evals/runs/${id}/cancel`, {})).body.data.finished_at, run.finished_at)
    assert.deepStrictEqual(code(await app.post("/v1/evals/runs/evr_01ARZ3NDEKTSV4RRFFQ69G5FAV/cancel", {})), [
      404,
      "eval_run_not_found"
    ])
  })

  it("waits for others of its app if there are too many", async () => {
    const busy = await server.createApp()
    const cases = Array.from({ length: 150 }, (_, n) => hello(`case-${n}`))
    const character_slug = await busy.createCharacter()
    const path = `/v1/evals/suites/${await made(busy, suiteOf(cases, { character_slug }))}/runs`
    await server.database.sql`
      insert into eval_runs (app_id, run_id, suite_id, character_slug, character_version, reply_mode, engine, repeats,
        seed, cases, gates, max_cost_micro_usd, status, owner)
      select ${busy.appId}, 'evr_busy' || n, 'evs', 'nobody', 1, 'fast', 'offline', 1, 1, '[]', '[]', 0, 'running',
        (select worker_id from workers limit 1) from generate_series(1, 19) as n`
    const many = await Promise.all(Array.from({ length: 4 }, () => busy.post(path, {})))
    assert.deepStrictEqual(many.map(({ status }) => status).toSorted(), [200, 429, 429, 429])
    assert.deepStrictEqual(code(many.find(({ status }) => status === 429) ?? assert.fail()), [429, "rate_limited"])
    const begunId = many.find(({ status }) => status === 200)?.body.data.id
    await busy.post(`/v1/evals/runs/${begunId}/cancel`, {})
    await ended(busy, begunId)
    await server.database.sql`delete from eval_runs where starts_with(run_id, 'evr_busy')`
    const { status, body } = await busy.post(path, {})
    assert.strictEqual(status, 200)
    await busy.post(`/v1/evals/runs/${body.data.id}/cancel`, {})
  })

  it("is regraded with the current checks of its suite, without playing anything", async () => {
    const run = await played(app, suiteOf([dinner, hello()]))
    const {
      body: { data: suite }
    } = await app.get(`/v1/evals/suites/${run.suite_id}`)
    const [first] = suite.cases
    await app.patch(`/v1/evals/suites/${run.suite_id}`, {
      cases: [
        { ...first, expect: [{ type: "contains", value: "submarine" }] },
        { ...hello(), turns: [{ user: "Hello, hello!", expect: [{ type: "max_bubbles", value: 3 }] }] },
        hello("new")
      ],
      gates: [{ metric: "pass_rate", op: "gte", value: 1 }]
    })
    const again = await app.post(`/v1/evals/runs/${run.id}/regrade`, {})
    const graded = await ended(app, again.body.data.id)
    assert.deepInclude(graded, { regrade_of: run.id, status: "completed", verdict: "fail" })
    const [before, after] = [await resultsOf(app, run.id), await resultsOf(app, graded.id)]
    assert.deepStrictEqual(
      after.map(({ case_key, status }: any) => [case_key, status]),
      [
        ["dinner", "fail"],
        ["hello", "error"],
        ["new", "error"]
      ]
    )
    assert.deepStrictEqual(after[0].turns, before[0].turns)
    assert.strictEqual(before[0].status, "pass")
  })
})

describe("the character's world in an eval", () => {
  it("is included with its evidence, but without what belongs to one session", async () => {
    const character_slug = await app.createCharacter()
    const session_id = await app.createSession({ character_slug })
    const world = `/v1/characters/${character_slug}`
    const { id } = (await app.post(`${world}/npcs`, { name: "Tomas", summary: "Tomas rows the ferry at dawn." })).body
      .data
    await app.post(`${world}/graph/edges`, { from: "character", to: id, relation: "knows", fact: "They share a boat." })
    await app.post(`${world}/graph/edges`, {
      from: "character",
      to: id,
      relation: "owes",
      fact: "There is a debt.",
      session_id
    })
    await app.post(`${world}/evidence`, { kind: "quote", text: "The lighthouse was built in 1891." })
    const asked = (key: string, user: string, value: string) => ({
      key,
      turns: [{ user, expect: [{ type: "contains", value }] }]
    })
    const run = await played(
      app,
      suiteOf([asked("person", "Who is Tomas?", "ferry"), asked("source", "When was the lighthouse built?", "1891")], {
        character_slug
      })
    )
    assert.deepStrictEqual(
      (await resultsOf(app, run.id)).map(({ case_key, status }: any) => [case_key, status]),
      [
        ["person", "pass"],
        ["source", "pass"]
      ]
    )
    for (const table of ["npcs", "graph_edges", "evidence", "worlds"]) {
      assert.lengthOf(
        await server.database.sql`select 1 from ${server.database.sql(table)} where app_id = ${run.id}`,
        0,
        table
      )
    }
  })
})

describe("a run with a model", () => {
  it("needs a cost limit, and an app that can pay for its first case", async () => {
    const character_slug = await liveApp.createCharacter()
    const suite = suiteOf([hello()], { character_slug })
    const path = `/v1/evals/suites/${await made(liveApp, suite)}/runs`
    assert.deepStrictEqual(code(await liveApp.post(path, {})), [409, "eval_budget_required"])
    assert.deepStrictEqual(code(await liveApp.post(path, { max_cost_usd: 0.000_001 })), [409, "eval_budget_required"])
    const poor = await live.createApp({ budgetUsd: 0.000_1 })
    const poorSuite = { ...suite, character_slug: await poor.createCharacter() }
    const poorPath = `/v1/evals/suites/${await made(poor, poorSuite)}/runs`
    assert.deepStrictEqual(code(await poor.post(poorPath, { max_cost_usd: 1 })), [402, "budget_exceeded"])
    assert.deepStrictEqual((await poor.get("/v1/evals/runs")).body.data.runs, [])
    const free = await ended(poor, (await poor.post(poorPath, { engine: "offline" })).body.data.id)
    assert.deepInclude(free, { status: "completed", cost_usd: 0 })
    const {
      body: {
        data: { rates }
      }
    } = await liveApp.get("/v1/rates")
    assert.isAbove(rates.find(({ kind }: any) => kind === "eval_turn").price_usd, 0)
  })

  it("with the offline engine calls no model, and leaves judge checks unanswered", async () => {
    const asked = model.requests.length
    const run = await played(
      liveApp,
      suiteOf([{ ...dinner, expect: [{ type: "judge", rubric: "empathy", min: 3 }] }], {
        character_slug: await liveApp.createCharacter(),
        gates: [{ metric: "rubric.empathy", op: "gte", value: 3 }]
      }),
      { engine: "offline" }
    )
    assert.deepInclude(run, {
      cost_usd: 0,
      verdict: "fail",
      metrics: { ...run.metrics, counts: { pass: 0, fail: 0, skipped: 1, error: 0 } }
    })
    assert.strictEqual(model.requests.length, asked)
    assert.deepStrictEqual((await resultsOf(liveApp, run.id))[0].turns[0].bubbles, [
      "Leek soup, and bread if you cut it."
    ])
  })

  it("is judged at the time of its case, and its actual cost is booked on the app", async () => {
    const own = await live.createApp({ budgetUsd: 5 })
    const before = model.requests.length
    model.scriptFor("judgement", { kind: "ok", fields: { score: 2, reason: "Cold." } })
    const run = await played(
      own,
      suiteOf(
        [
          {
            ...hello("feeling", [{ type: "judge", rubric: "empathy", min: 3 }]),
            setup: { clock: "2031-05-05T10:00:00Z", end_user: { timezone: "UTC" } }
          }
        ],
        { character_slug: await own.createCharacter() }
      ),
      { max_cost_usd: 1 }
    )
    const [result] = await resultsOf(own, run.id)
    assert.deepInclude(result.checks[0], { status: "fail", score: 2, rubric: "empathy", detail: "Cold." })
    assert.deepInclude(result.checks[0].judge, { model: "gpt-5-mini", temperature: 0 })
    const asked = model.requests.slice(before)
    assert.isTrue(
      asked.some(({ question, messages }) => question === "reply" && JSON.stringify(messages).includes("Monday")),
      "no Monday, which the clock of the case has"
    )
    assert.deepStrictEqual(run.metrics.rubrics.empathy, { mean: 2, interval: null, n: 1 })
    assert.isAbove(run.cost_usd, 0)
    const {
      body: { data: usage }
    } = await own.get("/v1/usage?group_by=kind")
    assert.deepStrictEqual(
      usage.groups.map(({ key, cost_usd }: any) => ({ key, cost_usd })),
      [{ key: "eval", cost_usd: run.cost_usd }]
    )
  })

  it("plays as many cases in parallel as allowed", async () => {
    const answered = Promise.withResolvers<void>()
    const replies = () => model.requests.filter(({ question }) => question === "reply").length
    const before = replies()
    model.script(
      ...Array.from({ length: 6 }, (_, n) => ({
        kind: "ok" as const,
        bubbles: [`Bowl number ${n}.`],
        after: answered.promise
      }))
    )
    const cases = Array.from({ length: 6 }, (_, n) => ({
      ...hello(`case-${n}`),
      setup: { end_user: { display_name: `Person${n}` } }
    }))
    const id = await begun(liveApp, suiteOf(cases, { character_slug: await liveApp.createCharacter() }), {
      max_cost_usd: 5
    })
    await until("four requests", async () => replies() - before === 4)
    const asked = model.requests
      .filter(({ question }) => question === "reply")
      .slice(before)
      .map(({ messages }) => JSON.stringify(messages))
    for (const prompt of asked) assert.lengthOf(new Set(prompt.match(/Person\d/g)), 1)
    answered.resolve()
    assert.deepInclude(await ended(liveApp, id), { status: "completed", progress: { done: 6, total: 6 } })
    assert.deepStrictEqual(
      (await resultsOf(liveApp, id)).map(({ case_key }: any) => case_key),
      cases.map(({ key }) => key)
    )
  })

  it("writes nothing more when its worker was declared dead: the next worker replays the case", async () => {
    const own = await live.createApp({ budgetUsd: 5 })
    const { sql } = live.database
    const answered = Promise.withResolvers<void>()
    const before = model.requests.length
    // Of both cases, which run in parallel.
    model.script({ kind: "ok", after: answered.promise }, { kind: "ok", after: answered.promise })
    const id = await begun(
      own,
      suiteOf([hello("one"), hello("two")], { character_slug: await own.createCharacter() }),
      { max_cost_usd: 1 }
    )
    await until(
      "both requests to the model",
      async () => model.requests.slice(before).filter(({ question }) => question === "reply").length === 2
    )
    const other = await sql.reserve()
    await other`select pg_advisory_lock(hashtextextended('wrk_other', 0))`
    // It is never silent, however long this takes.
    await other`insert into workers (worker_id, heartbeat_at) values ('wrk_other', now() + interval '1 hour')`
    await sql`update eval_runs set owner = 'wrk_other' where run_id = ${id}`
    const standing = async () =>
      (
        await sql`select status, spent_micro_usd, held_micro_usd, (select count(*)::int from sessions
          where app_id = ${id} and external_user_ref = 'eval-1') as played, (select count(*)::int from eval_results
            where run_id = ${id} and place = 1 and status is not null) as done from eval_runs where run_id = ${id}`
      )[0]
    const then = await standing()
    answered.resolve()
    await until(
      "the first worker to stop",
      async () => (await sql`select 1 from graphile_worker.jobs where task_identifier = 'evals'`).length === 0
    )
    assert.deepStrictEqual(await standing(), then)
    assert.deepInclude(then, { status: "running", played: 1, done: 0 })

    await other`delete from workers where worker_id = 'wrk_other'`
    await other`select pg_advisory_unlock(hashtextextended('wrk_other', 0))`
    other.release()
    await sql`select graphile_worker.add_job('evals', '{}'::json)`
    const run = await ended(own, id)
    assert.deepInclude(run, { status: "completed", progress: { done: 2, total: 2 } })
    const [books] = await sql`select sum(amount_micro_usd)::int as booked from ledger where app_id = ${own.appId}`
    assert.strictEqual(books?.["booked"], Math.round(run.cost_usd * 1_000_000))
    assert.lengthOf(await sql`select 1 from sessions where app_id = ${id}`, 0)
  })

  it("pays for what was played when it is cancelled", async () => {
    const own = await live.createApp({ budgetUsd: 5 })
    const answered = Promise.withResolvers<void>()
    const before = model.requests.length
    model.script({ kind: "ok", after: answered.promise })
    const asked = {
      key: "long",
      turns: [{ user: "One." }, { user: "Two.", expect: [{ type: "max_bubbles", value: 9 }] }]
    }
    const id = await begun(own, suiteOf([asked], { character_slug: await own.createCharacter() }), { max_cost_usd: 1 })
    await until("the request to the model", async () =>
      model.requests.slice(before).some(({ question }) => question === "reply")
    )
    assert.strictEqual((await own.post(`/v1/evals/runs/${id}/cancel`, {})).body.data.status, "cancelled")
    answered.resolve()
    const run = await ended(own, id)
    assert.deepInclude(run, { status: "cancelled", progress: { done: 0, total: 1 } })
    assert.isAbove(run.cost_usd, 0)
    const [books] = await live.database
      .sql`select sum(amount_micro_usd)::int as booked from ledger where app_id = ${own.appId}`
    assert.strictEqual(books?.["booked"], Math.round(run.cost_usd * 1_000_000))
  })

  it("stops before it can exceed its cost limit, and then passes no gate", async () => {
    const suite = suiteOf([hello("one"), hello("two"), hello("three")], {
      character_slug: await liveApp.createCharacter(),
      gates: [{ metric: "pass_rate", op: "gte", value: 0 }]
    })
    const { body } = await liveApp.post(`/v1/evals/suites/${await made(liveApp, suite)}/runs`, { max_cost_usd: 0 })
    const most = Number(/may cost ([\d.]+) USD/.exec(body.detail.message)?.[1])
    const run = await played(liveApp, suite, { max_cost_usd: most })
    assert.deepInclude(run, { status: "budget_stopped", verdict: "fail", progress: { done: 1, total: 3 } })
    assert.isAtMost(run.cost_usd, most)
  })
})
