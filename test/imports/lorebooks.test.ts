import * as Effect from "effect/Effect"
import { assert, describe, it } from "vitest"
import { readImport } from "#src/imports/readImport.ts"
import { base64, cardV2, cardV3, pngWith, text } from "#test/support/files/cards.ts"

const read = (content: { readonly json: unknown } | { readonly bytes: Buffer }) =>
  Effect.runPromise(
    Effect.result(readImport({ format: "auto", filename: "River.lorebook", forPresent: false, content }))
  )
const taken = async (json: unknown) => {
  const result = await read({ json })
  return result._tag === "Success" ? result.success : assert.fail(result.failure.problem)
}
const refused = async (json: unknown) => {
  const result = await read({ json })
  return result._tag === "Failure" ? result.failure.problem : assert.fail("taken")
}
const loreOf = async (json: unknown) => (await taken(json)).bundle.lore
const codesOf = async (json: unknown) => (await taken(json)).report.warnings.map(({ code }) => code)

const novelAi = (entries: ReadonlyArray<object>, more: object = {}) => ({
  lorebookVersion: 5,
  settings: { orderByKeyLocations: false },
  categories: [],
  entries,
  ...more
})
const inn = {
  text: "The inn is old.",
  displayName: "Inn",
  id: "1",
  keys: ["inn", "/old.{0,9}inn/i"],
  searchRange: 1000,
  enabled: true,
  forceActivation: false,
  keyRelative: false,
  category: "",
  contextConfig: { prefix: "", suffix: "\n", tokenBudget: 1, budgetPriority: 400, trimDirection: "trimBottom" }
}

describe("a lorebook of NovelAI", () => {
  it("is imported with its texts, keys and settings", async () => {
    const { format, bundle, report } = await taken(
      novelAi([inn, { ...inn, text: "It rains.", keys: [], forceActivation: true, enabled: false }])
    )
    assert.strictEqual(format, "lorebook")
    assert.strictEqual(bundle.character["display_name"], "River")
    assert.deepStrictEqual(bundle.lore, [
      { keys: ["inn", "/old.{0,9}inn/i"], priority: 50, content: "The inn is old." },
      { constant: true, enabled: false, priority: 50, content: "It rains." }
    ])
    assert.include(JSON.stringify(report.dropped), "searchRange")
  })

  it("has categories, of which a disabled one disables its entries", async () => {
    const categories = [
      { id: "a", name: "Places", enabled: false },
      { id: "b", name: "People", enabled: true }
    ]
    const entries = ["a", "b", ""].map((category) => Object.assign({}, inn, { text: `In ${category}.`, category }))
    assert.deepStrictEqual(
      (await loreOf(novelAi(entries, { categories }))).map(({ enabled = true }) => enabled),
      [false, true, true]
    )
  })

  it("has keys that must be found together", async () => {
    const entries = [{ ...inn, keys: ["inn", "river & night & rain"] }]
    assert.deepStrictEqual(await loreOf(novelAi(entries)), [
      { keys: ["inn"], group: "novelai 0", priority: 50, content: inn.text },
      {
        keys: ["river"],
        secondary_keys: ["night", "rain"],
        logic: "and_all",
        group: "novelai 0",
        priority: 50,
        content: inn.text
      }
    ])
  })

  it("may be in a scenario, in a story, and in a picture", async () => {
    const lorebook = novelAi([inn])
    for (const json of [
      { scenarioVersion: 2, title: "The river", description: "x", prompt: "x", lorebook },
      { storyContainerVersion: 1, metadata: { title: "The river" }, content: { lorebook } }
    ]) {
      const { bundle } = await taken(json)
      assert.deepStrictEqual([bundle.lore.length, bundle.character["display_name"]], [1, "The river"])
    }
    const result = await read({ bytes: await pngWith(text("naidata", base64(lorebook))) })
    assert.lengthOf(result._tag === "Success" ? result.success.bundle.lore : [], 1)
  })
})

const agnai = (entries: ReadonlyArray<object>) => ({
  kind: "memory",
  _id: "1",
  name: "River",
  description: "Places at the river",
  userId: "1",
  entries
})
const memory = {
  name: "Inn",
  entry: "The inn is old.",
  keywords: ["inn", "tavern"],
  priority: 70,
  weight: 3,
  enabled: true
}

describe("a memory book of Agnai", () => {
  it("is imported with its texts, keywords and settings", async () => {
    const { format, bundle } = await taken(agnai([memory, { ...memory, entry: "It rains.", enabled: false }]))
    assert.strictEqual(format, "lorebook")
    assert.deepInclude(bundle.character, { display_name: "River", visible_bio: "Places at the river" })
    assert.deepStrictEqual(bundle.lore, [
      { keys: ["inn", "tavern"], priority: 70, content: "The inn is old." },
      { keys: ["inn", "tavern"], priority: 70, enabled: false, content: "It rains." }
    ])
  })

  it("may be in a character", async () => {
    const card = { kind: "character", name: "Mara", scenario: "An inn.", characterBook: agnai([memory]) }
    assert.lengthOf(await loreOf(card), 1)
    assert.lengthOf(await loreOf(cardV2({ character_book: agnai([memory]) })), 1)
  })
})

const risu = (data: ReadonlyArray<object>) => ({ type: "risu", ver: 1, data })
const lore = {
  key: "inn, tavern",
  secondkey: "night, rain",
  insertorder: 100,
  comment: "Inn",
  content: "The inn is old.",
  mode: "normal",
  alwaysActive: false,
  selective: false
}

describe("a lorebook of RisuAI", () => {
  it("is imported with its texts, keys and settings", async () => {
    const { format, bundle } = await taken(
      risu([
        { ...lore, key: "folder:1", mode: "folder", content: "" },
        { ...lore, folder: "folder:1" },
        { ...lore, selective: true, activationPercent: 40, content: "It rains." },
        { ...lore, alwaysActive: true, key: "", content: "It is Monday." },
        { ...lore, useRegex: true, key: "/in{1,3},? then/i", content: "Then." },
        { ...lore, content: "@@match_full_word\n@@probability 30\nWhole." }
      ])
    )
    assert.strictEqual(format, "lorebook")
    assert.deepStrictEqual(bundle.lore, [
      { keys: ["inn", "tavern"], whole_words: false, content: "The inn is old." },
      {
        keys: ["inn", "tavern"],
        secondary_keys: ["night", "rain"],
        probability: 0.4,
        whole_words: false,
        content: "It rains."
      },
      { constant: true, whole_words: false, content: "It is Monday." },
      { keys: ["/in{1,3},? then/i"], whole_words: false, content: "Then." },
      { keys: ["inn", "tavern"], whole_words: true, probability: 0.3, content: "Whole." }
    ])
  })

  it("may be in a module or a character", async () => {
    assert.lengthOf(await loreOf({ type: "risuModule", module: { name: "River", lorebook: [lore] } }), 1)
    assert.lengthOf(await loreOf({ ...cardV2().data, globalLore: [lore] }), 1)
    const entries = [
      { keys: ["folder:1"], content: "", mode: "folder" },
      { keys: ["inn"], content: "Old.", extensions: { risu_case_sensitive: true, risu_activationPercent: 40 } }
    ]
    assert.deepStrictEqual(await loreOf(cardV3({ character_book: { entries } })), [
      { keys: ["inn"], case_sensitive: true, probability: 0.4, whole_words: false, content: "Old." }
    ])
  })
})

describe("a lorebook with nothing to import is never imported in silence", () => {
  it.each<[string, object, ReadonlyArray<string>]>([
    ["of NovelAI, without entries", novelAi([]), ["NovelAI", "(0 in all)"]],
    ["of NovelAI, without texts", novelAi([{ ...inn, text: "" }]), ["NovelAI", "(1 in all)"]],
    ["of Agnai", agnai([{ ...memory, entry: null }]), ["Agnai"]],
    ["of RisuAI", risu([]), ["RisuAI"]],
    ["of an unknown program", { entries: [{ title: "Inn", body: "Old." }] }, ["the fields title, body"]]
  ])("%s", async (_, book, parts) => {
    const problem = await refused(book)
    for (const part of parts) assert.include(problem, part)
  })

  it("an empty one, and one in a card, cause a warning", async () => {
    assert.include(await codesOf({ entries: {} }), "lorebook_empty")
    assert.include(await codesOf(cardV3({ character_book: { entries: [{ title: "Inn" }] } })), "lore_unusable")
    assert.notInclude(await codesOf(cardV3({ character_book: { entries: [] } })), "lore_unusable")
  })

  it("a book with a name and a description is a lorebook, not a character", async () => {
    const entries = [{ keys: ["inn"], content: "Old." }]
    const { format, bundle } = await taken({ name: "River", description: "Places.", entries })
    assert.deepStrictEqual([format, bundle.lore.length], ["lorebook", 1])
  })
})
