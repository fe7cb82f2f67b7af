import * as Effect from "effect/Effect"
import { assert, describe, it } from "vitest"
import { readImport } from "#src/imports/readImport.ts"
import { characterOf, loreAfter, turnOf } from "#test/support/conversation/turns.ts"
import { cardV3 } from "#test/support/files/cards.ts"

const imported = (json: unknown) =>
  Effect.runPromise(readImport({ format: "auto", filename: "book.json", forPresent: false, content: { json } }))

/** Whether an entry of SillyTavern with this key is used for a message. */
const fires = async (key: string, message: string, settings: object = {}): Promise<boolean> => {
  const { bundle } = await imported({ entries: { "0": { uid: 0, key: [key], content: "It.", ...settings } } })
  const character = characterOf({ slug: "ada", display_name: "Ada", world_context: { entries: bundle.lore } })
  return loreAfter([], turnOf({ character, text: message, turnIndex: 50 }), null).length > 0
}
const codesOf = async (json: unknown) => (await imported(json)).report.warnings.map(({ code }) => code)

const WHOLE = [
  { matchWholeWords: true, caseSensitive: false },
  { matchWholeWords: true, caseSensitive: true }
]
const EVERY = [...WHOLE, { matchWholeWords: null }, { matchWholeWords: false, caseSensitive: true }]

describe("a key in a script without spaces fires wherever it stands", () => {
  it.each([
    ["王", "王の城はどこ"],
    ["王", "国王陛下"],
    ["검", "내 검은 어디"],
    ["北京", "我去北京玩"],
    ["京", "我去北京玩"],
    ["さくら", "庭のさくらが咲いた"],
    ["ビール", "冷たいビールください"],
    ["วัด", "ฉันไปวัดเมื่อวาน"],
    ["ວັດ", "ຂ້ອຍໄປວັດ"],
    ["វត្ត", "ខ្ញុំទៅវត្តភ្នំ"],
    ["ရွှေ", "အရွှေရောင်"],
    ["𠮷", "𠮷野家へ行く"],
    ["野家", "𠮷野家へ行く"],
    ["手机", "我的iPhone手机坏了"],
    ["iPhone", "我的iPhone手机坏了"],
    ["iPhone手机", "我的iPhone手机坏了"],
    ["Jack", "私はJackと話した"],
    ["月", "3月に会おう"],
    ["Tokyo", "ไปTokyoกัน"],
    ["王", "王\u{E0100}の城"],
    ["が", "まか\u3099ある"],
    ["カメラ", "新しいｶﾒﾗだ"],
    ["iPhone", "我的ｉＰｈｏｎｅ坏了"],
    ["내 검", "오늘 내 검은 어디"]
  ])("%s in %s", async (key, message) => {
    for (const settings of EVERY) assert.isTrue(await fires(key, message, settings), JSON.stringify(settings))
  })

  it("but not within another word, across a stop, or as another letter", async () => {
    for (const settings of WHOLE) {
      for (const [key, message] of [
        ["phone", "我的iphone手机"],
        ["Jack", "私はJacksonと話した"],
        ["王城", "王。城"],
        ["か", "がある"],
        ["हिन्द", "मुझे हिन्दी आती है"],
        ["𐐀𐐁", "𐐀𐐁𐐂"],
        ["werewol", "two werewolves"]
      ] as const)
        assert.isFalse(await fires(key, message, settings), `${key} in ${message} with ${JSON.stringify(settings)}`)
    }
  })

  it("the marks of a letter belong to its word, and selectors to none", async () => {
    const sensitive = { matchWholeWords: true, caseSensitive: true }
    assert.isTrue(await fires("Zoe\u0308", "Is Zoë here?", sensitive))
    assert.isFalse(await fires("Zo", "Is Zoq\u0308 here?", sensitive))
    assert.isTrue(await fires("Jack", "\u2764\uFE0FJack", sensitive))
  })
})

describe("what an entry does not say is read as its program reads it", () => {
  it.each([
    [{ matchWholeWords: null }, true],
    [{}, true],
    [{ matchWholeWords: false }, true],
    [{ matchWholeWords: true }, false]
  ])("in world info of SillyTavern, %j: the stem of a word fires: %s", async (settings, isFired) => {
    assert.strictEqual(await fires("werewol", "two werewolves", settings), isFired)
  })

  it("caseSensitive null is false, and selective null uses no secondary keys", async () => {
    assert.isTrue(await fires("Wolf", "a wolf", { caseSensitive: null, matchWholeWords: null }))
    assert.isTrue(await fires("wolf", "a wolf", { selective: null, keysecondary: ["moon"] }))
    assert.isFalse(await fires("wolf", "a wolf", { selective: true, keysecondary: ["moon"] }))
  })

  const bookOf = (entry: object, book: object = {}) =>
    cardV3({ character_book: { entries: [{ keys: ["werewol"], content: "It.", ...entry }], ...book } })

  it.each<[string, object, boolean | undefined]>([
    ["null in a card", bookOf({ extensions: { match_whole_words: null } }), false],
    ["nothing in a card", bookOf({}), false],
    ["true in a card", bookOf({ extensions: { match_whole_words: true } }), undefined],
    ["whole words for a book of RisuAI", bookOf({}, { extensions: { risu_fullWordMatching: true } }), undefined]
  ])("%s", async (_, card, wholeWords) => {
    assert.strictEqual((await imported(card)).bundle.lore[0]?.["whole_words"], wholeWords)
  })

  it("the report says so, and names the settings that are not used", async () => {
    const card = bookOf({ extensions: { match_whole_words: null, depth: 4, position: 1 }, insertion_order: 3 })
    assert.deepStrictEqual(await codesOf(card), ["lore_partial_words"])
    assert.include(
      (await imported(card)).report.dropped.map(({ reason }) => reason),
      "Not used. Kept for exports: insertion_order, depth, position."
    )
    assert.deepStrictEqual(await codesOf(bookOf({ extensions: { match_whole_words: true } })), [])
  })

  it("case_sensitive among the extensions of a card counts", async () => {
    const { bundle } = await imported(bookOf({ extensions: { case_sensitive: true } }))
    assert.strictEqual(bundle.lore[0]?.["case_sensitive"], true)
  })
})
