import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { createAccountIn, type TestAccount } from "#test/support/accounts/createAccountIn.ts"
import { TestApp } from "#test/support/TestApp.ts"
import { startTestServer, type TestServer } from "#test/support/TestServer.ts"
import { until } from "#test/support/until.ts"

let server: TestServer
let account: TestAccount
beforeAll(async () => {
  server = await startTestServer()
  account = await createAccountIn(server)
})
afterAll(() => server.close())

const NO_CAPS = { daily_messages: null, daily_cost_usd: null, monthly_cost_usd: null, daily_images: null }
/** An app of the account, its paths on the account plane, and a client with one of its keys. */
const createApp = async () => {
  const appId: string = (await account.client.post("/v1/account/apps", { name: "Shop" })).body.data.app_id
  const path = `/v1/account/apps/${appId}`
  const { api_key } = (await account.client.post(`${path}/api-keys`, {})).body.data
  return { appId, path, app: new TestApp(server.baseUrl, appId, api_key) }
}
/** Sends a message and waits until its reply is charged. */
const talk = async (app: TestApp, session: string, text = "Hello there.") => {
  const { cursor } = (await app.send(session, text)).body.data
  await app.waitFor(
    session,
    (event) => event.type === "message.created" && event.role === "character" && event.cursor > cursor
  )
}

describe("the caps of an app", () => {
  it("are empty at first, are changed by merge, and are read as they were written", async () => {
    const { path } = await createApp()
    const none = {
      daily_budget_usd: null,
      monthly_budget_usd: null,
      hard_stop: true,
      default_end_user_caps: NO_CAPS,
      used: null
    }
    assert.deepInclude((await account.client.get(`${path}/caps`)).body.data, none)
    const some = (
      await account.client.patch(`${path}/caps`, {
        daily_budget_usd: 1.5,
        hard_stop: false,
        default_end_user_caps: { daily_messages: 20 }
      })
    ).body.data
    assert.deepInclude(some, {
      daily_budget_usd: 1.5,
      monthly_budget_usd: null,
      hard_stop: false,
      default_end_user_caps: { ...NO_CAPS, daily_messages: 20 },
      used: { day_usd: 0, month_usd: 0 }
    })
    assert.deepInclude((await account.client.patch(`${path}/caps`, { monthly_budget_usd: 9 })).body.data, {
      daily_budget_usd: 1.5,
      monthly_budget_usd: 9
    })
    assert.deepInclude(
      (
        await account.client.patch(`${path}/caps`, {
          daily_budget_usd: null,
          monthly_budget_usd: null,
          hard_stop: true,
          default_end_user_caps: null
        })
      ).body.data,
      none
    )
    const { day, month } = some.resets_at
    assert.match(day, /T00:00:00.000Z$/)
    assert.match(month, /-01T00:00:00.000Z$/)
  })

  it("out of range are 422, and for an app of another account 404", async () => {
    const { path } = await createApp()
    for (const body of [
      { daily_budget_usd: -1 },
      { monthly_budget_usd: 1e9 },
      { default_end_user_caps: { daily_messages: 10_001 } },
      { default_end_user_caps: { daily_images: 0.5 } },
      { hard_stop: "no" },
      { hard_stop: null }
    ]) {
      const {
        status,
        body: { detail }
      } = await account.client.patch(`${path}/caps`, body)
      assert.deepStrictEqual([status, detail.code], [422, "validation_error"], JSON.stringify(body))
    }
    const other = await createAccountIn(server)
    assert.strictEqual((await other.client.patch(`${path}/caps`, { daily_budget_usd: 1 })).status, 404)
    const reader = await createAccountIn(server, { accountId: account.accountId, scopes: ["apps:read"] })
    assert.strictEqual((await reader.client.get(`${path}/caps`)).status, 200)
    assert.strictEqual((await reader.client.patch(`${path}/caps`, {})).body.detail.code, "scope_missing")
  })

  it("refuse a send over the daily budget with 402 before any work", async () => {
    const { path, app } = await createApp()
    const session = await app.createSession()
    await account.client.patch(`${path}/caps`, { daily_budget_usd: 0 })
    const { status, body } = await app.send(session, "Hello")
    assert.deepStrictEqual([status, body.detail.code], [402, "budget_exceeded"])
    assert.lengthOf(await server.database.sql`select 1 from turns where session_id = ${session}`, 0)
    assert.lengthOf(await server.database.sql`select 1 from ledger where session_id = ${session}`, 0)
  })
})

describe("caps that are changed under load", () => {
  it("are those of a new person if the person is erased at the same time", async () => {
    const { path, app } = await createApp()
    const change = (daily_cost_usd: number) => account.client.patch(`${path}/end-users/ann/caps`, { daily_cost_usd })
    assert.strictEqual((await change(1)).status, 200)
    const { sql } = server.database
    const answer = await sql.begin(async (erasure) => {
      await erasure`select from allowances where app_id = ${app.appId} and external_user_ref = 'ann' for update`
      const changing = change(2)
      await until("the change to wait", async () => {
        const waiting = await sql`
          select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
        return waiting.length > 0
      })
      await erasure`delete from allowances where app_id = ${app.appId} and external_user_ref = 'ann'`
      await erasure`delete from end_users where app_id = ${app.appId} and external_user_ref = 'ann'`
      return { changing }
    })
    const { status, body } = await answer.changing
    assert.deepStrictEqual([status, body.data.caps.daily_cost_usd], [200, 2])
    assert.lengthOf(await sql`select from end_users where app_id = ${app.appId} and external_user_ref = 'ann'`, 1)
  })

  it("take effect, and block nobody", async () => {
    const { path, app } = await createApp()
    const character_slug = await app.createCharacter()
    const open = (n: number) =>
      app.post("/v1/sessions", { character_slug, external_user_ref: `user-${n % 4}`, new_thread: true })
    const sessions = await Promise.all([0, 1, 2, 3].map(async (n) => (await open(n)).body.data.id as string))
    const answers: Array<Awaited<ReturnType<typeof open>>> = []
    // Twenty at a time: all that are sent together wait in one queue for the locks of the app.
    for (let round = 0; round < 40; round += 4)
      answers.push(
        ...(await Promise.all(
          [round, round + 1, round + 2, round + 3].flatMap((n) => [
            open(n),
            app.send(sessions[n % 4] ?? "", "Hello"),
            account.client.patch(`${path}/caps`, {
              daily_budget_usd: n,
              default_end_user_caps: { daily_messages: 100 + n }
            }),
            account.client.patch(`${path}/end-users/user-${n % 4}/caps`, { daily_cost_usd: n }),
            app.delete(`/v1/end-users/user-${n % 2}`)
          ])
        ))
      )
    assert.deepStrictEqual(
      answers.filter(({ status }) => status >= 500),
      []
    )
  })
})

describe("the caps of an end-user", () => {
  it("refuse their sends with 402 end_user_cap_exceeded, nobody else's, and nothing is written", async () => {
    const { path, app } = await createApp()
    const [capped, free] = [
      await app.createSession({ external_user_ref: "Ann Ö/1" }),
      await app.createSession({ external_user_ref: "Bob" })
    ]
    const caps = `${path}/end-users/${encodeURIComponent("Ann Ö/1")}/caps`
    const set = (await account.client.patch(caps, { daily_messages: 1 })).body.data
    assert.deepInclude(set, {
      external_user_ref: "Ann Ö/1",
      caps: { ...NO_CAPS, daily_messages: 1 },
      effective: { ...NO_CAPS, daily_messages: 1 },
      used: { day_usd: 0, month_usd: 0, day_messages: 0, day_images: 0 }
    })
    assert.strictEqual((await app.send(capped, "One")).status, 200)
    const { status, body } = await app.send(capped, "Two")
    assert.deepStrictEqual([status, body.detail.code], [402, "end_user_cap_exceeded"])
    assert.lengthOf(await server.database.sql`select 1 from turns where session_id = ${capped}`, 1)
    assert.strictEqual((await app.send(free, "One")).status, 200)
    assert.strictEqual((await account.client.get(caps)).body.data.used.day_messages, 1)
  })

  it("can be set before the first session, by account or app, and apply from its first message", async () => {
    const { path, app } = await createApp()
    for (const [ref, set] of [
      ["early", account.client.patch(`${path}/end-users/early/caps`, { daily_messages: 1 })],
      ["soon", app.patch("/v1/end-users/soon/caps", { daily_messages: 1 })]
    ] as const) {
      assert.deepInclude((await set).body.data, {
        external_user_ref: ref,
        effective: { ...NO_CAPS, daily_messages: 1 }
      })
      assert.deepInclude((await app.get(`/v1/end-users/${ref}`)).body.data, { session_count: 0, age_band: "unknown" })
      const session = await app.createSession({ external_user_ref: ref })
      assert.strictEqual((await app.send(session, "One")).status, 200)
      assert.strictEqual((await app.send(session, "Two")).body.detail.code, "end_user_cap_exceeded")
    }
  })

  it("are 404 for a person without sessions, and never set in another account's app", async () => {
    const { path } = await createApp()
    const stranger = await createAccountIn(server)
    const { status, body } = await account.client.get(`${path}/end-users/nobody/caps`)
    assert.deepStrictEqual([status, body.detail.code], [404, "end_user_not_found"])
    assert.strictEqual(
      (await account.client.patch(`${path}/end-users/nobody/caps`, { daily_messages: "many" })).status,
      422
    )
    assert.strictEqual(
      (await stranger.client.patch(`${path}/end-users/nobody/caps`, { daily_messages: 1 })).status,
      404
    )
    assert.strictEqual((await account.client.get(`${path}/end-users/nobody/caps`)).status, 404)
  })
})

describe("usage", () => {
  it("matches the traces, by day, kind, character, model and end-user", async () => {
    const { path, app } = await createApp()
    const [ann, bob] = [
      await app.createSession({ external_user_ref: "ann" }),
      await app.createSession({ external_user_ref: "bob" })
    ]
    await talk(app, ann)
    await talk(app, ann, "And how was your day?")
    await talk(app, bob)
    const traces = await Promise.all(
      [ann, bob].map(
        async (session) =>
          (await app.get(`/v1/sessions/${session}/trace`)).body.data.trace as ReadonlyArray<{
            cost_usd: number
            tokens: { input: number }
          }>
      )
    )
    const rows = traces.flat()
    const cost = Math.round(rows.reduce((sum, row) => sum + row.cost_usd * 1e6, 0)) / 1e6
    const total = (await app.get("/v1/usage")).body.data
    assert.deepInclude(total, { messages: 3, cost_usd: cost, group_by: null, groups: [] })
    assert.strictEqual(
      total.tokens.input,
      rows.reduce((sum, row) => sum + row.tokens.input, 0)
    )
    const groups = async (group: string) =>
      (await app.get(`/v1/usage?group_by=${group}`)).body.data.groups as ReadonlyArray<{
        key: string
        messages: number
        cost_usd: number
      }>
    for (const group of ["day", "kind", "character", "model", "end_user"]) {
      const found = await groups(group)
      assert.strictEqual(
        Math.round(found.reduce((sum, one) => sum + one.cost_usd * 1e6, 0)),
        Math.round(cost * 1e6),
        group
      )
    }
    assert.deepStrictEqual(
      (await groups("end_user")).map(({ key, messages }) => [key, messages]),
      [
        ["ann", 2],
        ["bob", 1]
      ]
    )
    assert.deepStrictEqual(
      (await groups("kind")).map(({ key }) => key),
      ["message_fast"]
    )
    assert.deepStrictEqual(
      (await groups("day")).map(({ key }) => key),
      [new Date().toISOString().slice(0, 10)]
    )
    const ofApp = (await account.client.get(`${path}/usage?group_by=kind`)).body.data
    assert.deepInclude(ofApp, { messages: 3, cost_usd: cost })
    const all = (await account.client.get("/v1/account/usage?group_by=app")).body.data.groups
    assert.deepInclude(
      all.find((group: { key: string }) => group.key === app.appId),
      { messages: 3, cost_usd: cost }
    )
  })

  it("can be queried for a period, from before to", async () => {
    const { app } = await createApp()
    await talk(app, await app.createSession())
    assert.strictEqual((await app.get("/v1/usage?from=2020-01-01&to=2020-02-01")).body.data.messages, 0)
    for (const query of ["from=2020-02-01&to=2020-01-01", "from=yesterday", "group_by=app", "group_by=nothing"])
      assert.strictEqual((await app.get(`/v1/usage?${query}`)).status, 422, query)
  })
})

describe("the rates", () => {
  it(
    "show the reservation for a short message to a typical character: smaller for a smaller one, larger for a " +
      "longer message",
    async () => {
      const { appId, app } = await createApp()
      const { currency, price_version, engine, rates } = (await app.get("/v1/rates")).body.data
      assert.deepStrictEqual([currency, engine], ["USD", "offline-retrieval.v1"])
      const session = await app.createSession()
      await app.send(session, "Hello")
      await app.send(session, "Hello ".repeat(5_000))
      const holds = await server.database.sql`
          select amount_micro_usd::int as amount, price_version, activity from ledger where app_id = ${appId}
          and entry = 'hold' order by at`
      const fast = rates.find((rate: { kind: string }) => rate.kind === "message_fast")
      for (const hold of holds) assert.deepInclude(hold, { price_version, activity: "message_fast" })
      const price = Math.round(fast.price_usd * 1e6)
      assert.deepStrictEqual(
        holds.map(({ amount }) => Math.sign(amount - price)),
        [-1, 1]
      )
      assert.isBelow(fast.estimate_usd, fast.price_usd)
    }
  )
})

describe("a budget that is used up", () => {
  it("is reported at 80 and at 100 percent, once each", async () => {
    const { appId, path, app } = await createApp()
    const session = await app.createSession()
    await account.client.patch(`${path}/caps`, { monthly_budget_usd: 1 })
    const look = () =>
      server.database.sql`select graphile_worker.add_job('budgets', '{}'::json, queue_name := 'budgets')`
    const told = async () =>
      ((await app.get("/v1/delivery/events")).body.data.events as ReadonlyArray<{ type: string; payload: object }>)
        .filter(({ type }) => type === "budget.warning")
        .map(({ payload }) => payload)
    const use = (usd: number) =>
      server.database
        .sql`update allowances set month_used_micro_usd = ${usd * 1e6} where app_id = ${appId} and kind = 'app'`
    await use(0.79)
    await look()
    await use(0.85)
    await look()
    await until("the first warning", async () => (await told()).length === 1)
    await use(1)
    await look()
    await until("the second", async () => (await told()).length === 2)
    await look()
    assert.deepStrictEqual(await told(), [
      { period: "month", share_percent: 80, limit_usd: 1, used_usd: 0.85 },
      { period: "month", share_percent: 100, limit_usd: 1, used_usd: 1 }
    ])
    assert.strictEqual((await app.send(session, "Hello")).body.detail.code, "budget_exceeded")
  })

  it("is also reported for the total budget, once for each percentage, whatever the month", async () => {
    const { appId, app } = await createApp()
    const { sql } = server.database
    await sql`insert into allowances (app_id, kind, total_limit_micro_usd, total_used_micro_usd)
      values (${appId}, 'app', 1000000, 1000000)`
    const told = async () =>
      ((await app.get("/v1/delivery/events")).body.data.events as ReadonlyArray<{ payload: object }>).map(
        ({ payload }) => payload
      )
    const look = () => sql`select graphile_worker.add_job('budgets', '{}'::json, queue_name := 'budgets')`
    await look()
    await until("the warning", async () => (await told()).length === 1)
    await sql`update allowances set day = day - 40, daily_limit_micro_usd = 1, day_used_micro_usd = 1
      where app_id = ${appId}`
    await sql`update allowances set day = utc_today() where app_id = ${appId}`
    await look()
    await until("another", async () => (await told()).length === 2)
    assert.deepStrictEqual(
      (await told()).map((payload) => (payload as { period: string }).period),
      ["total", "day"]
    )
  })

  it("is reported again when it is changed, and not when it stays the same", async () => {
    const { appId, path, app } = await createApp()
    const limit = (usd: number) => account.client.patch(`${path}/caps`, { monthly_budget_usd: usd })
    const look = () =>
      server.database.sql`select graphile_worker.add_job('budgets', '{}'::json, queue_name := 'budgets')`
    const told = async () =>
      (
        (await app.get("/v1/delivery/events")).body.data.events as ReadonlyArray<{
          type: string
          payload: { limit_usd: number; share_percent: number }
        }>
      )
        .filter(({ type }) => type === "budget.warning")
        .map(({ payload }) => [payload.limit_usd, payload.share_percent])
    await limit(1)
    await server.database
      .sql`update allowances set month_used_micro_usd = 1000000 where app_id = ${appId} and kind = 'app'`
    await look()
    await until("the first warning", async () => (await told()).length === 1)
    await limit(1)
    await look()
    await limit(1.25)
    await look()
    await until("the second", async () => (await told()).length >= 2)
    assert.deepStrictEqual(await told(), [
      [1, 100],
      [1.25, 80]
    ])
  })
})
