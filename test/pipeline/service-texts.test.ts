import { assert, describe, it } from "@effect/vitest"
import { type ServiceTexts, maxUnitsOf, placeholdersIn, type ServiceTextKey } from "#pipeline/texts/ServiceTexts.ts"
import { canonicalTag, TEXT_LANGUAGES, textsFor } from "#pipeline/texts/textsFor.ts"

const none = new Map()
const english = textsFor([], none)
const KEYS = Object.keys(english) as ReadonlyArray<ServiceTextKey>
const COMMAND = /\/[a-z]+/g
const wordsOf = (texts: ServiceTexts, key: ServiceTextKey) => [texts[key]].flat().join("\n")

describe("the service texts", () => {
  it("are in at least 17 languages", () => {
    const languages = "ar de en es fr hi id it ja ko nl pl pt ru tr uk vi zh".split(" ")
    assert.includeMembers([...TEXT_LANGUAGES], languages)
    for (const tag of TEXT_LANGUAGES) assert.strictEqual(canonicalTag(tag), tag)
  })

  it.each(TEXT_LANGUAGES.filter((tag) => tag !== "en"))("are complete in %s, and none of them is English", (tag) => {
    const texts = textsFor([tag], none)
    assert.sameMembers(Object.keys(texts), [...KEYS])
    for (const key of KEYS) assert.notStrictEqual(wordsOf(texts, key), wordsOf(english, key), key)
  })

  it.each(TEXT_LANGUAGES)("have the same placeholders and commands in %s, and fit into Telegram's messages", (tag) => {
    const texts = textsFor([tag], none)
    for (const key of KEYS) {
      const [words, wanted] = [wordsOf(texts, key), wordsOf(english, key)]
      assert.sameMembers([...placeholdersIn(words)], [...placeholdersIn(wanted)], key)
      assert.sameMembers(words.match(COMMAND) ?? [], wanted.match(COMMAND) ?? [], key)
      for (const text of [texts[key]].flat()) {
        assert.isAtMost(text.length, maxUnitsOf(key), key)
        assert.strictEqual(text, text.trim(), key)
      }
    }
  })

  it.each([
    [["pt"], "pt"],
    [["pt-br"], "pt-BR"],
    [["PT_BR"], "pt-BR"],
    [["pt-AO"], "pt"],
    [["zh-hans"], "zh"],
    [["zh-CN"], "zh"],
    [["zh-hant"], "zh-Hant"],
    [["zh-TW"], "zh-Hant"],
    [["zh-HK"], "zh-Hant"],
    [["zh-Hant-MO"], "zh-Hant"],
    [["es-419"], "es"],
    [["de-CH-1996"], "de"],
    [["in"], "id"],
    [["en-GB", "de"], "en"],
    [["uk"], "uk"],
    [["xx", "tr-TR"], "tr"],
    [[null, undefined, "", "ko"], "ko"],
    [["fil", "sw"], "en"],
    [["__proto__", "constructor", "x\u0000y", "e".repeat(10_000), "../en", "fr"], "fr"]
  ] as const)("for people with the tags %j are those of %s", (tags, expected) => {
    assert.deepStrictEqual(textsFor(tags, none), textsFor([expected], none))
  })

  it("are the operator's own, where there are any, text by text", () => {
    const own = new Map([
      ["pt", { help: "Escreve.", stopped: "Feito." }],
      ["pt-BR", { help: "Escreva." }],
      ["sw", { help: "Andika." }],
      ["en", { help: "Write.", gone: "Gone." }]
    ])
    assert.deepStrictEqual(textsFor(["pt-BR"], own), {
      ...textsFor(["pt-BR"], none),
      help: "Escreva.",
      stopped: "Feito."
    })
    assert.strictEqual(textsFor(["pt-AO"], own).help, "Escreve.")
    assert.deepStrictEqual(textsFor(["sw-KE", "fr"], own), { ...textsFor(["fr"], none), help: "Andika." })
    assert.deepStrictEqual(textsFor(["xx"], own), { ...english, help: "Write.", gone: "Gone." })
    assert.deepStrictEqual(textsFor(["ja"], own), textsFor(["ja"], none))
  })
})
