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

const minimal = { slug: "valid", display_name: "Valid" }
const sample = { text: "Hm." }

describe("an invalid character is 422 validation_error with the path and the reason", () => {
  it.each<[string, object, string]>([
    ["no slug", { display_name: "X" }, "body.slug: Required"],
    ["no display_name", { slug: "x" }, "body.display_name: Required"],
    ["a slug in capitals", { ...minimal, slug: "Mara" }, "body.slug: Invalid slug"],
    [
      "a voice sample without text",
      { ...minimal, voice_samples: [sample, sample, { situation: "x" }] },
      "body.voice_samples[2].text: Required"
    ],
    [
      "an example without its user turn",
      { ...minimal, example_dialogues: [{ character: "Hm." }] },
      "body.example_dialogues[0].user: Required"
    ],
    [
      "an example without its character turn",
      { ...minimal, example_dialogues: [{ user: "Hm?" }] },
      "body.example_dialogues[0].character: Required"
    ],
    [
      "turns without one of the character",
      {
        ...minimal,
        example_dialogues: [
          {
            turns: [
              { role: "user", text: "a" },
              { role: "user", text: "b" }
            ]
          }
        ]
      },
      "body.example_dialogues[0].turns: Required: at least one character turn"
    ],
    [
      "a forbidden_style that is a string",
      { ...minimal, forbidden_style: ["as an AI"] },
      "body.forbidden_style[0]: Invalid input: expected object"
    ],
    [
      "a threshold out of its range",
      { ...minimal, behavioral_thresholds: { proactivity_tolerance: 1.5 } },
      "body.behavioral_thresholds.proactivity_tolerance: Too big"
    ],
    [
      "a threshold below its range",
      { ...minimal, behavioral_thresholds: { cold_initiate_min_idle_minutes: 4 } },
      "body.behavioral_thresholds.cold_initiate_min_idle_minutes: Too small"
    ],
    [
      "a greeting of an unknown form",
      { ...minimal, greeting: 7 },
      "body.greeting: Invalid input: expected string or object"
    ]
  ])("%s", async (_, body, quoted) => {
    const answer = await app.post("/v1/characters", body)
    assert.strictEqual(answer.status, 422)
    assert.strictEqual(answer.body.detail.code, "validation_error")
    assert.include(answer.body.detail.message, quoted)
  })

  it("and is not created", async () => {
    assert.strictEqual((await app.get("/v1/characters/valid")).status, 404)
  })
})

describe("POST /v1/characters", () => {
  it("returns the character itself: the authored fields, status, version and times", async () => {
    const authored = {
      slug: "ada",
      display_name: "Ada",
      visible_bio: "Counts.",
      behavioral_thresholds: { withhold: 0.2 },
      forbidden_style: [{ value: "as an AI" }]
    }
    const { status, body } = await app.post("/v1/characters", authored)
    assert.strictEqual(status, 200)
    assert.deepInclude(body.data, { ...authored, status: "active", version: 1, import_id: null })
    assert.strictEqual(new Date(body.data.created_at).toISOString(), body.data.created_at)
    assert.deepStrictEqual((await app.get("/v1/characters/ada")).body.data, body.data)
  })

  it("is 409 slug_taken the second time", async () => {
    await app.post("/v1/characters", { slug: "twice", display_name: "Once" })
    const { status, body } = await app.post("/v1/characters", { slug: "twice", display_name: "Twice" })
    assert.strictEqual(status, 409)
    assert.strictEqual(body.detail.code, "slug_taken")
    assert.strictEqual((await app.get("/v1/characters/twice")).body.data.display_name, "Once")
  })

  it("names unknown fields, wherever they are", async () => {
    const { body } = await app.post("/v1/characters", {
      slug: "typo",
      display_name: "Typo",
      visible_boi: "x",
      voice: { emojis: "none" }
    })
    assert.deepStrictEqual(body.data.ignored_fields, ["visible_boi", "voice.emojis"])
  })
})

describe("PATCH /v1/characters/{slug}", () => {
  it("merges: named fields change, null clears, arrays are replaced, and the version increases", async () => {
    const slug = await app.createCharacter({
      visible_bio: "Keeps an inn.",
      voice: { register: "blunt", emoji: "none" }
    })
    const { status, body } = await app.patch(`/v1/characters/${slug}`, {
      visible_bio: null,
      voice: { emoji: null, max_bubbles: 2 },
      voice_samples: [sample]
    })
    assert.strictEqual(status, 200)
    assert.notProperty(body.data, "visible_bio")
    assert.deepStrictEqual(body.data.voice, { register: "blunt", max_bubbles: 2 })
    assert.deepStrictEqual(body.data.voice_samples, [sample])
    assert.strictEqual(body.data.display_name, "Mara")
    assert.strictEqual(body.data.version, 2)
    assert.deepStrictEqual((await app.get(`/v1/characters/${slug}`)).body.data, body.data)
  })

  it("cannot clear or invalidate required fields", async () => {
    const slug = await app.createCharacter()
    for (const patch of [
      { display_name: null },
      { display_name: "" },
      { slug: "another" },
      { voice_samples: [{}] },
      { greeting: { mode: "authored" } }
    ]) {
      const { status, body } = await app.patch(`/v1/characters/${slug}`, patch)
      assert.strictEqual(status, 422, JSON.stringify(patch))
      assert.strictEqual(body.detail.code, "validation_error")
    }
    assert.strictEqual((await app.get(`/v1/characters/${slug}`)).body.data.version, 1)
  })

  it("accepts the current expected_version, and refuses an outdated one with 409 version_conflict", async () => {
    const slug = await app.createCharacter()
    assert.strictEqual(
      (await app.patch(`/v1/characters/${slug}`, { visible_bio: "a", expected_version: 1 })).body.data.version,
      2
    )
    const { status, body } = await app.patch(`/v1/characters/${slug}`, { visible_bio: "b", expected_version: 1 })
    assert.strictEqual(status, 409)
    assert.strictEqual(body.detail.code, "version_conflict")
    const present = (await app.get(`/v1/characters/${slug}`)).body.data
    assert.deepInclude(present, { visible_bio: "a", version: 2 })
    assert.notProperty(present, "expected_version")
  })

  it("accepts exactly one of many patches of one version", async () => {
    const slug = await app.createCharacter()
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, n) =>
        app.patch(`/v1/characters/${slug}`, { visible_bio: `${n}`, expected_version: 1 })
      )
    )
    assert.deepStrictEqual(answers.map((answer) => answer.status).sort(), [
      200,
      ...Array.from({ length: 9 }, () => 409)
    ])
  })
})

describe("DELETE /v1/characters/{slug}", () => {
  it("archives the character: it can be read, and its sessions continue", async () => {
    const slug = await app.createCharacter()
    const session = await app.createSession({ character_slug: slug })
    const { status, body } = await app.delete(`/v1/characters/${slug}`)
    assert.strictEqual(status, 200)
    assert.strictEqual(body.data.status, "archived")
    assert.strictEqual((await app.get(`/v1/characters/${slug}`)).body.data.status, "archived")
    assert.strictEqual((await app.converse(session, "What is for dinner?")).type, "message.created")
  })

  it("makes a new session with it 409 character_archived", async () => {
    const slug = await app.createCharacter()
    await app.delete(`/v1/characters/${slug}`)
    const { status, body } = await app.post("/v1/sessions", { character_slug: slug, external_user_ref: "u" })
    assert.strictEqual(status, 409)
    assert.strictEqual(body.detail.code, "character_archived")
  })

  it("ends its sessions on request, each with a session.exited", async () => {
    const slug = await app.createCharacter()
    const session = await app.createSession({ character_slug: slug })
    await app.delete(`/v1/characters/${slug}?end_sessions=true`)
    const [exited] = await app.events(session)
    assert.deepInclude(exited, {
      type: "session.exited",
      role: "system",
      payload: { reason_code: "character_archived" }
    })
    const { data } = (await app.get(`/v1/sessions/${session}`)).body
    assert.strictEqual(data.status, "exited")
    assert.strictEqual(data.exit.reason_code, "character_archived")
  })
})

describe("GET /v1/characters", () => {
  it("lists by cursor and limit, each character once, ordered by slug", async () => {
    const own = await server.createApp()
    const slugs = ["a", "b-1", "b-2", "c", "d"]
    for (const slug of slugs.toReversed()) await own.post("/v1/characters", { slug, display_name: slug })
    const seen: Array<string> = []
    for (let cursor: string | null = ""; cursor !== null;) {
      const { data }: Answer["body"] = (await own.get(`/v1/characters?limit=2&cursor=${cursor}`)).body
      assert.isAtMost(data.characters.length, 2)
      seen.push(...data.characters.map((character: { slug: string }) => character.slug))
      cursor = data.next_cursor
    }
    assert.deepStrictEqual(seen, slugs)
  })

  it("filters by status, and by a case-insensitive part of slug or name", async () => {
    const own = await server.createApp()
    for (const [slug, display_name] of [
      ["north", "Ilse"],
      ["south", "Ole"]
    ])
      await own.post("/v1/characters", { slug, display_name })
    await own.delete("/v1/characters/south")
    const slugsOf = async (query: string) =>
      (await own.get(`/v1/characters?${query}`)).body.data.characters.map(
        (character: { slug: string }) => character.slug
      )
    assert.deepStrictEqual(await slugsOf("status=active"), ["north"])
    assert.deepStrictEqual(await slugsOf("status=archived"), ["south"])
    assert.deepStrictEqual(await slugsOf("q=ILS"), ["north"])
    assert.deepStrictEqual(await slugsOf("q=out"), ["south"])
    assert.deepStrictEqual(await slugsOf("q=%25"), [])
  })

  it.each(["limit=0", "limit=101", "limit=x", "cursor=!", "status=gone"])("refuses %s with 422", async (query) => {
    const { status, body } = await app.get(`/v1/characters?${query}`)
    assert.strictEqual(status, 422)
    assert.include(body.detail.message, `query.${query.split("=")[0]}`)
  })
})
