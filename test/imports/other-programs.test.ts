import * as Effect from "effect/Effect"
import { assert, describe, it } from "vitest"
import { readImport, type ReadImport } from "#src/imports/readImport.ts"
import { scanContent } from "#src/imports/scanContent.ts"
import { base64, cardV2, chunk, internationalText, picture, pngWith, text, zipOf } from "#test/support/files/cards.ts"
import { effortOf } from "#test/support/effort/effortOf.ts"
import { AGNAI, AI_DUNGEON, backyard, FARADAY, KOBOLD, PYGMALION_YAML } from "#test/support/files/otherPrograms.ts"

type Content = { readonly json: unknown } | { readonly bytes: Buffer }
const read = (content: Content, more: object = {}) =>
  Effect.runPromise(
    Effect.result(readImport({ format: "auto", filename: "River.json", forPresent: false, content, ...more }))
  )
const taken = async (content: Content, more: object = {}): Promise<ReadImport & { readonly character: any }> => {
  const result = await read(content, more)
  if (result._tag === "Failure") return assert.fail(result.failure.problem)
  return { ...result.success, character: result.success.bundle.character }
}
const takenJson = (json: unknown, more: object = {}) => taken({ json }, more)
const takenText = (said: string) => taken({ bytes: Buffer.from(said) })
const refused = async (content: Content) => {
  const result = await read(content)
  return result._tag === "Failure" ? result.failure : assert.fail("taken")
}
const codes = ({ report }: ReadImport) => report.warnings.map(({ code }) => code)
const dropped = ({ report }: ReadImport) => report.dropped.map(({ from }) => from)

describe("a character of Agnai", () => {
  it("is imported with its persona, speech, scene, greetings and book", async () => {
    const found = await takenJson(AGNAI)
    assert.strictEqual(found.format, "agnai")
    assert.deepInclude(found.character, { slug: "mara", display_name: "Mara" })
    assert.deepStrictEqual(found.character.persona, {
      summary: "age: 41.\npersonality: dry, patient.\nlikes: soup, rain.",
      traits: ["dry", "patient"]
    })
    assert.deepInclude(found.character, { visible_bio: "Mara, 41.", interests: ["soup", "rain"] })
    assert.deepStrictEqual(found.character.greeting, { bubbles: ["Evening, {{user}}."], alternates: ["You again."] })
    assert.deepStrictEqual(found.character.world_context, { scene: "A rainy evening." })
    assert.deepStrictEqual(found.character.example_dialogues, [{ user: "Open?", character: "Always." }])
    assert.deepStrictEqual(
      found.bundle.lore.map(({ keys, content }) => [keys, content]),
      [[["inn"], "The inn is old."]]
    )
    assert.deepStrictEqual(found.bundle.extra["card"], {
      creator_notes: "An innkeeper.",
      tags: ["inn"],
      creator: "someone"
    })
  })

  it("has instructions that are never followed, and settings that the report names", async () => {
    const found = await takenJson(AGNAI)
    assert.includeMembers(codes(found), ["system_prompt_quarantined", "post_history_instructions_quarantined"])
    assert.includeMembers(dropped(found), ["avatar", "voice"])
    assert.includeMembers(
      [...found.report.mapped.map(({ from }) => from), ...found.report.warnings.map(({ path }) => path)],
      ["greeting", "persona.attributes", "sampleChat", "systemPrompt", "characterBook.entries[0]"]
    )
  })

  it.each(["boostyle", "wpp", "sbf", "attributes", "text"])("has a definition in each kind: %s", async (kind) => {
    const attributes = kind === "text" ? { text: ["Keeps an inn.", "Is kind."] } : { work: ["keeps an inn"] }
    const { character } = await takenJson({ ...AGNAI, persona: { kind, attributes } })
    assert.strictEqual(character.persona.summary, kind === "text" ? "Keeps an inn.\nIs kind." : "work: keeps an inn")
  })

  it("states an age as a number too, and a picture in its own text", async () => {
    const json = {
      ...AGNAI,
      persona: { kind: "wpp", attributes: { age: [16], relationship: ["girlfriend of {{user}}"] } },
      avatar: `data:image/png;base64,${base64(await picture())}`
    }
    const { bundle } = await takenJson(json)
    assert.include(
      (await scanContent(bundle)).map(({ code }) => code),
      "minor_romance"
    )
    assert.deepInclude(bundle.assets[0], { kind: "avatar" })
  })
})

describe("a character of Pygmalion or text-generation-webui", () => {
  it("is imported from JSON", async () => {
    const found = await takenJson({
      char_name: "Mara",
      char_persona: "Mara keeps an inn.",
      char_greeting: "Evening.",
      world_scenario: "A rainy evening.",
      example_dialogue: "<START>\nYou: Open?\nMara: Always.",
      temperature: 0.7
    })
    assert.strictEqual(found.format, "pygmalion")
    assert.strictEqual(found.character.persona.summary, "Mara keeps an inn.")
    assert.deepStrictEqual(found.character.greeting, { bubbles: ["Evening."] })
    assert.deepStrictEqual(found.character.world_context, { scene: "A rainy evening." })
    assert.deepStrictEqual(found.character.example_dialogues, [{ user: "Open?", character: "Always." }])
    assert.deepStrictEqual(dropped(found), ["temperature"])
    const later = await takenJson({ name: "Mara", context: "Mara keeps an inn.", greeting: "Evening." })
    assert.deepStrictEqual([later.format, later.character.greeting.bubbles], ["pygmalion", ["Evening."]])
    assert.include(
      later.report.mapped.map(({ from }) => from),
      "context"
    )
  })

  it("is imported from YAML, whose values all are texts", async () => {
    const found = await takenText(PYGMALION_YAML)
    assert.strictEqual(found.format, "pygmalion")
    assert.strictEqual(found.character.display_name, "007")
    assert.strictEqual(found.character.persona.summary, "Mara keeps an inn: an old one.\nShe is dry.")
    assert.deepStrictEqual(found.character.greeting, { bubbles: ["Evening.", "Sit down."] })
    assert.deepStrictEqual(found.character.example_dialogues, [{ user: "Open?", character: "Always." }])
  })

  it("keeps its format if it is also a card of version 1", async () => {
    const both = { char_name: "Old", name: "Mara", description: "Keeps an inn.", first_mes: "Hm." }
    const found = await takenJson(both)
    assert.deepStrictEqual([found.format, found.character.display_name], ["chara_card_v1", "Mara"])
  })

  it.each<[string, string, string]>([
    ["an alias", "name: Mara\ncontext: &a x\ngreeting: *a\n", "anchors or aliases"],
    ["a tag", "name: Mara\ncontext: !!python/object:os.system x\n", "not a plain list"],
    ["a text that is not indented", "name: Mara\ncontext: |\nKeeps an inn.\ngreeting: x\n", "error in line 3"],
    ["two documents", "name: Mara\ncontext: x\n---\nname: B\n", "several documents"],
    ["nested too deep", `name: Mara\ncontext: ${"[".repeat(20_000)}\n`, "nested too deep"],
    ["lists nested too deep", `name: Mara\ncontext:\n ${"- ".repeat(20_000)}x\n`, "nested too deep"],
    ["more than 64 KiB", `name: Mara\ncontext: ${"a".repeat(70_000)}\n`, "64 KiB"],
    ["a dictionary of Python", "{'name': 'Mara', 'context': 'Keeps an inn.'}", "dictionary of Python"]
  ])("is refused with a reason and a fix: %s", async (_, said, problem) => {
    const refusal = await refused({ bytes: Buffer.from(said) })
    assert.include(refusal.problem, problem)
    assert.match(refusal.problem, /JSON|by itself|quotation marks|Write it/)
  })

  it.each([
    ["keys", "name: x\n".repeat(8000)],
    ["question marks", `name: x\n${"? ".repeat(25_000)}`],
    ["quotes", `name: "${"\\n".repeat(30_000)}`],
    ["commas", `name: [${",".repeat(60_000)}`],
    ["comments", `name: x\n${"#\n".repeat(30_000)}`],
    ["colons", `name: x\ncontext: ${": ".repeat(30_000)}`],
    ["dashes", `name: x\n${"- \n".repeat(20_000)}`]
  ])("does not take long in YAML: %s", async (_, said) => {
    const { effortMs } = await effortOf(() => read({ bytes: Buffer.from(said) }))
    assert.isBelow(effortMs, 3000)
  })
})

describe("a character of Backyard AI", () => {
  it("is imported from an archive with its lore, first scenario and pictures", async () => {
    const found = await taken({ bytes: await backyard() })
    assert.strictEqual(found.format, "backyard")
    assert.strictEqual(found.character.display_name, "Mara of the river")
    assert.strictEqual(found.character.persona.summary, "Mara keeps an inn. She likes {{user}}.")
    assert.deepStrictEqual(found.character.greeting, {
      bubbles: ["Evening, {{user}}."],
      alternates: ["The door is open."]
    })
    assert.deepStrictEqual(found.character.world_context, { scene: "{{user}} comes to the inn." })
    assert.deepStrictEqual(found.character.example_dialogues, [{ user: "Open?", character: "Always." }])
    assert.deepStrictEqual(
      found.bundle.lore.map(({ keys, content }) => [keys, content]),
      [[["inn", "tavern"], "Mara owns the inn."]]
    )
    assert.deepStrictEqual(
      found.bundle.assets.map(({ kind }) => kind),
      ["avatar", "portrait"]
    )
    assert.include(codes(found), "system_prompt_quarantined")
    assert.includeMembers(dropped(found), [
      "characters/b/character.json",
      "scenarios[0].messages",
      "scenarios[0].temperature",
      "scenarios[0].grammar",
      "scenarios[1].narrative",
      "character.isNSFW"
    ])
    assert.notInclude(dropped(found).join(" "), "scenario1.json")
  })

  it("is imported from older JSON, and from the EXIF or a text of a PNG", async () => {
    const file = JSON.stringify(FARADAY)
    for (const content of [
      { json: FARADAY },
      { bytes: await pngWith(chunk("eXIf", Buffer.from(`II*\0ASCII\0\0\0${base64(file)}`, "latin1"))) },
      { bytes: await pngWith(text("Comment", base64(file))) },
      { bytes: await pngWith(internationalText("XML:com.adobe.xmp", `<x>${file.replaceAll('"', "&#34;")}</x>`)) }
    ]) {
      const found = await taken(content)
      assert.deepStrictEqual([found.format, found.character.display_name], ["backyard", "Mara"])
      assert.deepStrictEqual(found.character.example_dialogues, [{ user: "Open?", character: "Always." }])
      assert.include(dropped(found), "character.model")
      assert.lengthOf(found.bundle.lore, 1)
    }
  })

  it("is refused without its character, and may lack the rest", async () => {
    const manifest = { schemaVersion: 1, characters: ["characters/a/character.json"], scenarios: ["scenarios/1.json"] }
    assert.include((await refused({ bytes: await zipOf({ "manifest.json": manifest }) })).problem, "has no file")
    assert.include(
      (await refused({ bytes: await zipOf({ "manifest.json": { name: "extension" }, "a.js": "x" }) })).problem,
      "2 files"
    )
    const alone = await taken({
      bytes: await zipOf({ "manifest.json": manifest, "characters/a/character.json": { name: "Mara" } })
    })
    assert.strictEqual(alone.character.display_name, "Mara")
    assert.include(dropped(alone), "scenarios/1.json")
  })
})

describe("a story of KoboldAI or AI Dungeon", () => {
  it("becomes a character with its lore", async () => {
    const found = await takenJson(KOBOLD)
    assert.strictEqual(found.format, "koboldai")
    assert.strictEqual(found.character.display_name, "River")
    assert.strictEqual(found.character.persona.summary, "Mara keeps an inn.")
    assert.deepStrictEqual(found.character.world_context, { scene: "It rains." })
    assert.deepStrictEqual(
      found.bundle.lore.map(({ keys, secondary_keys, logic, constant, enabled }) => [
        keys,
        secondary_keys,
        logic,
        constant,
        enabled
      ]),
      [
        [["inn", "tavern"], ["night"], undefined, undefined, undefined],
        [["river"], undefined, undefined, true, undefined],
        [["rain"], ["sun"], "not_any", undefined, false]
      ]
    )
    assert.includeMembers(dropped(found), ["actions", "temperature"])
    assert.include(codes(found), "post_history_instructions_quarantined")
    const lite = { ...KOBOLD, savedsettings: { chatopponent: "Mara||$||Tomas" } }
    assert.strictEqual((await takenJson(lite)).character.display_name, "Mara")
    const united = {
      memory: "x",
      worldinfo_v2: { entries: { 0: { key: ["inn"], manual_text: "Old.", title: "Inn" } } }
    }
    assert.deepInclude((await takenJson(united)).bundle.lore[0], { keys: ["inn"], content: "Old." })
  })

  it("adds only its lore to an existing character", async () => {
    for (const json of [KOBOLD, AI_DUNGEON]) {
      const { bundle } = await takenJson(json, { forPresent: true })
      assert.deepStrictEqual(bundle.character, {})
      assert.isNotEmpty(bundle.lore)
    }
  })

  it("may be a scenario with story cards, or the cards alone", async () => {
    const found = await takenJson(AI_DUNGEON)
    assert.deepStrictEqual([found.format, found.character.display_name], ["ai_dungeon", "The river"])
    assert.deepStrictEqual(
      found.bundle.lore.map(({ keys, content }) => [keys, content]),
      [
        [["inn", "tavern"], "The inn is old."],
        [["Tomas"], "Tomas is a guest."]
      ]
    )
    const alone = await takenText(JSON.stringify(AI_DUNGEON.storyCards))
    assert.deepStrictEqual([alone.format, alone.bundle.lore.length], ["lorebook", 2])
    const older = await takenJson({ worldInfo: [{ keys: "inn", entry: "The inn is old." }] })
    assert.deepStrictEqual([older.format, older.bundle.lore.length], ["lorebook", 1])
  })

  it("has a long prompt in the definition, where it is not cut", async () => {
    const prompt = "It rains on the inn. ".repeat(100).trim()
    const { character } = await takenJson({ ...KOBOLD, prompt })
    assert.include(character.persona.summary, prompt)
    assert.notProperty(character, "world_context")
  })
})

describe("hostile files of other programs are read or refused, and never fail", () => {
  const files: ReadonlyArray<Readonly<Record<string, unknown>>> = [
    AGNAI,
    FARADAY,
    FARADAY.character,
    KOBOLD,
    AI_DUNGEON,
    { char_name: "Mara", char_persona: "x", your_name: "You" },
    { character: { name: "Mara", persona: "x", images: [], loreItems: [] }, scenarios: [{}] }
  ]
  const deep = (depth: number): unknown => (depth === 0 ? "x" : { a: [deep(depth - 1)] })
  it.each<[string, unknown]>([
    ["numbers", 7],
    ["null", null],
    ["lists", [null, 7, "x", [], {}]],
    ["objects", { entries: [7, null, {}], attributes: { text: [[], {}] }, persona: 7 }],
    ["nested ones", deep(20)],
    ["huge lists", Array.from({ length: 30_000 }, (_, n) => ({ key: "a,".repeat(3), value: `${n}`, entry: "x" }))],
    ["long texts", "{character} {{char}} *** ".repeat(2000)],
    ["many commas", ",a".repeat(50_000)]
  ])("with %s for every field", async (_, value) => {
    for (const file of files)
      for (const field of Object.keys(file)) {
        const { result, effortMs } = await effortOf(() => read({ json: { ...file, [field]: value } }))
        assert.isBelow(effortMs, 3000, field)
        if (result._tag === "Success") assert.isNotEmpty(JSON.stringify(result.success.bundle))
      }
  })

  it("names at most thirty unused fields, each with at most eighty characters", async () => {
    const extra = Object.fromEntries(Array.from({ length: 1000 }, (_, n) => [`${n}${"x".repeat(1000)}`, 1]))
    for (const json of [{ ...AGNAI, ...extra }, { ...cardV2(), ...extra }, cardV2(extra)]) {
      const { report } = await takenJson(json)
      assert.isBelow(report.dropped.length, 40)
      assert.isBelow(JSON.stringify(report.dropped).length, 8000)
      assert.match(JSON.stringify(report.dropped), /97\d more/)
    }
  })
})

describe("a card", () => {
  it("with fields beside its own ones has them in the report", async () => {
    const found = await takenJson({ ...cardV2(), name: "Mara", avatar: "none", chat: "x", create_date: "2023" })
    assert.deepStrictEqual(dropped(found), ["avatar", "chat", "create_date"])
  })

  it("does not say a line of asterisks", async () => {
    const only = await takenJson(cardV2({ first_mes: "***", alternate_greetings: ["* * *", "Hm."] }))
    assert.deepStrictEqual(only.character.greeting, { bubbles: ["Hm."] })
    const line = await takenJson(cardV2({ first_mes: "Evening.\n\n***\n\nSit down.\n---" }))
    assert.deepStrictEqual(line.character.greeting.bubbles, ["Evening.", "Sit down."])
    assert.notInclude(codes(line), "narration_removed")
  })

  it("alone in a ZIP is opened, but not in a ZIP in a ZIP", async () => {
    const png = await pngWith(text("chara", base64(cardV2())))
    for (const [name, file] of [["Mara.png", png] as const, ["a/Mara.json", JSON.stringify(cardV2())] as const]) {
      const found = await taken({ bytes: await zipOf({ [name]: file, "__MACOSX/x": "x", "a/.DS_Store": "x" }) })
      assert.strictEqual(found.character.display_name, "Mara")
      assert.strictEqual(found.bundle.assets.length, name.endsWith("png") ? 1 : 0)
    }
    const inner = await zipOf({ "card.json": cardV2() })
    const problem = "another archive"
    assert.include((await refused({ bytes: await zipOf({ "Mara.json": inner }) })).problem, problem)
  })
})
