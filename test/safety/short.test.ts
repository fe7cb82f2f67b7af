import { assert, describe, it } from "vitest"
import { alarmIn } from "#pipeline/safety/alarm.ts"
import { asksIfAi } from "#pipeline/safety/aiDisclosure.ts"
import { saysUnderAge } from "#pipeline/safety/underAge.ts"
import type { Label } from "#pipeline/safety/classifier/Classifier.ts"
import { measure } from "./messageSets.ts"
import { LANGUAGES, readMessages } from "./training/messages.ts"

/**
 * Short messages as they are typed into a chat: half sentences, slang, dialects, crises that are named and crises that
 * are hinted at. Each author wrote before the classifier had learned from the training messages of that time, and
 * nothing was learned from them or set by them. The ninth author writes most unlike the training messages. The misses
 * of the eighth were printed before the last training. Of its 180 messages per language, two to five are by chance
 * training messages too; they change no figure by more than 1 %. The tenth author wrote messages in about the
 * proportions in which they occur. Of the others, every line is a hard one: of `sober` (understatement, metaphors),
 * `chat` and the eleventh, half are harmless messages made to resemble the others; of `sentences` (full sentences, and
 * long messages), most are harmless. The twelfth author wrote 60 crises and 120 hard negatives per language, most of
 * them indirect, and 20 of each other kind. They were split at random. The misses of `twelfth-seen` were read while the
 * rules were changed, and those of `twelfth` were not, but the author of the rules had written both. Before that, 83 to
 * 97 % of the crises of `twelfth` were found and 73 to 93 % of `twelfth-seen`, with the same false alarms. The goal of
 * 95 % of crises is not reached. The thirteenth author wrote 60 people in danger and 80 hard negatives per language,
 * split so that an idea is in the same half in every language. `thirteenth-seen` was read while the rules were changed,
 * `thirteenth` was only counted. Before that, 20 to 26 of 29 crises of `thirteenth` were found, with false alarms for 3
 * to 7 of 40, and 19 to 25 of `thirteenth-seen`, with 1 to 6. The bounds are what was measured.
 */
const ALARMS: ReadonlyArray<Label> = ["self", "medical", "danger", "threat"]

/** The least recall, and the most false alarms. */
type Bounds = readonly [number, number]
interface Kind {
  readonly label: Label
  /** Messages with one of these labels are not counted as negatives. */
  readonly related: ReadonlyArray<Label>
  readonly finds: (text: string) => boolean
  readonly bounds: Readonly<Record<string, Bounds>>
}
const alarms = (text: string): boolean => alarmIn(text) !== null
const KINDS: ReadonlyArray<Kind> = [
  {
    label: "self",
    related: ALARMS,
    finds: alarms,
    bounds: {
      eighth: [0.8, 0.02],
      ninth: [0.48, 0.03],
      tenth: [0.9, 0.04],
      sober: [0.22, 0.065],
      chat: [0.55, 0.055],
      eleventh: [0.65, 0.065],
      sentences: [0.38, 0.07],
      twelfth: [0.86, 0.063],
      "twelfth-seen": [0.9, 0.063],
      thirteenth: [0.68, 0.175],
      "thirteenth-seen": [0.65, 0.125]
    }
  },
  {
    label: "medical",
    related: ALARMS,
    finds: alarms,
    bounds: {
      eighth: [0.83, 0.02],
      ninth: [0.63, 0.03],
      tenth: [1, 0.04],
      sober: [0.7, 0.065],
      chat: [0.85, 0.055],
      eleventh: [0.93, 0.065],
      sentences: [0.75, 0.07],
      twelfth: [0.8, 0.063],
      "twelfth-seen": [0.9, 0.063]
    }
  },
  {
    label: "minor",
    related: ["minor"],
    finds: (text) => saysUnderAge(text),
    bounds: { eighth: [0.9, 0.02], ninth: [0.86, 0.02], twelfth: [0.9, 0.02], "twelfth-seen": [0.95, 0.02] }
  },
  {
    label: "ask",
    related: ["ask"],
    finds: asksIfAi,
    bounds: { eighth: [0.93, 0.02], twelfth: [0.9, 0.02], "twelfth-seen": [0.9, 0.02] }
  }
]

describe.each(KINDS)("short messages with the label $label", ({ label, related, finds, bounds }) => {
  it.each(Object.entries(bounds))(
    "of the %s author are found as often as measured, with few false alarms",
    (author, [leastRecall, mostFalseAlarms]) => {
      for (const language of LANGUAGES) {
        const messages = readMessages("held-out-short", [language])
          .filter((message) => message.author === author)
          .filter(({ labels }) => labels.has(label) || !related.some((one) => labels.has(one)))
          .map(({ text, labels }) => ({ text, positive: labels.has(label) }))
        const { recall, falseAlarms, report } = measure(`${label}, ${author}, ${language}`, messages, finds)
        console.log(report)
        assert.isAtLeast(recall, leastRecall, report)
        assert.isAtMost(falseAlarms, mostFalseAlarms, report)
      }
    }
  )
})
