import { afterAll, assert, beforeAll, describe, it } from "vitest"
import type { Answer, TestApp } from "#test/support/TestApp.ts"
import { startTestServer, type TestServer } from "#test/support/TestServer.ts"

let server: TestServer
let app: TestApp
beforeAll(async () => {
  server = await startTestServer()
  app = await server.createApp()
})
afterAll(() => server.close())

/** A character with a bio per version, from the first on. */
const written = async (...bios: ReadonlyArray<string>) => {
  const slug = await app.createCharacter({ visible_bio: bios[0] })
  for (const visible_bio of bios.slice(1)) await app.patch(`/v1/characters/${slug}`, { visible_bio })
  return slug
}
const restore = (slug: string, version: number | string) =>
  app.post(`/v1/characters/${slug}/versions/${version}/restore`, undefined)

describe("GET /v1/characters/{slug}/versions", () => {
  it("lists versions from the newest, each once, and marks the current one", async () => {
    const slug = await written("a", "b", "c", "d", "e")
    const seen: Array<readonly [number, boolean]> = []
    for (let cursor: string | null = ""; cursor !== null;) {
      const { data }: Answer["body"] = (await app.get(`/v1/characters/${slug}/versions?limit=2&cursor=${cursor}`)).body
      assert.isAtMost(data.versions.length, 2)
      seen.push(
        ...data.versions.map((item: { version: number; current: boolean }) => [item.version, item.current] as const)
      )
      cursor = data.next_cursor
    }
    assert.deepStrictEqual(seen, [
      [5, true],
      [4, false],
      [3, false],
      [2, false],
      [1, false]
    ])
  })
})

describe("POST /v1/characters/{slug}/versions/{version}/restore", () => {
  it("writes the old version as a new one, and changes no existing one", async () => {
    const slug = await written("first", "second")
    const { status, body } = await restore(slug, 1)
    assert.strictEqual(status, 200)
    assert.deepInclude(body.data, { slug, visible_bio: "first", version: 3, status: "active" })
    assert.deepStrictEqual((await app.get(`/v1/characters/${slug}`)).body.data, body.data)
    assert.strictEqual((await restore(slug, 2)).body.data.visible_bio, "second")
  })

  it("makes an archived character active again", async () => {
    const slug = await written("only")
    await app.delete(`/v1/characters/${slug}`)
    const { body } = await restore(slug, 1)
    assert.deepInclude(body.data, { status: "active", visible_bio: "only" })
    assert.strictEqual((await app.post("/v1/sessions", { character_slug: slug, external_user_ref: "u" })).status, 200)
  })

  it.each(["9", "0", "01", "-1", "x", "1e0", "99999999999", "%00"])(
    "is 404 version_not_found for anything that is not one of its versions: %s",
    async (version) => {
      const slug = await written("only")
      const { status, body } = await restore(slug, version)
      assert.deepStrictEqual([status, body.detail.code], [404, "version_not_found"])
    }
  )

  it("gives every version a unique number if many restore at once", async () => {
    const slug = await written("a", "b")
    const answers = await Promise.all(Array.from({ length: 8 }, (_, n) => restore(slug, 1 + (n % 2))))
    assert.deepStrictEqual(
      answers.map(({ body }) => body.data.version).sort((a, b) => a - b),
      [3, 4, 5, 6, 7, 8, 9, 10]
    )
  })
})

it("a slug of an archived character is 409 slug_taken, and its fix restores that character", async () => {
  const slug = await written("a", "b")
  await app.delete(`/v1/characters/${slug}`)
  const { status, body } = await app.post("/v1/characters", { slug, display_name: "Another" })
  assert.deepStrictEqual([status, body.detail.code], [409, "slug_taken"])
  const [, method = "", path = ""] = /(POST) (\S+)/.exec(body.detail.fix) ?? []
  assert.deepInclude((await app.request(method, path)).body.data, { status: "active", visible_bio: "b" })
})
