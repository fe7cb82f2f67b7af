import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { type FakeModel, type FakeRequest, start } from "#test/support/model/FakeModel.ts"
import { enableProactive, checkProactiveNow, shiftIntoPast } from "#test/support/conversation/proactive.ts"
import type { Answer, TestApp } from "#test/support/TestApp.ts"
import { startTestServer, type TestServer } from "#test/support/TestServer.ts"
import { until } from "#test/support/until.ts"

const LINES = [
  "The kettle sings.",
  "Snow before Friday, I think.",
  "Nobody knocked today.",
  "Bread is in the oven.",
  "Ask me tomorrow.",
  "A gull took my scarf.",
  "My knees say rain.",
  "Old songs on the radio again.",
  "Salt in everything.",
  "Careful with that step."
]

type Json = Answer["body"]

let model: FakeModel
let server: TestServer
let app: TestApp
beforeAll(async () => {
  model = await start({ otherwise: (_, index) => ({ kind: "ok", bubbles: [LINES[index % LINES.length] ?? ""] }) })
  server = await startTestServer({ env: { OPENAI_BASE_URL: model.url, OPENAI_MODEL: "gpt-5-mini" } })
  app = await server.createApp()
})
afterAll(async () => {
  await server.close()
  await model.close()
})

const BLOCK = /<data name="(\w+)">\n(.*)\n<\/data>/g
const blocksOf = (request: FakeRequest | undefined): Record<string, Json> =>
  Object.fromEntries(
    [
      ...(request?.messages
        .map(({ content }) => content)
        .join("\n")
        .matchAll(BLOCK) ?? [])
    ].map(([, name = "", json = ""]) => [name, JSON.parse(json)])
  )
const lastReply = () => model.requests.findLast(({ question }) => question === "reply")
const traceOf = async (session: string, run: string) =>
  until("memory extraction", async () => {
    const [row] = (await app.get(`/v1/sessions/${session}/trace?run_ref=${run}`)).body.data.trace
    return row.settled && row
  })
/** The model's prompt for this message, and what the trace shows. */
const said = async (session: string, text: string) => {
  const { trace_id } = await app.converse(session, text)
  const blocks = blocksOf(lastReply())
  return { blocks, trace: await traceOf(session, trace_id) }
}
const add = async (slug: string, path: string, body: object): Promise<string> =>
  (await app.post(`/v1/characters/${slug}/${path}`, body)).body.data.id
const stateOf = async (session: string) => (await app.get(`/v1/sessions/${session}/state`)).body.data
const storiesOf = async (session: string) => (await app.get(`/v1/sessions/${session}/storylines`)).body.data.storylines
const trigger = (session: string, storyline: string, name: string, headers = {}) =>
  app.post(`/v1/sessions/${session}/storylines/${storyline}/triggers`, { trigger: name }, headers)

describe("a character's world", () => {
  it("has an NPC without a summary described by the character that it represents, as that is now", async () => {
    const sibling = await app.createCharacter({ display_name: "Tomás", visible_bio: "{{char}} fishes at dawn." })
    const slug = await app.createCharacter()
    await add(slug, "npcs", { name: "Tomás", linked_slug: sibling })
    await add(slug, "npcs", { name: "Otto", linked_slug: sibling, summary: "In prison." })
    await add(slug, "npcs", { name: "Nadia", linked_slug: "nobody-here" })
    const session = await app.createSession({ character_slug: slug })
    const toldOf = async () => {
      const { people } = (await said(session, "How are Tomás, Otto and Nadia?")).blocks
      return Object.fromEntries(people.map(({ name, summary }: Json) => [name, summary ?? ""]))
    }
    assert.deepStrictEqual(await toldOf(), { Tomás: "Tomás fishes at dawn.", Otto: "In prison.", Nadia: "" })
    await app.patch(`/v1/characters/${sibling}`, { visible_bio: "Sold his boat." })
    assert.deepStrictEqual(await toldOf(), { Tomás: "Sold his boat.", Otto: "In prison.", Nadia: "" })
  })

  it("is in the model's prompt, and in the trace only as ids", async () => {
    const slug = await app.createCharacter()
    const [session, other] = [
      await app.createSession({ character_slug: slug, external_user_ref: "ann" }),
      await app.createSession({ character_slug: slug })
    ]
    const tomas = await add(slug, "npcs", {
      name: "Tomás",
      role: "younger brother",
      summary: "Fishes at dawn.",
      mention_policy: "when_asked"
    })
    await add(slug, "npcs", { name: "Rui", summary: "In prison.", mention_policy: "never" })
    const tie = await add(slug, "graph/edges", {
      from: "character",
      to: tomas,
      relation: "sister of",
      fact: "She taught Tomás to swim."
    })
    const thought = await add(slug, "graph/edges", {
      from: "character",
      to: tomas,
      relation: "owes",
      fact: "She never paid him for the boat.",
      visibility: "private"
    })
    await add(slug, "graph/edges", {
      from: "character",
      to: tomas,
      relation: "lies to",
      fact: "The storm was no accident.",
      visibility: "secret"
    })
    const own = await add(slug, "graph/edges", {
      from: "user",
      to: "character",
      relation: "met",
      fact: "They met on the ferry.",
      session_id: session
    })
    const lore = await add(slug, "lore", { keys: ["/harbou?r/i"], content: "The harbour froze in 1942." })
    const arc = await add(slug, "arc-influences", {
      kind: "mood",
      guidance: "Tired after the storm.",
      effect: { valence: -0.5 },
      scope: { external_user_ref: "ann" }
    })
    const story = await add(slug, "storylines", {
      title: "The lamp",
      premise: "The lighthouse goes dark.",
      status: "active",
      beats: [{ key: "dark", summary: "The lamp has failed.", guidance: "She listens to the sea." }]
    })

    const first = await said(session, "Is Tomás at the Harbor?")
    assert.deepStrictEqual(first.blocks["people"], [
      { name: "Tomás", aliases: [], role: "younger brother", summary: "Fishes at dawn." }
    ])
    assert.deepStrictEqual(first.blocks["ties"].map(({ fact }: Json) => fact).sort(), [
      "She taught Tomás to swim.",
      "They met on the ferry."
    ])
    assert.deepStrictEqual(
      first.blocks["private_thoughts"].map(({ fact }: Json) => fact),
      ["She never paid him for the boat."]
    )
    assert.deepStrictEqual(first.blocks["lore"], ["The harbour froze in 1942."])
    assert.deepStrictEqual(first.blocks["influences"], [{ kind: "mood", guidance: "Tired after the storm." }])
    assert.strictEqual(first.blocks["relationship"].character_feels, "sadness")
    assert.notProperty(first.blocks, "story")
    const { edge_ids, ...retrieval } = first.trace.retrieval
    assert.deepStrictEqual(retrieval, {
      memory_ids: [],
      lore_ids: [lore],
      evidence_ids: [],
      npc_ids: [tomas],
      arc_ids: [arc],
      storyline: null
    })
    assert.sameMembers(edge_ids, [tie, thought, own])
    for (const words of ["Rui", "no accident"]) assert.notInclude(JSON.stringify(model.requests), words)
    for (const words of ["swim", "ferry", "1942", "Tired"]) assert.notInclude(JSON.stringify(first.trace), words)

    // The storyline has started with the first turn, and what belongs to one session is in no other.
    const second = await said(session, "And now?")
    assert.deepStrictEqual(second.blocks["story"], {
      premise: "The lighthouse goes dark.",
      now: "The lamp has failed.",
      guidance: "She listens to the sea."
    })
    assert.deepStrictEqual(second.trace.retrieval.storyline, { id: story, beat: "dark" })
    const elsewhere = await said(other, "Hello there!")
    assert.notProperty(elsewhere.blocks, "people")
    assert.notProperty(elsewhere.blocks, "ties")
    assert.notProperty(elsewhere.blocks, "influences")
    assert.strictEqual((await stateOf(session)).emotion.valence, -0.5)
    assert.strictEqual((await stateOf(other)).emotion.valence, 0)

    // Changes take effect in the next turn.
    await app.patch(`/v1/characters/${slug}/npcs/${tomas}`, { summary: "Sold his boat." })
    await app.delete(`/v1/characters/${slug}/graph/edges/${tie}`)
    const third = await said(session, "Is Tomás there?")
    assert.strictEqual(third.blocks["people"][0].summary, "Sold his boat.")
    assert.notInclude(JSON.stringify(third.blocks), "swim")
  })

  it(
    "is kept private: a draft is refused if it names a person who must not be mentioned, or reveals something " +
      "private or secret",
    async () => {
      const slug = await app.createCharacter()
      const session = await app.createSession({ character_slug: slug })
      await add(slug, "npcs", { name: "Rui", mention_policy: "never" })
      const tomas = await add(slug, "npcs", { name: "Tomás", mention_policy: "when_asked" })
      await add(slug, "graph/edges", {
        from: "character",
        to: tomas,
        relation: "owes",
        fact: "She never paid Tomás for the boat.",
        visibility: "private"
      })
      await add(slug, "graph/edges", {
        from: "character",
        to: tomas,
        relation: "lies to",
        fact: "She sank the boat herself that winter.",
        visibility: "secret"
      })
      const refusedBy = async (text: string, draft: string) => {
        model.script({ kind: "ok", bubbles: [draft] })
        const { trace } = await said(session, text)
        return trace.gates.map(({ gate }: Json) => gate)
      }
      assert.deepStrictEqual(await refusedBy("Who is in prison?", "That would be Rui."), ["unmentionable"])
      assert.deepStrictEqual(await refusedBy("Who fishes here?", "My brother Tomás does."), ["unmentionable"])
      assert.deepStrictEqual(await refusedBy("Where is Tomás?", "Tomás? Out at sea."), [])
      assert.deepStrictEqual(await refusedBy("What about Tomás?", "Between us, I never paid Tomás for the boat."), [
        "secret_leak"
      ])
      assert.deepStrictEqual(
        await refusedBy(
          "And Tomás's boat?",
          "I sank the boat myself that winter, you know. She sank the boat herself that winter."
        ),
        ["secret_leak"]
      )
    }
  )
})

describe("a storyline", () => {
  const lamp = (more: object = {}) => ({
    title: "The lamp",
    premise: "The lighthouse goes dark.",
    status: "active",
    beats: [
      { key: "calm", summary: "All is well.", enter_when: { all: [{ keyword_any: ["lighthouse"] }] }, next: ["dark"] },
      {
        key: "dark",
        summary: "The lamp has failed.",
        guidance: "She listens to the sea.",
        enter_when: { all: [{ trigger: "lamp.failed" }] },
        on_enter: {
          emotion_delta: { label: "fear", valence: -0.4, arousal: 0.3 },
          arc_influence: { kind: "topic", guidance: "Speaks of the dark." },
          proactive_reason: "storyline_beat"
        },
        next: ["light"]
      },
      {
        key: "light",
        summary: "It burns again.",
        enter_when: { all: [{ turns_gte: 1 }] },
        on_enter: { emotion_delta: { label: "relief", valence: 0.4 } }
      }
    ],
    ...more
  })

  it(
    "progresses through messages and the app's triggers, and is shown by the state, the session's list and the " +
      "timeline",
    async () => {
      const slug = await app.createCharacter({ baseline_emotion: { recovery_half_life_minutes: 10_080 } })
      const session = await app.createSession({ character_slug: slug })
      const story = await add(slug, "storylines", lamp())
      assert.isNull((await stateOf(session)).storyline)
      assert.deepStrictEqual(await storiesOf(session), [])
      assert.deepStrictEqual(
        [
          (await trigger(session, story, "lamp.failed")).status,
          (await trigger(session, story, "lamp.failed")).body.detail.code
        ],
        [409, "storyline_conflict"]
      )
      await said(session, "Hello.")
      assert.isNull((await stateOf(session)).storyline)
      await said(session, "How is the lighthouse?")
      assert.deepInclude((await stateOf(session)).storyline, {
        storyline_id: story,
        title: "The lamp",
        current_beat: "calm"
      })

      assert.strictEqual((await trigger(session, story, "lamp.mended")).body.detail.code, "storyline_conflict")
      const key = { "idempotency-key": "lamp" }
      const { data } = (await trigger(session, story, "lamp.failed", key)).body
      assert.deepInclude(data, {
        storyline_id: story,
        session_id: session,
        title: "The lamp",
        status: "active",
        current_beat: "dark"
      })
      assert.deepStrictEqual(
        data.history.map(({ beat, turn_index, trigger: by }: Json) => [beat, turn_index, by]),
        [
          ["calm", 2, null],
          ["dark", 2, "lamp.failed"]
        ]
      )
      assert.deepStrictEqual((await trigger(session, story, "lamp.failed", key)).body.data, {
        ...data,
        idempotent_replay: true
      })
      assert.strictEqual((await trigger(session, story, "lamp.failed")).body.detail.code, "storyline_conflict")
      const { emotion } = await stateOf(session)
      assert.deepInclude(emotion, { label: "fear", arousal: 0.3 })

      const { blocks } = await said(session, "And now?")
      assert.strictEqual(blocks["story"].guidance, "She listens to the sea.")
      assert.deepStrictEqual(blocks["influences"], [{ kind: "topic", guidance: "Speaks of the dark." }])
      const [told] = await storiesOf(session)
      assert.deepInclude(told, { status: "ended", current_beat: "light" })
      assert.deepInclude((await stateOf(session)).emotion, { label: "relief" })
      const { items } = (await app.get(`/v1/sessions/${session}/timeline?limit=100`)).body.data
      assert.deepStrictEqual(
        items.filter(({ kind }: Json) => kind === "storyline").map(({ ref, title }: Json) => [ref, title]),
        [
          [story, "light"],
          [story, "dark"],
          [story, "calm"]
        ]
      )
    }
  )

  it("runs one at a time, and refuses a trigger of another storyline, character or ended session", async () => {
    const slug = await app.createCharacter({ behavioral_thresholds: { exit: 1 } })
    const session = await app.createSession({ character_slug: slug })
    const [first, second] = [
      await add(
        slug,
        "storylines",
        lamp({
          beats: lamp().beats.with(0, {
            key: "calm",
            summary: "All is well.",
            enter_when: { all: [] },
            next: ["dark"]
          })
        })
      ),
      await add(
        slug,
        "storylines",
        lamp({ beats: [{ key: "begun", summary: "Begun.", enter_when: { all: [{ trigger: "begin" }] } }] })
      )
    ]
    await said(session, "Hello.")
    assert.strictEqual((await stateOf(session)).storyline.storyline_id, first)
    assert.strictEqual((await trigger(session, second, "begin")).body.detail.code, "storyline_conflict")
    await app.patch(`/v1/characters/${slug}/storylines/${first}`, { status: "paused" })
    assert.isNull((await stateOf(session)).storyline)
    assert.strictEqual((await storiesOf(session))[0].status, "paused")
    assert.strictEqual((await trigger(session, second, "begin")).body.detail.code, "storyline_conflict")
    await app.delete(`/v1/characters/${slug}/storylines/${first}`)
    assert.strictEqual((await trigger(session, second, "begin")).body.data.current_beat, "begun")
    assert.deepStrictEqual(
      (await storiesOf(session)).map(({ storyline_id, status }: Json) => [storyline_id, status]),
      [
        [second, "ended"],
        [first, "ended"]
      ]
    )

    const elsewhere = await add(await app.createCharacter(), "storylines", lamp())
    for (const id of [elsewhere, first, "none"])
      assert.strictEqual((await trigger(session, id, "begin")).body.detail.code, "storyline_not_found")
    assert.strictEqual((await trigger(session, second, "No Trigger")).status, 422)
    assert.strictEqual((await trigger("ses_none", second, "begin")).body.detail.code, "session_not_found")
    assert.strictEqual((await app.get("/v1/sessions/ses_none/storylines")).body.detail.code, "session_not_found")
    await app.delete(`/v1/characters/${slug}?end_sessions=true`)
    assert.strictEqual((await trigger(session, second, "begin")).body.detail.code, "session_exited")
  })

  it("makes the character write first for a beat, once, unless the beat was already discussed", async () => {
    const slug = await app.createCharacter()
    const [session, spoken] = [
      await app.createSession({ character_slug: slug }),
      await app.createSession({ character_slug: slug })
    ]
    const story = await add(slug, "storylines", lamp())
    for (const one of [session, spoken]) {
      await enableProactive(app, one, { cold_initiate_enabled: false })
      await said(one, "How is the lighthouse?")
      assert.strictEqual((await trigger(one, story, "lamp.failed")).status, 200)
    }
    await said(spoken, "It is dark.")
    const { sql } = server.database
    for (const one of [session, spoken]) await shiftIntoPast(sql, one, 1)
    const written = await app.waitFor(session, ({ type }) => type === "character.initiated")
    assert.strictEqual(written.payload["reason"], "storyline_beat")
    const request = model.requests.find((one) => blocksOf(one)["initiative"]?.about === "The lamp has failed.")
    assert.strictEqual(blocksOf(request)["initiative"].why, "The story goes on.")
    await checkProactiveNow(sql, session)
    const decisions = async (one: string) =>
      (await app.get(`/v1/apps/${app.appId}/proactive-policy/decisions?session_id=${one}`)).body.data.decisions
    await until(
      "both to be looked at",
      async () =>
        (await decisions(session))[0].decision === "skipped" && (await decisions(spoken))[0]?.decision === "skipped"
    )
    assert.lengthOf(
      (await decisions(session)).filter(({ decision }: Json) => decision === "sent"),
      1
    )
    assert.isEmpty(
      (await decisions(spoken)).filter(
        ({ reason, decision }: Json) => decision === "sent" && reason === "storyline_beat"
      )
    )
  })
})
