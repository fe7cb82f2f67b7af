import * as fc from "fast-check"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { newId } from "#pipeline/domain/Id.ts"
import { base64, cardV2, pngWith, text as textChunk } from "#test/support/cards.ts"
import { bodiesFor, headers, type Operation, operationsOf, parameters, queriesFor } from "#test/support/hostile.ts"
import { type RawAnswer, rawClient, type RawRequest } from "#test/support/rawRequest.ts"
import { TestApp } from "#test/support/TestApp.ts"
import { pictureOf } from "#test/support/images.ts"
import { type FakeTelegram, startFakeTelegram } from "#test/support/telegram/FakeTelegram.ts"
import { createAccountIn, type TestAccount } from "#test/support/createAccountIn.ts"
import { startTestServer, type TestServer } from "#test/support/TestServer.ts"
import { until } from "#test/support/until.ts"
import { sized } from "#test/support/suite/sized.ts"

const ADMIN_TOKEN = "the-operator-of-this-test"
let server: TestServer
let app: TestApp
let client: ReturnType<typeof rawClient>
let operations: ReadonlyArray<Operation>
let telegram: FakeTelegram
let account: TestAccount
let known: Readonly<Record<string, string>>
beforeAll(async () => {
  telegram = await startFakeTelegram({ takesAnyWebhookUrl: true })
  const manager = telegram.createBot({ can_manage_bots: true })
  // An address where nobody answers, so that a push ends at once.
  server = await startTestServer({
    env: {
      ADMIN_TOKEN,
      REQUESTS_PER_MINUTE: "1000000",
      PUBLIC_REQUESTS_PER_MINUTE: "1000000",
      OUTBOUND_ALLOW: "127.0.0.1",
      TELEGRAM_API_ROOT: telegram.url,
      TELEGRAM_MANAGER_TOKEN: manager.token
    }
  })
  app = await server.createApp()
  client = rawClient(server.baseUrl)
  const slug = await app.createCharacter()
  // One that is talked to and never changed, because a changed one may not be ready.
  const character = await app.createCharacter()
  const url = "http://127.0.0.1:1/hook"
  // One to change, one to commit and one to discard, so that what happens to one does not affect the next.
  const [import_id, commit_import_id, discard_import_id] = await Promise.all(
    [1, 2, 3].map(async () => (await app.post("/v1/imports", { json: cardV2() })).body.data.id)
  )
  const { content_hash } = (await app.get(`/v1/imports/${commit_import_id}`)).body.data
  // Both a picture and a card.
  const content_base64 = (await pngWith(textChunk("chara", base64(cardV2())))).toString("base64")
  operations = operationsOf((await app.get("/openapi.json")).body, {
    character_slug: character,
    character,
    url,
    content_hash,
    content_base64,
    at: new Date(Date.now() + 3_600_000).toISOString()
  })
  const session_id = await app.createSession({ character_slug: slug })
  const memory_id = (await app.post(`/v1/sessions/${session_id}/memories`, { text: "Nadia plays the cello." })).body
    .data.id
  const world = `/v1/characters/${slug}`
  const npc_id = (await app.post(`${world}/npcs`, { name: "Nadia" })).body.data.id
  const edge_id = (
    await app.post(`${world}/graph/edges`, {
      from: "character",
      to: npc_id,
      relation: "knows",
      fact: "She knows Nadia."
    })
  ).body.data.id
  const entry_id = newId("lor")
  const lore_slug = await app.createCharacter({ world_context: { entries: [{ id: entry_id, content: "It rains." }] } })
  const storyline_id = (
    await app.post(`${world}/storylines`, {
      title: "The lamp",
      beats: [{ key: "dark", summary: "The lamp has failed." }]
    })
  ).body.data.id
  const arc_id = (await app.post(`${world}/arc-influences`, { kind: "mood", guidance: "Tired." })).body.data.id
  const asset_id = (
    await app.post(`/v1/characters/${slug}/assets`, {
      kind: "avatar",
      content_base64: (await pictureOf("png")).toString("base64")
    })
  ).body.data.id
  for (const one of [slug, character]) {
    await app.request("PUT", `/v1/characters/${one}/visual-identity`, { appearance: "Grey hair." })
  }
  const image_id = (await app.post("/v1/images", { character_slug: slug, kind: "scene", prompt: "The harbour." })).body
    .data.image_request_id
  const text = "The lighthouse was built in 1891."
  const evidence_id = (await app.post(`/v1/characters/${slug}/evidence`, { kind: "quote", text })).body.data.id
  const research_id = (
    await app.post(`/v1/characters/${slug}/research`, {
      question: "When was the lighthouse built?",
      purpose: "voice",
      sources: [{ kind: "text", text }]
    })
  ).body.data.id
  const finding_id = await until(
    "a finding",
    async () => (await app.get(`/v1/characters/${slug}/research/${research_id}`)).body.data.findings[0]?.id
  )
  const loop_id = newId("lop")
  await server.database.sql`
    insert into open_loops (app_id, session_id, loop_id, kind, owner, text, priority, status, evidence, created_at,
      updated_at)
    values (${app.appId}, ${session_id}, ${loop_id}, 'plan', 'user', 'A picnic.', 3, 'open', '[]', now(), now())`
  await server.database.sql`
    insert into snapshots (app_id, session_id, snapshot_id, turn_index, snapshot, created_at)
    values (${app.appId}, ${session_id}, ${newId("snp")}, 1,
      ${JSON.stringify({ scores: [], created_at: new Date().toISOString() })}::text::json, now())`
  const channel_id = (await app.post(`/v1/sessions/${session_id}/channels`, { kind: "webhook", url, from: "start" }))
    .body.data.id
  const app_channel_id = (await app.post(`/v1/apps/${app.appId}/channels`, { kind: "webhook", url })).body.data.id
  const bot_id = (
    await app.post("/v1/telegram/bots", { mode: "byo", token: telegram.createBot().token, character_slug: slug })
  ).body.data.id
  account = await createAccountIn(server)
  const account_app_id = (await account.client.post("/v1/account/apps", { name: "app" })).body.data.app_id
  const { prefix, api_key } = (await account.client.post(`/v1/account/apps/${account_app_id}/api-keys`, {})).body.data
  const external_user_ref = "ann"
  await new TestApp(server.baseUrl, account_app_id, api_key).createSession({ external_user_ref })
  await app.createSession({ external_user_ref })
  await app.createSession({ character_slug: slug, external_user_ref: "gone" })
  const suite_id = (
    await app.post("/v1/evals/suites", {
      name: "dinner",
      character_slug: slug,
      cases: [
        { key: "dinner", turns: [{ user: "What is for dinner?", expect: [{ type: "contains", value: "soup" }] }] }
      ]
    })
  ).body.data.id
  const run_id = (await app.post(`/v1/evals/suites/${suite_id}/runs`, {})).body.data.id
  await until("the eval to end", async () => (await app.get(`/v1/evals/runs/${run_id}`)).body.data.finished_at !== null)
  // As many more as may run: a run is played case by case, and hundreds of them would occupy this server completely.
  await server.database.sql`
    insert into eval_runs (app_id, run_id, suite_id, character_slug, character_version, reply_mode, engine, repeats,
      seed, cases, gates, max_cost_micro_usd, status, owner)
    select ${app.appId}, 'evr_busy' || n, ${suite_id}, ${slug}, 1, 'fast', 'offline', 1, 1, '[]', '[]', 0, 'running',
      (select worker_id from workers limit 1) from generate_series(1, 20) as n`
  const { erasure_id } = (await app.delete("/v1/end-users/gone")).body.data
  // What operators do goes to an app of its own: a suspended app, or a revoked key, would leave little to test.
  const operated = await server.createApp()
  const character_slug = await operated.createCharacter()
  const operated_session_id = await operated.createSession({ character_slug })
  const operated_bot_id = (
    await operated.post("/v1/telegram/bots", { mode: "byo", token: telegram.createBot().token, character_slug })
  ).body.data.id
  const operated_channel_id = (
    await operated.post(`/v1/sessions/${operated_session_id}/channels`, { kind: "webhook", url, from: "start" })
  ).body.data.id
  await operated.converse(operated_session_id, "What is for dinner?")
  const operator = new TestApp(server.baseUrl, operated.appId, ADMIN_TOKEN)
  const operated_attempt_id = await until(
    "an attempt",
    async () => (await operator.get(`/admin/deliveries?app_id=${operated.appId}`)).body.data.deliveries[0]?.id
  )
  known = {
    operated_attempt_id,
    operated_app_id: operated.appId,
    operated_session_id,
    operated_bot_id,
    operated_channel_id,
    operated_prefix: operated.key.split("_").slice(0, 2).join("_"),
    account_app_id,
    import_id,
    commit_import_id,
    discard_import_id,
    prefix,
    external_user_ref,
    erasure_id,
    suite_id,
    run_id,
    bot_id,
    app_id: app.appId,
    slug,
    session_id,
    memory_id,
    evidence_id,
    research_id,
    finding_id,
    loop_id,
    npc_id,
    edge_id,
    entry_id,
    lore_slug,
    storyline_id,
    arc_id,
    channel_id,
    app_channel_id,
    delivery_id: `dlv_${channel_id.slice(4)}_1`,
    asset_id,
    image_id
  }
})
afterAll(async () => {
  client.close()
  await server.close()
  await telegram.close()
})

/** The device flow answers a form as OAuth requires (RFC 6749, 5.2). */
const isOAuth = ({ path, headers = {} }: RawRequest) =>
  path.startsWith("/v1/account/device/") && headers["content-type"] === "application/x-www-form-urlencoded"

/** A response that conforms to the contract (7.1) and does not blame the server. */
const assertHonest = (request: RawRequest, { status, headers, body }: RawAnswer) => {
  assert.isBelow(status, 500)
  if (request.method === "HEAD" || status < 400) return
  assert.match(headers["content-type"] ?? "", /^application\/json/)
  const { detail, error } = JSON.parse(body)
  if (detail === undefined && isOAuth(request)) return assert.typeOf(error, "string")
  if (typeof detail === "string") assert.include([401, 403], status)
  else for (const field of ["code", "message", "fix", "request_id"]) assert.typeOf(detail[field], "string", field)
}

/** A token may revoke itself, so each use gets a new one. */
const bearerOf = async (path: string) =>
  path.startsWith("/v1/account/token/revoke")
    ? (await createAccountIn(server)).client.key
    : /^\/(?:admin|metrics)/.test(path)
      ? ADMIN_TOKEN
      : path.startsWith("/v1/account")
        ? account.client.key
        : app.key

const send = async (request: RawRequest) => {
  const answer = await client.send({
    ...request,
    headers: { authorization: `Bearer ${await bearerOf(request.path)}`, ...request.headers }
  })
  try {
    assertHonest(request, answer)
  } catch (cause) {
    throw new Error(`${request.method} ${request.path.slice(0, 200)}: ${answer.status} ${answer.body.slice(0, 500)}`, {
      cause
    })
  }
  return answer
}

/** The status for a valid body where it can succeed only once, needs a person, or hits a limit of concurrent work. */
const RIGHT: Readonly<Record<string, number>> = {
  "/v1/sessions/{session_id}/storylines/{storyline_id}/triggers": 409,
  "/v1/account/device/token": 400,
  "/v1/account/apps/{app_id}/api-keys/{prefix}/rotate": 409,
  "/v1/evals/suites/{suite_id}/runs": 429,
  "/v1/evals/runs/{run_id}/regrade": 429,
  "/v1/telegram/bots/{bot_id}/answer-pre-checkout": 409,
  // The token of a bot that is not managed is its owner's to rotate.
  "/admin/bots/{bot_id}/rotate-token": 409
}

/**
 * Operators act on an app of their own. A session's channel is not one of the app's. A lore entry belongs to a
 * character whose lore is not replaced meanwhile, and the visual identity of a character whose pictures are requested
 * is not deleted.
 */
const nameOf = (path: string, name: string) =>
  path.startsWith("/admin/")
    ? `operated_${name}`
    : name === "import_id"
      ? `${/(?:commit|discard)$/.exec(path)?.[0] ?? ""}_import_id`.replace(/^_/, "")
      : name === "channel_id" && path.startsWith("/v1/apps/")
        ? "app_channel_id"
        : name === "app_id" && path.startsWith("/v1/account/")
          ? "account_app_id"
          : name === "slug" && (path.includes("/lore/{") || path.endsWith("/visual-identity"))
            ? "lore_slug"
            : name
const pathsOf = ({ path }: Operation, given: (name: string) => fc.Arbitrary<string>) =>
  fc
    .tuple(
      ...path
        .split("/")
        .map((part) => (part.startsWith("{") ? given(nameOf(path, part.slice(1, -1))) : fc.constant(part)))
    )
    .map((parts) => parts.join("/"))
const knownOf = (name: string) => known[name] ?? "unknown"

describe("any request", () => {
  it("finds routes and body schemas in the OpenAPI document", () => {
    assert.isAbove(operations.length, 10)
    assert.isAbove(operations.filter(({ body }) => body !== null).length, 3)
  })

  it("is answered in the contract's form: any method, path, query and header on any route", () =>
    fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...operations).chain((operation) =>
          fc.record({
            method: fc.oneof(
              { weight: 3, arbitrary: fc.constant(operation.method) },
              fc.constantFrom("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "PROPFIND")
            ),
            path: fc.oneof(
              { weight: 8, arbitrary: pathsOf(operation, (name) => parameters([knownOf(name)])) },
              fc
                .tuple(
                  pathsOf(operation, (name) => fc.constant(knownOf(name))),
                  fc.constantFrom("/", "/x", "//", "%00", "/../..", ";a=b")
                )
                .map((parts) => parts.join(""))
            ),
            query: queriesFor(operation.query),
            headers,
            body: fc.option(bodiesFor(operation.body), { nil: undefined, freq: 2 })
          })
        ),
        // Archiving the character, forgetting the memory or deleting the channel permanently would leave little to
        // test.
        async ({ method, path, query, headers, body }) => {
          if (
            method === "DELETE" &&
            [
              "asset_id",
              "image_id",
              "bot_id",
              "evidence_id",
              "memory_id",
              "npc_id",
              "edge_id",
              "entry_id",
              "storyline_id",
              "arc_id",
              "slug",
              "suite_id",
              "channel_id",
              "app_channel_id",
              "external_user_ref"
            ].some((name) => path.endsWith(`/${knownOf(name)}`))
          )
            return
          if (method === "POST" && path === `/admin/sessions/${knownOf("operated_session_id")}/erase`) return
          // Oversized requests are refused before the method is known, with a body that a response to HEAD must not
          // have.
          if (method === "HEAD" && JSON.stringify([path, query, headers]).length > 12_000) return
          const { status } = await send({ method, path: query === "" ? path : `${path}?${query}`, headers, body })
          assert.isBelow(status, 500)
        }
      ),
      { numRuns: 1500 }
    ))

  // A twelfth of the routes at a time, so that each part has enough time even if there are more routes later.
  it.each([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11])(
    "is answered in the contract's form: any valid, invalid or non-JSON body, on every route that accepts one (%i)",
    async (twelfth) => {
      // Makes room for new channels: at most five are allowed.
      await server.database.sql`
          delete from channels where channel_id not in (${knownOf("channel_id")}, ${knownOf("app_channel_id")},
          ${knownOf("bot_id")}, ${knownOf("operated_channel_id")}, ${knownOf("operated_bot_id")})`
      await Promise.all(
        operations
          .filter(({ body }) => body !== null)
          .filter((_, place) => place % 12 === twelfth)
          .map(async (operation) => {
            // A bot gets its new webhook from Telegram at most about once a second, so there is time for fewer secrets.
            const statuses = new Set<number>()
            await fc.assert(
              fc.asyncProperty(
                bodiesFor(operation.body),
                pathsOf(operation, (name) => fc.constant(knownOf(name))),
                fc.option(fc.string({ unit: "grapheme-ascii", minLength: 1, maxLength: 20 }), {
                  nil: undefined,
                  freq: 3
                }),
                async (body, path, key) => {
                  const { status } = await send({
                    method: operation.method,
                    path,
                    body,
                    headers: {
                      "content-type": "application/json",
                      ...(key === undefined ? {} : { "idempotency-key": key })
                    }
                  })
                  statuses.add(status)
                }
              ),
              { numRuns: sized(30, operation.path.endsWith("/rotate-secret") ? 60 : 300) }
            )
            assert.includeMembers(
              [...statuses],
              [RIGHT[operation.path] ?? 200, 422],
              `${operation.method} ${operation.path}: some are right and some are wrong`
            )
          })
      )
    }
  )

  it("is answered in the contract's form: any bearer token", () =>
    fc.assert(
      fc.asyncProperty(
        fc.oneof(
          fc.string({
            unit: fc
              .integer({ min: 32, max: 255 })
              .filter((code) => code !== 127)
              .map((code) => String.fromCharCode(code))
          }),
          fc.constantFrom(
            "",
            "ck_",
            "ck_a_b",
            app.key.slice(0, -1),
            `${app.key}x`,
            app.key.toUpperCase(),
            "lat_x",
            "ak_x",
            "x".repeat(9_000)
          )
        ),
        fc.constantFrom("Bearer ", "bearer  ", "Basic ", ""),
        async (secret, scheme) => {
          const { status } = await send({ method: "GET", path: "/v1/me", headers: { authorization: scheme + secret } })
          assert.include([401, 403], status)
        }
      ),
      { numRuns: 200 }
    ))

  it("leaves the server intact", async () => {
    const reply = await app.converse(await app.createSession(), "What is for dinner?")
    assert.strictEqual(reply.type, "message.created")
  })
})

describe("an unusual request", () => {
  it.each([
    ["a path with invalid percent encoding", "GET", "/v1/characters/%zz", 404],
    ["a slug with U+0000", "GET", "/v1/characters/a%00b", 404],
    ["a change of a slug with U+0000", "PATCH", "/v1/characters/a%00b", 404],
    ["archiving a slug with U+0000", "DELETE", "/v1/characters/a%00b", 404],
    ["a day before year 1", "GET", "/v1/usage?from=0000-01-01", 422],
    ["a time in the year 10000 in UTC", "GET", "/v1/usage?to=9999-12-31T23:59:59-14:00", 422],
    ["a time in the year 0 in UTC", "GET", "/v1/end-users?active_since=0001-01-01T00:00:00%2B14:00", 422],
    ["an impossible day", "GET", "/v1/end-users?active_since=2026-02-30", 422],
    ["an extremely long slug", "GET", `/v1/characters/${"a".repeat(5_000)}`, 404],
    ["a session with U+0000 and other problems", "GET", "/v1/sessions/%00/events/stream?since=x", 404],
    [
      "a cursor past every number",
      "GET",
      `/v1/sessions/{session_id}/trace?cursor=${Buffer.from("99999999999").toString("base64url")}`,
      422
    ],
    [
      "a cursor of another list",
      "GET",
      `/v1/sessions/{session_id}/trace?cursor=${Buffer.from("mara").toString("base64url")}`,
      422
    ],
    ["an extremely long URL", "GET", `/v1/characters?q=${"a".repeat(20_000)}`, 431]
  ])("is refused as the caller's mistake: %s", async (_, method, path, status) => {
    const answer = await send({
      method,
      path: path.replace("{session_id}", knownOf("session_id")),
      ...(method === "PATCH" ? { body: "{}" } : {})
    })
    assert.strictEqual(answer.status, status)
  })

  it("does not delay the next one on its connection after a HEAD request for a stream", async () => {
    const one = rawClient(server.baseUrl)
    const headers = { authorization: `Bearer ${app.key}` }
    const path = `/v1/sessions/${knownOf("session_id")}/events/stream`
    await Promise.all(Array.from({ length: 8 }, () => one.send({ method: "HEAD", path, headers })))
    assert.strictEqual((await one.send({ method: "GET", path: "/v1/me", headers })).status, 200)
    one.close()
  })
})
