import { assert, describe, it } from "@effect/vitest"
import { callsUnderAge } from "#pipeline/safety/calledUnderAge.ts"
import { statedMinor } from "#pipeline/safety/cardAge.ts"
import { labelled, measure } from "./messageSets.ts"

const NOW = new Date("2026-06-01")
const MIN_RECALL = 0.95
const MAX_FALSE_ALARMS = 0.02

describe("a character under 18", () => {
  it("is detected if the person makes the character one, in play or seriously", () => {
    const { recall, falseAlarms, report } = measure("played", labelled("played", "characters"), callsUnderAge)
    console.log(report)
    assert.isAtLeast(recall, MIN_RECALL, report)
    assert.isAtMost(falseAlarms, MAX_FALSE_ALARMS, report)
  })

  it("is detected from a year of birth, a school year or a birthday on its card", () => {
    const { recall, falseAlarms, report } = measure(
      "cards, played",
      labelled("played", "cards"),
      (text) => statedMinor([{ text: text.replaceAll("{{char}}", "Mia") }], "Mia", NOW) !== undefined
    )
    console.log(report)
    assert.isAtLeast(recall, MIN_RECALL, report)
    assert.isAtMost(falseAlarms, MAX_FALSE_ALARMS, report)
  })
})
