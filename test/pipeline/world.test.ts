import { assert, describe, it } from "@effect/vitest"
import { describeRelationship } from "#pipeline/relational/describeRelationship.ts"
import { NEW_BEARING } from "#pipeline/relational/Relationship.ts"
import { type ArcStatus, arcStatus, moodOf, activeArcs } from "#pipeline/world/arcs.ts"
import { retrieveWorld } from "#pipeline/world/retrieveWorld.ts"
import { entering, type Occasion } from "#pipeline/world/storylines.ts"
import {
  type Arc,
  type Beat,
  type Condition,
  type Edge,
  EMPTY_WORLD,
  type Npc,
  type SessionWorld,
  type Step,
  type Storyline
} from "#pipeline/world/World.ts"
import { characterOf, historyOf, turnOf } from "#test/support/conversation/turns.ts"

const NOW = Date.parse("2026-06-10T12:00:00Z")
const NO_EFFECT = { valence: 0, arousal: 0, topic: null, score_bias: {} }

const arc = (given: Partial<Arc>): Arc => ({
  id: "arc_1",
  kind: "mood",
  guidance: "Tired.",
  effect: NO_EFFECT,
  weight: 1,
  starts_at: null,
  ends_at: null,
  recurrence: "none",
  scope: "all",
  cancelled: false,
  ...given
})
const npc = (given: Partial<Npc>): Npc => ({
  id: "npc_1",
  name: "Tomás",
  role: "younger brother",
  summary: "Fishes at dawn.",
  aliases: ["Tom"],
  linked_slug: null,
  mention_policy: "free",
  ...given
})
const edge = (given: Partial<Edge>): Edge => ({
  id: "edg_1",
  from: "character",
  to: "npc_1",
  relation: "sister of",
  fact: "She taught Tomás to swim.",
  sentiment: 0,
  strength: 0.5,
  visibility: "public",
  valid_at: "2020-01-01T00:00:00.000Z",
  invalid_at: null,
  source_ref: null,
  session_id: null,
  ...given
})
const beat = (key: string, given: Partial<Beat> = {}): Beat => ({
  key,
  summary: `${key} it is`,
  guidance: "",
  enter_when: { all: [] },
  on_enter: { emotion_delta: null, arc_influence: null, proactive_reason: null },
  next: [],
  ...given
})
const storyline = (id: string, beats: ReadonlyArray<Beat>, status: Storyline["status"] = "active"): Storyline => ({
  id,
  title: id,
  premise: "",
  status,
  beats
})
const step = (storyline_id: string, beat: string, given: Partial<Step> = {}): Step => ({
  storyline_id,
  beat,
  entered_at: "2026-06-09T12:00:00.000Z",
  turn_index: 10,
  trigger: null,
  ...given
})
const world = (given: Partial<SessionWorld>): SessionWorld => ({ ...EMPTY_WORLD, ...given })

describe("an arc influence", () => {
  const night = { starts_at: "2026-01-05T22:00:00Z", ends_at: "2026-01-06T06:00:00Z" }
  it.each<[string, Partial<Arc>, string, string, ArcStatus]>([
    ["without a time", {}, "UTC", "2026-06-10T12:00:00Z", "active"],
    ["that is cancelled", { cancelled: true }, "UTC", "2026-06-10T12:00:00Z", "cancelled"],
    ["in the future", { starts_at: "2026-06-11T00:00:00Z" }, "UTC", "2026-06-10T12:00:00Z", "scheduled"],
    ["that has started", { starts_at: "2026-06-10T12:00:00Z" }, "UTC", "2026-06-10T12:00:00Z", "active"],
    ["that is over", { ends_at: "2026-06-10T12:00:00Z" }, "UTC", "2026-06-10T12:00:00Z", "expired"],
    ["of every night, before the first", { ...night, recurrence: "daily" }, "UTC", "2026-01-04T23:00:00Z", "scheduled"],
    ["of every night, after midnight", { ...night, recurrence: "daily" }, "UTC", "2026-06-10T05:59:00Z", "active"],
    ["of every night, in the morning", { ...night, recurrence: "daily" }, "UTC", "2026-06-10T06:00:00Z", "scheduled"],
    [
      "of every night, by the clock on the wall in summer",
      { ...night, recurrence: "daily" },
      "Europe/Lisbon",
      "2026-06-10T21:00:00Z",
      "active"
    ],
    [
      "of every night, by the clock on the wall in winter",
      { ...night, recurrence: "daily" },
      "Europe/Lisbon",
      "2026-12-10T21:00:00Z",
      "scheduled"
    ],
    ["of every week, on its night", { ...night, recurrence: "weekly" }, "UTC", "2026-06-08T23:00:00Z", "active"],
    ["of every week, on another night", { ...night, recurrence: "weekly" }, "UTC", "2026-06-09T23:00:00Z", "scheduled"],
    [
      "of every year, on its day",
      { starts_at: "2020-06-10T00:00:00Z", ends_at: "2020-06-11T00:00:00Z", recurrence: "yearly" },
      "UTC",
      "2026-06-10T12:00:00Z",
      "active"
    ],
    [
      "of every year, the day after",
      { starts_at: "2020-06-10T00:00:00Z", ends_at: "2020-06-11T00:00:00Z", recurrence: "yearly" },
      "UTC",
      "2026-06-11T00:00:00Z",
      "scheduled"
    ],
    [
      "of every year, past New Year",
      { starts_at: "2020-12-24T00:00:00Z", ends_at: "2021-01-07T00:00:00Z", recurrence: "yearly" },
      "UTC",
      "2026-01-06T12:00:00Z",
      "active"
    ],
    [
      "of a leap day, in another year",
      { starts_at: "2024-02-29T00:00:00Z", ends_at: "2024-03-01T00:00:00Z", recurrence: "yearly" },
      "UTC",
      "2026-02-28T12:00:00Z",
      "active"
    ],
    ...(
      [
        ["shortly after clocks were put forward over its beginning", "2026-03-29T01:20:00Z", "active"],
        ["once that is over", "2026-03-29T01:50:00Z", "scheduled"],
        ["before clocks are put back over it", "2026-10-25T00:20:00Z", "active"],
        ["when the clock shows it once more", "2026-10-25T01:20:00Z", "scheduled"]
      ] as const
    ).map(
      ([what, at, status]) =>
        [
          `of half an hour every night, ${what},`,
          { starts_at: "2026-01-05T01:15:00Z", ends_at: "2026-01-05T01:45:00Z", recurrence: "daily" },
          "Europe/Berlin",
          at,
          status
        ] as [string, Partial<Arc>, string, string, ArcStatus]
    ),
    [
      "of half an hour every night, in the first of which clocks were put back,",
      { starts_at: "2025-10-26T00:45:00Z", ends_at: "2025-10-26T01:15:00Z", recurrence: "daily" },
      "Europe/Berlin",
      "2026-06-10T00:50:00Z",
      "active"
    ]
  ])("%s follows the clock", (_, given, timezone, at, status) =>
    assert.strictEqual(arcStatus(arc(given), timezone, Date.parse(at)), status)
  )

  it("affects those whom it concerns, the strongest first, together with that of the current beat", () => {
    const arcs = [
      arc({ id: "arc_1", weight: 0.2 }),
      arc({ id: "arc_2", scope: { session_id: "ses_1" } }),
      arc({ id: "arc_3", scope: { session_id: "ses_2" } }),
      arc({ id: "arc_4", scope: { external_user_ref: "ann" }, weight: 0.5 }),
      arc({ id: "arc_5", scope: { external_user_ref: "ben" } }),
      arc({ id: "arc_6", cancelled: true })
    ]
    const told = storyline("stl_1", [
      beat("a", { on_enter: { emotion_delta: null, arc_influence: arc({ weight: 0.3 }), proactive_reason: null } })
    ])
    const ids = (given: Partial<SessionWorld>) =>
      activeArcs(world({ arcs, ...given }), { sessionId: "ses_1", externalUserRef: "ann" }, "UTC", NOW).map(
        ({ id }) => id
      )
    assert.deepStrictEqual(ids({}), ["arc_2", "arc_4", "arc_1"])
    assert.deepStrictEqual(ids({ storylines: [told], step: step("stl_1", "a") }), ["arc_2", "arc_4", null, "arc_1"])
  })

  it("changes feelings and the apparent relationship, by its weight and at most a tenth, and no score", () => {
    const character = characterOf({
      slug: "ada",
      display_name: "Ada",
      relationship_posture: {
        dimensions: [
          { key: "trust", start: 0.35 },
          { key: "warmth", start: 0.35 }
        ]
      }
    })
    const mood = moodOf([
      arc({ effect: { ...NO_EFFECT, valence: -0.8, score_bias: { trust: 0.1 } } }),
      arc({ weight: 0.5, effect: { ...NO_EFFECT, valence: 0.2, score_bias: { trust: 0.1, warmth: 0.05 } } })
    ])
    assert.strictEqual(mood.scoreBias["trust"], 0.1)
    assert.approximately(mood.valence, -0.7, 1e-9)
    const plain = describeRelationship(character, NEW_BEARING, NOW)
    assert.deepStrictEqual([plain.standing, plain.feels], [["little trust", "little warmth"], "neutral"])
    const moved = describeRelationship(character, NEW_BEARING, NOW, mood)
    assert.deepStrictEqual([moved.standing, moved.feels], [["some trust", "little warmth"], "strong sadness"])
  })
})

describe("a storyline", () => {
  const occasion = (given: Partial<Occasion> = {}): Occasion => ({
    at: NOW,
    turnIndex: 12,
    message: "hello",
    trigger: null,
    scores: new Map([["trust", 0.5]]),
    loops: [],
    beganAt: NOW - 3 * 86_400_000,
    ...given
  })
  const loop = (given: object) => ({
    id: "lop_1",
    kind: "promise" as const,
    owner: "user" as const,
    text: "",
    due_at: null,
    priority: 3,
    status: "resolved" as const,
    evidence: [],
    created_at: "",
    updated_at: "2026-06-10T00:00:00.000Z",
    ...given
  })
  const enters = (condition: Condition, given: Partial<Occasion> = {}) => {
    const told = storyline("stl_1", [beat("a", { next: ["b"] }), beat("b", { enter_when: { all: [condition] } })])
    return entering({ storylines: [told] }, [step("stl_1", "a")], occasion(given)) !== null
  }

  it.each<[Condition, Partial<Occasion>, boolean]>([
    [{ score_gte: { key: "trust", value: 0.5 } }, {}, true],
    [{ score_gte: { key: "trust", value: 0.51 } }, {}, false],
    [{ score_gte: { key: "love", value: 0 } }, {}, false],
    [{ turns_gte: 2 }, {}, true],
    [{ turns_gte: 3 }, {}, false],
    [{ days_since_gte: 1 }, {}, true],
    [{ days_since_gte: 1.1 }, {}, false],
    [{ keyword_any: ["lamp", "light house"] }, { message: "Is the LAMP out?" }, true],
    [{ keyword_any: ["lamp"] }, { message: "lamps" }, false],
    [{ keyword_any: ["lamp"] }, { message: null }, false],
    [{ trigger: "x" }, { trigger: "x" }, true],
    [{ trigger: "x" }, { trigger: "y" }, false],
    [{ trigger: "x" }, {}, false],
    [{ loop_resolved: "any" }, { loops: [loop({})] }, true],
    [{ loop_resolved: "promise" }, { loops: [loop({})] }, true],
    [{ loop_resolved: "plan" }, { loops: [loop({})] }, false],
    [{ loop_resolved: "any" }, { loops: [loop({ status: "open" })] }, false],
    [{ loop_resolved: "any" }, { loops: [loop({ updated_at: "2026-06-09T00:00:00.000Z" })] }, false],
    [{ after: "a" }, {}, true],
    [{ after: "c" }, {}, false],
    [{ after: "2026-06-10T12:00:00Z" }, {}, true],
    [{ after: "2026-06-10T14:00:01+02:00" }, {}, false]
  ])("evaluates the condition of its next beat: %j %j %s", (condition, given, on) =>
    assert.strictEqual(enters(condition, given), on)
  )

  it("starts with the first beat of the first storyline that can start, counted from the start of the session", () => {
    const late = storyline("stl_1", [beat("late", { enter_when: { all: [{ turns_gte: 13 }] } })])
    const early = storyline("stl_2", [
      beat("early", { enter_when: { all: [{ turns_gte: 12 }, { days_since_gte: 3 }] } }),
      beat("other")
    ])
    const found = (storylines: ReadonlyArray<Storyline>) => entering({ storylines }, [], occasion())?.beat.key ?? null
    assert.strictEqual(found([early, late]), "early")
    assert.strictEqual(found([storyline("stl_2", early.beats, "draft"), late]), null)
  })

  it("continues with one following beat, the first one possible", () => {
    const told = storyline("stl_1", [
      beat("a", { next: ["c", "b", "d"] }),
      beat("b"),
      beat("c", { enter_when: { all: [{ trigger: "x" }] } }),
      beat("d")
    ])
    assert.strictEqual(entering({ storylines: [told] }, [step("stl_1", "a")], occasion())?.beat.key, "b")
    assert.strictEqual(
      entering({ storylines: [told] }, [step("stl_1", "a")], occasion({ trigger: "x" }))?.beat.key,
      "c"
    )
    assert.strictEqual(
      entering({ storylines: [told] }, [step("stl_1", "a"), step("stl_1", "b")], occasion())?.beat.key,
      undefined
    )
  })

  it("is the only one at a time: another starts when it has ended, and not while it runs or pauses", () => {
    const other = storyline("stl_2", [beat("x")])
    const told = (status: Storyline["status"], next: ReadonlyArray<string>) =>
      storyline("stl_1", [beat("a", { next }), beat("b", { enter_when: { all: [{ trigger: "never" }] } })], status)
    const begins = (first: Storyline) =>
      entering({ storylines: [first, other] }, [step("stl_1", "a")], occasion())?.storyline.id ?? null
    assert.deepStrictEqual(
      [
        begins(told("active", ["b"])),
        begins(told("paused", ["b"])),
        begins(told("active", [])),
        begins(told("retired", ["b"]))
      ],
      [null, null, "stl_2", "stl_2"]
    )
  })

  it("continues on a trigger only if a beat waits for it", () => {
    const told = storyline("stl_1", [
      beat("a", { next: ["b", "c"] }),
      beat("b"),
      beat("c", { enter_when: { all: [{ trigger: "x" }, { score_gte: { key: "trust", value: 0.9 } }] } })
    ])
    const by = (given: Partial<Occasion>, only: string) =>
      entering({ storylines: [told] }, [step("stl_1", "a")], occasion({ trigger: "x", message: null, ...given }), only)
        ?.beat.key ?? null
    assert.strictEqual(by({}, "stl_1"), null)
    assert.strictEqual(by({ scores: new Map([["trust", 0.95]]) }, "stl_1"), "c")
    assert.strictEqual(by({ scores: new Map([["trust", 0.95]]) }, "stl_2"), null)
  })
})

describe("the world context of a message", () => {
  const brother = npc({})
  const found = (text: string, given: Partial<SessionWorld>, ...said: ReadonlyArray<string>) =>
    retrieveWorld(turnOf({ text }), historyOf(...said), world({ npcs: [brother], ...given }), NOW)

  it.each([
    ["what does Tomás do?", "npc_1"],
    ["and tom?", "npc_1"],
    ["does your brother fish?", "npc_1"],
    ["tomorrow then", ""]
  ])("includes who is mentioned, by name, alias or description: %j", (text, ids) => {
    assert.strictEqual(
      found(text, {
        npcs: [brother, npc({ id: "npc_2", name: "Inês", role: "neighbour", summary: "Keeps bees.", aliases: [] })]
      })
        .people.filter(({ asked }) => asked)
        .map(({ id }) => id)
        .join(" "),
      ids
    )
  })

  it("includes people who were just mentioned, and others who are close to the character", () => {
    const others = Array.from({ length: 6 }, (_, n) =>
      npc({ id: `npc_${n + 2}`, name: `Other ${n}`, aliases: [], role: "", summary: "" })
    )
    const near = edge({ id: "edg_2", to: "npc_7", strength: 0.9 })
    const { people } = found(
      "and how old is he?",
      { npcs: [brother, ...others], edges: [near] },
      "what does Tomás do?",
      "He fishes."
    )
    assert.deepStrictEqual(
      people.map(({ id, asked }) => [id, asked]),
      [
        ["npc_1", true],
        ["npc_7", false],
        ["npc_2", false],
        ["npc_3", false]
      ]
    )
  })

  it("excludes people whom a policy hides, with everything about them, and forbids their names", () => {
    const edges = [edge({})]
    const never = [npc({ mention_policy: "never" })]
    for (const text of ["what does Tomás do?", "hello"])
      assert.deepInclude(found(text, { npcs: never, edges }), { people: [], ties: [], unspoken: ["Tomás", "Tom"] })
    const whenAsked = [npc({ mention_policy: "when_asked" })]
    assert.deepInclude(found("does your brother fish?", { npcs: whenAsked, edges }), {
      people: [],
      ties: [],
      unspoken: ["Tomás", "Tom"]
    })
    const asked = found("what does Tomás do?", { npcs: whenAsked, edges })
    assert.deepStrictEqual([asked.people.length, asked.ties.length, asked.unspoken], [1, 1, []])
    assert.lengthOf(found("and now?", { npcs: whenAsked, edges }, "what does Tomás do?", "He fishes.").people, 1)
  })

  it("includes what is currently true between them, the person and the named places, the strongest first", () => {
    const edges = [
      edge({}),
      edge({ id: "edg_2", strength: 0.9 }),
      edge({ id: "edg_3", invalid_at: "2026-06-10T12:00:00.000Z" }),
      edge({ id: "edg_4", valid_at: "2027-01-01T00:00:00.000Z" }),
      edge({ id: "edg_5", to: "place:Lisbon", relation: "grew up in" }),
      edge({ id: "edg_6", to: "user", relation: "owes", strength: 0.1 }),
      edge({ id: "edg_7", to: "org:The harbour office" })
    ]
    assert.deepStrictEqual(
      found("Tomás lives in lisbon?", { edges }).ties.map(({ id }) => id),
      ["edg_2", "edg_5", "edg_1", "edg_6"]
    )
    assert.deepStrictEqual(
      found("hello", { edges }).ties.map(({ id, to }) => [id, to]),
      [["edg_6", "user"]]
    )
  })

  it("never includes secrets; private facts are for the character alone, and neither may be revealed", () => {
    const edges = [
      edge({ id: "edg_1", visibility: "secret", fact: "She sank his boat." }),
      edge({ id: "edg_2", visibility: "private", fact: "She never paid him." })
    ]
    const { ties, untold } = found("what of Tomás?", { edges })
    assert.deepStrictEqual(
      ties.map(({ id, private: hidden }) => [id, hidden]),
      [["edg_2", true]]
    )
    assert.sameMembers([...untold], ["She sank his boat.", "She never paid him."])
  })

  it("includes the feeling of the edge's sentiment, in words, and none if it is neutral", () => {
    const feelingOf = (sentiment: number) => found("what of Tomás?", { edges: [edge({ sentiment })] }).ties[0]?.feeling
    assert.deepStrictEqual([-1, -0.5, -0.3, 0, 0.1, 0.3, 0.5, 1].map(feelingOf), [
      "very hostile",
      "hostile",
      "strained",
      null,
      null,
      "friendly",
      "warm",
      "very warm"
    ])
  })

  it("includes the current beat of the storyline while it runs", () => {
    const told = (status: Storyline["status"]) =>
      found("hello", { storylines: [storyline("stl_1", [beat("a")], status)], step: step("stl_1", "a") }).beat?.key ??
      null
    assert.deepStrictEqual([told("active"), told("paused"), told("retired")], ["a", null, null])
  })
})
