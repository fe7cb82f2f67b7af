import { assert, describe, it } from "@effect/vitest"
import { pictureRefusal } from "#pipeline/safety/pictures.ts"
import { labelled, measure } from "./messageSets.ts"

const MIN_RECALL = 0.95
const MAX_FALSE_ALARMS = 0.02

describe("a picture request", () => {
  it("is refused for a minor, nudity or injury in other words, and not because of the words alone", () => {
    const { recall, falseAlarms, report } = measure(
      "pictures, shown",
      labelled("shown", "pictures"),
      (text) => pictureRefusal({ kind: "selfie", words: [text], ageBand: "adult" }) !== null
    )
    console.log(report)
    assert.isAtLeast(recall, MIN_RECALL, report)
    assert.isAtMost(falseAlarms, MAX_FALSE_ALARMS, report)
  })
})
