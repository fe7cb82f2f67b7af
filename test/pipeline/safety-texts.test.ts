import { assert, describe, it } from "@effect/vitest"
import { admitsAi } from "#pipeline/safety/aiDisclosure.ts"
import { SAFETY_LANGUAGES, safetyTextsFor } from "#pipeline/safety/texts.ts"

const none = new Map()
const english = safetyTextsFor([], none)

describe("safety texts", () => {
  it.each(["de", "es", "fr", "pt"])("are complete in %s", (tag) => {
    const texts = safetyTextsFor([tag], none)
    for (const part of ["crisis", "ai_opening", "ai_disclosure", "minors"] as const)
      assert.notDeepEqual(texts[part], english[part])
    assert.include(texts.crisis.join(" "), "findahelpline.com")
  })

  it("are those of the first language that has any, and otherwise English", () => {
    assert.deepStrictEqual(safetyTextsFor(["de_CH", "fr"], none), safetyTextsFor(["de"], none))
    assert.deepStrictEqual(safetyTextsFor(["xx", null, "", "fr"], none), safetyTextsFor(["fr"], none))
    assert.deepStrictEqual(safetyTextsFor(["xx", undefined], none), english)
  })

  it("are the operator's if there are any: for the tag, then for its language", () => {
    const given = new Map([
      ["de", { crisis: ["Ruf an."] }],
      ["de-AT", { crisis: ["Ruf 142 an."] }],
      ["xx", { minors: ["no"] }],
      ["en", { ai_disclosure: ["I am software."] }]
    ] as const)
    assert.deepStrictEqual(safetyTextsFor(["de-DE"], given).crisis, ["Ruf an."])
    assert.deepStrictEqual(safetyTextsFor(["de-at"], given).crisis, ["Ruf 142 an."])
    assert.deepStrictEqual(safetyTextsFor(["de-AT"], given).minors, safetyTextsFor(["de"], none).minors)
    assert.deepStrictEqual(safetyTextsFor(["xx"], given), {
      ...english,
      ai_disclosure: ["I am software."],
      minors: ["no"]
    })
  })

  it("disclose the AI in every language", () => {
    for (const tag of SAFETY_LANGUAGES) {
      const { ai_opening, ai_disclosure } = safetyTextsFor([tag], none)
      for (const line of [...ai_opening, ...ai_disclosure]) assert.isTrue(admitsAi(line), line)
    }
  })
})
