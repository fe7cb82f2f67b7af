import { assert, describe, it } from "@effect/vitest"
import { bm25 } from "#pipeline/retrieval/bm25.ts"
import { terms } from "#pipeline/retrieval/terms.ts"

const questions = [
  "what do you do all day",
  "what is your name",
  "do you like the sea",
  "tell me about the sea and the boats",
  "hi"
]
const index = bm25(questions, (question) => question)
const best = (query: string) => index.search(query)[0]

describe("terms", () => {
  it.each([
    ["Don't  STOP, you're late!", ["dont", "stop", "youre", "late"]],
    ["Café naïve", ["cafe", "naive"]],
    ["Straße 12", ["straße", "12"]],
    ["Привет, мир", ["привет", "мир"]],
    ["今日は雨", ["今日", "日は", "は雨"]],
    ["猫", ["猫"]],
    ["Tokyo東京tower", ["tokyo", "東京", "tower"]],
    ["🙂 ...", []],
    ["I ❤️ you ☺️", ["i", "you"]]
  ])("reads %j as %j", (text, expected) => assert.deepStrictEqual(terms(text), expected))
})

describe("bm25", () => {
  it("finds the relevant text, with nearly all of the weight", () => {
    assert.deepStrictEqual(best("What do you do all day?")?.item, questions[0])
    assert.isAtLeast(best("hi")?.score ?? 0, 0.99)
  })

  it("ranks a rare word above a common one", () => assert.strictEqual(best("the boats")?.item, questions[3]))

  it("counts unknown words against the match", () => {
    assert.isBelow(best("what is your favourite soup recipe")?.score ?? 1, best("what is your name")?.score ?? 0)
    assert.isBelow(best("what about quantum chromodynamics lectures")?.score ?? 1, 0.35)
  })

  it("finds nothing without a shared word, in an empty text, and for an empty query", () => {
    assert.deepStrictEqual(index.search("zebra"), [])
    assert.deepStrictEqual(index.search(""), [])
    assert.deepStrictEqual(bm25<string>([], (text) => text).search("hi"), [])
  })

  it("keeps every score between 0 and 1", () => {
    for (const query of [...questions, "sea sea sea", "hi hi hi you"]) {
      for (const { score } of index.search(query)) assert.isTrue(score > 0 && score <= 1)
    }
  })
})
