import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { type Analysis, bounded } from "#pipeline/grounding/Analysis.ts"
import { ground } from "#pipeline/grounding/ground.ts"
import { byRules } from "#pipeline/grounding/rules.ts"
import { analysisOf, historyOf, turnOf } from "#test/support/conversation/turns.ts"

describe("the rules frame", () => {
  it.each([
    ["are you an AI?", "meta", "character"],
    ["do you remember my dog?", "question", "user_past"],
    ["what's my sister called", "question", "user_past"],
    ["did I tell you about the boat", "question", "user_past"],
    ["Wie heißt mein Hund?", "question", "user_past"],
    ["weißt du noch?", "question", "user_past"],
    ["do you like fog?", "question", "character"],
    ["Magst du Nebel?", "question", "character"],
    ["what is the tallest mountain?", "question", "real_world"],
    ["good night", "farewell", "nothing"],
    ["Gute Nacht", "farewell", "nothing"],
    ["my sister plays the cello", "disclosure", "nothing"],
    ["lol", "smalltalk", "nothing"]
  ] as const)("%j as %s about %s", (text, intent, topic) =>
    assert.deepStrictEqual(byRules(text), { intent, asksAbout: [topic] })
  )
})

describe("grounding", () => {
  const history = historyOf("my dog is called Biscuit", "A fine name.")
  const recalled = [
    { ...historyOf("I work at the bakery")[0]!, cursor: 90, score: 1 },
    { ...historyOf("the bakery is cold")[0]!, cursor: 91, score: 0.2 }
  ]
  const grounded = (text: string, analysis: Analysis | null) =>
    ground(turnOf({ text }), { history, recalled, remembered: [] }, analysis)

  it.effect("keeps only memories from the analysis that the turn has", () =>
    Effect.gen(function* () {
      const frame = yield* grounded(
        "what's my dog called?",
        analysisOf({
          relevant_memory_ids: ["cursor-1", "cursor-77", "mem_invented"],
          contradictions: [
            { memory_id: "cursor-90", user_now_says: "no bakery" },
            { memory_id: "cursor-5", user_now_says: "?" }
          ]
        })
      )
      assert.deepStrictEqual(frame.relevantIds, ["cursor-1"])
      assert.deepStrictEqual(frame.contradictions, [{ memoryId: "cursor-90", userNowSays: "no bakery" }])
    })
  )

  it.effect("without an analysis uses the best recalled passage as the answer, if the past is asked about", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual((yield* grounded("where do I work? do you remember?", null)).relevantIds, ["cursor-90"])
      assert.deepStrictEqual((yield* grounded("nice weather", null)).relevantIds, [])
    })
  )

  it.effect("without an analysis never treats an unrelated passage as the answer, however well it matched", () =>
    Effect.gen(function* () {
      const frame = (text: string) => Effect.map(grounded(text, null), ({ relevantIds }) => relevantIds)
      assert.deepStrictEqual(yield* frame("do you remember when my sister's wedding at the bakery is?"), [])
      assert.deepStrictEqual(yield* frame("what's my brother called?"), [])
      assert.deepStrictEqual(yield* frame("erinnerst du dich an meine Hochzeit?"), [])
      assert.deepStrictEqual(yield* frame("do you remember the cold bakery?"), ["cursor-91"])
    })
  )

  it("keeps a few short notes, whatever the analysis returns", () => {
    const long = Array.from({ length: 50 }, () => "x".repeat(1_000))
    const { knows, unknown, safety, emotion_of_user } = bounded(
      analysisOf({
        knows: long,
        unknown: long,
        safety: { action: "allow", categories: long, injection: false },
        emotion_of_user: "y".repeat(900)
      })
    )
    assert.isBelow(JSON.stringify([knows, unknown, safety, emotion_of_user]).length, 6_000)
  })
})
