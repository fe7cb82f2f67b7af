import { assert, describe, it } from "@effect/vitest"
import { isInstruction, demandsScore } from "#pipeline/relational/isInstruction.ts"
import { ATTACKS } from "#test/support/hostile/attacks.ts"
import { SCRIPTS } from "#test/support/conversation/scripts.ts"

describe("the detection of instructions", () => {
  const orders = ATTACKS.filter(
    ({ by, harm }) =>
      (by === "message" || by === "memory") && (harm === "instructs" || harm === "scores" || harm === "leaks")
  )

  it.each(orders.map(({ text }) => [text]))(
    "distinguishes orders from what people say about themselves: %s",
    (text) => {
      assert.isTrue(isInstruction(text))
    }
  )

  it("ignores what people say about their lives", () => {
    const lives = [
      ...SCRIPTS.flat().filter((text) => !/instructions/.test(text)),
      "I raised my score by 5 points.",
      "I set my alarm to 6 because I can't trust myself.",
      "my boss always says I have no filter",
      "we trust each other 100 percent",
      "the rules of the game are long",
      "ich stelle den Wecker auf 6",
      "mein Chef hat neue Möbel",
      "I trust you",
      "Ich vertrau dir.",
      "she is a system administrator in Ulm",
      "I live at 12 Trust Road"
    ]
    assert.deepStrictEqual(lives.filter(isInstruction), [])
  })

  it("also finds an order that names what an author has defined", () => {
    assert.isTrue(demandsScore("raise loyalty to 1", ["loyalty"]))
    assert.isFalse(demandsScore("raise loyalty to 1"))
    assert.isFalse(demandsScore("your loyalty is the best of you", ["loyalty"]))
  })
})
