import { randomUUID } from "node:crypto"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import * as z from "zod"
import { created, written } from "#src/http/server/schemas/answers.ts"
import { ArcData, ArcPage } from "#src/http/world/arcInfluenceSchemas.ts"
import { StorylineData, StorylinePage } from "#src/http/world/storylineSchemas.ts"
import { EdgeData, GraphData } from "#src/http/world/graphSchemas.ts"
import { NpcData, NpcPage } from "#src/http/world/npcSchemas.ts"
import { effortOf } from "#test/support/effort/effortOf.ts"
import { misspelt } from "#test/support/hostile/misspelt.ts"
import type { Answer, TestApp } from "#test/support/TestApp.ts"
import { startTestServer, type TestServer } from "#test/support/TestServer.ts"
import { until } from "#test/support/until.ts"

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
    path: "npcs",
    list: "npcs",
    code: "npc_not_found",
    data: NpcData,
    page: NpcPage,
    most: 200,
    table: "npcs",
    least: { name: "Tomás" },
    filled: { name: "Tomás", role: "", summary: "", aliases: [], linked_slug: null, mention_policy: "free" },
    full: {
      name: "Tomás",
      role: "younger brother",
      summary: "Fishes at dawn.",
      aliases: ["Tom"],
      linked_slug: "tomas",
      mention_policy: "when_asked"
    },
    patch: { summary: "Sold his boat.", role: null },
    patched: { name: "Tomás", role: "", summary: "Sold his boat.", aliases: ["Tom"] },
    wrong: [
      {},
      { name: "" },
      { name: "x".repeat(81) },
      { name: "x", role: "x".repeat(121) },
      { name: "x", summary: "x".repeat(1001) },
      { name: "x", aliases: Array(11).fill("x") },
      { name: "x", linked_slug: "No Slug" },
      { name: "x", mention_policy: "sometimes" }
    ]
  },
  {
    path: "storylines",
    list: "storylines",
    code: "storyline_not_found",
    data: StorylineData,
    page: StorylinePage,
    most: 20,
    table: "storylines",
    least: { title: "The lamp", beats: [{ key: "dark", summary: "The lamp has failed." }] },
    filled: {
      title: "The lamp",
      premise: "",
      status: "draft",
      beats: [
        {
          key: "dark",
          summary: "The lamp has failed.",
          guidance: "",
          enter_when: { all: [] },
          on_enter: { emotion_delta: null, arc_influence: null, proactive_reason: null },
          next: []
        }
      ]
    },
    full: {
      title: "The lamp",
      premise: "The lighthouse goes dark.",
      status: "active",
      beats: [
        {
          key: "dark",
          summary: "The lamp has failed.",
          guidance: "She worries.",
          enter_when: { all: [{ turns_gte: 3 }, { keyword_any: ["lamp"] }] },
          on_enter: {
            emotion_delta: { label: "fear", valence: -0.3, arousal: 0.2 },
            arc_influence: { kind: "mood", guidance: "Afraid of the dark." },
            proactive_reason: "storyline_beat"
          },
          next: ["light"]
        },
        {
          key: "light",
          summary: "It burns again.",
          enter_when: {
            all: [
              { score_gte: { key: "trust", value: 0.4 } },
              { days_since_gte: 1 },
              { trigger: "lamp.mended" },
              { loop_resolved: "promise" },
              { after: "dark" },
              { after: "2026-01-01T00:00:00Z" }
            ]
          }
        }
      ]
    },
    patch: { premise: null, status: "paused" },
    patched: { title: "The lamp", premise: "", status: "paused" },
    wrong: [
      {},
      { title: "x", beats: [] },
      { title: "x".repeat(121), beats: [{ key: "a", summary: "x" }] },
      { title: "x", beats: Array.from({ length: 41 }, (_, n) => ({ key: `b${n}`, summary: "x" })) },
      { title: "x", beats: [{ key: "A B", summary: "x" }] },
      {
        title: "x",
        beats: [
          { key: "a", summary: "x" },
          { key: "a", summary: "y" }
        ]
      },
      { title: "x", beats: [{ key: "a", summary: "x", next: ["b"] }] },
      { title: "x", beats: [{ key: "a", summary: "x", guidance: "x".repeat(801) }] },
      { title: "x", beats: [{ key: "a", summary: "x", enter_when: { all: [{ moon: "full" }] } }] },
      { title: "x", beats: [{ key: "a", summary: "x", enter_when: { all: [{ after: "b" }] } }] },
      { title: "x", beats: [{ key: "a", summary: "x", on_enter: { proactive_reason: "cold_initiate" } }] },
      { title: "x", status: "done", beats: [{ key: "a", summary: "x" }] }
    ]
  },
  {
    path: "arc-influences",
    list: "arc_influences",
    code: "arc_influence_not_found",
    data: ArcData,
    page: ArcPage,
    most: 100,
    table: "arc_influences",
    least: { kind: "mood", guidance: "Tired." },
    filled: {
      kind: "mood",
      guidance: "Tired.",
      effect: { valence: 0, arousal: 0, topic: null, score_bias: {} },
      weight: 1,
      starts_at: null,
      ends_at: null,
      recurrence: "none",
      scope: "all",
      cancelled: false,
      status: "active"
    },
    full: {
      kind: "relationship",
      guidance: "Misses everybody.",
      effect: { valence: -0.2, arousal: 0.1, topic: "the sea", score_bias: { trust: 0.1 } },
      weight: 0.5,
      starts_at: "2020-12-24T18:00:00Z",
      ends_at: "2020-12-25T06:00:00Z",
      recurrence: "yearly",
      scope: { external_user_ref: "ann" }
    },
    patch: { recurrence: null, effect: { topic: null } },
    patched: {
      recurrence: "none",
      status: "expired",
      effect: { valence: -0.2, arousal: 0.1, topic: null, score_bias: { trust: 0.1 } },
      starts_at: "2020-12-24T18:00:00.000Z"
    },
    wrong: [
      {},
      { kind: "weather", guidance: "x" },
      { kind: "mood", guidance: "x".repeat(501) },
      { kind: "mood", guidance: "x", weight: 1.1 },
      { kind: "mood", guidance: "x", effect: { valence: 2 } },
      { kind: "mood", guidance: "x", effect: { score_bias: { trust: 0.11 } } },
      { kind: "mood", guidance: "x", recurrence: "daily" },
      { kind: "mood", guidance: "x", starts_at: "soon" },
      {
        kind: "mood",
        guidance: "x",
        recurrence: "daily",
        starts_at: "2026-01-01T00:00:00Z",
        ends_at: "2026-01-02T00:00:01Z"
      },
      { kind: "mood", guidance: "x", starts_at: "2026-01-02T00:00:00Z", ends_at: "2026-01-02T00:00:00Z" },
      { kind: "mood", guidance: "x", scope: "some" },
      { kind: "mood", guidance: "x", scope: { city: "x" } }
    ]
  }
]

describe("a new storyline", () => {
  it("says that it is a draft, with a command that activates it", async () => {
    const { body } = await app.post(world("storylines"), {
      title: "The lamp",
      beats: [{ key: "dark", summary: "The lamp has failed." }]
    })
    const [{ command, description }] = body.next_actions
    assert.include(description, "draft")
    assert.include(command, `-X PATCH`)
    assert.include(command, `${world("storylines")}/${body.data.id}`)
    const active = await app.patch(
      `${world("storylines")}/${body.data.id}`,
      JSON.parse(/-d '([^']*)'/.exec(command)?.[1] ?? "")
    )
    assert.strictEqual(active.body.data.status, "active")
    assert.notInclude(JSON.stringify(active.body.next_actions), "draft")
    await app.delete(`${world("storylines")}/${body.data.id}`)
  })
})

describe.each(KINDS)(
  "/v1/characters/{slug}/$path",
  ({ path, list, code, data, page, least, filled, full, patch, patched, wrong, most, table }) => {
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

    it("lists them newest first, in pages", async () => {
      const own = await app.createCharacter()
      const ids: Array<string> = []
      for (let n = 0; n < 3; n++) ids.unshift((await app.post(world(path, own), full)).body.data.id)
      const first = (await app.get(`${world(path, own)}?limit=2`)).body.data
      const second = (await app.get(`${world(path, own)}?limit=2&cursor=${first.next_cursor}`)).body.data
      assert.deepStrictEqual(
        [...first[list], ...second[list]].map(({ id }: Json) => id),
        ids
      )
      assert.isNull(second.next_cursor)
      assert.deepStrictEqual(
        page
          .extend({ [list]: z.array(strict(data)) })
          .strict()
          .safeParse(first).error,
        undefined
      )
    })

    it("changes one field by field; null restores the default, and a patch is validated like a new one", async () => {
      const { id } = (await create(full)).body.data
      const answer = (await app.patch(`${world(path)}/${id}`, { ...patch, typo: 1 })).body.data
      assert.deepInclude(answer, { ...patched, id, ignored_fields: ["typo"] })
      assert.deepStrictEqual(strict(data.extend(written)).safeParse(answer).error, undefined)
      for (const [field, value] of Object.entries(least)) {
        if (value !== null)
          assert.deepStrictEqual(errorOf(await app.patch(`${world(path)}/${id}`, { [field]: null })), [
            422,
            "validation_error"
          ])
      }
    })

    it("refuses invalid values", async () => {
      for (const body of wrong)
        assert.deepStrictEqual(
          errorOf(await create(body)),
          [422, "validation_error"],
          JSON.stringify(body).slice(0, 200)
        )
    })

    it("finds none that is missing, of another character or of another app", async () => {
      const { id } = (await create(full)).body.data
      const elsewhere = await server.createApp()
      const at = [
        world(`${path}/${id}`, await app.createCharacter()),
        world(`${path}/${misspelt(id)}`),
        world(`${path}/none`)
      ]
      for (const one of at) {
        assert.deepStrictEqual(errorOf(await app.get(one)), [404, code])
        assert.deepStrictEqual(errorOf(await app.patch(one, { typo: 1 })), [404, code])
        assert.deepStrictEqual(errorOf(await app.patch(one, "{no json")), [404, code])
        assert.deepStrictEqual(errorOf(await app.delete(one)), [404, code])
      }
      for (const one of [world(path), world(`${path}/${id}`)])
        assert.deepStrictEqual(errorOf(await elsewhere.get(one)), [404, "character_not_found"])
      for (const bad of ["nobody", "No Slug"])
        assert.deepStrictEqual(errorOf(await app.post(world(path, encodeURIComponent(bad)), {})), [
          404,
          "character_not_found"
        ])
    })

    it(`allows up to ${most}`, async () => {
      const own = await app.createCharacter()
      const { id } = (await app.post(world(path, own), full)).body.data
      const { sql } = server.database
      await sql`
      insert into ${sql(table)} (app_id, slug, id, fields, created_at, updated_at)
      select app_id, slug, left(id, 4) || lpad(n::text, 26, '0'), fields, created_at, updated_at
        from ${sql(table)} cross join generate_series(1, ${most - 1}) n where id = ${id}`
      assert.deepStrictEqual(errorOf(await app.post(world(path, own), full)), [409, "world_limit_reached"])
      assert.strictEqual((await app.delete(`${world(path, own)}/${id}`)).status, 200)
      assert.strictEqual((await app.post(world(path, own), full)).status, 200)
    })
  }
)

describe("an arc influence of one session", () => {
  it("is refused for a session of another character or another app", async () => {
    const own = await app.createSession({ character_slug: slug })
    const of = (session_id: string) => ({ kind: "mood", guidance: "x", scope: { session_id } })
    assert.deepInclude((await app.post(world("arc-influences"), of(own))).body.data, { scope: { session_id: own } })
    const elsewhere = await server.createApp()
    for (const session of [await app.createSession(), await elsewhere.createSession(), "ses_none"]) {
      assert.deepStrictEqual(errorOf(await app.post(world("arc-influences"), of(session))), [404, "session_not_found"])
    }
  })

  it("is erased with the person, with everything of their own", async () => {
    const session = await app.createSession({ character_slug: slug, external_user_ref: "gone" })
    const arcs = [{ session_id: session }, { external_user_ref: "gone" }].map((scope) => ({
      kind: "mood",
      guidance: "Thinks of them.",
      scope
    }))
    const key = { "idempotency-key": randomUUID() }
    for (const arc of arcs) await app.post(world("arc-influences"), arc, arc === arcs[1] ? key : {})
    await app.post(world("graph/edges"), {
      from: "user",
      to: "character",
      relation: "calls",
      fact: "They call her Adinha.",
      session_id: session
    })
    await app.delete("/v1/end-users/gone")
    const { sql } = server.database
    await until(
      "the erasure",
      async () =>
        (await sql`select 1 from end_users where app_id = ${app.appId} and external_user_ref = 'gone'`).length === 0 ||
        undefined
    )
    assert.lengthOf(
      await sql`select 1 from arc_influences where fields::text like '%gone%' or session_id = ${session}`,
      0
    )
    assert.lengthOf(await sql`select 1 from graph_edges where session_id = ${session}`, 0)
    assert.lengthOf(
      await sql`select 1 from idempotency_keys where response::text like '%Thinks of them.%'
        and key = ${key["idempotency-key"]}`,
      0
    )
  })
})

describe("/v1/characters/{slug}/graph", () => {
  const tie = { from: "character", to: "place:Lisbon", relation: "grew up in", fact: "She grew up in Lisbon." }
  const add = (body: object, of = slug) => app.post(world("graph/edges", of), body)
  const graph = async (of: string, query = "") => (await app.get(world(`graph${query}`, of))).body.data

  it("returns the character, its NPCs, and what edges name, with the edges that are valid", async () => {
    const own = await app.createCharacter()
    const npc = (await app.post(world("npcs", own), { name: "Tomás" })).body.data.id
    const edge = (await add({ ...tie, typo: 1 }, own)).body.data
    assert.deepInclude(edge, {
      ...tie,
      sentiment: 0,
      strength: 0.5,
      visibility: "public",
      invalid_at: null,
      source_ref: null,
      session_id: null,
      ignored_fields: ["typo"]
    })
    assert.deepStrictEqual(strict(EdgeData.extend(created)).safeParse(edge).error, undefined)
    await add(
      { from: npc, to: "character", relation: "brother of", fact: "Tomás is her brother.", visibility: "secret" },
      own
    )
    const data = await graph(own)
    assert.deepStrictEqual(strict(GraphData).safeParse(data).error, undefined)
    assert.deepStrictEqual(data.nodes, [
      { id: "character", kind: "character", label: "Mara" },
      { id: npc, kind: "npc", label: "Tomás", npc_id: npc },
      { id: "place:Lisbon", kind: "place", label: "Lisbon" }
    ])
    assert.deepStrictEqual(
      data.edges.map(({ fact }: Json) => fact),
      ["She grew up in Lisbon.", "Tomás is her brother."]
    )
    await app.delete(world(`npcs/${npc}`, own))
    assert.lengthOf((await graph(own)).edges, 1)
  })

  it("returns an edge as of a given time; a deleted one is no longer valid, but remains", async () => {
    const own = await app.createCharacter()
    const { id } = (await add({ ...tie, valid_at: "2020-01-01T01:00:00+01:00" }, own)).body.data
    const gone = (await app.delete(world(`graph/edges/${id}`, own))).body.data
    assert.deepInclude(gone, { valid_at: "2020-01-01T00:00:00.000Z" })
    assert.isString(gone.invalid_at)
    assert.deepStrictEqual((await app.delete(world(`graph/edges/${id}`, own))).body.data.invalid_at, gone.invalid_at)
    const held = async (asOf: string) => (await graph(own, asOf)).edges.length
    assert.deepStrictEqual(
      [await held(""), await held("?as_of=2021-01-01T00:00:00Z"), await held("?as_of=2019-01-01T00:00:00Z")],
      [0, 1, 0]
    )
  })

  it("adds what belongs to one session, and the person, on request", async () => {
    const [own, other] = [
      await app.createSession({ character_slug: slug }),
      await app.createSession({ character_slug: slug })
    ]
    const edge = (
      await add({ from: "user", to: "character", relation: "met", fact: "They met on the ferry.", session_id: own })
    ).body.data
    assert.strictEqual(edge.session_id, own)
    const facts = async (query: string) => (await graph(slug, query)).edges.map(({ fact }: Json) => fact)
    assert.include(await facts(`?session_id=${own}`), "They met on the ferry.")
    assert.notInclude(await facts(`?session_id=${other}`), "They met on the ferry.")
    assert.notInclude(await facts(""), "They met on the ferry.")
    assert.deepInclude((await graph(slug, `?session_id=${other}`)).nodes, { id: "user", kind: "user", label: "user" })
    const foreign = await (await server.createApp()).createSession()
    for (const session of [await app.createSession(), foreign, "none"]) {
      assert.deepStrictEqual(errorOf(await app.get(world(`graph?session_id=${session}`))), [404, "session_not_found"])
      assert.deepStrictEqual(errorOf(await add({ ...tie, session_id: session })), [404, "session_not_found"])
    }
  })

  it("changes an edge field by field, except for its owner", async () => {
    const { id } = (await add({ ...tie, strength: 0.9 })).body.data
    const { data } = (
      await app.patch(world(`graph/edges/${id}`), {
        fact: "She was born in Lisbon.",
        strength: null,
        session_id: "ses_x"
      })
    ).body
    assert.deepInclude(data, {
      id,
      fact: "She was born in Lisbon.",
      strength: 0.5,
      session_id: null,
      ignored_fields: ["session_id"]
    })
    for (const body of [
      { fact: null },
      { to: "character" },
      { visibility: "hidden" },
      { invalid_at: "2000-01-01T00:00:00Z" }
    ])
      assert.deepStrictEqual(errorOf(await app.patch(world(`graph/edges/${id}`), body)), [422, "validation_error"])
    for (const at of [world(`graph/edges/${id}`, await app.createCharacter()), world("graph/edges/none")]) {
      assert.deepStrictEqual(errorOf(await app.patch(at, {})), [404, "edge_not_found"])
      assert.deepStrictEqual(errorOf(await app.delete(at)), [404, "edge_not_found"])
    }
  })

  it("refuses an edge to nobody, to itself or to an invalid node, and invalid values", async () => {
    const npc = (await app.post(world("npcs", await app.createCharacter()), { name: "Else" })).body.data.id
    for (const body of [
      {},
      { ...tie, to: npc },
      { ...tie, to: "npc_x" },
      { ...tie, to: "character" },
      { ...tie, to: "Lisbon" },
      { ...tie, to: "place: " },
      { ...tie, relation: "x".repeat(61) },
      { ...tie, fact: "x".repeat(501) },
      { ...tie, sentiment: 2 },
      { ...tie, strength: -1 }
    ]) {
      assert.deepStrictEqual(errorOf(await add(body)), [422, "validation_error"], JSON.stringify(body))
    }
  })

  it("is created once under one Idempotency-Key", async () => {
    const key = { "idempotency-key": randomUUID() }
    const first = (await app.post(world("graph/edges"), tie, key)).body.data
    assert.deepStrictEqual((await app.post(world("graph/edges"), tie, key)).body.data, {
      ...first,
      idempotent_replay: true
    })
  })

  it("allows 2,000 edges and 200 for each session; edges that are no longer valid are displaced", async () => {
    const own = await app.createCharacter()
    const session = await app.createSession({ character_slug: own })
    const { sql } = server.database
    for (const [more, count] of [
      [{}, 2000],
      [{ session_id: session }, 200]
    ] as const) {
      const { id } = (await add({ ...tie, ...more }, own)).body.data
      await sql`
        insert into graph_edges (app_id, slug, id, fields, created_at, updated_at)
        select app_id, slug, left(id, 4) || lpad((n +
          ${count})::text, 26, '0'), fields, created_at, updated_at from graph_edges cross join generate_series(1,
            ${count - 1}) n where id = ${id}`
      assert.deepStrictEqual(errorOf(await add({ ...tie, ...more }, own)), [409, "world_limit_reached"])
      await app.delete(world(`graph/edges/${id}`, own))
      assert.strictEqual((await add({ ...tie, ...more }, own)).status, 200)
      assert.deepStrictEqual(errorOf(await add({ ...tie, ...more }, own)), [409, "world_limit_reached"])
    }
  })
})

describe("/v1/characters/{slug}/lore", () => {
  const entry = { keys: ["tower"], content: "The tower leans." }

  it("is the lore of the character's profile, each change a new version, each entry with its own id", async () => {
    const given = "lor_01ARZ3NDEKTSV4RRFFQ69G5FAV"
    const own = await app.createCharacter({
      world_context: { summary: "A coast.", entries: [entry, { ...entry, id: given, group_weight: 5 }] }
    })
    const { entries, version } = (await app.get(world("lore", own))).body.data
    assert.deepStrictEqual([version, entries[1].id, entries[1].group_weight, entries.length], [1, given, 5, 2])
    assert.match(entries[0].id, /^lor_/)
    assert.deepStrictEqual((await app.get(world(`lore/${given}`, own))).body.data, {
      id: given,
      character_slug: own,
      version: 1,
      ...entry,
      group_weight: 5
    })
    await app.patch(world("", own).slice(0, -1), { world_context: { scene: "Night." } })
    assert.deepStrictEqual((await app.get(world("lore", own))).body.data, { entries, version: 2 })
    const put = await app.request("PUT", world(`lore/${given}`, own), { content: "It fell.", typo: 1 })
    assert.deepStrictEqual(put.body.data, {
      id: given,
      character_slug: own,
      version: 3,
      content: "It fell.",
      ignored_fields: ["typo"]
    })
    assert.strictEqual((await app.delete(world(`lore/${entries[0].id}`, own))).body.data.version, 4)
    const added = (await app.post(world("lore", own), entry)).body.data
    assert.deepStrictEqual((await app.get(`/v1/characters/${own}`)).body.data.world_context, {
      summary: "A coast.",
      scene: "Night.",
      entries: [
        { id: given, content: "It fell." },
        { id: added.id, ...entry }
      ]
    })
    const whole = await app.request("PUT", world("lore", own), { entries: [entry], expected_version: 5 })
    assert.deepStrictEqual([whole.body.data.version, whole.body.data.entries.length], [6, 1])
    assert.deepStrictEqual(
      errorOf(await app.request("PUT", world("lore", own), { entries: [], expected_version: 5 })),
      [409, "version_conflict"]
    )
    const [left] = whole.body.data.entries
    assert.deepStrictEqual(
      errorOf(await app.request("PUT", world(`lore/${left.id}`, own), { content: "x", expected_version: 5 })),
      [409, "version_conflict"]
    )
  })

  it("refuses invalid values, duplicate ids, invalid patterns, and more than 300 entries", async () => {
    const own = await app.createCharacter()
    const id = "lor_01ARZ3NDEKTSV4RRFFQ69G5FAV"
    const put = (entries: ReadonlyArray<object>) => app.request("PUT", world("lore", own), { entries })
    for (const entries of [
      [{ keys: ["x"] }],
      [{ content: "x".repeat(2001) }],
      [{ content: "x", id: "lor_1" }],
      [
        { content: "x", id },
        { content: "y", id }
      ],
      [{ content: "x", keys: ["/(?=a)b/"] }],
      [{ content: "x", group_weight: 0 }],
      Array.from({ length: 301 }, () => ({ content: "x" }))
    ]) {
      assert.deepStrictEqual(errorOf(await put(entries)), [422, "validation_error"])
    }
    assert.strictEqual(
      (
        await put([
          { content: "x", keys: ["/a+b/i", "/etc"] },
          ...Array.from({ length: 299 }, () => ({ content: "x" }))
        ])
      ).status,
      200
    )
    assert.deepStrictEqual(errorOf(await app.post(world("lore", own), entry)), [409, "world_limit_reached"])
    const key = { "idempotency-key": randomUUID() }
    const first = (await app.post(world("lore"), entry, key)).body.data
    assert.deepStrictEqual((await app.post(world("lore"), entry, key)).body.data, { ...first, idempotent_replay: true })
    for (const one of [world(`lore/${id}`, own), world("lore/none")]) {
      assert.deepStrictEqual(errorOf(await app.get(one)), [404, "lore_entry_not_found"])
      assert.deepStrictEqual(errorOf(await app.request("PUT", one, { content: "x" })), [404, "lore_entry_not_found"])
      assert.deepStrictEqual(errorOf(await app.request("PUT", one, {})), [404, "lore_entry_not_found"])
      assert.deepStrictEqual(errorOf(await app.delete(one)), [404, "lore_entry_not_found"])
    }
    for (const ask of [
      app.get(world("lore", "nobody")),
      app.request("PUT", world("lore", "nobody"), {}),
      app.post(world("lore", "nobody"), {})
    ])
      assert.deepStrictEqual(errorOf(await ask), [404, "character_not_found"])
  })

  it("refuses patterns that are too large, individually or together, before it compiles them", async () => {
    const own = await app.createCharacter()
    const pattern = (n: number) => `/(?:\\pL?\\pN?){60}${n}/`
    const keys = Array.from({ length: 20 }, (_, n) => pattern(n))
    const { effortMs } = await effortOf(async () => {
      for (const entries of [
        [{ content: "x", keys: ["/(?:\\pL?\\pN?){500}x/"] }],
        Array.from({ length: 300 }, () => ({ content: "x", keys, secondary_keys: keys }))
      ]) {
        assert.deepStrictEqual(errorOf(await app.request("PUT", world("lore", own), { entries })), [
          422,
          "validation_error"
        ])
        assert.deepStrictEqual(errorOf(await app.patch(`/v1/characters/${own}`, { world_context: { entries } })), [
          422,
          "validation_error"
        ])
      }
    })
    assert.isBelow(effortMs, 4000)
    const added = []
    for (let n = 0; n < 3; n++) added.push((await app.post(world("lore", own), { content: "x", keys })).status)
    assert.deepStrictEqual(added, [200, 200, 422])
    const [{ id }] = (await app.get(world("lore", own))).body.data.entries
    assert.deepStrictEqual(
      errorOf(await app.request("PUT", world(`lore/${id}`, own), { content: "x", keys, secondary_keys: keys })),
      [422, "validation_error"]
    )
    const style = Array.from({ length: 50 }, (_, n) => ({ kind: "regex", value: pattern(n).slice(1, -1) }))
    assert.deepStrictEqual(errorOf(await app.patch(`/v1/characters/${own}`, { forbidden_style: style })), [
      422,
      "validation_error"
    ])
  })

  it.each([
    { what: "sticks in the last of its sticky turns", entry: { sticky_turns: 50 }, said: "so", after: 50, on: true },
    { what: "is gone in the turn after them", entry: { sticky_turns: 50 }, said: "so", after: 51, on: false },
    {
      what: "cannot be called in the last turn of its cooldown",
      entry: { sticky_turns: 50, cooldown_turns: 200 },
      said: "the bell",
      after: 250,
      on: false
    },
    {
      what: "can be called in the turn after it",
      entry: { sticky_turns: 50, cooldown_turns: 200 },
      said: "the bell",
      after: 251,
      on: true
    }
  ])("$what, however long ago it was activated", async ({ entry, said, after, on }) => {
    const character = await app.createCharacter({
      world_context: { entries: [{ keys: ["bell"], content: "It rings by itself.", ...entry }] }
    })
    const sessionId = await app.createSession({ character_slug: character })
    await app.converse(sessionId, "the bell")
    // As many turns as have passed since.
    await server.database.sql`update session_logs set turn_count = ${after} where session_id = ${sessionId}`
    await app.converse(sessionId, said)
    const { trace } = (await app.get(`/v1/sessions/${sessionId}/trace`)).body.data
    assert.deepStrictEqual(
      trace.map(({ turn_index, retrieval }: Json) => [turn_index, retrieval.lore_ids.length]),
      [
        [after + 1, on ? 1 : 0],
        [1, 1]
      ]
    )
  })

  it("that is always active and has a cooldown is active in every third turn, however many there are", async () => {
    const character = await app.createCharacter({
      world_context: { entries: [{ constant: true, content: "It rains.", cooldown_turns: 2 }] }
    })
    const sessionId = await app.createSession({ character_slug: character })
    for (const text of ["one", "two", "three", "four", "five", "six", "seven"]) await app.converse(sessionId, text)
    const { trace } = (await app.get(`/v1/sessions/${sessionId}/trace`)).body.data
    assert.deepStrictEqual(
      trace.toReversed().map(({ retrieval }: Json) => retrieval.lore_ids.length),
      [1, 0, 0, 1, 0, 0, 1]
    )
  })
})
