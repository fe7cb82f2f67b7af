import { assert, describe, it } from "@effect/vitest"
import { asksIfAi, confirmsAi, mayAskIfAi } from "#pipeline/safety/aiDisclosure.ts"
import { messageLanguage } from "#pipeline/safety/messageScores.ts"
import { effortOf } from "#test/support/effort/effortOf.ts"
import { labelledReplies, LANGUAGES, measure, REPLY_SETS } from "./messageSets.ts"
import { readMessages } from "./training/messages.ts"

const MIN_RECALL = 0.9
const MIN_NEAR = 0.95
const MOST_FALSE_ALARMS = 0.05
const ASKED: Readonly<Record<string, string>> = {
  en: "are you an AI or a human?",
  de: "bist du eine KI oder ein Mensch?",
  es: "eres una IA o una persona?",
  pt: "és uma IA ou uma pessoa?"
}

/**
 * `held-out-questions` has questions and suspicions as people put them, and about as many messages made to resemble
 * them: `first` mostly direct ones, `second` indirect ones, `third` of both by another hand. Nothing was learned from
 * them, but the margin was set with them.
 */
const questionsIn = (languages: ReadonlyArray<(typeof LANGUAGES)[number]>) =>
  readMessages("held-out-questions", languages).map(({ text, labels }) => ({ text, positive: labels.has("ask") }))

describe("questions who is answering", () => {
  it.each(LANGUAGES)("are found in %s", (language) => {
    const { recall, report } = measure(`questions, ${language}`, questionsIn([language]), asksIfAi)
    console.log(report)
    assert.isAtLeast(recall, MIN_RECALL, report)
  })
  it.each(LANGUAGES)("are nearly always found in %s, or taken for near the line", (language) => {
    const { recall, report } = measure(`near questions, ${language}`, questionsIn([language]), mayAskIfAi)
    assert.isAtLeast(recall, MIN_NEAR, report)
  })
  it("are rarely seen in messages that resemble them", () => {
    const { falseAlarms, report } = measure("questions", questionsIn(LANGUAGES), asksIfAi)
    console.log(report)
    assert.isAtMost(falseAlarms, MOST_FALSE_ALARMS, report)
  })
})

describe("messages near the line", () => {
  it("are hardly ever ordinary ones", () => {
    const ordinary = readMessages("held-out").filter(({ labels }) => !labels.has("ask"))
    const near = ordinary.filter(({ text }) => mayAskIfAi(text) && !asksIfAi(text))
    assert.isAtMost(near.length, ordinary.length * 0.02, near.map(({ text }) => text).join("\n"))
  })
})

describe.each(REPLY_SETS)("the %s set", (set) => {
  it.each(LANGUAGES)("accepts no evasion and no denial as the truth in %s", (language) => {
    const replies = labelledReplies(set)
      .filter((reply) => reply.language === language)
      .map(({ kind, text }) => ({ text, positive: kind === "honest" }))
    const { recall, falseAlarms, report } = measure(`replies, ${language}, ${set}`, replies, (text) =>
      confirmsAi(ASKED[language] ?? "", text)
    )
    console.log(report)
    assert.isAtLeast(recall, MIN_RECALL, report)
    assert.strictEqual(falseAlarms, 0, report)
  })
})

describe("the answer to a sincere question", () => {
  it.each([
    ["are you a bot?", "Yes.", true],
    ["are you a bot?", "No.", false],
    ["are you human?", "No.", true],
    ["are you human?", "Yes.", false],
    ["are you a human or a bot?", "Yes.", false],
    ["you're not a bot, right?", "No.", false]
  ] as const)("may be one word: %s %s", (asked, reply, confirms) =>
    assert.strictEqual(confirmsAi(asked, reply), confirms)
  )
  it.each(LANGUAGES)("is in %s for a question in that language", (language) => {
    const questions = readMessages("messages").filter(
      (message) => message.language === language && message.labels.has("ask") && message.text.split(" ").length > 2
    )
    const wrong = questions.filter(({ text }) => (messageLanguage(text) ?? language) !== language)
    assert.isAtMost(
      wrong.length,
      questions.length * 0.05,
      wrong.map(({ text }) => `${messageLanguage(text)}: ${text}`).join("\n")
    )
  })
})

describe("hostile questions", () => {
  it.each([
    "are you ",
    "are you a real ",
    "you sound like ",
    "was du so ",
    "tem alguem ",
    "is the a ",
    "in a second ",
    "or just ",
    ", ",
    "ki oder ",
    "x"
  ])("are checked quickly: %s", async (part) => {
    const text = part.repeat(Math.ceil(32_000 / part.length))
    const { effortMs } = await effortOf(() => asksIfAi(text))
    assert.isBelow(effortMs, 50)
  })
})

describe("hostile replies", () => {
  it.each([
    `soy ${"un ".repeat(60)}x`,
    `soy ${"un ".repeat(10_000)}x`,
    "i am really ".repeat(2_600),
    "not a real ".repeat(2_900),
    "\n".repeat(32_000)
  ])("are checked quickly: %#", async (text) => {
    confirmsAi("are you a bot?", text)
    const { effortMs } = await effortOf(() => confirmsAi("are you a bot?", text))
    assert.isBelow(effortMs, 50)
  })
})
