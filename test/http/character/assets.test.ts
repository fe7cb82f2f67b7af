import { mkdtemp, readdir, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { deflateSync } from "node:zlib"
import sharp from "sharp"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { newId } from "#pipeline/domain/Id.ts"
import { effortOf } from "#test/support/effort/effortOf.ts"
import { craftPng, movingPng, pictureOf } from "#test/support/files/images.ts"
import type { Answer, TestApp } from "#test/support/TestApp.ts"
import { startTestServer, type TestServer } from "#test/support/TestServer.ts"
import { until } from "#test/support/until.ts"

let server: TestServer
let app: TestApp
let slug: string
let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "troupe-assets-"))
  server = await startTestServer({ env: { STORAGE_DIR: folder } })
  app = await server.createApp()
  slug = await app.createCharacter()
})
afterAll(async () => {
  await server.close()
  await rm(folder, { recursive: true, force: true })
})

const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString("base64")
const add = async (bytes: Uint8Array, fields: Record<string, unknown> = {}, of = slug) =>
  app.post(`/v1/characters/${of}/assets`, { kind: "avatar", content_base64: base64(bytes), ...fields })
const refusal = ({ status, body }: Answer) => [status, body.detail?.code]
const UNSUPPORTED = [422, "asset_type_unsupported"]
const files = async () => (await readdir(folder, { recursive: true })).filter((file) => file.includes("obj_"))

describe("a picture of a character", () => {
  it.each(["png", "jpeg", "webp"] as const)(
    "is accepted as %s and shown to anyone who has its address",
    async (format) => {
      const { status, body } = await add(await pictureOf(format, 40, 30), { kind: "portrait", label: "At the window" })
      assert.strictEqual(status, 200, JSON.stringify(body))
      assert.deepInclude(body.data, {
        character_slug: slug,
        kind: "portrait",
        label: "At the window",
        is_primary: false,
        status: "ready",
        media_type: `image/${format}`,
        width: 40,
        height: 30
      })
      const shown = await fetch(body.data.content_url)
      assert.strictEqual(shown.status, 200)
      assert.deepInclude(Object.fromEntries(shown.headers), {
        "content-type": `image/${format}`,
        "x-content-type-options": "nosniff",
        "cache-control": "private, max-age=300"
      })
      const bytes = Buffer.from(await shown.arrayBuffer())
      assert.strictEqual(bytes.length, body.data.size_bytes)
      assert.deepInclude(await sharp(bytes).metadata(), { format, width: 40, height: 30 })
      assert.deepStrictEqual((await app.get(`/v1/characters/${slug}/assets/${body.data.id}`)).body.data, body.data)
    }
  )

  it("loses its metadata (place, author, thumbnail) and is rotated upright", async () => {
    const taken = await sharp(await pictureOf("jpeg", 40, 30))
      .withExif({ IFD0: { Artist: "Somebody Real", Copyright: "51.5N 0.1W" } })
      .withMetadata({ orientation: 6 })
      .jpeg()
      .toBuffer()
    assert.include(taken.toString("latin1"), "Somebody Real")
    const { body } = await add(taken)
    const bytes = Buffer.from(await (await fetch(body.data.content_url)).arrayBuffer())
    assert.notInclude(bytes.toString("latin1"), "Somebody Real")
    assert.isUndefined((await sharp(bytes).metadata()).exif)
    assert.deepInclude(body.data, { width: 30, height: 40 })
  })

  it("has no side longer than 4096 pixels", async () => {
    const { body } = await add(await pictureOf("png", 6000, 300))
    assert.deepInclude(body.data, { width: 4096, height: 205 })
  })

  it("is identified by its bytes alone, and must be PNG, JPEG or WebP", async () => {
    assert.strictEqual(
      (await add(await pictureOf("png"), { label: "photo.jpg", media_type: "image/jpeg" })).body.data.media_type,
      "image/png"
    )
    const svg = Buffer.from(
      `<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><script>alert(1)</script><image ` +
        `href="file:///etc/passwd"/></svg>`
    )
    for (const bytes of [
      await pictureOf("gif"),
      await pictureOf("tiff"),
      svg,
      Buffer.from("%PDF-1.7 and more of it"),
      Buffer.from("PK\u0003\u0004 and more of it"),
      Buffer.from("hi"),
      Buffer.alloc(100)
    ]) {
      assert.deepStrictEqual(refusal(await add(bytes)), UNSUPPORTED)
    }
  })

  it("is refused if it is truncated, has trailing data, is animated or is corrupt", async () => {
    const [png, jpeg, webp] = [
      await pictureOf("png", 300, 300),
      await pictureOf("jpeg", 300, 300),
      await pictureOf("webp", 300, 300)
    ]
    const animated = await sharp(
      await sharp(Buffer.alloc(16 * 32 * 3, 9).fill(200, 16 * 16 * 3), {
        raw: { width: 16, height: 32, channels: 3, pageHeight: 16 }
      })
        .webp({ loop: 0, delay: [50, 50] })
        .toBuffer(),
      { animated: true }
    )
      .webp()
      .toBuffer()
    const broken = Buffer.from(png)
    broken.fill(7, 60, 90)
    const hostile = {
      "a PNG cut off": png.subarray(0, png.length - 20),
      "a JPEG cut off": jpeg.subarray(0, jpeg.length - 40),
      "a WebP cut off": webp.subarray(0, webp.length - 4),
      "a PNG and a zip": Buffer.concat([png, Buffer.from("PK\u0003\u0004 and more of it")]),
      "a JPEG and HTML": Buffer.concat([jpeg, Buffer.from("<script>alert(1)</script>")]),
      "a WebP and more": Buffer.concat([webp, Buffer.from("more")]),
      "a PNG that moves": movingPng(1_000_000),
      "a WebP that moves": animated,
      "a PNG broken inside": broken,
      "a PNG with a chunk of the maximum length": Buffer.concat([
        png.subarray(0, 8),
        Buffer.from([0xff, 0xff, 0xff, 0xff]),
        png.subarray(12)
      ]),
      "a PNG with too few pixels": craftPng({ width: 3000, height: 3000, rows: 100 })
    }
    for (const [what, bytes] of Object.entries(hostile))
      assert.deepStrictEqual(refusal(await add(bytes)), UNSUPPORTED, what)
  })

  it("of more than 40 million pixels is refused by its first bytes, which needs hardly any memory", async () => {
    const before = process.memoryUsage.rss()
    const bombs = [
      craftPng({ width: 60_000, height: 60_000, rows: 1000 }),
      craftPng({ width: 8_000, height: 5_001 }),
      craftPng({ width: 2 ** 31 - 1, height: 2 ** 31 - 1, rows: 10 }),
      // Text that is a thousand times larger when it is decompressed.
      craftPng({
        width: 7_000,
        height: 6_000,
        before: [["zTXt", Buffer.concat([Buffer.from("Comment\0\0", "latin1"), deflateSync(Buffer.alloc(50_000_000))])]]
      })
    ]
    for (const answer of await Promise.all([...bombs, ...bombs].map((bytes) => add(bytes))))
      assert.deepStrictEqual(refusal(answer), UNSUPPORTED)
    assert.match((await add(bombs[1] ?? Buffer.alloc(0))).body.detail.message, /40 million pixels/)
    assert.isBelow(process.memoryUsage.rss() - before, 200 * 1024 * 1024)
  })

  it("with texts that are a thousand times larger when decompressed is accepted without them", async () => {
    const text = Buffer.concat([Buffer.from("Comment\0\0", "latin1"), deflateSync(Buffer.alloc(9_000_000, "a"))])
    const international = Buffer.concat([Buffer.from("Title\0\u0001\0\0\0", "latin1"), text.subarray(9)])
    const file = craftPng({
      width: 40,
      height: 30,
      before: Array.from({ length: 30 }, () => [
        ["zTXt", text] as const,
        ["iTXt", international] as const,
        ["pHYs", Buffer.from("000000480000004801", "hex")] as const
      ]).flat()
    })
    await add(await pictureOf("png"))
    const before = process.memoryUsage.rss()
    const { result, effortMs } = await effortOf(() => add(file))
    assert.deepInclude(result.body.data, { width: 40, height: 30 })
    assert.isBelow(effortMs, 1000)
    assert.isBelow(process.memoryUsage.rss() - before, 200 * 1024 * 1024)
  })

  it("over 5 MiB is too large, and so is a body larger than a picture can need", async () => {
    const noise = Buffer.alloc(5 * 1024 * 1024 + 1, 1)
    assert.deepStrictEqual(refusal(await add(noise)), [413, "asset_too_large"])
    assert.deepStrictEqual(refusal(await add(Buffer.alloc(7 * 1024 * 1024, 1))), [413, "asset_too_large"])
  })

  it("must be valid base64", async () => {
    for (const content_base64 of [
      "",
      "not base64!",
      "aGk",
      "aG k=",
      "data:image/png;base64,aGk=",
      "====",
      "aGk=aGk="
    ]) {
      const answer = await add(Buffer.alloc(0), { content_base64 })
      assert.deepStrictEqual(refusal(answer), [422, "validation_error"])
      assert.match(answer.body.detail.message, /^body\.content_base64: /)
    }
  })

  it("that is refused leaves nothing in storage", async () => {
    const before = await files()
    await add(movingPng(3))
    assert.deepStrictEqual(await files(), before)
  })

  it("is created once under an Idempotency-Key", async () => {
    const of = await app.createCharacter()
    const make = async () =>
      app.post(
        `/v1/characters/${of}/assets`,
        { kind: "avatar", content_base64: base64(await pictureOf("png")) },
        { "idempotency-key": "one" }
      )
    const [first, second] = [await make(), await make()]
    assert.strictEqual(second.body.data.id, first.body.data.id)
    assert.isTrue(second.body.data.idempotent_replay)
    assert.lengthOf((await app.get(`/v1/characters/${of}/assets`)).body.data.assets, 1)
  })
})

describe("the pictures of a character", () => {
  it("have one primary of each kind, the last one that was set", async () => {
    const of = await app.createCharacter()
    const png = await pictureOf("png")
    const [first, second] = await Promise.all([add(png, { is_primary: true }, of), add(png, { is_primary: true }, of)])
    const third = (await add(png, { kind: "portrait", is_primary: true }, of)).body.data.id
    const primaries = async () =>
      (await app.get(`/v1/characters/${of}/assets`)).body.data.assets
        .filter(({ is_primary }: { is_primary: boolean }) => is_primary)
        .map(({ id }: { id: string }) => id)
    assert.lengthOf(await primaries(), 2)
    await app.patch(`/v1/characters/${of}/assets/${first?.body.data.id}`, { is_primary: true })
    assert.sameMembers(await primaries(), [first?.body.data.id, third])
    const changed = await app.patch(`/v1/characters/${of}/assets/${third}`, {
      kind: "avatar",
      label: "Better",
      nonsense: 1
    })
    assert.deepInclude(changed.body.data, {
      kind: "avatar",
      label: "Better",
      is_primary: true,
      ignored_fields: ["nonsense"]
    })
    assert.deepStrictEqual(await primaries(), [third])
    assert.isString(second?.body.data.id)
  })

  it("are listed by kind, in pages, the newest first", async () => {
    const of = await app.createCharacter()
    const png = await pictureOf("png")
    const ids: Array<string> = []
    for (const label of ["joy", "anger", "calm"])
      ids.unshift((await add(png, { kind: "expression", label }, of)).body.data.id)
    await add(png, { kind: "background" }, of)
    const path = `/v1/characters/${of}/assets?kind=expression&limit=2`
    const first = (await app.get(path)).body.data
    const second = (await app.get(`${path}&cursor=${first.next_cursor}`)).body.data
    assert.deepStrictEqual(
      [...first.assets, ...second.assets].map(({ id }: { id: string }) => id),
      ids
    )
    assert.isNull(second.next_cursor)
  })

  it("are limited in number", async () => {
    const of = await app.createCharacter()
    await server.database.sql`
      insert into assets (app_id, asset_id, character_slug, kind, label, is_primary, object_key, sha256, media_type,
        width, height, size_bytes)
      select ${app.appId}, 'ast_' || n, ${of}, 'reference', '', false, 'x/' || n, '', 'image/png', 1, 1, 1
        from generate_series(1, 200) n`
    assert.deepStrictEqual(refusal(await add(await pictureOf("png"), {}, of)), [409, "asset_limit_reached"])
  })

  it("are changed by JSON merge patch: null restores the default", async () => {
    const { id } = (await add(await pictureOf("png"), { label: "joy", is_primary: true })).body.data
    const change = (body: object) => app.patch(`/v1/characters/${slug}/assets/${id}`, body)
    assert.deepInclude((await change({ label: null, is_primary: null })).body.data, {
      id,
      label: "",
      is_primary: false
    })
    assert.strictEqual((await change({ kind: null })).body.detail.code, "validation_error")
  })

  it("are deleted with their files and their addresses", async () => {
    const { id, content_url } = (await add(await pictureOf("png"))).body.data
    const [{ object_key: key } = { object_key: "" }] = await server.database
      .sql`select object_key from assets where asset_id = ${id}`
    assert.include(await files(), key)
    assert.strictEqual((await app.delete(`/v1/characters/${slug}/assets/${id}`)).status, 200)
    for (const answer of [
      await app.get(`/v1/characters/${slug}/assets/${id}`),
      await app.patch(`/v1/characters/${slug}/assets/${id}`, {}),
      await app.delete(`/v1/characters/${slug}/assets/${id}`)
    ]) {
      assert.deepStrictEqual(refusal(answer), [404, "asset_not_found"])
    }
    assert.strictEqual((await fetch(content_url)).status, 404)
    await until("the file to be removed", async () => !(await files()).includes(key))
  })

  it("belong to one character, and cannot be created for a missing one", async () => {
    const { id } = (await add(await pictureOf("png"))).body.data
    const other = await app.createCharacter()
    assert.deepStrictEqual(refusal(await app.get(`/v1/characters/${other}/assets/${id}`)), [404, "asset_not_found"])
    assert.deepStrictEqual(refusal(await app.get(`/v1/characters/nobody/assets/${id}`)), [404, "character_not_found"])
    assert.deepStrictEqual(refusal(await add(await pictureOf("png"), {}, "nobody")), [404, "character_not_found"])
    assert.deepStrictEqual(refusal(await (await server.createApp()).get(`/v1/characters/${slug}/assets/${id}`)), [
      404,
      "character_not_found"
    ])
  })
})

describe("the address of a picture", () => {
  it("shows it only exactly as issued: for this picture, of this app, to the last letter", async () => {
    const [one, other] = [(await add(await pictureOf("png"))).body.data, (await add(await pictureOf("png"))).body.data]
    const url = new URL(one.content_url)
    const sig = url.searchParams.get("sig") ?? ""
    const [appId = "", mac = ""] = sig.split(".")
    const flipped = `${mac[0] === "A" ? "B" : "A"}${mac.slice(1)}`
    const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
    // Two bits of the last letter have no meaning.
    const sameBytes = sig.slice(0, -1) + letters[letters.indexOf(sig.at(-1) ?? "") ^ 1]
    for (const wrong of [
      "",
      "x",
      mac,
      sameBytes,
      `${sig}=`,
      `${sig}.x`,
      `${sig}!`,
      `${appId}.`,
      `${appId}.${flipped}`,
      `${newId("app")}.${mac}`,
      new URL(other.content_url).searchParams.get("sig") ?? "",
      `${sig}=`.slice(0, -3),
      "a.b.c",
      "\u0000"
    ]) {
      const answer = await fetch(`${server.baseUrl}${url.pathname}?sig=${encodeURIComponent(wrong)}`)
      assert.strictEqual(answer.status, 404, wrong)
      assert.strictEqual(((await answer.json()) as Answer["body"]).detail.code, "asset_not_found")
    }
    for (const path of [
      url.pathname,
      `${url.pathname}?sig[]=${sig}`,
      `${url.pathname}?sig=${sig}&sig=${sig}`,
      `/v1/assets/${newId("ast")}/content?sig=${sig}`
    ]) {
      assert.strictEqual((await fetch(server.baseUrl + path)).status, 404, path)
    }
    assert.strictEqual((await fetch(one.content_url)).status, 200)
  })

  it("is signed with a key that is stored encrypted", async () => {
    const [row] = await server.database.sql`select sealed from signing_keys`
    assert.strictEqual(row?.["sealed"][0], 1)
    assert.isAbove(row?.["sealed"].length, 60)
  })
})

describe("a visual identity", () => {
  const path = () => `/v1/characters/${slug}/visual-identity`

  it("is empty until it is set, and then the last one that was set", async () => {
    const of = await app.createCharacter()
    const at = `/v1/characters/${of}/visual-identity`
    const nothing = {
      character_slug: of,
      appearance: "",
      style: "",
      negative: "",
      reference_asset_ids: [],
      seed: null,
      wardrobe: []
    }
    assert.deepStrictEqual((await app.get(at)).body.data, { ...nothing, updated_at: null })
    const { id } = (await add(await pictureOf("png"), { kind: "reference" }, of)).body.data
    const said = {
      appearance: "Grey hair.",
      style: "Film.",
      negative: "Hats.",
      reference_asset_ids: [id],
      seed: 7,
      wardrobe: [{ label: "A green coat", when: "outside" }]
    }
    assert.deepInclude((await app.request("PUT", at, said)).body.data, said)
    assert.deepInclude((await app.get(at)).body.data, said)
    assert.deepInclude((await app.request("PUT", at, { appearance: "Red hair.", hair: "red" })).body.data, {
      ...nothing,
      appearance: "Red hair.",
      ignored_fields: ["hair"]
    })
  })

  it("refers to existing pictures of the character, and no longer to one that is deleted", async () => {
    const of = await app.createCharacter()
    const elsewhere = (await add(await pictureOf("png"))).body.data.id
    const id = (await add(await pictureOf("png"), { kind: "reference" }, of)).body.data.id
    for (const wrong of [elsewhere, newId("ast"), "nonsense"]) {
      const answer = await app.request("PUT", `/v1/characters/${of}/visual-identity`, {
        reference_asset_ids: [id, wrong]
      })
      assert.deepStrictEqual(refusal(answer), [422, "validation_error"])
      assert.match(answer.body.detail.message, /^body\.reference_asset_ids\[1\]: /)
    }
    await app.request("PUT", `/v1/characters/${of}/visual-identity`, { appearance: "Tall.", reference_asset_ids: [id] })
    await app.delete(`/v1/characters/${of}/assets/${id}`)
    assert.deepInclude((await app.get(`/v1/characters/${of}/visual-identity`)).body.data, {
      appearance: "Tall.",
      reference_asset_ids: []
    })
  })

  it.each([
    ["appearance", { appearance: "x".repeat(1501) }],
    ["style", { style: "x".repeat(301) }],
    ["negative", { negative: "x".repeat(501) }],
    ["reference_asset_ids", { reference_asset_ids: Array(9).fill("ast_1") }],
    ["seed", { seed: -1 }],
    ["seed", { seed: 2 ** 31 + 1 }],
    ["wardrobe", { wardrobe: Array.from({ length: 21 }, () => ({ label: "coat" })) }],
    ["wardrobe[0].label", { wardrobe: [{ when: "always" }] }]
  ])("has limits: %s", async (field, body) => {
    const answer = await app.request("PUT", path(), body)
    assert.deepStrictEqual(refusal(answer), [422, "validation_error"])
    assert.include(answer.body.detail.message, `body.${field}`)
  })
})
