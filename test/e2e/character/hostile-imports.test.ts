import { randomBytes } from "node:crypto"
import { readFileSync, writeFileSync } from "node:fs"
import sharp, { type Sharp } from "sharp"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { base64, cardV2, cardV3, chunk, compressedText, pngWith, text, zipOf } from "#test/support/files/cards.ts"
import { createAppIn } from "#test/support/accounts/createAppIn.ts"
import { SECRETS_KEY } from "#test/support/secretsKey.ts"
import { TestApp } from "#test/support/TestApp.ts"
import { createTestDatabase, type TestDatabase } from "#test/support/TestDatabase.ts"
import { startTroupe, type TroupeProcess } from "#test/support/TroupeProcess.ts"

const MIB = 1024 * 1024
const MAX_MIB = 200

let database: TestDatabase
let server: TroupeProcess
let app: TestApp
beforeAll(async () => {
  database = await createTestDatabase()
  server = await startTroupe({ DATABASE_URL: database.url, SECRETS_KEY, ROLES: "api" })
  const { appId, key } = await createAppIn(database.sql)
  app = new TestApp(server.baseUrl, appId, key)
})
afterAll(async () => {
  await server.stop("SIGTERM")
  await database.drop()
})

/** Memory of the server's process, in MiB: current (VmRSS), or maximum (VmHWM). */
const memory = (what: "VmRSS" | "VmHWM", { child } = server) =>
  Number(new RegExp(`${what}:\\s+(\\d+)`).exec(readFileSync(`/proc/${child.pid}/status`, "utf8"))?.[1]) / 1024

/** The processor time that the thread which answers requests has used so far, in milliseconds. */
const mainThreadMs = () =>
  Number(readFileSync(`/proc/${server.child.pid}/task/${server.child.pid}/schedstat`, "utf8").split(" ", 1)[0]) / 1e6

const hostile: ReadonlyArray<readonly [string, () => object | Promise<object>]> = [
  [
    "a bomb in an archive",
    async () => ({ content_base64: base64(await zipOf({ "card.json": Buffer.alloc(9 * MIB, 32) })) })
  ],
  [
    "200 images of 5 MiB that unpack from little",
    async () => ({
      content_base64: base64(
        await zipOf({
          "card.json": cardV3({
            assets: Array.from({ length: 190 }, () => ({
              type: "emotion",
              uri: "embeded://a.png",
              name: "a",
              ext: "png"
            }))
          }),
          "a.png": Buffer.concat([randomBytes(60_000), Buffer.alloc(5 * MIB - 60_000)])
        })
      )
    })
  ],
  [
    "a bomb in a picture",
    async () => ({ content_base64: base64(await pngWith(compressedText("chara", Buffer.alloc(32 * MIB, 65)))) })
  ],
  [
    "hundreds of bombs in a picture",
    async () => ({
      content_base64: base64(
        await pngWith(
          Buffer.concat(Array.from<Buffer>({ length: 300 }).fill(compressedText("junk", Buffer.alloc(8 * MIB, 65)))),
          text("chara", base64(cardV2()))
        )
      )
    })
  ],
  [
    "half a million chunks",
    async () => ({
      content_base64: base64(
        await pngWith(Buffer.concat(Array.from<Buffer>({ length: 500_000 }).fill(chunk("tEXt", Buffer.from("a\0")))))
      )
    })
  ],
  [
    "10 MiB of one text",
    () => ({ content_base64: base64(JSON.stringify(cardV2({ description: "a ".repeat(4.9 * MIB) }))) })
  ],
  ["10 MiB of lists", () => ({ content_base64: base64(`{"entries":[${"[],".repeat(3.3 * MIB)}[]]}`) })],
  ["14 MiB of lists in the body itself", () => ({ json: { entries: Array.from({ length: 4_500_000 }, () => []) } })],
  ["10 MiB of numbers", () => ({ content_base64: base64(`{"entries":[${"1,".repeat(4.9 * MIB)}1]}`) })],
  ["10 MiB of what is not used", () => ({ json: cardV2({ x: "\u00e9\u4e00".repeat(2 * MIB) }) })],
  [
    "a million characters of text that looks like orders",
    () => ({
      json: cardV2({
        character_book: {
          entries: Array.from({ length: 290 }, () => ({
            keys: ["a"],
            content: "i am the {a".repeat(300).slice(0, 3000)
          }))
        }
      })
    })
  ]
]

describe("a server that receives hostile files", () => {
  it(`uses less than ${MAX_MIB} MiB for them, keeps answering others, and is unchanged afterwards`, async () => {
    assert.strictEqual((await app.post("/v1/imports", { json: cardV2() })).status, 200)
    const base = memory("VmRSS")
    const bodies = await Promise.all(hostile.map(async ([name, body]) => [name, JSON.stringify(await body())] as const))

    const over = new AbortController()
    let longest = 0
    const others = (async () => {
      while (!over.signal.aborted) {
        const from = mainThreadMs()
        assert.strictEqual((await fetch(`${server.baseUrl}/healthz`)).status, 200)
        longest = Math.max(longest, mainThreadMs() - from)
      }
    })()
    const peaks: Array<string> = []
    for (const [name, body] of bodies) {
      const { status } = await app.request("POST", "/v1/imports", body)
      assert.include([200, 413, 422], status, name)
      peaks.push(`${name}: ${status}, ${Math.round(memory("VmHWM") - base)} MiB`)
    }
    over.abort()
    await others
    const peak = memory("VmHWM") - base
    if (process.env["FIGURES"] !== undefined)
      process.stderr.write(`${peaks.join("\n")}\nmost work before another was answered: ${Math.round(longest)} ms\n`)
    assert.isBelow(peak, MAX_MIB, peaks.join("; "))
    assert.isAbove(longest, 0)
    assert.isBelow(longest, 2000)
    assert.strictEqual((await app.post("/v1/imports", { json: cardV2() })).status, 200)
    for (const { id } of (await app.get("/v1/imports?limit=100")).body.data.imports)
      assert.strictEqual((await app.get(`/v1/imports/${id}`)).body.data.format_detected !== undefined, true)
  })

  it("writes the pictures of cards one at a time, however large, and does not delay others", async () => {
    const avatar = await sharp({ create: { width: 8000, height: 4990, channels: 3, background: "#446688" } })
      .jpeg({ progressive: true })
      .toBuffer()
    const { id, content_hash } = (
      await app.post("/v1/imports", {
        json: cardV3({
          assets: [{ type: "icon", uri: `data:image/jpeg;base64,${base64(avatar)}`, name: "main", ext: "jpg" }]
        }),
        target_slug: "large"
      })
    ).body.data
    assert.strictEqual((await app.post(`/v1/imports/${id}/commit`, { content_hash })).status, 200)
    const exported = async () => {
      const answer = await fetch(`${server.baseUrl}/v1/characters/large/export?format=png`, {
        headers: { authorization: `Bearer ${app.key}` }
      })
      return sharp(Buffer.from(await answer.arrayBuffer())).metadata()
    }
    const base = memory("VmRSS")
    for (const { width, height } of await Promise.all(Array.from({ length: 8 }, exported)))
      assert.deepStrictEqual([width, height], [1024, 639])
    assert.isBelow(memory("VmHWM") - base, 2 * MAX_MIB)
  })

  it(
    "uses less than that for a picture of an asset, and refuses one that would need too much memory at a larger " +
      "size",
    async () => {
      const plain = (width: number, height: number, channels: 3 | 4 = 3) =>
        sharp({ create: { width, height, channels, background: { r: 40, g: 60, b: 80, alpha: 0.5 } } })
      const noise = sharp({
        create: {
          width: 700,
          height: 700,
          channels: 3,
          background: "#888888",
          noise: { type: "gaussian", mean: 128, sigma: 40 }
        }
      })
      const pictures: ReadonlyArray<readonly [string, Sharp, number]> = [
        [
          "a progressive JPEG of 40 megapixels that lies on its side",
          plain(8000, 4990).withMetadata({ orientation: 6 }).jpeg({ progressive: true }),
          200
        ],
        ["one with full colours", plain(8000, 4990).jpeg({ progressive: true, chromaSubsampling: "4:4:4" }), 422],
        ["an interlaced PNG", plain(6900, 4700).png({ progressive: true, compressionLevel: 1 }), 200],
        ["one of 40 megapixels", plain(8000, 4990).png({ progressive: true, compressionLevel: 1 }), 422],
        [
          "one of 16 bits",
          plain(6900, 4700, 4).toColourspace("rgb16").png({ progressive: true, compressionLevel: 1 }),
          422
        ],
        ["a square WebP", noise.clone().resize(6320, 6320).webp({ quality: 30, effort: 0 }), 200],
        ["a transparent WebP with as many pixels", plain(6320, 6320, 4).webp({ effort: 0 }), 422],
        [
          "one that is noise all over",
          noise.clone().ensureAlpha(0.5).resize(4000, 4000).webp({ quality: 30, effort: 0 }),
          200
        ]
      ]
      const own = await startTroupe({ DATABASE_URL: database.url, SECRETS_KEY, ROLES: "api" })
      try {
        const client = new TestApp(own.baseUrl, app.appId, app.key)
        const slug = await client.createCharacter()
        const add = async (picture: Sharp) =>
          client.post(`/v1/characters/${slug}/assets`, {
            kind: "avatar",
            content_base64: base64(await picture.toBuffer())
          })
        assert.strictEqual((await add(plain(50, 50).jpeg())).status, 200)
        for (const [what, picture, status] of pictures) {
          // From here on the maximum is measured again.
          writeFileSync(`/proc/${own.child.pid}/clear_refs`, "5")
          const base = memory("VmRSS", own)
          assert.strictEqual((await add(picture)).status, status, what)
          const peak = memory("VmHWM", own) - base
          if (process.env["FIGURES"] !== undefined)
            process.stderr.write(`${what}: ${status}, ${Math.round(peak)} MiB\n`)
          assert.isBelow(peak, MAX_MIB, what)
        }
      } finally {
        await own.stop("SIGTERM")
      }
    }
  )
})
