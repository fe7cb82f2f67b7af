import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type { Utterance } from "#pipeline/retrieval/Transcript.ts"
import { refusal } from "#pipeline/emission/gates.ts"
import { splitBubbles } from "#pipeline/emission/bubbles.ts"
import { isInstruction } from "#pipeline/relational/isInstruction.ts"
import { NEW_RELATIONSHIP } from "#pipeline/relational/Relationship.ts"
import { extractByRules } from "#pipeline/relational/rules/extractByRules.ts"
import { Classifier, readWeights } from "#pipeline/safety/classifier/Classifier.ts"
import { excerptOf } from "#pipeline/safety/excerpt.ts"
import { screen } from "#pipeline/safety/judge.ts"
import { readImport } from "#src/imports/readImport.ts"
import { cardV2 } from "#test/support/files/cards.ts"
import { effortOf } from "#test/support/effort/effortOf.ts"
import { hostileTexts } from "#test/support/hostile/hostileTexts.ts"
import { slowOver } from "#test/support/effort/slowest.ts"
import { gateContextOf, plainCharacter, turnOf } from "#test/support/conversation/turns.ts"

const MAX_MS = 50
const DOTS = `${".".repeat(1_990)}a`
const TRAITS = `[Personality=${'"a"    '.repeat(25)}!`
const SMALL_WORDS = `soy ${"un ".repeat(60)}x`
const NEWLINES = "\n".repeat(32_000)
const TAGS = "<a ".repeat(10_000)
const ALL = [DOTS, TRAITS, SMALL_WORDS, NEWLINES, TAGS]

const said = (role: Utterance["role"], text: string): Utterance => ({ role, text, cursor: 1, at: new Date(0) })
const readingOf = (text: string) =>
  extractByRules({
    turn: {
      sessionId: "ses_1",
      turnIndex: 0,
      character: plainCharacter,
      endUser: turnOf({}).endUser,
      outcome: "replied",
      history: [],
      message: said("user", text),
      reply: said("character", "Hm."),
      at: new Date(0)
    },
    known: NEW_RELATIONSHIP
  })

describe("a text that used to block the event loop is fast", () => {
  it("in memory extraction", () => assert.deepStrictEqual(slowOver(ALL, MAX_MS, readingOf), []))

  it("in the safety screen of a message", () =>
    assert.deepStrictEqual(
      slowOver(ALL, MAX_MS, (text) => screen({ ...turnOf({}), text })),
      []
    ))

  it("in the gates for a reply", () =>
    assert.deepStrictEqual(
      slowOver(ALL, MAX_MS, (text) => refusal({ text, citedIds: [] }, gateContextOf({ userTexts: [text] }))),
      []
    ))

  it("in the detection of instructions", () => assert.deepStrictEqual(slowOver(ALL, MAX_MS, isInstruction), []))

  it.each([
    ["traits", TRAITS],
    ["traits of W++", `Personality(${'"a"    '.repeat(25)}!`],
    ["dots", DOTS],
    ["tags", TAGS]
  ])("in an import: %s", async (_, description) => {
    const content = { bytes: Buffer.from(JSON.stringify(cardV2({ description }))) }
    assert.isBelow(
      (
        await effortOf(() =>
          Effect.runPromise(readImport({ format: "auto", filename: "", forPresent: false, content }))
        )
      ).effortMs,
      1_000
    )
  })
})

describe("every hostile text is fast", () => {
  const texts = hostileTexts()
  it("in memory extraction", () => assert.deepStrictEqual(slowOver(texts, MAX_MS, readingOf), []))
  it("in the safety screen of a message", () =>
    assert.deepStrictEqual(
      slowOver(texts, MAX_MS, (text) => screen({ ...turnOf({}), text })),
      []
    ))
  it("in the safety classifier, which caches nothing", () => {
    const classifier = new Classifier(readWeights())
    assert.deepStrictEqual(
      slowOver(texts, MAX_MS, (text) => classifier.scores(excerptOf(text), 2026)),
      []
    )
  })
  it("in the gates for a reply", () =>
    assert.deepStrictEqual(
      slowOver(texts, MAX_MS, (text) => refusal({ text, citedIds: [] }, gateContextOf({ userTexts: [text] }))),
      []
    ))
  it("in the splitting of a reply into bubbles", () =>
    assert.deepStrictEqual(
      slowOver(texts, MAX_MS, (text) => splitBubbles([text], { max_bubbles: 3, max_bubble_chars: 500 })),
      []
    ))
})
