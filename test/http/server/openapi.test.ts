import { execFile } from "node:child_process"
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { promisify } from "node:util"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import fastify from "fastify"
import * as z from "zod"
import { created, written } from "#src/http/server/schemas/answers.ts"
import { RelationalMeter, SessionStateData } from "#src/http/conversation/sessionStateSchemas.ts"
import { HistoryData } from "#src/http/conversation/historySchemas.ts"
import { RecallData } from "#src/http/memory/recallSchemas.ts"
import { EventData, EventPage } from "#src/http/conversation/eventSchemas.ts"
import { StreamTokenData } from "#src/http/conversation/streamTokenRoutes.ts"
import { CharacterData, CharacterPage, CharacterVersionPage } from "#src/http/character/characterData.ts"
import { AppData, MeData, AppPatch } from "#src/http/tenancy/appSchemas.ts"
import {
  AccountAppCreate,
  AccountAppPage,
  AccountAppPatch,
  AccountData,
  AuditEntryData,
  AuditPage,
  DeviceStart,
  DeviceStarted,
  DeviceToken,
  KeyCreate,
  KeyData,
  KeyPage,
  KeyRotate,
  KeyRotated,
  shownKey,
  TokenData,
  TokenRevoked
} from "#src/http/tenancy/accountSchemas.ts"
import { channelKinds, routes } from "#src/composition/routes.ts"
import type { Server } from "#src/http/server/Server.ts"
import { AppCapsData } from "#src/http/billing/capsSchemas.ts"
import { RatesData, SafetyUsageData, UsageData } from "#src/http/billing/usageSchemas.ts"
import {
  channelCreate,
  channelData,
  ChannelDeleted,
  channelPage,
  channelPatch,
  ChannelReplay,
  ChannelTest,
  DeliveryData,
  DeliveryDetail,
  DeliveryPage,
  shownSecret
} from "#src/http/delivery/channelSchemas.ts"
import { CharacterCreate, CharacterPatch } from "#src/http/character/characterSchemas.ts"
import {
  ImportCommit,
  ImportCommitted,
  ImportCreate,
  ImportData,
  ImportPage,
  ImportPatch
} from "#src/http/imports/importSchemas.ts"
import { FoundMemoryData, MemoryCreate, MemoryData, MemoryPage, MemoryPatch } from "#src/http/memory/memorySchemas.ts"
import { OpenLoopData, OpenLoopPage } from "#src/http/memory/openLoopSchemas.ts"
import { PreferencesData, PreferencesPatch } from "#src/http/proactive/preferencesSchemas.ts"
import { ScheduledData, ScheduledPage } from "#src/http/proactive/scheduleSchemas.ts"
import { SnapshotData, SnapshotPage } from "#src/http/memory/snapshotSchemas.ts"
import { SessionCreate, SessionData, SessionPage } from "#src/http/conversation/sessionSchemas.ts"
import { MessageSend, AcceptData } from "#src/http/conversation/messageSchemas.ts"
import { cardV2 } from "#test/support/files/cards.ts"
import { inlineRefs } from "#test/support/sources/inlineRefs.ts"
import { isHidden, operationsIn } from "#test/support/sources/operationsIn.ts"
import { reachableErrors } from "#test/support/sources/reachableErrors.ts"
import { catalogue } from "#src/http/server/catalogue.ts"
import { createAccountIn, type TestAccount } from "#test/support/accounts/createAccountIn.ts"
import { type Answer, TestApp } from "#test/support/TestApp.ts"
import { startTestServer, type TestServer } from "#test/support/TestServer.ts"
import { until } from "#test/support/until.ts"

type Json = Answer["body"]

const ChannelCreate = channelCreate(channelKinds)
const ChannelPatch = channelPatch(channelKinds)
const ChannelData = channelData(channelKinds)
const ChannelPage = channelPage(channelKinds)

const ROOT = resolve(import.meta.dirname, "../../..")

let server: TestServer
let app: TestApp
let folder: string
/** As it is served, and with its references replaced. */
let served: Json
let document: Json
beforeAll(async () => {
  server = await startTestServer({ env: { OUTBOUND_ALLOW: "127.0.0.1" } })
  app = await server.createApp()
  served = (await app.get("/openapi.json")).body
  document = inlineRefs(served, served)
  folder = await mkdtemp(join(tmpdir(), "troupe-openapi-"))
})
afterAll(async () => {
  await server.close()
  await rm(folder, { recursive: true, force: true })
})

const operations = (): ReadonlyArray<readonly [string, Json]> =>
  operationsIn(document).map(({ path, method, operation }) => [`${method.toUpperCase()} ${path}`, operation] as const)

/** The statuses that an operation can answer: its own, and those that its response for all others is for. */
const statusesOf = ({ responses }: Json): ReadonlySet<string> =>
  new Set([...Object.keys(responses), ...(responses.default?.["x-statuses"] ?? []).map(String)])

const bodies = (): ReadonlyArray<readonly [string, Json]> =>
  operations().flatMap(([name, { requestBody }]) => (requestBody === undefined ? [] : [[name, requestBody] as const]))

const statusOf = (code: string): number => catalogue.find((entry) => entry.code === code)?.status ?? 0

describe("the OpenAPI document", () => {
  it("lints without an error or a warning", async () => {
    const file = join(folder, "openapi.json")
    await writeFile(file, JSON.stringify(served))
    const { stdout } = await promisify(execFile)(
      join(ROOT, "node_modules/.bin/redocly"),
      ["lint", "--config", join(ROOT, "redocly.yaml"), "--format", "json", file],
      {
        env: { ...process.env, REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true" }
      }
    ).catch((failed: { stdout: string }) => failed)
    const report = JSON.parse(stdout)
    assert.deepStrictEqual(report.problems, [])
    assert.deepInclude(report.totals, { errors: 0, warnings: 0 })
  })

  it("lints without an error in Spectral's rules for OpenAPI", async () => {
    const file = join(folder, "spectral.json")
    await writeFile(file, JSON.stringify(served))
    await writeFile(join(folder, "rules.json"), JSON.stringify({ extends: ["spectral:oas"] }))
    const { stdout } = await promisify(execFile)(
      join(ROOT, "node_modules/.bin/spectral"),
      ["lint", "--ruleset", join(folder, "rules.json"), "--format", "json", "--quiet", file],
      { maxBuffer: 32 * 1024 * 1024 }
    ).catch((failed: { stdout: string }) => failed)
    const problems: ReadonlyArray<{ code: string; severity: number; path: ReadonlyArray<string> }> = JSON.parse(stdout)
    assert.deepStrictEqual(
      problems.filter(({ severity }) => severity === 0).map(({ code, path }) => `${code} ${path.join(".")}`),
      []
    )
  })

  it("is small when it is sent, and may be cached", async () => {
    const response = await fetch(`${server.baseUrl}/openapi.json`, { headers: { "accept-encoding": "gzip" } })
    assert.include(response.headers.get("cache-control"), "max-age")
    assert.isNotNull(response.headers.get("etag"))
    assert.isBelow(Number(response.headers.get("content-length")), 100_000)
    const whole = await fetch(`${server.baseUrl}/openapi.json`, { headers: { "accept-encoding": "identity" } })
    assert.isBelow((await whole.arrayBuffer()).byteLength, 500_000)
  })

  it("names what apps work with, and shows nothing of how numbers are stored", () => {
    const { schemas } = served.components
    assert.includeMembers(Object.keys(schemas), ["Session", "Character", "Message", "Event", "WebhookEvent", "Error"])
    assert.notInclude(JSON.stringify(served), String(Number.MAX_SAFE_INTEGER))
  })

  it("has one schema for each type of event, with its payload, told apart by type", () => {
    const { oneOf, discriminator } = served.components.schemas.Event
    assert.lengthOf(oneOf, Object.keys(discriminator.mapping).length)
    for (const [type, $ref] of Object.entries<string>(discriminator.mapping)) {
      const { properties } = document.components.schemas[$ref.split("/").at(-1) ?? ""].allOf[1]
      assert.strictEqual(properties.type.const, type)
      assert.strictEqual(properties.payload.type, "object", type)
    }
  })

  it("lists for each route the errors that it can answer, and no others", () => {
    const reachable = reachableErrors()
    const codesOf = ({ responses }: Json): ReadonlyArray<string> =>
      Object.values<Json>(responses).flatMap(({ description }) =>
        [...description.matchAll(/Codes: (.*)$/gm)].flatMap(([, codes = ""]) => codes.split(", "))
      )
    // What the server itself answers, before and around the handler.
    const general = new Set(
      codesOf(operations().find(([name]) => name === "PATCH /v1/account/apps/{app_id}")?.[1])
        .concat(codesOf(operations().find(([name]) => name === "POST /v1/images")?.[1]))
        .concat(codesOf(operations().find(([name]) => name === "POST /admin/holds")?.[1]))
        .filter((code) => [401, 403, 408, 413, 415, 422, 429, 431, 500].includes(statusOf(code)))
    )
    for (const [name, operation] of operations()) {
      const own = reachable.get(operation.operationId)
      if (own === undefined || isConsole(name)) continue
      for (const code of codesOf(operation))
        assert.isTrue(own.has(code) || general.has(code) || code === "budget_exceeded", `${name}: ${code}`)
    }
  })

  it("has exactly the routes that are registered", async () => {
    const registered = fastify()
    const found: Array<string> = []
    registered.setValidatorCompiler(() => () => true)
    registered.setSerializerCompiler(() => JSON.stringify)
    registered.addHook("onRoute", ({ method, url }) => {
      const path = url.replace(/\*$/, ":rest").replaceAll(/:(\w+)/g, "{$1}")
      for (const one of [method].flat()) if (one !== "HEAD") found.push(`${one} ${path}`)
    })
    for (const hang of routes)
      hang({ app: registered, baseUrl: () => "http://localhost", channelKinds } as unknown as Server)
    await registered.ready()
    await registered.close()
    assert.deepStrictEqual(
      operations()
        .map(([name]) => name)
        .sort(),
      found.sort()
    )
  })

  it("has valid examples wherever there are examples", () => {
    let count = 0
    const walk = (node: Json, place: string): void => {
      if (typeof node !== "object" || node === null) return
      if (
        Array.isArray(node.examples) &&
        (node.type !== undefined || node.anyOf !== undefined || node.$ref !== undefined)
      ) {
        const { examples, ...schema } = node
        for (const example of examples) {
          count++
          assert.deepStrictEqual(
            z.fromJSONSchema(schema).safeParse(example).error,
            undefined,
            `${place}: ${JSON.stringify(example)}`
          )
        }
      }
      for (const [key, child] of Object.entries<Json>(node)) if (key !== "examples") walk(child, `${place}.${key}`)
    }
    walk(document.paths, "paths")
    for (const [name, { content }] of bodies()) {
      assert.isDefined(content["application/json"].example, name)
    }
    assert.isAbove(count, 20)
  })

  /** What the explorer sends of a parameter as it opens: its example, or the first value that its schema names. */
  const sentOf = ({ example, examples, schema }: Json) => {
    const given = examples?.default ?? {
      value: example ?? schema.default ?? schema.enum?.[0] ?? schema.examples?.[0] ?? schema.example
    }
    return given["x-disabled"] === true ? undefined : given.value
  }

  it("has an example of a send that the server accepts as the explorer sends it", async () => {
    const [, { requestBody, parameters }] =
      operations().find(([name]) => name === "POST /v1/sessions/{session_id}/messages") ?? []
    const session = await app.createSession({ character_slug: await app.createCharacter() })
    const headers = parameters.filter((given: Json) => given.in === "header" && sentOf(given) !== undefined)
    const { status, body } = await app.post(
      `/v1/sessions/${session}/messages`,
      requestBody.content["application/json"].example,
      Object.fromEntries(headers.map((given: Json) => [given.name, sentOf(given)]))
    )
    assert.strictEqual(status, 200, JSON.stringify(body))
  })

  it("lets the explorer send no optional parameter that nobody has chosen, but for defaults", () => {
    const sent = operations().flatMap(([name, { parameters = [] }]) =>
      parameters
        .filter((given: Json) => given.required !== true && sentOf(given) !== given.schema.default)
        .map((given: Json) => `${name} ${given.name}`)
    )
    assert.deepStrictEqual(sent, [])
  })

  it("is explored on a page that has the title of Troupe", async () => {
    assert.include((await app.get("/docs/explorer/")).body, "<title>Troupe API</title>")
  })

  it("has every route of this server, and no other", () => {
    assert.deepStrictEqual(
      operations()
        .map(([name]) => name)
        .filter((name) => !isConsole(name))
        .sort(),
      [
        "DELETE /admin/alert-channels/{channel_id}",
        "DELETE /admin/sign-ins/{prefix}",
        "DELETE /admin/tokens/{prefix}",
        "DELETE /v1/apps/{app_id}/channels/{channel_id}",
        "DELETE /v1/characters/{slug}",
        "DELETE /v1/characters/{slug}/arc-influences/{arc_id}",
        "DELETE /v1/characters/{slug}/assets/{asset_id}",
        "DELETE /v1/characters/{slug}/evidence/{evidence_id}",
        "DELETE /v1/characters/{slug}/graph/edges/{edge_id}",
        "DELETE /v1/characters/{slug}/lore/{entry_id}",
        "DELETE /v1/characters/{slug}/npcs/{npc_id}",
        "DELETE /v1/characters/{slug}/storylines/{storyline_id}",
        "DELETE /v1/consumers/{consumer}",
        "DELETE /v1/end-users/{external_user_ref}",
        "DELETE /v1/evals/suites/{suite_id}",
        "DELETE /v1/images/{image_id}",
        "DELETE /v1/sessions/{session_id}/channels/{channel_id}",
        "DELETE /v1/sessions/{session_id}/memories/{memory_id}",
        "DELETE /v1/sessions/{session_id}/proactive/schedule/{scheduled_id}",
        "DELETE /v1/telegram/bots/{bot_id}",
        "GET /",
        "GET /.well-known/oauth-authorization-server",
        "GET /admin/alert-channels",
        "GET /admin/alerts",
        "GET /admin/apps",
        "GET /admin/apps/{app_id}",
        "GET /admin/apps/{app_id}/api-keys",
        "GET /admin/audit",
        "GET /admin/audit/export",
        "GET /admin/batches/{batch_id}",
        "GET /admin/batches/{batch_id}/items",
        "GET /admin/bots",
        "GET /admin/bots/{bot_id}",
        "GET /admin/channels",
        "GET /admin/channels/{channel_id}",
        "GET /admin/deliveries",
        "GET /admin/deliveries/{attempt_id}",
        "GET /admin/health",
        "GET /admin/holds",
        "GET /admin/jobs",
        "GET /admin/ledger",
        "GET /admin/ledger/discrepancies",
        "GET /admin/me",
        "GET /admin/overview",
        "GET /admin/sessions",
        "GET /admin/sessions/{session_id}",
        "GET /admin/sessions/{session_id}/events",
        "GET /admin/sessions/{session_id}/timeline",
        "GET /admin/sessions/{session_id}/trace",
        "GET /admin/settings",
        "GET /admin/sign-ins",
        "GET /admin/tokens",
        "GET /admin/workers",
        "GET /console/",
        "GET /console/assets/console-{hash}.css",
        "GET /console/assets/console-{hash}.js",
        "GET /console/sign-in",
        "GET /console/sign-in/callback",
        "GET /console/sign-in/issuer",
        "GET /dev-issuer/interaction/{uid}",
        "GET /dev-issuer/{rest}",
        "GET /device",
        "GET /device/callback",
        "GET /device/confirm",
        "GET /device/sign-in",
        "GET /docs",
        "GET /docs/",
        "GET /docs/explorer/",
        "GET /docs/explorer/js/scalar.js",
        "GET /docs/{page}",
        "GET /docs/{section}/{page}",
        "GET /favicon.ico",
        "GET /healthz",
        "GET /llms-full.txt",
        "GET /llms.txt",
        "GET /metrics",
        "GET /openapi.json",
        "GET /readyz",
        "GET /v1/account",
        "GET /v1/account/apps",
        "GET /v1/account/apps/{app_id}",
        "GET /v1/account/apps/{app_id}/api-keys",
        "GET /v1/account/apps/{app_id}/caps",
        "GET /v1/account/apps/{app_id}/end-users/{external_user_ref}/caps",
        "GET /v1/account/apps/{app_id}/usage",
        "GET /v1/account/apps/{app_id}/usage/safety",
        "GET /v1/account/audit-log",
        "GET /v1/account/usage",
        "GET /v1/account/usage/safety",
        "GET /v1/apps/{app_id}/channels",
        "GET /v1/apps/{app_id}/channels/{channel_id}",
        "GET /v1/apps/{app_id}/proactive-policy",
        "GET /v1/apps/{app_id}/proactive-policy/decisions",
        "GET /v1/assets/{asset_id}/content",
        "GET /v1/characters",
        "GET /v1/characters/{slug}",
        "GET /v1/characters/{slug}/arc-influences",
        "GET /v1/characters/{slug}/arc-influences/{arc_id}",
        "GET /v1/characters/{slug}/assets",
        "GET /v1/characters/{slug}/assets/{asset_id}",
        "GET /v1/characters/{slug}/evidence",
        "GET /v1/characters/{slug}/evidence/{evidence_id}",
        "GET /v1/characters/{slug}/export",
        "GET /v1/characters/{slug}/graph",
        "GET /v1/characters/{slug}/lore",
        "GET /v1/characters/{slug}/lore/{entry_id}",
        "GET /v1/characters/{slug}/npcs",
        "GET /v1/characters/{slug}/npcs/{npc_id}",
        "GET /v1/characters/{slug}/readiness",
        "GET /v1/characters/{slug}/research",
        "GET /v1/characters/{slug}/research/{research_id}",
        "GET /v1/characters/{slug}/storylines",
        "GET /v1/characters/{slug}/storylines/{storyline_id}",
        "GET /v1/characters/{slug}/versions",
        "GET /v1/characters/{slug}/visual-identity",
        "GET /v1/consumers",
        "GET /v1/consumers/{consumer}",
        "GET /v1/delivery/events",
        "GET /v1/end-users",
        "GET /v1/end-users/{external_user_ref}",
        "GET /v1/end-users/{external_user_ref}/caps",
        "GET /v1/end-users/{external_user_ref}/export",
        "GET /v1/end-users/{external_user_ref}/sessions",
        "GET /v1/end-users/{external_user_ref}/usage",
        "GET /v1/erasures/{erasure_id}",
        "GET /v1/evals/runs",
        "GET /v1/evals/runs/{run_id}",
        "GET /v1/evals/runs/{run_id}/compare",
        "GET /v1/evals/runs/{run_id}/results",
        "GET /v1/evals/suites",
        "GET /v1/evals/suites/{suite_id}",
        "GET /v1/events",
        "GET /v1/events/stream",
        "GET /v1/health",
        "GET /v1/images",
        "GET /v1/images/{image_id}",
        "GET /v1/images/{image_id}/content",
        "GET /v1/imports",
        "GET /v1/imports/{import_id}",
        "GET /v1/llms.txt",
        "GET /v1/me",
        "GET /v1/metrics",
        "GET /v1/rates",
        "GET /v1/runs",
        "GET /v1/sessions",
        "GET /v1/sessions/{session_id}",
        "GET /v1/sessions/{session_id}/channels",
        "GET /v1/sessions/{session_id}/channels/{channel_id}",
        "GET /v1/sessions/{session_id}/delivery",
        "GET /v1/sessions/{session_id}/delivery/{delivery_id}",
        "GET /v1/sessions/{session_id}/events",
        "GET /v1/sessions/{session_id}/events/stream",
        "GET /v1/sessions/{session_id}/memories",
        "GET /v1/sessions/{session_id}/memories/{memory_id}",
        "GET /v1/sessions/{session_id}/open-loops",
        "GET /v1/sessions/{session_id}/proactive-preferences",
        "GET /v1/sessions/{session_id}/proactive/schedule",
        "GET /v1/sessions/{session_id}/relationship-scores",
        "GET /v1/sessions/{session_id}/runs",
        "GET /v1/sessions/{session_id}/snapshots",
        "GET /v1/sessions/{session_id}/snapshots/latest",
        "GET /v1/sessions/{session_id}/state",
        "GET /v1/sessions/{session_id}/storylines",
        "GET /v1/sessions/{session_id}/timeline",
        "GET /v1/sessions/{session_id}/trace",
        "GET /v1/telegram/batches/{batch_id}",
        "GET /v1/telegram/batches/{batch_id}/items",
        "GET /v1/telegram/batches/{batch_id}/sheet",
        "GET /v1/telegram/bots",
        "GET /v1/telegram/bots/{bot_id}",
        "GET /v1/telegram/bots/{bot_id}/chats",
        "GET /v1/usage",
        "GET /v1/usage/safety",
        "PATCH /admin/apps/{app_id}/caps",
        "PATCH /v1/account/apps/{app_id}",
        "PATCH /v1/account/apps/{app_id}/caps",
        "PATCH /v1/account/apps/{app_id}/end-users/{external_user_ref}/caps",
        "PATCH /v1/apps/{app_id}",
        "PATCH /v1/apps/{app_id}/channels/{channel_id}",
        "PATCH /v1/apps/{app_id}/proactive-policy",
        "PATCH /v1/characters/{slug}",
        "PATCH /v1/characters/{slug}/arc-influences/{arc_id}",
        "PATCH /v1/characters/{slug}/assets/{asset_id}",
        "PATCH /v1/characters/{slug}/graph/edges/{edge_id}",
        "PATCH /v1/characters/{slug}/npcs/{npc_id}",
        "PATCH /v1/characters/{slug}/storylines/{storyline_id}",
        "PATCH /v1/end-users/{external_user_ref}",
        "PATCH /v1/end-users/{external_user_ref}/caps",
        "PATCH /v1/evals/suites/{suite_id}",
        "PATCH /v1/imports/{import_id}",
        "PATCH /v1/sessions/{session_id}/channels/{channel_id}",
        "PATCH /v1/sessions/{session_id}/memories/{memory_id}",
        "PATCH /v1/sessions/{session_id}/open-loops/{loop_id}",
        "PATCH /v1/sessions/{session_id}/proactive-controls",
        "PATCH /v1/sessions/{session_id}/proactive-preferences",
        "PATCH /v1/telegram/bots/{bot_id}",
        "POST /admin/alert-channels",
        "POST /admin/alert-channels/{channel_id}/resume",
        "POST /admin/alert-channels/{channel_id}/test",
        "POST /admin/apps",
        "POST /admin/apps/{app_id}/api-keys/{prefix}/revoke",
        "POST /admin/apps/{app_id}/resume",
        "POST /admin/apps/{app_id}/suspend",
        "POST /admin/bots/batches",
        "POST /admin/bots/{bot_id}/probe",
        "POST /admin/bots/{bot_id}/rebrand",
        "POST /admin/bots/{bot_id}/resume",
        "POST /admin/bots/{bot_id}/rotate-secret",
        "POST /admin/bots/{bot_id}/rotate-token",
        "POST /admin/bots/{bot_id}/suspend",
        "POST /admin/channels/{channel_id}/pause",
        "POST /admin/channels/{channel_id}/replay",
        "POST /admin/channels/{channel_id}/resume",
        "POST /admin/channels/{channel_id}/test",
        "POST /admin/deliveries/batches",
        "POST /admin/deliveries/{attempt_id}/retry",
        "POST /admin/holds",
        "POST /admin/holds/release",
        "POST /admin/jobs/{job_id}/remove",
        "POST /admin/jobs/{job_id}/retry",
        "POST /admin/sessions/{session_id}/break-glass",
        "POST /admin/sessions/{session_id}/cancel-turn",
        "POST /admin/sessions/{session_id}/end",
        "POST /admin/sessions/{session_id}/erase",
        "POST /admin/sessions/{session_id}/export",
        "POST /admin/tokens",
        "POST /console/sign-in",
        "POST /dev-issuer/interaction/{uid}",
        "POST /dev-issuer/{rest}",
        "POST /device",
        "POST /device/decision",
        "POST /mcp",
        "POST /v1/account/apps",
        "POST /v1/account/apps/{app_id}/api-keys",
        "POST /v1/account/apps/{app_id}/api-keys/{prefix}/revoke",
        "POST /v1/account/apps/{app_id}/api-keys/{prefix}/rotate",
        "POST /v1/account/device/start",
        "POST /v1/account/device/token",
        "POST /v1/account/token/revoke",
        "POST /v1/apps/{app_id}/channels",
        "POST /v1/apps/{app_id}/channels/{channel_id}/pause",
        "POST /v1/apps/{app_id}/channels/{channel_id}/replay",
        "POST /v1/apps/{app_id}/channels/{channel_id}/resume",
        "POST /v1/apps/{app_id}/channels/{channel_id}/test",
        "POST /v1/characters",
        "POST /v1/characters/{slug}/arc-influences",
        "POST /v1/characters/{slug}/assets",
        "POST /v1/characters/{slug}/evidence",
        "POST /v1/characters/{slug}/evidence/search",
        "POST /v1/characters/{slug}/graph/edges",
        "POST /v1/characters/{slug}/lore",
        "POST /v1/characters/{slug}/npcs",
        "POST /v1/characters/{slug}/readiness/probe",
        "POST /v1/characters/{slug}/research",
        "POST /v1/characters/{slug}/research/{research_id}/cancel",
        "POST /v1/characters/{slug}/research/{research_id}/findings/{finding_id}/accept",
        "POST /v1/characters/{slug}/research/{research_id}/findings/{finding_id}/reject",
        "POST /v1/characters/{slug}/storylines",
        "POST /v1/characters/{slug}/versions/{version}/restore",
        "POST /v1/consumers/{consumer}/pull",
        "POST /v1/demo/sandbox-key",
        "POST /v1/evals/runs/{run_id}/cancel",
        "POST /v1/evals/runs/{run_id}/regrade",
        "POST /v1/evals/suites",
        "POST /v1/evals/suites/{suite_id}/runs",
        "POST /v1/images",
        "POST /v1/images/probe",
        "POST /v1/imports",
        "POST /v1/imports/{import_id}/commit",
        "POST /v1/imports/{import_id}/discard",
        "POST /v1/sessions",
        "POST /v1/sessions/{session_id}/channels",
        "POST /v1/sessions/{session_id}/channels/{channel_id}/pause",
        "POST /v1/sessions/{session_id}/channels/{channel_id}/replay",
        "POST /v1/sessions/{session_id}/channels/{channel_id}/resume",
        "POST /v1/sessions/{session_id}/channels/{channel_id}/test",
        "POST /v1/sessions/{session_id}/delivery/{delivery_id}/retry",
        "POST /v1/sessions/{session_id}/history",
        "POST /v1/sessions/{session_id}/memories",
        "POST /v1/sessions/{session_id}/memories/search",
        "POST /v1/sessions/{session_id}/messages",
        "POST /v1/sessions/{session_id}/proactive/evaluate",
        "POST /v1/sessions/{session_id}/proactive/schedule",
        "POST /v1/sessions/{session_id}/recall",
        "POST /v1/sessions/{session_id}/storylines/{storyline_id}/triggers",
        "POST /v1/sessions/{session_id}/stream-token",
        "POST /v1/telegram/batches",
        "POST /v1/telegram/bots",
        "POST /v1/telegram/bots/{bot_id}/answer-pre-checkout",
        "POST /v1/telegram/bots/{bot_id}/links",
        "POST /v1/telegram/bots/{bot_id}/probe",
        "POST /v1/telegram/bots/{bot_id}/resume",
        "POST /v1/telegram/bots/{bot_id}/rotate-secret",
        "POST /v1/telegram/bots/{bot_id}/rotate-token",
        "POST /v1/telegram/bots/{bot_id}/suspend",
        "POST /v1/telegram/hooks/{bot_id}",
        "PUT /v1/characters/{slug}/lore",
        "PUT /v1/characters/{slug}/lore/{entry_id}",
        "PUT /v1/characters/{slug}/visual-identity",
        "PUT /v1/consumers/{consumer}"
      ]
    )
  })

  /** The screens of the console are HTML for operators who are signed in. */
  const isConsole = (name: string) => / \/console(?:$|\/(?!$|assets\/|sign-in))/.test(name)

  /** Routes that are answered without their usual input: a code, a signature, a secret, a cookie. */
  const BARE: Readonly<Record<string, number>> = {
    "POST /v1/account/device/token": 422,
    "GET /v1/images/{image_id}/content": 404,
    "GET /v1/assets/{asset_id}/content": 404,
    "POST /v1/telegram/hooks/{bot_id}": 410,
    "POST /console/sign-in": 403,
    "GET /console/sign-in/callback": 410,
    "GET /console/sign-in/issuer": 404,
    "GET /dev-issuer/interaction/{uid}": 410,
    "POST /dev-issuer/interaction/{uid}": 410,
    "GET /dev-issuer/{rest}": 404,
    "POST /dev-issuer/{rest}": 404,
    "POST /device": 400,
    "GET /console/assets/console-{hash}.css": 200,
    "GET /console/assets/console-{hash}.js": 200,
    "GET /docs/{page}": 404,
    "GET /docs/{section}/{page}": 404,
    "GET /device/callback": 410,
    "GET /device/confirm": 410,
    "GET /device/sign-in": 410,
    "POST /device/decision": 403
  }

  it("names existing routes, and each of them requires the key unless it is public", async () => {
    for (const [name, operation] of operations()) {
      const [method = "", path = ""] = name.split(" ")
      const { status, headers } = await fetch(server.baseUrl + path, {
        method,
        redirect: isConsole(name) ? "manual" : "follow"
      })
      // A page of the console leads to its sign-in, where an API would refuse.
      const isSentToSignIn = status === 303 && headers.get("location")?.startsWith("/console/sign-in") === true
      assert.strictEqual(
        isSentToSignIn ? 401 : status,
        BARE[name] ?? (operation.security?.length === 0 ? 200 : 401),
        name
      )
    }
  })

  it("names each operation and its possible responses, with errors in the contract's two forms", () => {
    const ids = operations().map(([, operation]) => operation.operationId)
    assert.strictEqual(new Set(ids).size, ids.length)
    for (const [name, { responses, requestBody, parameters = [], security }] of operations()) {
      if (security?.length === 0 || isConsole(name)) continue
      const statuses = [...statusesOf({ responses })]
      assert.includeMembers(statuses, ["200", "401", "403", "429", "500", "503", "default"], name)
      if (requestBody !== undefined) assert.includeMembers(statuses, ["413", "415", "422"], name)
      if (name.includes("{") && name !== "PUT /v1/consumers/{consumer}") assert.property(responses, "404", name)
      for (const [status, response] of Object.entries<Json>(responses)) {
        if (status !== "200" && status !== "202")
          assert.deepStrictEqual(Object.keys(response.content), ["application/json"], `${name} ${status}`)
      }
      for (const part of name.match(/\{\w+\}/g) ?? [])
        assert.isTrue(
          parameters.some((given: Json) => given.in === "path" && `{${given.name}}` === part),
          name
        )
    }
    assert.deepStrictEqual(
      Object.keys(document.paths["/v1/sessions/{session_id}/events/stream"].get.responses[200].content),
      ["text/event-stream"]
    )
  })

  it(
    "has the Idempotency-Key on every POST except tests and evaluations, searches, recalls, pulls, stream tokens, " +
      "which are not stored, actions of operators, which may be repeated, MCP, whose tools have one, the device flow " +
      "and the sandbox, whose callers have no key",
    () => {
      for (const [name, { parameters = [] }] of operations().filter(
        ([name, { security }]) =>
          name.startsWith("POST") &&
          !isConsole(name) &&
          !/^POST \/admin.*(?:\{\w+\}\/[a-z-]+|\/holds|\/release)$/.test(name) &&
          !name.endsWith("/test") &&
          !name.endsWith("/search") &&
          !name.endsWith("/pull") &&
          !name.endsWith("/stream-token") &&
          !name.endsWith("/recall") &&
          !name.endsWith("/evaluate") &&
          !name.endsWith("/images/probe") &&
          name !== "POST /mcp" &&
          security?.length !== 0
      )) {
        assert.isTrue(
          parameters.some((given: Json) => given.in === "header" && given.name.toLowerCase() === "idempotency-key"),
          name
        )
      }
    }
  )

  it("requires an account token on the account plane, a role on the operator's, and a runtime key elsewhere", () => {
    const read = new Set(["GET /v1/sessions/{session_id}/events", "GET /v1/sessions/{session_id}/events/stream"])
    for (const [name, { security }] of operations().filter(([, { security }]) => security?.length !== 0)) {
      if (/ \/(?:admin|console|metrics)\b/.test(name)) {
        const [role] = security[0].operatorToken
        assert.include(["viewer", "operator", "owner"], role, name)
        assert.deepStrictEqual(security, [{ operatorToken: [role] }, { operatorSession: [role] }], name)
        continue
      }
      assert.deepStrictEqual(
        security ?? document.security,
        name.includes(" /v1/account")
          ? [{ accountToken: [] }]
          : [{ runtimeKey: [] }, ...(read.has(name) ? [{ streamToken: [] }] : [])],
        name
      )
    }
  })

  it("includes internal routes, marks them, and keeps them out of the runtime reference", () => {
    const described = operations().filter(([, operation]) => operation["x-internal"] === true)
    const screens = described.filter(([name]) => isConsole(name))
    const internal = described.filter(([name]) => !isConsole(name))
    assert.isNotEmpty(screens)
    for (const [name, operation] of screens) {
      assert.deepInclude(operation, { tags: ["Operator"] }, name)
      assert.isTrue(isHidden(operation, document), name)
    }
    assert.deepStrictEqual(
      internal.map(([name]) => name).sort(),
      Object.keys(BARE)
        .filter((name) => name !== "POST /v1/account/device/token")
        .concat("GET /", "GET /console/", "GET /console/sign-in", "GET /device", "GET /docs", "GET /favicon.ico")
        .concat("GET /docs/explorer/", "GET /docs/explorer/js/scalar.js")
        .sort()
    )
    for (const [name, operation] of internal) {
      assert.deepInclude(operation, { tags: ["Internal"], security: [] }, name)
      assert.isTrue(isHidden(operation, document), name)
    }
  })

  it("lists a 503 with a code only for routes that the operator may have disabled", async () => {
    const closed = await startTestServer({ env: { DEMO_SANDBOX: "off" } })
    const { status, body } = await new TestApp(closed.baseUrl, "", "").post("/v1/demo/sandbox-key", undefined)
    await closed.close()
    assert.strictEqual(status, 503)
    const closable = operations().filter(([, { responses }]) => responses[503]?.description.includes("Codes:"))
    assert.sameMembers(
      closable.map(([name]) => name),
      ["POST /v1/demo/sandbox-key", "POST /v1/account/device/start"]
    )
    const { content } = document.paths["/v1/demo/sandbox-key"].post.responses[503]
    assert.isTrue(z.fromJSONSchema(content["application/json"].schema).safeParse(body).success)
  })

  it("keeps the whole account plane and all routes of the operator out of the runtime reference", () => {
    const left = operations()
      .filter(([, operation]) => isHidden(operation, document) && operation["x-internal"] !== true)
      .map(([name]) => name)
    assert.deepStrictEqual(
      left,
      operations()
        .map(([name]) => name)
        .filter(
          (name) =>
            / \/(?:v1\/account|admin\/|metrics$)/.test(name) || name.endsWith("/.well-known/oauth-authorization-server")
        )
    )
  })

  it("describes the push of an event, with its headers", () => {
    const { requestBody, parameters } = document.webhooks.event.post
    assert.deepStrictEqual(
      parameters.map((given: Json) => given.name),
      ["webhook-id", "webhook-timestamp", "webhook-signature", "x-service-event-id", "x-service-cursor"]
    )
    const { schema } = requestBody.content["application/json"]
    for (const { allOf, properties } of schema.oneOf.flatMap((one: Json) => one.oneOf ?? [one]))
      assert.sameMembers(
        Object.keys(properties ?? Object.assign({}, ...allOf.map((part: Json) => part.properties))),
        Object.keys(EventData.shape)
      )
  })

  it("forbids additional fields nowhere, because fields are added over time", () => {
    assert.notInclude(JSON.stringify(document), '"additionalProperties":false')
  })

  it("has only examples that match its own schemas", () => {
    let examples = 0
    const check = (schema: z.ZodType, place: string, seen = new Set<z.ZodType>()) => {
      if (seen.has(schema)) return
      seen.add(schema)
      for (const example of (schema.meta()?.["examples"] as ReadonlyArray<unknown> | undefined) ?? []) {
        examples++
        const parsed = schema.safeParse(example)
        assert.isTrue(
          parsed.success,
          `${place}: ${JSON.stringify(example)} ${parsed.success ? "" : parsed.error.message}`
        )
      }
      if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable || schema instanceof z.ZodDefault)
        check(schema.unwrap() as z.ZodType, place, seen)
      if (schema instanceof z.ZodArray) check(schema.element as z.ZodType, `${place}[]`, seen)
      if (schema instanceof z.ZodUnion) for (const option of schema.options) check(option as z.ZodType, place, seen)
      if (schema instanceof z.ZodObject)
        for (const [key, member] of Object.entries(schema.shape)) check(member as z.ZodType, `${place}.${key}`, seen)
    }
    for (const [name, schema] of Object.entries({
      CharacterCreate,
      CharacterPatch,
      SessionCreate,
      MessageSend,
      AppPatch,
      ChannelCreate,
      ChannelPatch,
      ChannelReplay,
      AccountAppCreate,
      AccountAppPatch,
      KeyCreate,
      KeyRotate,
      DeviceStart,
      DeviceToken,
      MemoryCreate,
      MemoryPatch,
      PreferencesPatch,
      ImportCreate,
      ImportPatch,
      ImportCommit
    }))
      check(schema, name)
    assert.isAbove(examples, 8)
  })

  it("describes bodies that the server accepts: the examples of a character's fields make a character", async () => {
    const body = document.paths["/v1/characters"].post.requestBody.content["application/json"].example
    const { status, body: answer } = await app.post("/v1/characters", body)
    assert.strictEqual(status, 200, JSON.stringify(answer))
    assert.notProperty(answer.data, "ignored_fields")
  })
})

const envelopeOf = (data: z.ZodType) =>
  z.strictObject({
    schema_version: z.string(),
    data,
    next_actions: z.array(z.strictObject({ command: z.string(), description: z.string() }))
  })
/** The schema without additional fields. */
const strict = (schema: z.ZodObject) => z.strictObject(schema.shape)
const structured = z.strictObject({
  detail: z.strictObject({ code: z.string(), message: z.string(), fix: z.string(), request_id: z.string() })
})

const exited = async () => {
  const leaving = await app.createCharacter()
  const id = await app.createSession({ character_slug: leaving })
  await app.delete(`/v1/characters/${leaving}?end_sessions=true`)
  return id
}

describe("real responses", () => {
  let slug: string
  let session: string
  let hook: { readonly kind: "webhook"; readonly url: string }
  let channel: string
  let delivery: string
  beforeAll(async () => {
    slug = await app.createCharacter({ greeting: "Hello." })
    session = await app.createSession({ character_slug: slug })
    const { trace_id } = await app.converse(session, "I have a chemistry exam tomorrow. What is for dinner?")
    await until("memory extraction", async () =>
      (await app.get(`/v1/sessions/${session}/trace?run_ref=${trace_id}`)).body.data.trace[0].settled ? true : undefined
    )
    hook = { kind: "webhook", url: "http://127.0.0.1:1/hook" }
    channel = (await app.post(`/v1/sessions/${session}/channels`, { ...hook, from: "start" })).body.data.id
    delivery = await until("an attempt", async () => {
      const { deliveries } = (await app.get(`/v1/sessions/${session}/delivery`)).body.data
      return deliveries.at(-1).attempts > 0 && deliveries.at(-1).id
    })
  })

  let account: TestAccount
  let accountApp: string
  let prefix: string
  beforeAll(async () => {
    account = await createAccountIn(server)
    accountApp = `/v1/account/apps/${(await account.client.post("/v1/account/apps", { name: "x" })).body.data.app_id}`
    prefix = (await account.client.post(`${accountApp}/api-keys`, {})).body.data.prefix
  })

  it.each<[string, z.ZodType, () => Promise<Answer>]>([
    ["POST /v1/account/device/start", strict(DeviceStarted), () => app.post("/v1/account/device/start", {})],
    [
      "GET /v1/account",
      strict(AccountData.extend({ token: strict(TokenData), tokens: z.array(strict(TokenData)) })),
      () => account.client.get("/v1/account")
    ],
    [
      "POST /v1/account/apps",
      strict(AppData.extend(created)),
      () => account.client.post("/v1/account/apps", { name: "x", typo: 1 })
    ],
    [
      "GET /v1/account/apps",
      z.strictObject({ apps: z.array(strict(AppData)), next_cursor: AccountAppPage.shape.next_cursor }),
      () => account.client.get("/v1/account/apps?limit=1")
    ],
    ["GET /v1/account/apps/{app_id}", strict(AppData), () => account.client.get(accountApp)],
    [
      "PATCH /v1/account/apps/{app_id}",
      strict(AppData.extend(written)),
      () => account.client.patch(accountApp, { environment: "test", typo: 1 })
    ],
    [
      "POST /v1/account/apps/{app_id}/api-keys",
      strict(KeyData.extend({ ...shownKey, ...created })),
      () => account.client.post(`${accountApp}/api-keys`, { name: "x" }, { "idempotency-key": "k" })
    ],
    [
      "POST /v1/account/apps/{app_id}/api-keys, again",
      strict(KeyData.extend(created)),
      () => account.client.post(`${accountApp}/api-keys`, { name: "x" }, { "idempotency-key": "k" })
    ],
    [
      "GET /v1/account/apps/{app_id}/api-keys",
      z.strictObject({ api_keys: z.array(strict(KeyData)), next_cursor: KeyPage.shape.next_cursor }),
      () => account.client.get(`${accountApp}/api-keys`)
    ],
    [
      "POST /v1/account/apps/{app_id}/api-keys/{prefix}/rotate",
      strict(KeyRotated.extend({ replaces: strict(KeyData), ...shownKey, ...created })),
      () => account.client.post(`${accountApp}/api-keys/${prefix}/rotate`, { grace_seconds: 1 })
    ],
    [
      "POST /v1/account/apps/{app_id}/api-keys/{prefix}/revoke",
      strict(KeyData),
      () => account.client.post(`${accountApp}/api-keys/${prefix}/revoke`, undefined)
    ],
    ["GET /v1/account/apps/{app_id}/caps", strict(AppCapsData), () => account.client.get(`${accountApp}/caps`)],
    [
      "PATCH /v1/account/apps/{app_id}/caps",
      strict(AppCapsData.extend(written)),
      () => account.client.patch(`${accountApp}/caps`, { monthly_budget_usd: 1, typo: 1 })
    ],
    [
      "GET /v1/account/apps/{app_id}/usage",
      strict(UsageData),
      () => account.client.get(`${accountApp}/usage?group_by=day`)
    ],
    ["GET /v1/account/usage/safety", strict(SafetyUsageData), () => account.client.get("/v1/account/usage/safety")],
    [
      "GET /v1/account/apps/{app_id}/usage/safety",
      strict(SafetyUsageData),
      () => account.client.get(`${accountApp}/usage/safety`)
    ],
    [
      "GET /v1/account/audit-log",
      z.strictObject({ entries: z.array(strict(AuditEntryData)), next_cursor: AuditPage.shape.next_cursor }),
      () => account.client.get("/v1/account/audit-log")
    ],
    ["GET /v1/account/usage", strict(UsageData), () => account.client.get("/v1/account/usage")],
    [
      "POST /v1/account/token/revoke",
      strict(TokenRevoked),
      () => account.client.post("/v1/account/token/revoke", undefined)
    ],
    ["GET /v1/usage", strict(UsageData), () => app.get("/v1/usage?group_by=kind")],
    ["GET /v1/usage/safety", strict(SafetyUsageData), () => app.get("/v1/usage/safety")],
    ["GET /v1/rates", strict(RatesData), () => app.get("/v1/rates")],
    ["GET /v1/me", strict(MeData), () => app.get("/v1/me")],
    [
      "PATCH /v1/apps/{app_id}",
      strict(AppData.extend(written)),
      () => app.patch(`/v1/apps/${app.appId}`, { name: "x", typo: 1 })
    ],
    [
      "POST /v1/characters",
      CharacterData.extend(created),
      () => app.post("/v1/characters", { slug: "real", display_name: "Real", typo: 1 }, { "idempotency-key": "real" })
    ],
    [
      "POST /v1/characters, again",
      CharacterData.extend(created),
      () => app.post("/v1/characters", { slug: "real", display_name: "Real", typo: 1 }, { "idempotency-key": "real" })
    ],
    ["GET /v1/characters", strict(CharacterPage), () => app.get("/v1/characters?limit=1")],
    ["GET /v1/characters/{slug}", CharacterData, () => app.get(`/v1/characters/${slug}`)],
    [
      "PATCH /v1/characters/{slug}",
      CharacterData.extend(written),
      () => app.patch(`/v1/characters/${slug}`, { visible_bio: "x", typo: 1 })
    ],
    [
      "GET /v1/characters/{slug}/versions",
      strict(CharacterVersionPage),
      () => app.get(`/v1/characters/${slug}/versions`)
    ],
    [
      "POST /v1/characters/{slug}/versions/{version}/restore",
      CharacterData.extend(created),
      () => app.post(`/v1/characters/${slug}/versions/1/restore`, undefined)
    ],
    [
      "DELETE /v1/characters/{slug}",
      CharacterData,
      async () => app.delete(`/v1/characters/${await app.createCharacter()}`)
    ],
    [
      "POST /v1/imports",
      strict(ImportData.extend(created)),
      () => app.post("/v1/imports", { json: cardV2(), typo: 1 }, { "idempotency-key": "i" })
    ],
    [
      "POST /v1/imports, again",
      strict(ImportData.extend(created)),
      () => app.post("/v1/imports", { json: cardV2(), typo: 1 }, { "idempotency-key": "i" })
    ],
    [
      "GET /v1/imports",
      z.strictObject({
        imports: z.array(strict(ImportPage.shape.imports.element)),
        next_cursor: ImportPage.shape.next_cursor
      }),
      () => app.get("/v1/imports?limit=1")
    ],
    [
      "GET /v1/imports/{import_id}",
      strict(ImportData),
      async () =>
        app.get(
          "/v1/imports/" +
            `${(await app.post("/v1/imports", { json: cardV2(), mode: "update", target_slug: slug })).body.data.id}`
        )
    ],
    [
      "PATCH /v1/imports/{import_id}",
      strict(ImportData.extend(written)),
      async () =>
        app.patch(`/v1/imports/${(await app.post("/v1/imports", { json: cardV2() })).body.data.id}`, {
          set: { "character.visible_bio": "x" },
          typo: 1
        })
    ],
    [
      "POST /v1/imports/{import_id}/commit",
      strict(ImportCommitted.extend(created)),
      async () => {
        const { id, content_hash } = (await app.post("/v1/imports", { json: cardV2() })).body.data
        return app.post(`/v1/imports/${id}/commit`, { content_hash, slug: "committed", typo: 1 })
      }
    ],
    [
      "POST /v1/imports/{import_id}/discard",
      strict(ImportData.extend(created)),
      async () =>
        app.post(`/v1/imports/${(await app.post("/v1/imports", { json: cardV2() })).body.data.id}/discard`, undefined)
    ],
    [
      "POST /v1/sessions",
      strict(SessionData.extend({ created: z.boolean(), ...created })),
      () =>
        app.post("/v1/sessions", { character_slug: slug, external_user_ref: "u", typo: 1 }, { "idempotency-key": "s" })
    ],
    [
      "POST /v1/sessions, again",
      strict(SessionData.extend({ created: z.boolean(), ...created })),
      () =>
        app.post("/v1/sessions", { character_slug: slug, external_user_ref: "u", typo: 1 }, { "idempotency-key": "s" })
    ],
    [
      "GET /v1/sessions",
      z.strictObject({ sessions: z.array(strict(SessionData)), next_cursor: SessionPage.shape.next_cursor }),
      () => app.get("/v1/sessions?limit=2")
    ],
    ["GET /v1/sessions/{session_id}", strict(SessionData), () => app.get(`/v1/sessions/${session}`)],
    [
      "GET /v1/sessions/{session_id}, exited",
      strict(SessionData),
      async () => app.get(`/v1/sessions/${await exited()}`)
    ],
    ["GET /v1/sessions/{session_id}/state", strict(SessionStateData), () => app.get(`/v1/sessions/${session}/state`)],
    [
      "POST /v1/sessions/{session_id}/messages",
      strict(AcceptData),
      () => app.post(`/v1/sessions/${session}/messages`, { text: "x", typo: 1 }, { "idempotency-key": "m" })
    ],
    [
      "POST /v1/sessions/{session_id}/messages, again",
      strict(AcceptData),
      () => app.send(session, "x", { "idempotency-key": "m" })
    ],
    [
      "GET /v1/sessions/{session_id}/relationship-scores",
      strict(RelationalMeter),
      () => app.get(`/v1/sessions/${session}/relationship-scores`)
    ],
    [
      "POST /v1/sessions/{session_id}/memories",
      strict(MemoryData.extend(created)),
      () => app.post(`/v1/sessions/${session}/memories`, { text: "x", typo: 1 }, { "idempotency-key": "m" })
    ],
    [
      "GET /v1/sessions/{session_id}/memories",
      z.strictObject({ memories: z.array(strict(MemoryData)), next_cursor: MemoryPage.shape.next_cursor }),
      () => app.get(`/v1/sessions/${session}/memories`)
    ],
    [
      "POST /v1/sessions/{session_id}/memories/search",
      z.strictObject({ memories: z.array(strict(FoundMemoryData)).min(1) }),
      () => app.post(`/v1/sessions/${session}/memories/search`, { query: "x" })
    ],
    [
      "POST /v1/sessions/{session_id}/recall",
      z.strictObject({ found: z.array(strict(RecallData.shape.found.element)).min(1) }),
      () => app.post(`/v1/sessions/${session}/recall`, { text: "x" })
    ],
    [
      "POST /v1/sessions/{session_id}/history",
      strict(HistoryData),
      async () =>
        app.post(
          `/v1/sessions/${await app.createSession()}/history`,
          { messages: [{ role: "user", text: "x", at: "2025-01-01T00:00:00Z" }] },
          { "idempotency-key": "h" }
        )
    ],
    [
      "GET /v1/sessions/{session_id}/open-loops",
      z.strictObject({ open_loops: z.array(strict(OpenLoopData)).min(1), next_cursor: OpenLoopPage.shape.next_cursor }),
      () => app.get(`/v1/sessions/${session}/open-loops`)
    ],
    [
      "POST /v1/sessions/{session_id}/proactive/schedule",
      strict(ScheduledData.extend(created)),
      () =>
        app.post(
          `/v1/sessions/${session}/proactive/schedule`,
          { at: new Date(Date.now() + 3_600_000).toISOString(), topic: "tea", typo: 1 },
          { "idempotency-key": "s" }
        )
    ],
    [
      "GET /v1/sessions/{session_id}/proactive/schedule",
      z.strictObject({
        scheduled: z.array(strict(ScheduledData)).min(1),
        next_cursor: ScheduledPage.shape.next_cursor
      }),
      () => app.get(`/v1/sessions/${session}/proactive/schedule`)
    ],
    [
      "GET /v1/sessions/{session_id}/proactive-preferences",
      strict(PreferencesData),
      () => app.get(`/v1/sessions/${session}/proactive-preferences`)
    ],
    [
      "PATCH /v1/sessions/{session_id}/proactive-preferences",
      strict(PreferencesData.extend(written)),
      () => app.patch(`/v1/sessions/${session}/proactive-preferences`, { frequency: "less", typo: 1 })
    ],
    [
      "GET /v1/sessions/{session_id}/snapshots",
      z.strictObject({ snapshots: z.array(strict(SnapshotData)), next_cursor: SnapshotPage.shape.next_cursor }),
      () => app.get(`/v1/sessions/${session}/snapshots`)
    ],
    [
      "POST /v1/apps/{app_id}/channels",
      strict(ChannelData.extend({ ...shownSecret, ...created })),
      () => app.post(`/v1/apps/${app.appId}/channels`, { ...hook, typo: 1 }, { "idempotency-key": "c" })
    ],
    [
      "POST /v1/apps/{app_id}/channels, again",
      strict(ChannelData.extend(created)),
      () => app.post(`/v1/apps/${app.appId}/channels`, { ...hook, typo: 1 }, { "idempotency-key": "c" })
    ],
    [
      "GET /v1/apps/{app_id}/channels",
      z.strictObject({ channels: z.array(strict(ChannelData)), next_cursor: ChannelPage.shape.next_cursor }),
      () => app.get(`/v1/apps/${app.appId}/channels`)
    ],
    [
      "GET /v1/sessions/{session_id}/channels/{channel_id}",
      strict(ChannelData),
      () => app.get(`/v1/sessions/${session}/channels/${channel}`)
    ],
    [
      "PATCH /v1/sessions/{session_id}/channels/{channel_id}",
      strict(ChannelData.extend({ ...shownSecret, ...written })),
      () => app.patch(`/v1/sessions/${session}/channels/${channel}`, { secret: "rotate", typo: 1 })
    ],
    [
      "POST /v1/sessions/{session_id}/channels/{channel_id}/test",
      strict(ChannelTest),
      () => app.post(`/v1/sessions/${session}/channels/${channel}/test`, undefined)
    ],
    [
      "POST /v1/sessions/{session_id}/channels/{channel_id}/resume",
      strict(ChannelData),
      () => app.post(`/v1/sessions/${session}/channels/${channel}/resume`, undefined)
    ],
    [
      "DELETE /v1/sessions/{session_id}/channels/{channel_id}",
      strict(ChannelDeleted),
      async () =>
        app.delete(
          `/v1/sessions/${session}/channels/${(await app.post(`/v1/sessions/${session}/channels`, hook)).body.data.id}`
        )
    ],
    [
      "GET /v1/sessions/{session_id}/delivery",
      z.strictObject({ deliveries: z.array(strict(DeliveryData)), next_cursor: DeliveryPage.shape.next_cursor }),
      () => app.get(`/v1/sessions/${session}/delivery`)
    ],
    [
      "GET /v1/sessions/{session_id}/delivery/{delivery_id}",
      strict(DeliveryDetail),
      () => app.get(`/v1/sessions/${session}/delivery/${delivery}`)
    ],
    [
      "POST /v1/sessions/{session_id}/delivery/{delivery_id}/retry",
      strict(DeliveryData),
      () => app.post(`/v1/sessions/${session}/delivery/${delivery}/retry`, undefined)
    ],
    [
      "GET /v1/sessions/{session_id}/events",
      z.strictObject({ ...EventPage.shape, events: z.array(strict(EventData)) }),
      () => app.get(`/v1/sessions/${session}/events`)
    ],
    [
      "POST /v1/sessions/{session_id}/stream-token",
      strict(StreamTokenData),
      () => app.post(`/v1/sessions/${session}/stream-token`, undefined)
    ]
  ])("of %s match their schema", async (_, data, ask) => {
    const { status, body } = await ask()
    assert.strictEqual(status, 200)
    assert.deepStrictEqual(envelopeOf(data).safeParse(body).error, undefined)
  })

  it("of GET /v1/sessions/{session_id}/trace have the fields that the document requires", async () => {
    const { body } = await app.get(`/v1/sessions/${session}/trace`)
    const { schema } = document.paths["/v1/sessions/{session_id}/trace"].get.responses[200].content["application/json"]
    assert.deepStrictEqual(z.fromJSONSchema(schema).safeParse(body).error, undefined)
  })

  it.each([
    [404, "/v1/sessions/none"],
    [422, "/v1/sessions?limit=0"]
  ])("of status %d are structured errors: %s", async (status, path) => {
    const answer = await app.get(path)
    assert.strictEqual(answer.status, status)
    assert.deepStrictEqual(structured.safeParse(answer.body).error, undefined)
  })
})
