import { randomUUID } from "node:crypto"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import type { TestApp } from "#test/support/TestApp.ts"
import { startTestServer, type TestServer } from "#test/support/TestServer.ts"

let server: TestServer
let app: TestApp
let character_slug: string
beforeAll(async () => {
  server = await startTestServer()
  app = await server.createApp()
  character_slug = await app.createCharacter()
})
afterAll(() => server.close())

const open = (key: string, fields: object = {}, by = app) =>
  by.post(
    "/v1/sessions",
    { character_slug, external_user_ref: "u", new_thread: true, ...fields },
    { "idempotency-key": key }
  )
const count = async () =>
  Number((await server.database.sql`select count(*) from sessions where app_id = ${app.appId}`)[0]?.["count"])

describe("a create with an Idempotency-Key", () => {
  it("creates once and repeats the first response, with idempotent_replay", async () => {
    const key = randomUUID()
    const first = await open(key, { typo: 1 })
    const second = await open(key, { typo: 1 })
    assert.notProperty(first.body.data, "idempotent_replay")
    assert.deepStrictEqual(second.body, { ...first.body, data: { ...first.body.data, idempotent_replay: true } })
  })

  it("creates once if the same key arrives many times at once", async () => {
    const key = randomUUID()
    const before = await count()
    const answers = await Promise.all(Array.from({ length: 20 }, () => open(key)))
    assert.deepStrictEqual(
      answers.map((answer) => answer.status),
      answers.map(() => 200)
    )
    assert.strictEqual(new Set(answers.map((answer) => answer.body.data.id)).size, 1)
    assert.strictEqual(answers.filter((answer) => answer.body.data.idempotent_replay === true).length, 19)
    assert.strictEqual(await count(), before + 1)
  })

  it("is 422 idempotency_key_reused with another body, and creates nothing", async () => {
    const key = randomUUID()
    await open(key)
    const before = await count()
    const { status, body } = await open(key, { external_user_ref: "someone else" })
    assert.strictEqual(status, 422)
    assert.strictEqual(body.detail.code, "idempotency_key_reused")
    assert.strictEqual(await count(), before)
  })

  it("has a key that belongs to its path and its app", async () => {
    const key = randomUUID()
    const own = await server.createApp()
    const headers = { "idempotency-key": key }
    const [session, character, elsewhere] = [
      await open(key),
      await app.post("/v1/characters", { slug: key, display_name: "K" }, headers),
      await own.post("/v1/characters", { slug: key, display_name: "K" }, headers)
    ]
    for (const { status, body } of [session, character, elsewhere]) {
      assert.strictEqual(status, 200)
      assert.notProperty(body.data, "idempotent_replay")
    }
  })

  it("is the same whatever the notation of its path and its body", async () => {
    const key = randomUUID()
    const first = await app.post(
      "/v1/sessions?from=here",
      { character_slug, external_user_ref: "u", metadata: { a: 1, b: { c: 2, d: 3 } } },
      { "idempotency-key": key }
    )
    const second = await app.post(
      "/v1/%73essions",
      `{ "metadata": {"b": {"d": 3, "c": 2}, "a": 1.0}, "external_user_ref": "\\u0075", "character_slug": ` +
        `"${character_slug}" }`,
      { "idempotency-key": key }
    )
    assert.deepStrictEqual(second.body.data, { ...first.body.data, idempotent_replay: true })
    const slug = await app.createCharacter()
    const paths = [
      `/v1/characters/${slug}/versions/1/restore`,
      `/v1/characters/%6D${slug.slice(1)}/versions/%31/restore?x=1`
    ]
    const [third, fourth] = [
      await app.post(paths[0] ?? "", undefined, { "idempotency-key": key }),
      await app.post(paths[1] ?? "", undefined, { "idempotency-key": key })
    ]
    assert.notProperty(third.body.data, "idempotent_replay")
    assert.deepStrictEqual(fourth.body.data, { ...third.body.data, idempotent_replay: true })
  })

  it("is different with another field, even a meaningless one", async () => {
    const key = randomUUID()
    await open(key, { typo: 1 })
    for (const fields of [{}, { typo: 2 }, { typo: 1, more: null }]) {
      const { status, body } = await open(key, fields)
      assert.deepStrictEqual([status, body.detail.code], [422, "idempotency_key_reused"])
    }
  })

  it("stores no key for a create that failed", async () => {
    const headers = { "idempotency-key": randomUUID() }
    const slug = await app.createCharacter()
    assert.strictEqual((await app.post("/v1/characters", { slug, display_name: "Taken" }, headers)).status, 409)
    assert.strictEqual(
      (await app.post("/v1/characters", { slug: `${slug}-2`, display_name: "Free" }, headers)).status,
      200
    )
  })

  it("stores its key for exactly 24 hours", async () => {
    const key = randomUUID()
    const first = await open(key)
    await server.database.sql`update idempotency_keys set created_at = now() - interval '23 hours' where key = ${key}`
    assert.strictEqual((await open(key)).body.data.id, first.body.data.id)
    await server.database.sql`update idempotency_keys set created_at = now() - interval '25 hours' where key = ${key}`
    assert.notStrictEqual((await open(key)).body.data.id, first.body.data.id)
  })

  it.each([
    ["", 422],
    ["k", 200],
    ["k".repeat(255), 200],
    ["k".repeat(256), 422]
  ])("accepts a key of 1 to 255 characters: %j", async (key, expected) => {
    const { status, body } = await open(key)
    assert.strictEqual(status, expected)
    if (status === 422) assert.include(body.detail.message, "headers.idempotency-key")
  })
})
