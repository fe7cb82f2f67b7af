import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { base64, cardV2, zipOf } from "#test/support/files/cards.ts"
import { AGNAI, AI_DUNGEON, backyard, FARADAY, KOBOLD, PYGMALION_YAML } from "#test/support/files/otherPrograms.ts"
import type { TestApp } from "#test/support/TestApp.ts"
import { startTestServer, type TestServer } from "#test/support/TestServer.ts"

let server: TestServer
let app: TestApp
beforeAll(async () => {
  server = await startTestServer()
  app = await server.createApp()
})
afterAll(() => server.close())

describe("a file of another program", () => {
  it.each<[string, string, () => object | Promise<object>]>([
    ["Agnai", "agnai", () => ({ json: AGNAI })],
    ["text-generation-webui", "pygmalion", () => ({ content_base64: base64(PYGMALION_YAML) })],
    ["Pygmalion", "pygmalion", () => ({ json: { char_name: "Mara", char_persona: "Keeps an inn." } })],
    ["Backyard AI", "backyard", async () => ({ content_base64: base64(await backyard()) })],
    ["Faraday", "backyard", () => ({ json: FARADAY })],
    ["KoboldAI", "koboldai", () => ({ json: KOBOLD, filename: "River.json" })],
    ["AI Dungeon", "ai_dungeon", () => ({ json: AI_DUNGEON })],
    ["AI Dungeon, story cards", "lorebook", () => ({ content_base64: base64(AI_DUNGEON.storyCards) })],
    [
      "a ZIP of one card",
      "chara_card_v2",
      async () => ({ content_base64: base64(await zipOf({ "M.json": cardV2() })) })
    ]
  ])("is shown, and becomes a character: %s", async (title, format, body) => {
    const slug = title.toLowerCase().replace(/[^a-z]+/g, "-")
    const staged = await app.post("/v1/imports", { ...(await body()), target_slug: slug, format })
    assert.strictEqual(staged.status, 200, JSON.stringify(staged.body))
    const { id, report, format_detected } = staged.body.data
    assert.strictEqual(format_detected, format)
    const reviewed = await app.patch(`/v1/imports/${id}`, {
      accept_warnings: report.warnings.map(({ code }: { readonly code: string }) => code)
    })
    const { content_hash, bundle } = reviewed.body.data
    const committed = await app.post(`/v1/imports/${id}/commit`, { content_hash })
    assert.strictEqual(committed.status, 200, JSON.stringify(committed.body))
    const { data } = (await app.get(`/v1/characters/${slug}`)).body
    assert.strictEqual(data.character?.display_name ?? data.display_name, bundle.character.display_name)
  })

  it("adds the lore of a story to a character", async () => {
    const slug = await app.createCharacter()
    const staged = await app.post("/v1/imports", { json: KOBOLD, mode: "update", target_slug: slug })
    assert.strictEqual(staged.status, 200, JSON.stringify(staged.body))
    assert.lengthOf(staged.body.data.bundle.lore, 3)
    assert.deepStrictEqual(staged.body.data.bundle.character, {})
  })

  it.each<[string, object]>([
    ["broken YAML", { content_base64: base64("name: Mara\ncontext: |\nx\ngreeting: y\n") }],
    ["a dictionary of Python", { content_base64: base64("{'name': 'Mara', 'context': 'x'}") }],
    ["YAML with aliases", { content_base64: base64("name: &a Mara\ncontext: *a\n") }],
    ["YAML that is nested deep", { content_base64: base64(`name: x\ncontext: ${"{a: ".repeat(10_000)}`) }],
    [
      "story cards that are nested deep",
      { content_base64: base64(`[{"keys":"a","value":"x","b":${"[".repeat(20_000)}${"]".repeat(20_000)}}]`) }
    ],
    ["story cards without a text", { json: { storyCards: [{ keys: 7, value: [] }] } }]
  ])("is refused with a reason: %s", async (_, body) => {
    const { status, body: answer } = await app.post("/v1/imports", body)
    assert.strictEqual(status, 422, JSON.stringify(answer))
    assert.match(answer.detail.code, /^import_(?:unreadable|format_unsupported)$/)
  })
})
