import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { type Receiver, startReceiver } from "#test/support/Receiver.ts"
import { startTelegramHarness, type TelegramHarness } from "#test/support/TelegramHarness.ts"
import { TestApp } from "#test/support/TestApp.ts"
import { until } from "#test/support/until.ts"
import { assertSince } from "#test/support/assertSince.ts"

const TOKEN = "the-operator-and-nobody-else"
let harness: TelegramHarness
let operator: TestApp
let receiver: Receiver
beforeAll(async () => {
  receiver = await startReceiver((response, { path }) => {
    response.writeHead(path === "/broken" ? 500 : 200).end(path === "/broken" ? "out of order" : "")
  })
  harness = await startTelegramHarness({ env: { ADMIN_TOKEN: TOKEN, OUTBOUND_ALLOW: "127.0.0.1" } })
  operator = new TestApp(harness.server.baseUrl, "", TOKEN)
})
afterAll(async () => {
  await harness.close()
  await receiver.close()
})

const sql = () => harness.server.database.sql
const data = async (path: string) => {
  const { status, body } = await operator.get(path)
  assert.strictEqual(status, 200, JSON.stringify(body))
  return body.data
}
const code = async (path: string) => {
  const { status, body } = await operator.get(path)
  return [status, body.detail?.code]
}
/** Every item of a list, page by page. */
const all = async (path: string, field: string, limit = 2) => {
  const found: Array<Record<string, any>> = []
  for (let cursor: string | null = ""; cursor !== null;) {
    const page = await data(`${path}${path.includes("?") ? "&" : "?"}limit=${limit}&cursor=${cursor}`)
    found.push(...page[field])
    cursor = page.next_cursor
  }
  return found
}
/** Lets the job count everything up to now. */
const countAll = async () => {
  const [{ now }] = (await sql()`select now() + interval '1 second' as now`) as unknown as [{ now: Date }]
  await sql()`select graphile_worker.add_job('rollup', '{}'::json)`
  await until("the roll-up", async () => {
    await sql()`select graphile_worker.add_job('rollup', '{}'::json, job_key := 'test')`
    return new Date((await data("/admin/apps?limit=1")).totals.as_of) > now
  })
}

describe("the operator's apps", () => {
  it("are sorted by what they spent, with the failed turns and the last use of each", async () => {
    const from = Date.now()
    const [cheap, dear, unused] = await Promise.all([
      harness.server.createApp(),
      harness.server.createApp(),
      harness.server.createApp()
    ])
    for (const app of [cheap, dear]) await app.converse(await app.createSession(), "What is for dinner?")
    await sql()`
      insert into ledger (app_id, run_ref, activity, entry, amount_micro_usd, price_version)
      values (${dear.appId}, 'run_x', 'image', 'settle', 5000000, 'test'),
        (${cheap.appId}, 'run_y', 'image', 'settle', 1000000, 'test')`
    await countAll()
    const ids = (rows: ReadonlyArray<Record<string, any>>) =>
      rows.map(({ app_id }) => app_id).filter((id) => [cheap, dear, unused].some(({ appId }) => appId === id))
    const apps = await all("/admin/apps", "apps", 1)
    assert.deepStrictEqual(ids(apps), [dear.appId, cheap.appId, unused.appId])
    const found = apps.find(({ app_id }) => app_id === dear.appId)
    assert.deepInclude(found, { status: "active", turns_24h: 1, failed_turns_24h: 0 })
    assert.closeTo(found?.["spent_today_usd"], 5, 0.01)
    assert.closeTo(found?.["spent_month_usd"], 5, 0.01)
    assertSince(found?.["last_used_at"], from)
    assert.deepStrictEqual(ids(await all("/admin/apps?sort=newest", "apps", 3)), [...ids(apps)].toSorted().toReversed())
    assert.include(ids(await all("/admin/apps?sort=last_use", "apps")).slice(0, 2), dear.appId)
    assert.strictEqual((await data(`/admin/apps/${dear.appId}`)).caps.monthly_budget_usd, null)

    const day = new Date().toISOString().slice(0, 10)
    const { groups, totals } = await data(`/admin/ledger?app_id=${dear.appId}&group_by=kind&from=${day}`)
    assert.strictEqual(totals.source, "rollup")
    assert.deepInclude(groups[0], { key: "image", cost_usd: 5, turns: 0 })
    assert.deepInclude(groups[1], { turns: 1, failed_turns: 0 })
    assert.deepInclude((await data("/admin/ledger?group_by=day")).groups.at(-1), { key: day })
    assert.strictEqual((await data("/admin/ledger")).groups[0].key, dear.appId)
    await data("/admin/ledger?group_by=model")
  })

  it("are counted once, however often the job runs and whatever runs at the same time", async () => {
    const app = await harness.server.createApp()
    const open = await sql().reserve()
    await open`begin`
    await open`insert into ledger (app_id, run_ref, activity, entry, amount_micro_usd, price_version)
      values (${app.appId}, 'run_a', 'image', 'settle', 1000000, 'test')`
    await sql()`insert into ledger (app_id, run_ref, activity, entry, amount_micro_usd, price_version)
      values (${app.appId}, 'run_b', 'image', 'settle', 2000000, 'test')`
    await sql()`select graphile_worker.add_job('rollup', '{}'::json)`
    await sql()`select graphile_worker.add_job('rollup', '{}'::json)`
    await open`commit`
    open.release()
    await countAll()
    await countAll()
    assert.strictEqual((await data(`/admin/apps/${app.appId}`)).spent_today_usd, 3)
  })

  it("can be filtered by state, account and part of the name", async () => {
    const app = await harness.server.createApp()
    await sql()`update apps set name = ${"100%_Unique name"} where app_id = ${app.appId}`
    await sql()`insert into telegram_holds (scope, kind, reason) values (${app.appId}, 'app', 'unpaid')`
    const only = [app.appId]
    const found = async (query: string) =>
      (await all(`/admin/apps?${query}`, "apps")).map(({ app_id }) => app_id as string)
    assert.deepStrictEqual(await found(`name=${encodeURIComponent("100%_uNI")}`), only)
    assert.deepStrictEqual(await found("name=unique+NAME"), only)
    assert.deepStrictEqual(await found("name=100x"), [])
    assert.deepStrictEqual(await found("state=suspended"), only)
    assert.notInclude(await found("state=active"), app.appId)
    assert.deepStrictEqual(await found("account_id=acc_nobody"), [])
    await sql()`delete from telegram_holds where scope = ${app.appId}`
  })

  it("report what is wrong with a request", async () => {
    assert.deepStrictEqual(await code("/admin/apps/app_01ARZ3NDEKTSV4RRFFQ69G5FAV"), [404, "app_not_found"])
    assert.deepStrictEqual(await code("/admin/apps/x"), [404, "app_not_found"])
    for (const query of ["sort=name", "state=gone", "limit=101", "cursor=x", "cursor=YQ", "name=%20"])
      assert.deepStrictEqual(await code(`/admin/apps?${query}`), [422, "validation_error"], query)
    for (const query of ["from=2026-02-30", "from=2026-02-02&to=2026-02-01", "from=2000-01-01", "group_by=hour"])
      assert.deepStrictEqual(await code(`/admin/ledger?${query}`), [422, "validation_error"], query)
  })
})

describe("the operator's bots", () => {
  it("are listed worst first, of every app, and filtered by state, reason and silence", async () => {
    const one = await harness.attach()
    const other = await harness.attach()
    await sql()`update telegram_bots set status = 'revoked', reason = 'token_revoked', last_in_at = now()
      where channel_id = ${other.id}`
    const ids = (rows: ReadonlyArray<Record<string, any>>) => rows.map(({ id }) => id)
    const bots = await all("/admin/bots", "bots", 1)
    assert.deepStrictEqual(ids(bots), [other.id, one.id])
    assert.deepInclude(bots[0], { app_id: harness.app.appId, status: "revoked", reason: "token_revoked", held: false })
    for (const [query, expected] of [
      ["state=revoked,degraded", [other.id]],
      ["state=active", [one.id]],
      ["reason=token_revoked", [other.id]],
      ["silent_for=60", [one.id]],
      ["unsent_for=60", [other.id, one.id]],
      ["lag_over=60", []],
      [`app_id=${harness.app.appId}`, [other.id, one.id]],
      ["app_id=app_nobody", []],
      ["sort=last_in", [one.id, other.id]],
      ["sort=newest", [other.id, one.id]]
    ] as const)
      assert.deepStrictEqual(ids(await all(`/admin/bots?${query}`, "bots", 1)), [...expected], query)
    assert.deepInclude(await data(`/admin/bots/${one.id}`), { id: one.id, status: "active" })
    assert.notInclude(JSON.stringify(await data("/admin/bots")), one.bot.token)
  })

  it("show for how long messages and updates have waited", async () => {
    const { id } = await harness.attach()
    await sql()`
      insert into telegram_updates (app_id, channel_id, update_id, kind, chat_id, received_at, due_at, raw)
      values (${harness.app.appId}, ${id}, 1, 'none', 1, now() - interval '2 minutes', now() + interval '1 hour', '{}')`
    const [bot, ...others] = await all("/admin/bots?lag_over=60", "bots")
    assert.deepStrictEqual([bot?.["id"], others], [id, []])
    assert.isAbove(bot?.["inbound_lag_seconds"], 119)
  })

  it("report what is wrong with a request", async () => {
    assert.deepStrictEqual(await code("/admin/bots/bot_01ARZ3NDEKTSV4RRFFQ69G5FAV"), [404, "bot_not_found"])
    for (const query of ["state=active,asleep", "state=,", "sort=best", "lag_over=0", "silent_for=x"])
      assert.deepStrictEqual(await code(`/admin/bots?${query}`), [422, "validation_error"], query)
  })
})

describe("the operator's webhooks and deliveries", () => {
  it("show which webhook fails, with the request that was sent and the response", async () => {
    const app = await harness.server.createApp()
    const session = await app.createSession()
    const create = async (path: string) =>
      (await app.post(`/v1/apps/${app.appId}/channels`, { kind: "webhook", url: new URL(path, receiver.url).href }))
        .body.data.id as string
    const [fine, broken] = [await create("/fine"), await create("/broken")]
    await app.converse(session, "A secret that no list may show.")
    const tried = await until("a failed attempt", async () => {
      const { deliveries } = await data(`/admin/deliveries?channel_id=${broken}`)
      return deliveries.length > 0 && deliveries
    })
    const [failed] = tried
    assert.deepInclude(failed, {
      app_id: app.appId,
      session_id: session,
      channel_id: broken,
      kind: "webhook",
      outcome: "not_sent",
      status_code: 500,
      error_code: "http_500",
      delivered: false
    })
    const detail = await data(`/admin/deliveries/${failed.id}`)
    const seen = receiver.requests.find(
      ({ path, headers }) =>
        path === "/broken" && headers["webhook-signature"] === detail.request.headers["webhook-signature"]
    )
    assert.deepInclude(detail, { response: null, response_hidden: true })
    assert.strictEqual(seen?.headers["webhook-id"], failed.event_id)
    assert.strictEqual(detail.request.signature_base, `${failed.event_id}.${seen?.headers["webhook-timestamp"]}.{body}`)
    assert.strictEqual(detail.request.body_bytes, Buffer.byteLength(seen?.body ?? ""))
    assert.notInclude(JSON.stringify([detail, tried]), "A secret that")
    assert.notInclude(JSON.stringify(detail), "whsec_")

    await until("a delivery to the other", async () => {
      const { deliveries } = await data(`/admin/deliveries?state=sent&channel_id=${fine}`)
      return deliveries.length > 0
    })
    for (const [query, count] of [
      [`event_id=${failed.event_id}&state=any`, 2],
      [`event_id=${failed.event_id}`, 1],
      [`app_id=${app.appId}&status_class=5xx`, 1],
      [`app_id=${app.appId}&status_class=4xx`, 0],
      [`app_id=${app.appId}&status_class=none`, 0],
      [`app_id=${app.appId}&error_code=http_500`, 1],
      [`app_id=${app.appId}&state=expired`, 0],
      [`channel_id=${broken}&until=2020-01-01`, 0],
      [`channel_id=${broken}&since=2020-01-01`, 1]
    ] as const) {
      const found = await all(`/admin/deliveries?${query}`, "deliveries", 1)
      assert.strictEqual(Math.min(found.length, Math.max(count, 1)), count, query)
    }

    await sql()`update delivery_attempts set started_at = started_at - interval '3 minutes'`
    await sql()`update rollups set up_to = now() - interval '2 hours' where name = 'attempts'`
    await sql()`delete from channel_hours`
    await countAll()
    const [worst] = await until("the failure rate", async () => {
      const rows = await all("/admin/channels", "channels")
      return rows[0]?.["failure_rate"] > 0 && rows
    })
    assert.deepInclude(worst, {
      id: broken,
      app_id: app.appId,
      failure_rate: 1,
      url: new URL("/broken", receiver.url).href
    })
    const channel = await data(`/admin/channels/${fine}`)
    assert.deepInclude(channel, { id: fine, status: "active", failures_24h: 0 })
    assert.deepStrictEqual(
      (await all(`/admin/channels?app_id=${app.appId}&sort=newest`, "channels", 1)).map(({ id }) => id),
      [broken, fine]
    )
    assert.deepStrictEqual(await all(`/admin/channels?app_id=${app.appId}&state=disabled`, "channels"), [])
  })

  it("report what is wrong with a request", async () => {
    const [evt, chn] = ["evt_01ARZ3NDEKTSV4RRFFQ69G5FAV", "chn_01ARZ3NDEKTSV4RRFFQ69G5FAV"]
    assert.deepStrictEqual(await code(`/admin/channels/${chn}`), [404, "channel_not_found"])
    assert.deepStrictEqual(await code("/admin/deliveries/x"), [404, "delivery_not_found"])
    assert.deepStrictEqual(await code(`/admin/deliveries/${evt}-${chn}-0-1`), [404, "delivery_not_found"])
    for (const query of ["state=lost", "status_class=6xx", "since=yesterday", "cursor=YQ"])
      assert.deepStrictEqual(await code(`/admin/deliveries?${query}`), [422, "validation_error"], query)
  })
})

describe("the operator's sessions", () => {
  it("are found by id and by reference, and show nothing that was said or remembered", async () => {
    const app = await harness.server.createApp()
    const ref = `person of ${app.appId}`
    const session = await app.createSession({ external_user_ref: ref, metadata: { note: "Biscuit's owner" } })
    const { trace_id } = await app.converse(session, "My dog Biscuit has learned to open doors.")
    const found = await all(`/admin/sessions?external_user_ref=${encodeURIComponent(ref)}`, "sessions")
    assert.deepStrictEqual(
      found.map(({ id, app_id, turn_count }) => [id, app_id, turn_count]),
      [[session, app.appId, 1]]
    )
    assert.deepInclude(await data(`/admin/sessions/${session}`), { id: session, status: "active", open_turns: 0 })
    for (const [query, count] of [
      [`app_id=${app.appId}`, 1],
      [`app_id=${app.appId}&status=exited`, 0],
      [`app_id=${app.appId}&external_user_ref=nobody`, 0],
      ["external_user_ref=nobody", 0],
      [`app_id=${app.appId}&character_slug=nobody`, 0]
    ] as const)
      assert.lengthOf(await all(`/admin/sessions?${query}`, "sessions"), count, query)
    await until("memory extraction", async () => {
      const { trace } = await data(`/admin/sessions/${session}/trace?run_ref=${trace_id}`)
      return trace[0].settled
    })
    const { items } = await data(`/admin/sessions/${session}/timeline?limit=100`)
    assert.includeMembers(
      items.map(({ kind }: { kind: string }) => kind),
      ["event", "run"]
    )
    const shown = JSON.stringify([
      items,
      await data(`/admin/sessions/${session}/trace`),
      await data(`/admin/sessions/${session}`),
      found
    ])
    assert.notInclude(shown, "Biscuit")
    assert.notInclude(shown, "doors")
  })

  it("report what is wrong with a request", async () => {
    for (const path of ["", "/trace", "/timeline"])
      assert.deepStrictEqual(await code(`/admin/sessions/ses_01ARZ3NDEKTSV4RRFFQ69G5FAV${path}`), [
        404,
        "session_not_found"
      ])
    for (const query of ["status=asleep", "cursor=YQ", "external_user_ref="])
      assert.deepStrictEqual(await code(`/admin/sessions?${query}`), [422, "validation_error"], query)
  })
})

describe("the operator's settings", () => {
  it("show values and where they come from, and of secrets only whether they are set", async () => {
    const { settings } = await data("/admin/settings")
    const of = (name: string) => settings.find((setting: { name: string }) => setting.name === name)
    assert.deepStrictEqual(of("ADMIN_TOKEN"), {
      name: "ADMIN_TOKEN",
      value: null,
      source: "environment",
      secret: true,
      is_set: true
    })
    assert.deepInclude(of("OPENAI_API_KEY"), { secret: true, is_set: false, source: "default" })
    assert.deepInclude(of("PORT"), { value: "0", source: "environment", secret: false })
    assert.deepInclude(of("DELIVERY_RETENTION_DAYS"), { value: "30", source: "default" })
    assert.notInclude(JSON.stringify(settings), TOKEN)
    assert.notInclude(JSON.stringify(settings), harness.server.database.url)
  })
})
