import { randomUUID } from "node:crypto"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import * as z from "zod"
import { created, written } from "#src/http/schemas/answers.ts"
import { NpcData, NpcPage } from "#src/http/schemas/npc.ts"
import type { Answer, TestApp } from "#test/support/TestApp.ts"
import { startTestServer, type TestServer } from "#test/support/TestServer.ts"

type Json = Answer["body"]

let server: TestServer
let app: TestApp
let slug: string
beforeAll(async () => {
  server = await startTestServer({})
  app = await server.createApp()
  slug = await app.createCharacter()
})
afterAll(() => server.close())

const world = (path: string, of = slug) => `/v1/characters/${of}/${path}`
const strict = (schema: z.ZodObject) => z.strictObject(schema.shape)
const errorOf = ({ status, body }: Answer) => [status, body.detail?.code]

interface Kind {
  readonly path: string
  readonly list: string
  readonly code: string
  readonly data: z.ZodObject
  readonly page: z.ZodObject
  readonly least: object
  readonly filled: object
  readonly full: object
  readonly patch: object
  readonly patched: object
  readonly wrong: ReadonlyArray<object>
  readonly most: number
  readonly table: string
}

const KINDS: ReadonlyArray<Kind> = [
  {
    path: "npcs", list: "npcs", code: "npc_not_found", data: NpcData, page: NpcPage, most: 200, table: "npcs",
    least: { name: "Tomás" },
    filled: { name: "Tomás", role: "", summary: "", aliases: [], linked_slug: null, mention_policy: "free" },
    full: { name: "Tomás", role: "younger brother", summary: "Fishes at dawn.", aliases: ["Tom"], linked_slug: "tomas", mention_policy: "when_asked" },
    patch: { summary: "Sold his boat.", role: null },
    patched: { name: "Tomás", role: "", summary: "Sold his boat.", aliases: ["Tom"] },
    wrong: [{}, { name: "" }, { name: "x".repeat(81) }, { name: "x", role: "x".repeat(121) }, { name: "x", summary: "x".repeat(1001) }, { name: "x", aliases: Array(11).fill("x") }, { name: "x", linked_slug: "No Slug" }, { name: "x", mention_policy: "sometimes" }]
  }
]

describe.each(KINDS)("/v1/characters/{slug}/$path", ({ path, list, code, data, page, least, filled, full, patch, patched, wrong, most, table }) => {
  const create = (body: object, headers?: Record<string, string>) => app.post(world(path), body, headers)

  it("creates one with its defaults, and reads it back", async () => {
    const answer = await create({ ...least, typo: 1 })
    assert.deepInclude(answer.body.data, { ...filled, character_slug: slug, ignored_fields: ["typo"] })
    assert.deepStrictEqual(strict(data.extend(created)).safeParse(answer.body.data).error, undefined)
    const found = (await app.get(`${world(path)}/${answer.body.data.id}`)).body.data
    assert.deepStrictEqual({ ...found, ignored_fields: ["typo"] }, answer.body.data)
  })

  it("creates one once under one Idempotency-Key", async () => {
    const key = { "idempotency-key": randomUUID() }
    const first = (await create(full, key)).body.data
    assert.deepStrictEqual((await create(full, key)).body.data, { ...first, idempotent_replay: true })
    assert.deepStrictEqual(errorOf(await create({ ...full, typo: 1 }, key)), [422, "idempotency_key_reused"])
  })

  it("lists them newest first, by pages", async () => {
    const own = await app.createCharacter()
    const ids: Array<string> = []
    for (let n = 0; n < 3; n++) ids.unshift((await app.post(world(path, own), full)).body.data.id)
    const first = (await app.get(`${world(path, own)}?limit=2`)).body.data
    const second = (await app.get(`${world(path, own)}?limit=2&cursor=${first.next_cursor}`)).body.data
    assert.deepStrictEqual([...first[list], ...second[list]].map(({ id }: Json) => id), ids)
    assert.isNull(second.next_cursor)
    assert.deepStrictEqual(page.extend({ [list]: z.array(strict(data)) }).strict().safeParse(first).error, undefined)
  })

  it("changes one field by field; null is the default again, and a patch is held to what a new one is", async () => {
    const { id } = (await create(full)).body.data
    const answer = (await app.patch(`${world(path)}/${id}`, { ...patch, typo: 1 })).body.data
    assert.deepInclude(answer, { ...patched, id, ignored_fields: ["typo"] })
    assert.deepStrictEqual(strict(data.extend(written)).safeParse(answer).error, undefined)
    for (const [field, value] of Object.entries(least)) {
      if (value !== null) assert.deepStrictEqual(errorOf(await app.patch(`${world(path)}/${id}`, { [field]: null })), [422, "validation_error"])
    }
  })

  it("refuses what is out of bounds", async () => {
    for (const body of wrong) assert.deepStrictEqual(errorOf(await create(body)), [422, "validation_error"], JSON.stringify(body).slice(0, 200))
  })

  it("finds none that is not there, of another character or of another app", async () => {
    const { id } = (await create(full)).body.data
    const elsewhere = await server.createApp()
    const at = [world(`${path}/${id}`, await app.createCharacter()), world(`${path}/${id.slice(0, -1)}0`), world(`${path}/none`)]
    for (const one of at) {
      assert.deepStrictEqual(errorOf(await app.get(one)), [404, code])
      assert.deepStrictEqual(errorOf(await app.patch(one, { typo: 1 })), [404, code])
      assert.deepStrictEqual(errorOf(await app.patch(one, "{no json")), [404, code])
      assert.deepStrictEqual(errorOf(await app.delete(one)), [404, code])
    }
    for (const one of [world(path), world(`${path}/${id}`)]) assert.deepStrictEqual(errorOf(await elsewhere.get(one)), [404, "character_not_found"])
    for (const bad of ["nobody", "No Slug"]) assert.deepStrictEqual(errorOf(await app.post(world(path, encodeURIComponent(bad)), {})), [404, "character_not_found"])
  })

  it(`has room for ${most}`, async () => {
    const own = await app.createCharacter()
    const { id } = (await app.post(world(path, own), full)).body.data
    const { sql } = server.database
    await sql`
      insert into ${sql(table)} (app_id, slug, id, fields, created_at, updated_at)
      select app_id, slug, left(id, 4) || lpad(n::text, 26, '0'), fields, created_at, updated_at from ${sql(table)} cross join generate_series(1, ${most - 1}) n where id = ${id}`
    assert.deepStrictEqual(errorOf(await app.post(world(path, own), full)), [409, "world_limit_reached"])
    assert.strictEqual((await app.delete(`${world(path, own)}/${id}`)).status, 200)
    assert.strictEqual((await app.post(world(path, own), full)).status, 200)
  })
})
