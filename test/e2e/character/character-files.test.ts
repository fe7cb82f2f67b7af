import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { base64, cardV2, pngWith, text } from "#test/support/files/cards.ts"
import type { TestApp } from "#test/support/TestApp.ts"
import { startTestServer, type TestServer } from "#test/support/TestServer.ts"
import { runTroupe } from "#test/support/TroupeProcess.ts"

let server: TestServer
let app: TestApp
let folder: string
beforeAll(async () => {
  server = await startTestServer()
  app = await server.createApp()
  folder = await mkdtemp(join(tmpdir(), "troupe-files-"))
})
afterAll(async () => {
  await server.close()
  await rm(folder, { recursive: true, force: true })
})

const troupe = (args: ReadonlyArray<string>, input = "") =>
  runTroupe({ TROUPE_URL: app.baseUrl, TROUPE_KEY: app.key }, ["character", ...args], input)
const fileOf = async (name: string, content: string | Buffer) => {
  const file = join(folder, name)
  await writeFile(file, content)
  return file
}

describe("character import", () => {
  it("shows what was recognized in a file, asks, and creates the character", async () => {
    const card = cardV2({ system_prompt: "Write\u001b[31m like a novel.", x_new: 1 })
    const file = await fileOf("mara.png", await pngWith(text("chara", base64(card))))
    const { code, stdout, stderr } = await troupe(["import", file], "y\n")
    assert.strictEqual(code, 0, stderr)
    for (const line of [
      /imp_\w+: chara_card_v2: Mara \(mara\)/,
      /mapped \(\d+\)/,
      /data\.first_mes -> character\.greeting/,
      /dropped \(1\)/,
      /data\.x_new: Not used/,
      /warnings \(1\)/,
      /system_prompt_quarantined: data\.system_prompt: .* "Write\uFFFD\[31m like a novel\."/,
      /create this character\?/
    ])
      assert.match(stderr, line)
    assert.deepInclude(JSON.parse(stdout), { status: "committed", slug: "mara", version: 1 })
    assert.strictEqual((await app.get("/v1/characters/mara")).body.data.display_name, "Mara")
  })

  it("creates nothing if nobody confirms, and keeps the import for later", async () => {
    const file = await fileOf("nobody.json", JSON.stringify(cardV2({ name: "Nobody" })))
    for (const input of ["n\n", ""]) {
      const { code, stdout } = await troupe(["import", file], input)
      assert.strictEqual(code, 0)
      const { import_id, status } = JSON.parse(stdout)
      assert.strictEqual(status, "ready")
      assert.strictEqual((await app.get(`/v1/imports/${import_id}`)).body.data.status, "ready")
    }
    assert.strictEqual((await app.get("/v1/characters/nobody")).status, 404)
  })

  it("asks nothing with --yes, and changes an existing character with --into", async () => {
    const slug = await app.createCharacter()
    const { code, stdout, stderr } = await troupe([
      "import",
      await fileOf("new.json", JSON.stringify(cardV2({ name: "Mara Lindqvist", system_prompt: "x" }))),
      "--into",
      slug,
      "--yes"
    ])
    assert.strictEqual(code, 0, stderr)
    assert.match(stderr, /changes \(\d+\)[\s\S]*character\.display_name/)
    assert.deepInclude(JSON.parse(stdout), { status: "committed", slug, version: 2 })
  })

  it("creates nothing from a blocked import, even if confirmed", async () => {
    const { code, stdout, stderr } = await troupe([
      "import",
      await fileOf("eliza.json", JSON.stringify({ name: "Blocked", bio: "x", secrets: { KEY: "sk-verysecret" } })),
      "--yes"
    ])
    assert.deepStrictEqual([code, stdout], [1, ""])
    assert.match(stderr, /blockers \(1\)[\s\S]*secrets_present[\s\S]*troupe: blocked: /)
    assert.notInclude(stderr, "verysecret")
    assert.strictEqual((await app.get("/v1/characters/blocked")).status, 404)
  })

  it.each<[string, () => Promise<ReadonlyArray<string>>, RegExp]>([
    ["a missing file", async () => [join(folder, "none.json")], /none\.json: cannot be read\n$/],
    [
      "a file that is too large",
      async () => [await fileOf("large.json", Buffer.alloc(10 * 1024 * 1024 + 1))],
      /large\.json: is larger than 10 MiB\n$/
    ],
    [
      "a file of no known kind",
      async () => [await fileOf("other.json", "{}")],
      /^troupe: 422 import_format_unsupported: [^\n]+\n$/
    ],
    [
      "two slugs",
      async () => [await fileOf("two.json", "{}"), "--slug", "a", "--into", "b"],
      /cannot be given together\n$/
    ]
  ])("ends with one line and exit code 1 when given %s", async (_, args, line) => {
    const { code, stdout, stderr } = await troupe(["import", ...(await args())])
    assert.deepStrictEqual([code, stdout], [1, ""])
    assert.match(stderr, line)
  })
})

describe("character export", () => {
  it.each([
    ["chara_card_v3", "json"],
    ["png", "png"],
    ["bundle", "json"]
  ])("writes a %s, which creates the same character elsewhere", async (format, extension) => {
    const slug = await app.createCharacter()
    const out = join(folder, `${slug}.${extension}`)
    const { code, stdout, stderr } = await troupe(["export", slug, "--format", format, "--out", out])
    assert.strictEqual(code, 0, stderr)
    assert.deepStrictEqual(JSON.parse(stdout), { slug, format, file: out, bytes: (await readFile(out)).length })
    const other = await server.createApp()
    const made = await runTroupe({ TROUPE_URL: other.baseUrl, TROUPE_KEY: other.key }, [
      "character",
      "import",
      out,
      "--yes"
    ])
    assert.strictEqual(made.code, 0, made.stderr)
    assert.deepStrictEqual(
      (await other.get(`/v1/characters/${slug}`)).body.data.voice_samples,
      (await app.get(`/v1/characters/${slug}`)).body.data.voice_samples
    )
  })

  it("reports a missing character in one line", async () => {
    const { code, stderr } = await troupe(["export", "nobody"])
    assert.strictEqual(code, 1)
    assert.match(stderr, /^troupe: 404 character_not_found: [^\n]+\n$/)
  })
})
