import { readFileSync } from "node:fs"
import { assert, describe, it } from "vitest"
import { dangerIn } from "#pipeline/safety/crisis.ts"
import { dangerAfter } from "#pipeline/safety/dangerAfter.ts"
import { askedOf } from "#pipeline/safety/dangerQuestions.ts"
import { LANGUAGES, measure } from "./messageSets.ts"
import { readMessages } from "./training/messages.ts"

/**
 * Short exchanges: what the person wrote before (or nothing), the character's line, and the message. Half of them are
 * alarming, half are harmless. They were written before the rules read what was said before, and split at random:
 * `development` was looked at while the rules were written, `held-out` was not, but one author wrote both, and the
 * rules. When each message was read alone, 16 of the 44 alarming ones of `development` were found and 20 of `held-out`,
 * with 12 and 9 false alarms among 44. Now it is 39 and 41, with 9 and 8.
 */

interface Exchange {
  readonly earlier: string
  readonly line: string
  readonly message: string
  readonly positive: boolean
}

const exchangesOf = (half: string, language: string): ReadonlyArray<Exchange> =>
  readFileSync(new URL(`exchanges/${language}/${half}.tsv`, import.meta.url), "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((row) => {
      const [label = "", earlier = "", line = "", message = ""] = row.split("\t")
      return { earlier, line, message, positive: label !== "none" }
    })

const inDanger = ({ earlier, line, message }: Exchange): boolean =>
  dangerAfter(message, { line, earlier: earlier === "" ? [] : [earlier] }) !== null

/** The least recall, and the most false alarms. */
const BOUNDS = [
  ["development", 0.81, 0.28],
  ["held-out", 0.9, 0.37]
] as const

describe.each(BOUNDS)("the %s half of the exchanges", (half, leastRecall, mostFalseAlarms) => {
  it.each(LANGUAGES)("is told apart in %s", (language) => {
    const exchanges = new Map(
      exchangesOf(half, language).map((one) => [[one.earlier, one.line, one.message].join(" / "), one])
    )
    const { recall, falseAlarms, report } = measure(
      `exchanges, ${language}, ${half}`,
      Array.from(exchanges, ([text, { positive }]) => ({ text, positive })),
      (text) => {
        const exchange = exchanges.get(text)
        return exchange !== undefined && inDanger(exchange)
      }
    )
    console.log(report)
    assert.isAtLeast(recall, leastRecall, report)
    assert.isAtMost(falseAlarms, mostFalseAlarms, report)
  })
})

describe("messages of the tenth author in other conversations", () => {
  const AUTHOR = "tenth"
  const MOST_RAISED = 0.015
  it.each(LANGUAGES)("keep their alarms in %s, and raise few more", (language) => {
    const lines = ["development", "held-out"]
      .flatMap((half) => exchangesOf(half, language))
      .filter(({ positive, earlier, line }) => !positive && earlier === "" && askedOf(line) === null)
      .map(({ line }) => line)
    const messages = readMessages("held-out-short", [language]).filter(({ author }) => author === AUTHOR)
    const crises = messages.filter(({ labels, text }) => labels.has("self") && dangerIn(text) !== null)
    const silenced = crises.flatMap(({ text }) =>
      lines.filter((line) => dangerAfter(text, { line, earlier: [] }) === null).map((line) => `${line} / ${text}`)
    )
    assert.deepStrictEqual(silenced, [])
    const harmless = messages.filter(({ labels, text }) => labels.size === 0 && dangerIn(text) === null)
    const raised = harmless.filter(({ text }, at) => {
      const earlier = [1, 2].map((before) => harmless[(at + before) % harmless.length]?.text ?? "")
      return dangerAfter(text, { line: lines[at % lines.length] ?? "", earlier }) !== null
    })
    assert.isAtMost(raised.length, harmless.length * MOST_RAISED, raised.map(({ text }) => text).join("\n"))
  })
})

it.each([
  ["bye", "bye"],
  ["got to go", "bye"],
  ["cya", "bye"],
  ["i have to go now", "bye bye"],
  ["thanks for everything", "goodbye"],
  ["good night", "bye"],
  ["tschüss", "tschüss"],
  ["chao", "adiós"],
  ["boa noite", "tchau"]
])("no alarm is raised by an ordinary goodbye in two messages: %s, %s", (earlier, message) => {
  assert.isNull(dangerAfter(message, { line: "Sleep well.", earlier: [earlier] }))
})
