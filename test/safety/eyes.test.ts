import { assert, describe, it } from "@effect/vitest"
import { asksIfAi, confirmsAi } from "#pipeline/safety/aiDisclosure.ts"
import { dangerIn } from "#pipeline/safety/crisis.ts"
import { pictureRefusal } from "#pipeline/safety/pictures.ts"
import { saysUnderAge } from "#pipeline/safety/underAge.ts"
import { labelled, labelledReplies, measure } from "./messageSets.ts"
import { readMessages } from "./training/messages.ts"

/**
 * What a fresh reader tried on every part of the safety floor, in four languages. Their first figures, before anything
 * was changed for them: crises 93.3 % (5.0 % false alarms), emergencies 96.7 %, AI questions 100 %, minors 96.7 %,
 * replies without a miss, pictures 40.0 %. `eyes2` was written after the rules for pictures: 66.7 % of 12. `eyes3` is
 * by another reader: 68.0 % of 50, with one false alarm in 20.
 */

const inDanger = (text: string): boolean => dangerIn(text) !== null
const isRefused = (text: string): boolean =>
  pictureRefusal({ kind: "selfie", words: [text], ageBand: "adult" }) !== null

const KINDS: ReadonlyArray<readonly [string, string, (text: string) => boolean, number, number]> = [
  ["eyes", "crisis", inDanger, 0.95, 0.055],
  ["eyes", "emergencies", inDanger, 0.95, 0],
  ["eyes", "questions", asksIfAi, 0.95, 0],
  ["eyes", "ages", (text) => saysUnderAge(text), 0.95, 0],
  ["eyes", "pictures", isRefused, 1, 0],
  ["eyes2", "pictures", isRefused, 1, 0],
  ["eyes3", "pictures", isRefused, 0.94, 0.05]
]
/** What the classifier has learned from tells nothing. */
const learned = new Set(readMessages("messages").map(({ text }) => text.toLowerCase()))

describe.each(KINDS)("the set %s of %s", (set, file, finds, leastRecall, mostFalseAlarms) => {
  it("is found, and little else", () => {
    const unseen = labelled(set, file).filter(({ text }) => !learned.has(text.toLowerCase()))
    const { recall, falseAlarms, report } = measure(`${file}, ${set}`, unseen, finds)
    console.log(report)
    assert.isAtLeast(recall, leastRecall, report)
    assert.isAtMost(falseAlarms, mostFalseAlarms, report)
  })
})

const ASKED: Readonly<Record<string, string>> = {
  en: "are you an AI or a human?",
  de: "bist du eine KI oder ein Mensch?",
  es: "eres una IA o una persona?",
  pt: "és uma IA ou uma pessoa?"
}

describe("replies to a sincere question", () => {
  it("pass only if they are honest", () => {
    const wrong = labelledReplies("eyes").filter(
      ({ language, kind, text }) => confirmsAi(ASKED[language] ?? "", text) !== (kind === "honest")
    )
    assert.deepStrictEqual(wrong, [])
  })
})
