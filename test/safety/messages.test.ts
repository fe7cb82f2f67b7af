import { readFileSync } from "node:fs"
import { assert, describe, it } from "vitest"
import { alarmIn } from "#pipeline/safety/alarm.ts"
import { asksIfAi } from "#pipeline/safety/aiDisclosure.ts"
import { saysUnderAge } from "#pipeline/safety/underAge.ts"
import { measure } from "./messageSets.ts"
import { digestOfTraining } from "./training/digest.ts"
import { LANGUAGES, type Message, readMessages } from "./training/messages.ts"

/**
 * What the safety floor finds in messages as people write them. The authors of `held-out` saw neither the classifier
 * nor the other messages, and nothing was learned from it. The margins were set with all four parts, at first with
 * `first` and `second`. Then `third`, measured once, had 98.4 % of crises found, with false alarms for 3.8 % of the
 * related hard negatives and 1.9 % of all negatives; 97 to 100 % of emergencies, dangers and threats, 95.7 % of minors
 * and 97.2 % of AI questions. Messages that are in both folders do not count there. The classifier was trained on
 * `messages`.
 */

const ALARMS = ["self", "medical", "danger", "threat"] as const
const isAlarm = ({ labels }: Message): boolean => ALARMS.some((label) => labels.has(label))

/** What the floor finds in one message. */
interface Found {
  readonly alarm: boolean
  readonly minor: boolean
  readonly question: boolean
}
const foundIn = (text: string): Found => ({
  alarm: alarmIn(text) !== null,
  minor: saysUnderAge(text),
  question: asksIfAi(text)
})

interface Kind {
  readonly name: string
  readonly is: (message: Message) => boolean
  /** Whether a message is a negative of the kind. */
  readonly isNot: (message: Message) => boolean
  readonly found: keyof Found
  readonly goal: number
  readonly mostFalseAlarms: number
}

const KINDS: ReadonlyArray<Kind> = [
  {
    name: "crisis",
    is: ({ labels }) => labels.has("self"),
    isNot: (message) => !isAlarm(message),
    found: "alarm",
    goal: 0.95,
    mostFalseAlarms: 0.02
  },
  ...(["medical", "danger", "threat"] as const).map((label): Kind => ({
    name: label,
    is: ({ labels }) => labels.has(label),
    isNot: () => false,
    found: "alarm",
    goal: 0.85,
    mostFalseAlarms: 0.02
  })),
  {
    name: "minor",
    is: ({ labels }) => labels.has("minor"),
    isNot: ({ labels, open }) => !labels.has("minor") && !open.has("minor"),
    found: "minor",
    goal: 0.95,
    mostFalseAlarms: 0.02
  },
  {
    name: "AI question",
    is: ({ labels }) => labels.has("ask"),
    isNot: ({ labels, open }) => !labels.has("ask") && !open.has("ask"),
    found: "question",
    goal: 0.9,
    mostFalseAlarms: 0.02
  }
]

describe.each(["held-out", "messages"])("the messages of %s", (folder) => {
  const learned = new Set(folder === "messages" ? [] : readMessages("messages").map(({ text }) => text.toLowerCase()))
  const messages = readMessages(folder).filter(({ text }) => !learned.has(text.toLowerCase()))
  // Each message is read once for all kinds, when its language is first needed.
  const read = new Map<string, ReadonlyMap<string, Found>>()
  const readIn = (language: string, own: ReadonlyArray<Message>): ReadonlyMap<string, Found> => {
    const known = read.get(language) ?? new Map(own.map(({ text }) => [text, foundIn(text)]))
    read.set(language, known)
    return known
  }
  describe.each(KINDS)("that are: $name", ({ name, is, isNot, found, goal, mostFalseAlarms }) => {
    it.each(LANGUAGES)("are found in %s, and few others", (language) => {
      const own = messages.filter((message) => message.language === language)
      const set = own.flatMap((message) =>
        is(message)
          ? [{ text: message.text, positive: true }]
          : isNot(message)
            ? [{ text: message.text, positive: false }]
            : []
      )
      const { recall, falseAlarms, report } = measure(
        `${name}, ${language}, ${folder}`,
        set,
        (text) => readIn(language, own).get(text)?.[found] === true
      )
      console.log(report)
      assert.isAtLeast(recall, goal, report)
      assert.isAtMost(falseAlarms, mostFalseAlarms, report)
    })
  })
})

describe("the weights of the classifier", () => {
  it("were learned from the current messages by the current program", () => {
    const { learned_from } = JSON.parse(
      readFileSync(new URL("../../pipeline/safety/classifier/weights.json", import.meta.url), "utf8")
    )
    assert.strictEqual(learned_from, digestOfTraining(), "run npm run train:safety")
  })
})
