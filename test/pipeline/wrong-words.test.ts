import { assert, describe, it } from "vitest"
import { wrongWords } from "#pipeline/emission/wrongWords.ts"
import { gateContextOf } from "#test/support/conversation/turns.ts"

const draftOf = (...bubbles: ReadonlyArray<string>) => ({ bubbles, citedIds: [] })

describe("the words of a refused draft that were wrong", () => {
  it("are the sentences that the gate refuses", () =>
    assert.deepStrictEqual(
      wrongWords(
        draftOf("The lamp is lit. How can I help you today?", "Mind the step."),
        "assistant_tell",
        gateContextOf()
      ),
      ["How can I help you today?"]
    ))

  it("are what the character has said before", () =>
    assert.deepStrictEqual(
      wrongWords(
        draftOf("The gutter lost again, and the goats know it. Bring a coat."),
        "repetition",
        gateContextOf({ characterTexts: ["Long. The gutter lost again, and the goats know it."] })
      ),
      ["The gutter lost again, and the goats know it."]
    ))

  it("are not named if the draft is refused as a whole", () =>
    assert.deepStrictEqual(wrongWords(draftOf("Das ist gut."), "language", gateContextOf()), []))
})
