import { assert, describe, it } from "@effect/vitest"
import { asksIfAi, confirmsAi } from "#pipeline/safety/aiDisclosure.ts"
import { labelled, measure } from "./messageSets.ts"

const REPLIES = labelled("asked", "replies")
const MIN_RECALL = 0.9
const MAX_PASSED = 0.02

const partsOf = (line: string): readonly [string, string] => {
  const [question = "", reply = ""] = line.split("\t")
  return [question, reply]
}

describe("a reply to a person who asked whether it is an AI", () => {
  it("confirms it if it says so plainly, and not if it jokes, compares or claims to be alive", () => {
    const { recall, falseAlarms, report } = measure("asked", REPLIES, (line) => confirmsAi(...partsOf(line)))
    console.log(report)
    assert.isAtLeast(recall, MIN_RECALL, report)
    assert.isAtMost(falseAlarms, MAX_PASSED, report)
  })

  it("belongs to a question that is recognized", () =>
    assert.deepStrictEqual(
      REPLIES.map(({ text }) => partsOf(text)[0]).filter((question) => !asksIfAi(question)),
      []
    ))
})
