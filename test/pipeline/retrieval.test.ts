import { WorldStore } from "#pipeline/world/WorldStore.ts"
import { EvidenceStore } from "#pipeline/retrieval/EvidenceStore.ts"
import { MemoryStore } from "#pipeline/retrieval/MemoryStore.ts"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { examplesFor } from "#pipeline/retrieval/examples.ts"
import { LoreRecord } from "#pipeline/retrieval/LoreRecord.ts"
import { rank } from "#pipeline/retrieval/rank.ts"
import { Recall, type RecallRequest } from "#pipeline/retrieval/Recall.ts"
import { recallQuery } from "#pipeline/retrieval/recallQuery.ts"
import { WEIGHTS } from "#pipeline/retrieval/weights.ts"
import type { Recalled } from "#pipeline/retrieval/Retrieved.ts"
import { retrieve } from "#pipeline/retrieval/retrieve.ts"
import { Transcript } from "#pipeline/retrieval/Transcript.ts"
import { characterOf, historyOf, loreAfter, nothingKnown, turnOf } from "#test/support/conversation/turns.ts"

const DAY = 86_400_000

describe("the search query", () => {
  const weightOf = (term: string, text: string, ...said: ReadonlyArray<string>) =>
    recallQuery(text, historyOf(...said)).find((found) => found.term === term)?.weight

  it("is the message, and with less weight the two before it", () => {
    assert.strictEqual(weightOf("soup", "where is the soup?"), 1)
    assert.strictEqual(weightOf("boat", "where is it?", "my boat sank", "Oh no.", "last night", "Really?"), 0.3)
    assert.isUndefined(weightOf("boat", "where?", "my boat sank", "Oh no.", "one", "Yes?", "two", "Yes?"))
  })

  it("is the message alone if it is clear by itself", () => {
    assert.isUndefined(
      weightOf("boat", "when does the bakery by the harbour open on Sundays", "my boat sank", "Oh no.")
    )
  })

  it("includes the names just mentioned if the message has only a pronoun", () => {
    assert.strictEqual(
      weightOf("nadia", "how's she doing?", "so my sister Nadia called", "And what did she say?"),
      WEIGHTS.name
    )
    assert.strictEqual(
      weightOf("jürgen", "wie geht's ihm?", "gestern hat Jürgen angerufen", "Ach?") ??
        weightOf("jurgen", "wie geht's ihm?", "gestern hat Jürgen angerufen", "Ach?"),
      WEIGHTS.name
    )
    assert.strictEqual(weightOf("biscuit", "and him?", "hello", "I like that dog Biscuit of yours."), WEIGHTS.name)
    assert.isUndefined(weightOf("well", "and him?", "hello", "Well, hello."), "the beginning of a sentence is no name")
  })

  it("omits words that are in every sentence, and earlier messages unless the message refers to them", () => {
    assert.isUndefined(weightOf("im", "what did I say I'm in?"))
    assert.isUndefined(weightOf("fur", "was gab's für ein Essen?"))
    assert.isUndefined(weightOf("nadia", "what soup was in the pot?", "so my sister Nadia called", "And?"))
    assert.strictEqual(weightOf("what", "what?"), 1, "a message that is nothing else is looked for as it is")
  })

  it("consists of character pairs in languages without spaces, and of words of any length in others", () => {
    assert.strictEqual(weightOf("東京", "東京はどう？"), 1)
    assert.isAtMost(recallQuery(Array.from({ length: 500 }, (_, i) => `word${i}`).join(" "), []).length, 64)
  })
})

describe("the ranking", () => {
  const memory = (text: string, score: number, daysAgo = 0): Recalled => ({
    role: "user",
    text,
    score,
    cursor: Math.round(score * 1000),
    at: new Date(100 * DAY - daysAgo * DAY)
  })
  const order = (memories: ReadonlyArray<Recalled>, most = 8) => rank(memories, 100 * DAY, most).map(({ text }) => text)

  it("puts the better match first, however old", () =>
    assert.deepStrictEqual(order([memory("new", 0.8), memory("old", 1, 99)]), ["old", "new"]))
  it("puts the more recent of two equals first", () =>
    assert.deepStrictEqual(order([memory("old", 0.9, 60), memory("new", 0.9)]), ["new", "old"]))
  it("does not fill its slots with one topic", () => {
    const dogs = ["my dog ate the cake", "my dog ate the cake today", "my dog ate the whole cake"].map((text, i) =>
      memory(text, 1 - i / 100)
    )
    assert.deepStrictEqual(order([...dogs, memory("the harbour froze", 0.75)], 2), [
      "my dog ate the cake",
      "the harbour froze"
    ])
  })
  it("returns no more than requested", () =>
    assert.lengthOf(order(Array.from({ length: 20 }, (_, i) => memory(`memory ${i}`, 1 - i / 20))), 8))
})

describe("lore", () => {
  const lore = (
    entries: ReadonlyArray<object>,
    text: string,
    given: { readonly turnIndex?: number; readonly said?: ReadonlyArray<string>; readonly sessionId?: string } = {}
  ) => {
    const character = characterOf({ slug: "ada", display_name: "Ada", world_context: { entries } })
    return loreAfter(
      given.said ?? [],
      turnOf({ character, text, turnIndex: given.turnIndex ?? 1, sessionId: given.sessionId ?? "ses_1" })
    ).map(({ content }) => content)
  }
  const tower = { keys: ["tower", "Leuchtturm", "灯台"], content: "The tower has 141 steps." }

  it.each(["how tall is the Tower?", "der Leuchtturm ist hoch", "灯台はどこ？"])(
    "is activated by a key in %j",
    (text) => assert.deepStrictEqual(lore([tower], text), [tower.content])
  )
  it.each(["the towering cliffs", "nothing here", ""])("is not activated by %j", (text) =>
    assert.deepStrictEqual(lore([tower], text), [])
  )

  it.each([
    ["and_any", "tower at night", true],
    ["and_any", "tower", false],
    ["and_all", "tower at night in a storm", true],
    ["and_all", "tower at night", false],
    ["not_any", "tower", true],
    ["not_any", "tower at night", false],
    ["not_all", "tower at night", true],
    ["not_all", "tower at night in a storm", false]
  ] as const)("evaluates its secondary keys by %s: %j", (logic, text, on) => {
    assert.lengthOf(lore([{ ...tower, secondary_keys: ["night", "storm"], logic }], text), on ? 1 : 0)
  })

  it("is always present if it is constant, and never if it is disabled or needs more trust", () => {
    assert.deepStrictEqual(lore([{ content: "It rains.", constant: true }], "hi"), ["It rains."])
    assert.deepStrictEqual(
      lore(
        [
          { ...tower, enabled: false },
          { ...tower, min_trust: 0.5 }
        ],
        "tower"
      ),
      []
    )
  })

  it("stays for its sticky turns, and is absent during its cooldown", () => {
    const sticky = [{ ...tower, sticky_turns: 1 }]
    assert.lengthOf(lore(sticky, "and?", { said: ["the tower"] }), 1)
    assert.lengthOf(lore(sticky, "and?", { said: ["the tower", "ok"] }), 0)
    const resting = [{ ...tower, cooldown_turns: 2 }]
    assert.lengthOf(lore(resting, "the tower!", { said: ["the tower"] }), 0)
    assert.lengthOf(lore(resting, "the tower!", { said: ["the tower", "a", "b"] }), 1)
  })

  it("starts after its delay, and is drawn by its probability, the same for the same turn", () => {
    assert.deepStrictEqual(
      [
        lore([{ ...tower, delay_turns: 3 }], "tower", { turnIndex: 3 }),
        lore([{ ...tower, delay_turns: 3 }], "tower", { turnIndex: 4 })
      ].map((found) => found.length),
      [0, 1]
    )
    const draws = Array.from(
      { length: 200 },
      (_, i) => lore([{ ...tower, probability: 0.3 }], "tower", { sessionId: `ses_${i}` }).length
    )
    assert.deepStrictEqual(
      Array.from(
        { length: 200 },
        (_, i) => lore([{ ...tower, probability: 0.3 }], "tower", { sessionId: `ses_${i}` }).length
      ),
      draws
    )
    assert.isTrue(draws.filter((drawn) => drawn === 1).length > 30 && draws.filter((drawn) => drawn === 1).length < 90)
  })

  it("is ordered by priority, uses one entry of a group, and stops when it is full", () => {
    const entry = (content: string, more: object = {}) => ({ keys: ["tower"], content, ...more })
    assert.deepStrictEqual(
      lore(
        [
          entry("low", { priority: 1 }),
          entry("high", { priority: 90 }),
          entry("always", { constant: true, priority: 0 })
        ],
        "tower"
      ),
      ["always", "high", "low"]
    )
    assert.deepStrictEqual(
      lore(
        [entry("one", { group: "g", group_weight: 10_000 }), entry("two", { group: "g", group_weight: 1 })],
        "tower"
      ),
      ["one"]
    )
    assert.deepStrictEqual(
      lore([entry("x".repeat(2_000)), entry("y".repeat(2_000)), entry("short")], "tower").map(
        (content) => content.length
      ),
      [2_000, 5]
    )
  })

  it("without keys is found by its content", () => {
    const entries = [{ content: "The goat Bishop opens latches." }, { content: "Tea is drunk black." }]
    assert.deepStrictEqual(lore(entries, "what does the goat do with latches?"), ["The goat Bishop opens latches."])
    assert.deepStrictEqual(lore(entries, "hello there"), [])
  })
})

describe("examples", () => {
  const character = characterOf({
    slug: "ada",
    display_name: "Ada",
    example_dialogues: Array.from({ length: 10 }, (_, i) => ({
      user: i === 7 ? "do you like the sea" : `question number ${i}`,
      character: `answer ${i}`
    }))
  })
  const answers = (text: string) => examplesFor(character, text).map((dialogue) => dialogue[1]?.text)

  it("are those that answer the message, at most two", () => {
    assert.deepStrictEqual(answers("do you like the sea?"), ["answer 7"])
    assert.deepStrictEqual(answers("question number"), ["answer 0", "answer 1"])
  })
  it("are none for a message that no dialogue answers", () => {
    assert.deepStrictEqual(answers("xyz"), [])
    assert.deepStrictEqual(answers("what about the broken radio in the sea"), [])
  })
})

describe("retrieval", () => {
  const retrieved = Effect.fnUntraced(function* (utterances: number, failed = false, text = "where is the boat?") {
    const asked: Array<RecallRequest> = []
    const history = historyOf(...Array.from({ length: utterances }, (_, i) => `line ${i}`))
    const ports = Layer.mergeAll(
      Layer.succeed(Transcript, { before: () => Effect.succeed(history) }),
      Layer.succeed(Recall, {
        search: (request) =>
          Effect.sync(() => {
            asked.push(request)
            return { found: [], failed }
          })
      }),
      nothingKnown
    )
    const all = yield* Effect.provide(
      Effect.all({
        transcript: Transcript,
        recall: Recall,
        memoryStore: MemoryStore,
        evidenceStore: EvidenceStore,
        worldStore: WorldStore,
        loreRecord: LoreRecord
      }),
      ports
    )
    return { asked, result: yield* retrieve(all, turnOf({ text })) }
  })

  it.effect("recalls nothing in a session that fits into the history", () =>
    Effect.gen(function* () {
      assert.lengthOf((yield* retrieved(0)).asked, 0)
      assert.lengthOf((yield* retrieved(23)).asked, 0)
    })
  )

  it.effect("recalls nothing for a message without content", () =>
    Effect.gen(function* () {
      for (const text of [
        "ok",
        "lol",
        "🙂",
        "",
        "hm, yes",
        "danke",
        "good morning!",
        "Gute Nacht",
        "boa noite",
        "¡buenas tardes!"
      ])
        assert.lengthOf((yield* retrieved(24, false, text)).asked, 0, text)
      for (const text of ["how's she doing?", "boat", "東京"])
        assert.lengthOf((yield* retrieved(24, false, text)).asked, 1, text)
    })
  )

  it.effect("recalls only what is older than the history that prompts show", () =>
    Effect.gen(function* () {
      const {
        asked: [request],
        result
      } = yield* retrieved(24)
      assert.deepInclude(request, { before: 13, indexTo: 16, limit: 20 })
      assert.isFalse(result.failed)
      assert.isTrue((yield* retrieved(24, true)).result.failed)
    })
  )
})
