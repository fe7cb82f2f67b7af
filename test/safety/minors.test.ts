import { assert, describe, it } from "@effect/vitest"
import { callsUnderAge } from "#pipeline/safety/calledUnderAge.ts"
import { statedMinor } from "#pipeline/safety/cardAge.ts"
import { pictureRefusal } from "#pipeline/safety/pictures.ts"
import { saysUnderAge } from "#pipeline/safety/underAge.ts"
import { labelled, measure, PICTURE_SETS } from "./messageSets.ts"

const MIN_RECALL = 0.95
const MAX_FALSE_ALARMS = 0.02
/** Prints the figures and compares them with the targets. */
const figures = ({ recall, falseAlarms, report }: ReturnType<typeof measure>) => {
  console.log(report)
  return { found: recall >= MIN_RECALL, quiet: falseAlarms <= MAX_FALSE_ALARMS, report }
}
const HOLD = { found: true, quiet: true }

describe.each(PICTURE_SETS)("the %s set", (set) => {
  it("refuses pictures of minors and nudity, and no others", () =>
    assert.deepInclude(
      figures(
        measure(
          `pictures, ${set}`,
          labelled(set, "pictures"),
          (text) => pictureRefusal({ kind: "selfie", words: [text], ageBand: "adult" }) !== null
        )
      ),
      HOLD
    ))

  it("detects cards whose character is under 18, and no others", () =>
    assert.deepInclude(
      figures(
        measure(
          `cards, ${set}`,
          labelled(set, "cards"),
          (text) => statedMinor([{ text: text.replaceAll("{{char}}", "Mia") }], "Mia") !== undefined
        )
      ),
      HOLD
    ))
})

describe("saying that the character is under 18", () => {
  it("is detected, but a question that leaves the age open is not", () => {
    const { recall, falseAlarms, report } = measure("characters", labelled("development", "characters"), callsUnderAge)
    assert.isAtLeast(recall, MIN_RECALL, report)
    assert.isAtMost(falseAlarms, MAX_FALSE_ALARMS, report)
  })
})

describe("a picture of a minor", () => {
  it.each([
    "her 16th birthday self",
    "a minor",
    "a minor in a summer dress",
    "two minors on a sofa",
    "a pupil in uniform",
    "pupils at their desks",
    "una alumna de uniforme",
    "uma aluna em uniforme",
    "auf ihrem 15. geburtstag"
  ])("is refused: %s", (text) => assert.isNotNull(pictureRefusal({ kind: "selfie", words: [text], ageBand: "adult" })))
  it.each([
    "a minor chord written on a blackboard",
    "minor scratches on the table",
    "her 30th birthday",
    "wide pupils in the dark",
    "her 18th birthday",
    "with a minor detail changed",
    "in a minor key"
  ])("is not confused with other meanings: %s", (text) =>
    assert.isNull(pictureRefusal({ kind: "selfie", words: [text], ageBand: "adult" }))
  )
})

describe("an age in words", () => {
  it.each(["ich bin vierzehn", "i'm fourteen", "tengo trece y vivo en madrid", "tenho quinze anos"])(
    "is that of a minor: %s",
    (text) => assert.isTrue(saysUnderAge(text))
  )
  it.each([
    "ich bin achtzehn",
    "bin neunzehn jahre alt",
    "bin zweiundzwanzig",
    "ich bin siebzig",
    "i am twenty two years old",
    "i am thirty years old",
    "tengo dieciocho años",
    "tengo treinta y dos años",
    "tengo setenta años",
    "tenho dezoito",
    "tenho vinte e dois anos",
    "tenho dezanove anos"
  ])("is that of an adult: %s", (text) => assert.isFalse(saysUnderAge(text)))
})

describe("an age of which somebody asks whether it is all right", () => {
  it.each([
    "tengo 17 esta bien?",
    "im 15 is that ok",
    "bin 16 geht das klar",
    "tenho 17 tem problema",
    "mis quince son en marzo"
  ])("is that of a minor: %s", (text) => assert.isTrue(saysUnderAge(text)))
  it.each([
    "tengo 27 esta bien?",
    "im 15 minutes late is that ok",
    "tengo 15 minutos, esta bien?",
    "mis 15 minutos de fama"
  ])("is not: %s", (text) => assert.isFalse(saysUnderAge(text)))
})

describe("an age given as an answer", () => {
  it.each([
    ["How old are you?", "15"],
    ["Wie alt bist du?", "15 jahre"],
    ["¿Cuántos años tienes?", "quince"],
    ["How old are you? 😊", "15"],
    ["*smiles* How old are you? *tilts head*", "15"],
    ["Quantos anos tens?", "quinze, e tu?"]
  ])("is recognized from a number alone: %s %s", (before, text) =>
    assert.isTrue(saysUnderAge(text, new Date(), before))
  )
  it.each([
    ["How many cats do you have?", "15"],
    ["", "15"]
  ])("is not recognized from a number that answers something else: %s %s", (before, text) =>
    assert.isFalse(saysUnderAge(text, new Date(), before))
  )
  it("follows the calendar", () => {
    assert.isTrue(saysUnderAge("i was born in 2012", new Date("2026-06-01")))
    assert.isFalse(saysUnderAge("i was born in 2012", new Date("2040-06-01")))
  })
})

describe("what a character is, and its age", () => {
  const isMinor = (text: string) => statedMinor([{ text }], "Mia Stone") !== undefined
  it.each([
    "Mia is a thirteen-year-old wizard.",
    "She's a shy fifteen year old swordswoman with a cat and a car.",
    "Mia's a 14-year-old archmage",
    "I'm a twelve-year-old hacker.",
    "They are a sixteen-year-old knight.",
    "Mia, a thirteen-year-old wizard, lives at the river.",
    "A thirteen-year-old sorceress from the north.",
    "The thirteen-year-old wizard Mia lives at the river.",
    "Mia was a seventeen year old thief, quick and hungry.",
    "Mia ist eine dreizehnjährige Zauberin.",
    "Sie ist eine 13-jährige Magierin.",
    "Mia es una maga de trece años.",
    "Ella es una bruja de 15 años.",
    "Mia é uma feiticeira de treze anos.",
    "Mia est une sorcière de treize ans.",
    "Elle a quinze ans."
  ])("is that of a minor: %s", (text) => assert.isTrue(isMinor(text)))
  it.each([
    "Mia drives a ten-year-old car.",
    "Mia's favourite is a ten-year-old whisky.",
    "A ten-year-old feud divides the two houses.",
    "Mia is the owner of a fifteen-year-old house.",
    "Mia is a detective solving a fifteen-year-old murder.",
    "She is a ten-year-old dog.",
    "It is a ten-year-old tavern.",
    "Mia is a 200-year-old vampire.",
    "Mia is a thirty-year-old wizard.",
    "Mia is a mother of a ten-year-old wizard.",
    "Mia was a ten-year-old orphan when the war began, thirty years ago.",
    "Her brother is a ten-year-old wizard.",
    "Sie ist 15 Jahre jünger als er.",
    "Mia es una experta de 15 años de experiencia.",
    "Mia est la patronne d'un bar de quinze ans."
  ])("is not: %s", (text) => assert.isFalse(isMinor(text)))
})
