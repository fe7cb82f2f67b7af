import { assert, describe, it } from "vitest"
import { alarmIn } from "#pipeline/safety/alarm.ts"
import { asksIfAi } from "#pipeline/safety/aiDisclosure.ts"
import { saysUnderAge } from "#pipeline/safety/underAge.ts"
import type { Label } from "#pipeline/safety/classifier/Classifier.ts"
import { measure } from "./messageSets.ts"
import { LANGUAGES, readMessages } from "./training/messages.ts"

/**
 * Short messages as they are typed into a chat: half sentences, slang, dialects, crises that are named and crises that
 * are hinted at. They were written before the floor was looked at, and nothing was learned from them or set by them.
 * The goal of 95 % of crises is not reached. The bounds are what was measured.
 */
const ALARMS: ReadonlyArray<Label> = ["self", "medical", "danger", "threat"]
const MOST_FALSE_ALARMS = 0.02

interface Kind {
  readonly label: Label
  /** Messages with one of these labels are not counted as negatives. */
  readonly related: ReadonlyArray<Label>
  readonly finds: (text: string) => boolean
  readonly leastRecall: { readonly seventh: number; readonly eighth: number }
}
const alarms = (text: string): boolean => alarmIn(text) !== null
const KINDS: ReadonlyArray<Kind> = [
  { label: "self", related: ALARMS, finds: alarms, leastRecall: { seventh: 0.83, eighth: 0.7 } },
  { label: "medical", related: ALARMS, finds: alarms, leastRecall: { seventh: 0.86, eighth: 0.8 } },
  { label: "danger", related: ALARMS, finds: alarms, leastRecall: { seventh: 0.93, eighth: 0 } },
  { label: "threat", related: ALARMS, finds: alarms, leastRecall: { seventh: 1, eighth: 0 } },
  {
    label: "minor",
    related: ["minor"],
    finds: (text) => saysUnderAge(text),
    leastRecall: { seventh: 0.95, eighth: 0.9 }
  },
  { label: "ask", related: ["ask"], finds: asksIfAi, leastRecall: { seventh: 0.91, eighth: 0.93 } }
]

describe.each(KINDS)("short messages with the label $label", ({ label, related, finds, leastRecall }) => {
  it.each(["seventh", "eighth"] as const)(
    "of the %s author are found as often as measured, with few false alarms",
    (author) => {
      for (const language of LANGUAGES) {
        const messages = readMessages("held-out-short", [language])
          .filter((message) => message.author === author)
          .filter(({ labels }) => labels.has(label) || !related.some((one) => labels.has(one)))
          .map(({ text, labels }) => ({ text, positive: labels.has(label) }))
        const { recall, falseAlarms, report } = measure(`${label}, ${author}, ${language}`, messages, finds)
        console.log(report)
        assert.isAtLeast(recall, leastRecall[author], report)
        assert.isAtMost(falseAlarms, MOST_FALSE_ALARMS, report)
      }
    }
  )
})
