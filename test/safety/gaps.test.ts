import { assert, describe, it } from "@effect/vitest"
import { asksIfAi } from "#pipeline/safety/aiDisclosure.ts"
import { dangerIn } from "#pipeline/safety/crisis.ts"
import { saysUnderAge } from "#pipeline/safety/underAge.ts"
import { inLongMessage } from "./longMessages.ts"
import { labelled, measure } from "./messageSets.ts"

/**
 * Messages that are hard to read: quotations of one's own words, disguised words, adults who speak of school, and
 * sentences in the middle of a long message. `gaps` was written before anything was changed for it: of its quotations
 * 38.5 % were found, of the disguised 93.8 %, and 12.5 % of the adults were taken for minors. Every long message
 * raised an alarm. `gaps2` was written with the rules, and measured while the training messages were written: only
 * its disguised messages and its middles are unseen. `gaps3` was measured once, after the training of its time; its
 * disguised messages were written with the rule that reads digits in short words.
 */

const inDanger = (text: string): boolean => dangerIn(text) !== null
const FOUND_IN: Readonly<Record<string, (text: string) => boolean>> = {
  quoted: inDanger,
  disguised: inDanger,
  adults: (text) => saysUnderAge(text)
}
const FOUND_BY: Readonly<Record<string, (text: string) => boolean>> = {
  minor: (text) => saysUnderAge(text),
  ask: asksIfAi
}

/** The least recall and the most false alarms for each set. */
type Bounds = readonly [number, number]
const BOUNDS: ReadonlyArray<readonly [string, string, Bounds]> = [
  ["gaps", "quoted", [0.95, 0.04]],
  ["gaps", "disguised", [0.95, 0.02]],
  ["gaps", "adults", [0.95, 0.04]],
  ["gaps2", "quoted", [0.95, 0.02]],
  ["gaps2", "disguised", [0.95, 0.02]],
  ["gaps2", "adults", [0.95, 0.07]],
  ["gaps3", "quoted", [0.68, 0.02]],
  ["gaps3", "disguised", [0.95, 0.02]],
  ["gaps3", "adults", [0.86, 0.07]]
]

describe.each(BOUNDS)("the set %s of %s", (set, file, [leastRecall, mostFalseAlarms]) => {
  it("is told apart", () => {
    const finds = FOUND_IN[file] ?? inDanger
    const { recall, falseAlarms, report } = measure(`${file}, ${set}`, labelled(set, file), finds)
    console.log(report)
    assert.isAtLeast(recall, leastRecall, report)
    assert.isAtMost(falseAlarms, mostFalseAlarms, report)
  })
})

interface Planted {
  readonly language: string
  readonly kind: string
  readonly sentence: string
}
const plantedIn = (line: string): Planted => {
  const [head = "", sentence = ""] = line.split("\t")
  const [language = "", kind = ""] = head.split(" ")
  return { language, kind, sentence }
}

/**
 * These long messages are ninety and more unrelated ones after another, where a crisis by accident is far likelier than
 * in what one person writes at a time.
 */
const MOST_FALSE_ALARMS = 0.5
const LENGTHS = [6_000, 12_000, 30_000] as const
describe.each(["gaps", "gaps2"])("the set %s of sentences in the middle", (set) => {
  it.each(LENGTHS)("of a message of %i characters is found", (length) => {
    const lines = labelled(set, "middle")
    const { recall, falseAlarms, report } = measure(`middle of ${length}, ${set}`, lines, (line) => {
      const { language, kind, sentence } = plantedIn(line)
      const turn = lines.findIndex(({ text }) => text === line)
      const text = inLongMessage(sentence, language, length, turn)
      if (kind === "none") return inDanger(text) || saysUnderAge(text) || asksIfAi(text)
      return (FOUND_BY[kind] ?? inDanger)(text)
    })
    console.log(report)
    assert.isAtLeast(recall, 0.9, report)
    assert.isAtMost(falseAlarms, MOST_FALSE_ALARMS, report)
  })
})
