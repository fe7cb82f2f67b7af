import { assert, describe, it } from "vitest"
import { hasTakenLeave, moodOf, telling } from "#pipeline/proactive/mood.ts"

const HOUR = 3_600_000
const NOW = Date.parse("2026-06-10T12:00:00Z")
const ago = (hours: number, text: string) => ({ text, at: NOW - hours * HOUR })
const kind = (...said: ReadonlyArray<ReturnType<typeof ago>>) => moodOf(said, NOW)?.kind ?? null

describe("what weighs on a person", () => {
  it.each([
    ["my mum died last night", "grief"],
    ["the funeral is tomorrow", "grief"],
    ["minha avó faleceu ontem", "grief"],
    ["meine Oma ist gestorben", "grief"],
    ["I want to die", "crisis"],
    ["leave me alone", "conflict"],
    ["ich bin so sauer auf dich", "conflict"]
  ])("is told by their last messages: %s", (text, mood) => assert.strictEqual(kind(ago(5, text)), mood))

  it.each(["what's for dinner?", "I had soup", "I love the sea"])("is nothing in small talk: %s", (text) =>
    assert.isNull(kind(ago(5, text)))
  )

  it("ends with an apology if it was a quarrel, and not if it is grief", () => {
    assert.isNull(kind(ago(5, "I'm so angry at you"), ago(4, "sorry, that was unfair")))
    assert.strictEqual(kind(ago(5, "my dad died"), ago(4, "sorry, I'm a mess")), "grief")
  })

  it("ends with time", () => {
    assert.isNull(kind(ago(24 * 15, "my dad died")))
    assert.isNull(kind(ago(24 * 8, "leave me alone")))
  })
})

describe("what was due", () => {
  it("is told if the person has spoken of it since", () => {
    const exam = "I have my statistics exam on the 11th"
    const due = { dueAt: NOW - 2 * HOUR, notedAt: NOW - 50 * HOUR }
    assert.isTrue(telling([ago(1, "I passed!!")])(exam, due))
    assert.isTrue(telling([ago(1, "the exam was fine")])(exam, due))
    assert.isFalse(telling([ago(1, "hello again")])(exam, due))
    assert.isFalse(telling([ago(40, "so much to learn for the exam")])(exam, due))
    assert.isFalse(telling([ago(4, exam)])(exam, { ...due, notedAt: NOW - 4 * HOUR }))
  })
})

describe("a conversation", () => {
  it("has ended if the person has taken their leave", () => {
    assert.isTrue(hasTakenLeave([ago(2, "hi"), ago(1, "good night")]))
    assert.isFalse(hasTakenLeave([ago(2, "good night"), ago(1, "are you there?")]))
  })
})
