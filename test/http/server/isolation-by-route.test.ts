import * as fc from "fast-check"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { newId } from "#pipeline/domain/Id.ts"
import { mintApiKey } from "#src/accounts/apiKey.ts"
import { cardV2 } from "#test/support/cards.ts"
import { createAccountIn, type TestAccount } from "#test/support/createAccountIn.ts"
import { bodiesFor, type Operation, operationsOf, queriesFor } from "#test/support/hostile.ts"
import { pictureOf } from "#test/support/images.ts"
import { type FakeTelegram, startFakeTelegram } from "#test/support/telegram/FakeTelegram.ts"
import { type Answer, TestApp } from "#test/support/TestApp.ts"
import { startTestServer, type TestServer } from "#test/support/TestServer.ts"
import { until } from "#test/support/until.ts"
import { sized } from "#test/support/suite/sized.ts"

/** The resources of one tenant, by their names in paths. */
type Things = Readonly<Record<string, string>>

/** Ids of the same form that do not exist. */
const absent = (): Things => {
  const channel = newId("chn")
  return {
    app_id: newId("app"),
    slug: "nobody-here",
    version: "1",
    session_id: newId("ses"),
    channel_id: channel,
    app_channel_id: newId("chn"),
    erasure_id: newId("ers"),
    delivery_id: `dlv_${channel.slice(4)}_1`,
    import_id: newId("imp"),
    memory_id: newId("mem"),
    loop_id: newId("lop"),
    scheduled_id: newId("sch"),
    asset_id: newId("ast"),
    image_id: newId("img"),
    npc_id: newId("npc"),
    edge_id: newId("edg"),
    entry_id: newId("lor"),
    storyline_id: newId("stl"),
    arc_id: newId("arc"),
    bot_id: newId("bot"),
    batch_id: newId("bat"),
    evidence_id: newId("evd"),
    research_id: newId("rsr"),
    finding_id: newId("fnd"),
    suite_id: newId("evs"),
    run_id: newId("evr"),
    prefix: mintApiKey().prefix,
    external_user_ref: "someone-of-nobody"
  }
}

/** Names nothing by itself: a version belongs to its character. */
const NO_IDS: ReadonlySet<string> = new Set(["version"])

let server: TestServer
let telegram: FakeTelegram
let ours: { readonly things: Things; readonly app: TestApp; readonly account: TestAccount }
let theirs: typeof ours
let operations: ReadonlyArray<Operation>
beforeAll(async () => {
  telegram = await startFakeTelegram({ takesAnyWebhookUrl: true })
  server = await startTestServer({ env: { OUTBOUND_ALLOW: "127.0.0.1", TELEGRAM_API_ROOT: telegram.url } })
  ;[ours, theirs] = [await settle(), await settle()]
  // The operator sees every tenant, and no tenant gets in there.
  operations = operationsOf((await ours.app.get("/openapi.json")).body, {}).filter(
    ({ path }) => !/^\/(?:admin|console)\//.test(path)
  )
})
afterAll(async () => {
  await server.close()
  await telegram.close()
})

/** An account with an app that has one of everything. */
const settle = async (): Promise<typeof ours> => {
  const account = await createAccountIn(server)
  const app_id = (await account.client.post("/v1/account/apps", { name: "app" })).body.data.app_id
  const keys = `/v1/account/apps/${app_id}/api-keys`
  const app = new TestApp(server.baseUrl, app_id, (await account.client.post(keys, {})).body.data.api_key)
  const entry_id = newId("lor")
  const slug = await app.createCharacter({ world_context: { entries: [{ id: entry_id, content: "It rains." }] } })
  const external_user_ref = `someone-of-${app_id}`
  const session_id = await app.createSession({ character_slug: slug, external_user_ref })
  const { trace_id } = await app.converse(session_id, "I have a chemistry exam tomorrow. What is for dinner?")
  await until("memory extraction", async () =>
    (await app.get(`/v1/sessions/${session_id}/trace?run_ref=${trace_id}`)).body.data.trace[0].settled
      ? true
      : undefined
  )
  const memory_id = (await app.post(`/v1/sessions/${session_id}/memories`, { text: "Nadia plays the cello." })).body
    .data.id
  const text = "The lighthouse was built in 1891."
  const evidence_id = (await app.post(`/v1/characters/${slug}/evidence`, { kind: "quote", text })).body.data.id
  const research_id = (
    await app.post(`/v1/characters/${slug}/research`, {
      question: "When was the lighthouse built?",
      purpose: "world",
      sources: [{ kind: "text", text }]
    })
  ).body.data.id
  const finding_id = await until(
    "a finding",
    async () => (await app.get(`/v1/characters/${slug}/research/${research_id}`)).body.data.findings[0]?.id
  )
  const scheduled_id = (
    await app.post(`/v1/sessions/${session_id}/proactive/schedule`, {
      at: new Date(Date.now() + 3_600_000).toISOString(),
      text: "Hello."
    })
  ).body.data.id
  const loop_id = (await app.get(`/v1/sessions/${session_id}/open-loops`)).body.data.open_loops[0].id
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
  const storyline_id = (
    await app.post(`${world}/storylines`, {
      title: "The lamp",
      beats: [{ key: "dark", summary: "The lamp has failed." }]
    })
  ).body.data.id
  const arc_id = (await app.post(`${world}/arc-influences`, { kind: "mood", guidance: "Tired." })).body.data.id
  await server.database.sql`
    insert into snapshots (app_id, session_id, snapshot_id, turn_index, snapshot, created_at)
    values (${app_id}, ${session_id}, ${newId("snp")}, 1,
      ${JSON.stringify({ scores: [], created_at: new Date().toISOString() })}::text::json, now())`
  const gone = `gone-of-${app_id}`
  await app.createSession({ character_slug: slug, external_user_ref: gone })
  const { erasure_id } = (await app.delete(`/v1/end-users/${gone}`)).body.data
  const asset_id = (
    await app.post(`/v1/characters/${slug}/assets`, {
      kind: "avatar",
      content_base64: (await pictureOf("png")).toString("base64")
    })
  ).body.data.id
  const image_id = (await app.post("/v1/images", { character_slug: slug, kind: "scene", prompt: "The harbour." })).body
    .data.image_request_id
  const hook = { kind: "webhook", url: "http://127.0.0.1:1/hook", from: "start" }
  const channel_id = (await app.post(`/v1/sessions/${session_id}/channels`, hook)).body.data.id
  const app_channel_id = (await app.post(`/v1/apps/${app_id}/channels`, hook)).body.data.id
  const bot_id = (
    await app.post("/v1/telegram/bots", { mode: "byo", token: telegram.createBot().token, character_slug: slug })
  ).body.data.id
  const batch_id = (await app.post("/v1/telegram/batches", { action: "suspend", bot_ids: [bot_id], dry_run: true }))
    .body.data.id
  const suite_id = (
    await app.post("/v1/evals/suites", {
      name: "dinner",
      character_slug: slug,
      cases: [
        { key: "dinner", turns: [{ user: "What is for dinner?", expect: [{ type: "contains", value: "soup" }] }] }
      ]
    })
  ).body.data.id
  const evaluate = async (order: object) => {
    const { body } = await app.post(`/v1/evals/suites/${suite_id}/runs`, order)
    await until(
      "the eval to end",
      async () => (await app.get(`/v1/evals/runs/${body.data.id}`)).body.data.finished_at !== null
    )
    return body.data.id
  }
  const run_id = await evaluate({ baseline_run_id: await evaluate({}) })
  const import_id = (await app.post("/v1/imports", { json: cardV2() })).body.data.id
  const { prefix } = (await account.client.post(keys, {})).body.data
  const things = {
    app_id,
    slug,
    version: "1",
    session_id,
    channel_id,
    app_channel_id,
    delivery_id: `dlv_${channel_id.slice(4)}_1`,
    memory_id,
    loop_id,
    asset_id,
    image_id,
    npc_id,
    edge_id,
    entry_id,
    storyline_id,
    arc_id,
    bot_id,
    batch_id,
    evidence_id,
    research_id,
    finding_id,
    import_id,
    suite_id,
    run_id,
    prefix,
    external_user_ref,
    erasure_id,
    scheduled_id
  }
  return { things, app, account }
}

const named = ({ path }: Operation): ReadonlyArray<string> =>
  [...path.matchAll(/\{(\w+)\}/g)].flatMap(([, name = ""]) =>
    NO_IDS.has(name) ? [] : [name === "channel_id" && path.startsWith("/v1/apps/") ? "app_channel_id" : name]
  )
const fill = ({ path }: Operation, things: Things): string =>
  path.replaceAll(
    /\{(\w+)\}/g,
    (_, name: string) =>
      things[name === "channel_id" && path.startsWith("/v1/apps/") ? "app_channel_id" : name] ??
      assert.fail(`${path}: say in this test what ${name} names`)
  )

const bytes = ({ status, body }: Answer) => {
  const { request_id: id } = body.detail ?? {}
  return `${status} ${JSON.stringify(body).replaceAll(String(id), "...")}`
}
/**
 * Routes that create the end-user whom the path names: a reference is chosen by the app, so another app's means
 * nothing here.
 */
const CREATES_END_USER: ReadonlySet<string> = new Set([
  "PATCH /v1/end-users/{external_user_ref}/caps",
  "PATCH /v1/account/apps/{app_id}/end-users/{external_user_ref}/caps"
])
/** What may be swapped: everything that the path names, and each resource alone below our own. */
const swaps = (operation: Operation): ReadonlyArray<ReadonlyArray<string>> => {
  const names = named(operation)
  const all = [names, ...names.slice(1).map((_, index) => names.slice(index + 1))]
  const creates = CREATES_END_USER.has(`${operation.method} ${operation.path}`)
  return all.filter((swapped) => !creates || swapped.some((name) => name !== "external_user_ref"))
}

describe("an id of another tenant", () => {
  it("is available to both sides for everything that a path can name", async () => {
    const names = new Set(operations.flatMap(named))
    for (const name of names)
      for (const { things } of [ours, theirs]) assert.isString(things[name], `say in this test what ${name} names`)
    for (const operation of operations.filter(
      ({ method, path }) => method === "GET" && path.includes("{") && !path.endsWith("/stream")
    )) {
      for (const { things, app, account } of [ours, theirs]) {
        const by = operation.path.startsWith("/v1/account/") ? account.client : app
        const expected = operation.path.endsWith("/{external_user_ref}/export") ? 202 : 200
        assert.strictEqual((await by.get(fill(operation, things))).status, expected, operation.path)
      }
    }
  })

  it(
    "is answered byte for byte like an id that does not exist, on every route and whatever else the request " +
      "contains",
    async () => {
      const withIds = operations.filter((operation) => swaps(operation).some((swapped) => swapped.length > 0))
      assert.isAbove(withIds.length, 40)
      const answered = new Map<string, Set<number>>()
      for (const operation of withIds) {
        const by = operation.path.startsWith("/v1/account/") ? ours.account.client : ours.app
        const seen = new Set<number>()
        answered.set(`${operation.method} ${operation.path}`, seen)
        for (const swapped of swaps(operation)) {
          const nobodys = absent()
          const ask = async (things: Things, body: string | undefined, query: string) => {
            const mixed = { ...ours.things, ...Object.fromEntries(swapped.map((name) => [name, things[name] ?? ""])) }
            const answer = await by.request(
              operation.method,
              fill(operation, mixed) + (query === "" ? "" : `?${query}`),
              body
            )
            // A path is quoted only where the caller wrote it.
            return {
              answer,
              text: swapped.reduce((text, name) => text.replaceAll(things[name] ?? "", name), bytes(answer))
            }
          }
          await fc.assert(
            fc.asyncProperty(
              bodiesFor(operation.body).filter((body) => body === undefined || typeof body === "string"),
              fc.oneof(
                { weight: 3, arbitrary: fc.constant("") },
                queriesFor(operation.query).filter((query) => query.length < 2000)
              ),
              async (body, query) => {
                const text = operation.body === null ? undefined : (body as string | undefined)
                const [foreign, nobody] = [await ask(theirs.things, text, query), await ask(nobodys, text, query)]
                assert.strictEqual(foreign.text, nobody.text)
                assert.include([404, 413], foreign.answer.status, JSON.stringify(foreign.answer.body))
                seen.add(foreign.answer.status)
              }
            ),
            { numRuns: sized(2, 8) }
          )
        }
      }
      for (const [route, statuses] of answered) assert.include([...statuses], 404, route)
    }
  )

  it("refers to data that is unchanged after all of this", async () => {
    const { app, account, things } = theirs
    assert.strictEqual((await app.get(`/v1/characters/${things["slug"]}`)).body.data.version, 1)
    assert.strictEqual((await account.client.get(`/v1/account/apps/${things["app_id"]}`)).body.data.version, 1)
    const { api_keys } = (await account.client.get(`/v1/account/apps/${things["app_id"]}/api-keys`)).body.data
    assert.deepStrictEqual(
      api_keys.map((key: { status: string }) => key.status),
      ["active", "active"]
    )
    const person = `/v1/end-users/${things["external_user_ref"]}/caps`
    await ours.app.patch(person, { daily_messages: 1 })
    assert.isNull((await app.get(person)).body.data.caps.daily_messages)
    assert.strictEqual((await app.get(`/v1/telegram/bots/${things["bot_id"]}`)).status, 200)
    assert.strictEqual(
      (await app.get(`/v1/sessions/${things["session_id"]}/channels/${things["channel_id"]}`)).body.data.status,
      "active"
    )
  })
})
