import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { newId } from "#pipeline/domain/Id.ts"
import { mintApiKey } from "#src/accounts/apiKey.ts"
import { type FakeTelegram, startFakeTelegram } from "#test/support/telegram/FakeTelegram.ts"
import { operationsIn } from "#test/support/sources/operationsIn.ts"
import { type Answer, TestApp } from "#test/support/TestApp.ts"
import { startTestServer, type TestServer } from "#test/support/TestServer.ts"

/**
 * What a demo key may use. A non-public route that is in neither list has to be added to one: the closed one, unless
 * there is a reason.
 */
const OPEN = [
  "POST /mcp",
  "GET /v1/me",
  "PATCH /v1/apps/{app_id}",
  "GET /v1/characters",
  "POST /v1/characters",
  "GET /v1/characters/{slug}",
  "PATCH /v1/characters/{slug}",
  "DELETE /v1/characters/{slug}",
  "GET /v1/characters/{slug}/versions",
  "POST /v1/characters/{slug}/versions/{version}/restore",
  "GET /v1/characters/{slug}/readiness",
  "GET /v1/characters/{slug}/export",
  "GET /v1/events",
  "GET /v1/consumers",
  "GET /v1/consumers/{consumer}",
  "PUT /v1/consumers/{consumer}",
  "DELETE /v1/consumers/{consumer}",
  "POST /v1/consumers/{consumer}/pull",
  "GET /v1/events/stream",
  "GET /v1/imports",
  "POST /v1/imports",
  "GET /v1/imports/{import_id}",
  "PATCH /v1/imports/{import_id}",
  "POST /v1/imports/{import_id}/commit",
  "POST /v1/imports/{import_id}/discard",
  "GET /v1/characters/{slug}/npcs",
  "POST /v1/characters/{slug}/npcs",
  "GET /v1/characters/{slug}/npcs/{npc_id}",
  "PATCH /v1/characters/{slug}/npcs/{npc_id}",
  "DELETE /v1/characters/{slug}/npcs/{npc_id}",
  "GET /v1/characters/{slug}/graph",
  "POST /v1/characters/{slug}/graph/edges",
  "PATCH /v1/characters/{slug}/graph/edges/{edge_id}",
  "DELETE /v1/characters/{slug}/graph/edges/{edge_id}",
  "GET /v1/characters/{slug}/lore",
  "PUT /v1/characters/{slug}/lore",
  "POST /v1/characters/{slug}/lore",
  "GET /v1/characters/{slug}/lore/{entry_id}",
  "PUT /v1/characters/{slug}/lore/{entry_id}",
  "DELETE /v1/characters/{slug}/lore/{entry_id}",
  "GET /v1/sessions/{session_id}/storylines",
  "POST /v1/sessions/{session_id}/storylines/{storyline_id}/triggers",
  "GET /v1/characters/{slug}/storylines",
  "POST /v1/characters/{slug}/storylines",
  "GET /v1/characters/{slug}/storylines/{storyline_id}",
  "PATCH /v1/characters/{slug}/storylines/{storyline_id}",
  "DELETE /v1/characters/{slug}/storylines/{storyline_id}",
  "GET /v1/characters/{slug}/arc-influences",
  "POST /v1/characters/{slug}/arc-influences",
  "GET /v1/characters/{slug}/arc-influences/{arc_id}",
  "PATCH /v1/characters/{slug}/arc-influences/{arc_id}",
  "DELETE /v1/characters/{slug}/arc-influences/{arc_id}",
  "GET /v1/sessions",
  "POST /v1/sessions",
  "GET /v1/sessions/{session_id}",
  "GET /v1/sessions/{session_id}/state",
  "POST /v1/sessions/{session_id}/messages",
  "GET /v1/sessions/{session_id}/events",
  "GET /v1/sessions/{session_id}/events/stream",
  "POST /v1/sessions/{session_id}/stream-token",
  "GET /v1/apps/{app_id}/proactive-policy",
  "PATCH /v1/apps/{app_id}/proactive-policy",
  "GET /v1/apps/{app_id}/proactive-policy/decisions",
  "PATCH /v1/sessions/{session_id}/proactive-controls",
  "POST /v1/sessions/{session_id}/proactive/evaluate",
  "POST /v1/sessions/{session_id}/proactive/schedule",
  "GET /v1/sessions/{session_id}/proactive/schedule",
  "DELETE /v1/sessions/{session_id}/proactive/schedule/{scheduled_id}",
  "GET /v1/sessions/{session_id}/trace",
  "GET /v1/sessions/{session_id}/runs",
  "GET /v1/sessions/{session_id}/timeline",
  "GET /v1/runs",
  "GET /v1/health",
  "GET /v1/metrics",
  "GET /v1/sessions/{session_id}/relationship-scores",
  "GET /v1/sessions/{session_id}/memories",
  "POST /v1/sessions/{session_id}/memories",
  "POST /v1/sessions/{session_id}/memories/search",
  "POST /v1/sessions/{session_id}/recall",
  "GET /v1/sessions/{session_id}/open-loops",
  "PATCH /v1/sessions/{session_id}/open-loops/{loop_id}",
  "GET /v1/sessions/{session_id}/proactive-preferences",
  "PATCH /v1/sessions/{session_id}/proactive-preferences",
  "GET /v1/sessions/{session_id}/snapshots",
  "GET /v1/sessions/{session_id}/snapshots/latest",
  "GET /v1/sessions/{session_id}/memories/{memory_id}",
  "PATCH /v1/sessions/{session_id}/memories/{memory_id}",
  "DELETE /v1/sessions/{session_id}/memories/{memory_id}",
  "GET /v1/sessions/{session_id}/delivery",
  "GET /v1/sessions/{session_id}/delivery/{delivery_id}",
  "POST /v1/sessions/{session_id}/delivery/{delivery_id}/retry",
  "GET /v1/delivery/events",
  "GET /v1/telegram/bots",
  "POST /v1/telegram/bots",
  "GET /v1/telegram/bots/{bot_id}",
  "PATCH /v1/telegram/bots/{bot_id}",
  "DELETE /v1/telegram/bots/{bot_id}",
  "GET /v1/telegram/bots/{bot_id}/chats",
  "POST /v1/telegram/bots/{bot_id}/answer-pre-checkout",
  "POST /v1/telegram/bots/{bot_id}/links",
  "POST /v1/telegram/bots/{bot_id}/probe",
  "POST /v1/telegram/bots/{bot_id}/suspend",
  "POST /v1/telegram/bots/{bot_id}/resume",
  "POST /v1/telegram/bots/{bot_id}/rotate-secret",
  "GET /v1/end-users",
  "GET /v1/end-users/{external_user_ref}",
  "PATCH /v1/end-users/{external_user_ref}",
  "DELETE /v1/end-users/{external_user_ref}",
  "GET /v1/end-users/{external_user_ref}/sessions",
  "GET /v1/end-users/{external_user_ref}/usage",
  "GET /v1/end-users/{external_user_ref}/caps",
  "GET /v1/end-users/{external_user_ref}/export",
  "GET /v1/erasures/{erasure_id}",
  "GET /v1/usage",
  "GET /v1/usage/safety",
  "GET /v1/rates"
]
/** Account, webhooks, budgets, evals, managed bots, batches, pictures, and what is charged separately from turns. */
const CLOSED = [
  /^POST \/v1\/sessions\/\{session_id\}\/history$/,
  /^POST \/v1\/characters\/\{slug\}\/readiness\/probe$/,
  /^\w+ \/v1\/characters\/\{slug\}\/(?:evidence|research)(?:\/|$)/,
  /^PATCH \/v1\/end-users\/\{external_user_ref\}\/caps$/,
  /^\w+ \/v1\/account(?:\/|$)/,
  /^\w+ \/v1\/evals\//,
  /^\w+ \/v1\/(?:apps\/\{app_id\}|sessions\/\{session_id\})\/channels(?:\/|$)/,
  /^POST \/v1\/telegram\/bots\/\{bot_id\}\/rotate-token$/,
  /^\w+ \/v1\/telegram\/batches(?:\/|$)/,
  /^\w+ \/v1\/images(?:\/|$)/,
  /^\w+ \/v1\/characters\/\{slug\}\/(?:assets|visual-identity)(?:\/|$)/
]

let server: TestServer
let telegram: FakeTelegram
let demo: TestApp
let routes: ReadonlyArray<{ readonly name: string; readonly method: string; readonly path: string }>
beforeAll(async () => {
  telegram = await startFakeTelegram({ takesAnyWebhookUrl: true })
  server = await startTestServer({
    env: {
      TELEGRAM_API_ROOT: telegram.url,
      TELEGRAM_MANAGER_TOKEN: telegram.createBot({ can_manage_bots: true }).token
    }
  })
  const { data } = (await new TestApp(server.baseUrl, "", "").post("/v1/demo/sandbox-key", undefined)).body
  demo = new TestApp(server.baseUrl, data.app_id, data.api_key)
  routes = operationsIn((await demo.get("/openapi.json")).body).flatMap(({ path, method, operation }) =>
    // The routes of the operator refuse every key of an app, which their own tests check.
    operation.security?.length === 0 || /^\/(?:admin|console|metrics)(?:\/|$)/.test(path)
      ? []
      : [{ name: `${method.toUpperCase()} ${path}`, method: method.toUpperCase(), path }]
  )
})
afterAll(async () => {
  await server.close()
  await telegram.close()
})

const shape = ({ status, body }: Answer) => [status, body.detail?.code]
const DISABLED = [403, "demo_key_surface_disabled"]
const IDS: Readonly<Record<string, () => string>> = {
  app_id: () => demo.appId,
  slug: () => "edda-brandvik",
  version: () => "1",
  session_id: () => newId("ses"),
  channel_id: () => newId("chn"),
  delivery_id: () => "dlv_x",
  memory_id: () => newId("mem"),
  loop_id: () => newId("lop"),
  scheduled_id: () => newId("sch"),
  bot_id: () => newId("bot"),
  evidence_id: () => newId("evd"),
  research_id: () => newId("rsr"),
  finding_id: () => newId("fnd"),
  npc_id: () => newId("npc"),
  edge_id: () => newId("edg"),
  entry_id: () => newId("lor"),
  storyline_id: () => newId("stl"),
  arc_id: () => newId("arc"),
  batch_id: () => newId("bat"),
  import_id: () => newId("imp"),
  suite_id: () => newId("evs"),
  run_id: () => newId("evr"),
  prefix: () => mintApiKey().prefix,
  external_user_ref: () => "user-1",
  consumer: () => "crm",
  erasure_id: () => newId("ers"),
  asset_id: () => newId("ast"),
  image_id: () => newId("img")
}
const fill = (path: string) =>
  path.replaceAll(
    /\{(\w+)\}/g,
    (_, name: string) => IDS[name]?.() ?? assert.fail(`${path}: say in this test what ${name} may be`)
  )
const isClosed = (name: string) => CLOSED.some((pattern) => pattern.test(name))

describe("a demo key", () => {
  it("has two lists of allowed and forbidden routes, which together cover every route of this server", () => {
    assert.deepStrictEqual(
      routes.filter(({ name }) => OPEN.includes(name) === isClosed(name)).map(({ name }) => name),
      []
    )
    assert.deepStrictEqual(
      OPEN.filter((name) => !routes.some((route) => route.name === name)),
      []
    )
    assert.isAbove(routes.filter(({ name }) => isClosed(name)).length, 25)
  })

  it("is refused on a closed route before a missing id, bad JSON or an unsupported method is reported", async () => {
    for (const { name, method, path } of routes.filter(({ name }) => isClosed(name))) {
      const takesBody = method !== "GET"
      for (const at of [fill(path), path.replaceAll(/\{\w+\}/g, "none")]) {
        assert.deepStrictEqual(
          shape(await demo.request(method, at, takesBody ? "{not json" : undefined)),
          DISABLED,
          `${name} ${at}`
        )
      }
    }
  })

  it("is not refused on an allowed route", async () => {
    for (const { name, method, path } of routes.filter(({ name }) => OPEN.includes(name) && !name.includes("stream"))) {
      const { body } = await demo.request(method, fill(path), method === "GET" ? undefined : "{not json")
      assert.notStrictEqual(body.detail?.code, "demo_key_surface_disabled", name)
    }
  })

  it.each([
    ["PUT", "/v1/images"],
    ["POST", "/v1/images/probe/x"],
    ["GET", "/v1/images/img_x/y"],
    ["POST", "/v1/characters/edda-brandvik/readiness/probe/again"],
    ["PUT", "/v1/characters/edda-brandvik/assets"],
    ["POST", "/v1/apps"],
    ["DELETE", "/v1/account/apps"],
    ["POST", "/v1/account/apps/x/api-keys/y/z"],
    ["PUT", "/v1/sessions/x/channels?y"],
    ["PATCH", "/v1/end-users/x/caps/y"],
    ["PUT", "/v1/telegram/bots/x/rotate-token"],
    ["GET", "/v1/evals"]
  ])("is refused on a missing route of a closed kind, too: %s %s", async (method, path) => {
    assert.deepStrictEqual(shape(await demo.request(method, path)), DISABLED)
    // For any other key, and without one, there is no such route, or none with this method.
    const app = await server.createApp()
    for (const other of [app, new TestApp(server.baseUrl, "", "ck_nonsense")]) {
      assert.deepInclude(
        [
          [404, "route_not_found"],
          [405, "method_not_allowed"]
        ],
        shape(await other.request(method, path))
      )
    }
  })

  it.each([
    ["GET", "/v1/nonsense"],
    ["POST", "/nonsense"],
    ["PUT", "/v1/nonsense/images"],
    ["GET", "/v1/end-users/x/caps/y"],
    ["GET", "/v1/characters/edda-brandvik/lore/x/y"],
    ["POST", "/v1/demo/x"]
  ])("gets a 404 for any other missing route: %s %s", async (method, path) => {
    assert.deepStrictEqual(shape(await demo.request(method, path)), [404, "route_not_found"])
  })

  it("may attach a Telegram bot but create none, whatever else the body says", async () => {
    const byo = await demo.post("/v1/telegram/bots", {
      mode: "byo",
      token: telegram.createBot().token,
      character_slug: "edda-brandvik"
    })
    assert.strictEqual(byo.status, 200)
    for (const more of [
      { character_slug: "edda-brandvik" },
      { character_slug: "nobody" },
      {},
      { character_slug: 7, suggested_username: "no" }
    ]) {
      assert.deepStrictEqual(shape(await demo.post("/v1/telegram/bots", { mode: "managed", ...more })), DISABLED)
    }
  })
})

describe("any other runtime key", () => {
  it("is still a credential of the wrong kind on the account plane, with a plain-string detail", async () => {
    const { status, body } = await (await server.createApp()).get("/v1/account")
    assert.strictEqual(status, 403)
    assert.isString(body.detail)
  })
})
