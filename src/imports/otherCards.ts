import { fromBackyard } from "./backyard.ts"
import { type OtherCard, unusedIn } from "./OtherCard.ts"
import { type Fields, fieldsOf, isRecord, listOf, textOf, textsOf } from "./readJson.ts"
import { worldInfo } from "./worldInfo.ts"

/** A prompt that is longer than a scene may be belongs to the definition. */
const LONGEST_SCENE = 1000
const PERSONALITY = /^(?:personality|mind|traits?|temperament)$/i
const V1 = ["description", "personality", "first_mes", "mes_example"]

const isText = (value: unknown): value is string => typeof value === "string"
/** The first text that is not empty. */
const either = (...texts: ReadonlyArray<unknown>): string => texts.map(textOf).find((text) => text.trim() !== "") ?? ""

const AGNAI = new Set(
  (
    "kind name persona greeting scenario sampleChat systemPrompt postHistoryInstructions " +
    "alternateGreetings characterBook description tags creator characterVersion insert _id createdAt updatedAt"
  ).split(" ")
)
const AGNAI_PATHS = {
  description: "persona.attributes",
  personality: "persona.attributes",
  first_mes: "greeting",
  mes_example: "sampleChat",
  system_prompt: "systemPrompt",
  post_history_instructions: "postHistoryInstructions",
  alternate_greetings: "alternateGreetings",
  creator_notes: "description",
  character_version: "characterVersion",
  "extensions.depth_prompt": "insert"
}

/** An age may be a number. */
const valuesIn = (values: unknown): ReadonlyArray<string> =>
  (Array.isArray(values) ? values : [values])
    .map((value) => (typeof value === "number" ? String(value) : textOf(value).trim()))
    .filter((value) => value !== "")

/** Fewer attributes are not taken for a list. */
const MIN_LISTED = 3
const KEY = /^\p{L}[\p{L} _/-]{0,39}$/u

/** The definition in attributes: in W++, which is read as a list, or a line for each if it cannot be written so. */
const defined = (attributes: ReadonlyArray<readonly [string, ReadonlyArray<string>]>): Fields => {
  const isListed =
    attributes.length >= MIN_LISTED &&
    attributes.every(
      ([key, values]) =>
        KEY.test(key) && values.length <= 40 && values.every((value) => value.length <= 400 && !/["“”\n]/.test(value))
    )
  if (isListed)
    return {
      description: attributes
        .map(([key, values]) => `${key}(${values.map((value) => `"${value}"`).join(" + ")})`)
        .join("\n"),
      personality: ""
    }
  const lines = attributes
    .filter(([key]) => !PERSONALITY.test(key))
    .map(([key, values]) => (key === "text" ? values.join("\n") : `${key}: ${values.join(", ")}`))
  return {
    description: lines.join("\n"),
    personality: attributes
      .filter(([key]) => PERSONALITY.test(key))
      .flatMap(([, values]) => values)
      .join(", ")
  }
}

const fromAgnai = (file: Fields): OtherCard => {
  const persona = fieldsOf(file["persona"])
  const attributes = Object.entries(fieldsOf(persona["attributes"]))
    .map(([key, values]) => [key.trim(), valuesIn(values)] as const)
    .filter(([, values]) => values.length > 0)
  const { description, personality } = defined(attributes)
  const definition = either(description, file["persona"], personality === "" ? file["description"] : "")
  const book = fieldsOf(file["characterBook"])
  const isMemory = listOf(book["entries"]).some((entry) => fieldsOf(entry)["entry"] !== undefined)
  const hasPicture = textOf(file["avatar"]).startsWith("data:")
  return {
    format: "agnai",
    data: {
      name: file["name"],
      description: definition,
      personality,
      scenario: file["scenario"],
      first_mes: file["greeting"],
      mes_example: file["sampleChat"],
      system_prompt: file["systemPrompt"],
      post_history_instructions: file["postHistoryInstructions"],
      alternate_greetings: file["alternateGreetings"],
      characterBook: isRecord(file["characterBook"]) ? { ...book, ...(isMemory && { kind: "memory" }) } : undefined,
      creator_notes: file["description"],
      tags: file["tags"],
      creator: file["creator"],
      character_version: file["characterVersion"],
      extensions: { depth_prompt: file["insert"] },
      ...(hasPicture && { assets: [{ type: "icon", uri: file["avatar"], name: "main" }] })
    },
    paths: hasPicture ? { ...AGNAI_PATHS, assets: "avatar" } : AGNAI_PATHS,
    unused: unusedIn(file, hasPicture ? new Set([...AGNAI, "avatar"]) : AGNAI)
  }
}

/** The names of a field in Pygmalion and in text-generation-webui. */
const PYGMALION = {
  name: ["char_name", "name"],
  description: ["char_persona", "context"],
  first_mes: ["char_greeting", "greeting"],
  scenario: ["world_scenario", "scenario"],
  mes_example: ["example_dialogue", "mes_example"]
}
const PYGMALION_USED = new Set([...Object.values(PYGMALION).flat(), "your_name", "user"])

/** Conversations in which the person has a name of its own. */
const withPerson = (text: string, person: string): string =>
  person === ""
    ? text
    : text
        .split("\n")
        .map((line) => (line.startsWith(`${person}:`) ? `{{user}}${line.slice(person.length)}` : line))
        .join("\n")

const fromPygmalion = (file: Fields): OtherCard => {
  const person = either(file["your_name"], file["user"]).trim()
  const fields = Object.entries(PYGMALION).map(([field, names]) => {
    const name = names.find((name) => textOf(file[name]).trim() !== "") ?? names[0] ?? field
    return { field, name, text: withPerson(textOf(file[name]), person) }
  })
  return {
    format: "pygmalion",
    data: Object.fromEntries(fields.map(({ field, text }) => [field, text])),
    paths: Object.fromEntries(fields.map(({ field, name }) => [field, name])),
    unused: unusedIn(file, PYGMALION_USED)
  }
}

/** The definition and the scene of a story. */
const storyOf = (file: Fields): Pick<OtherCard, "data" | "paths"> => {
  const [memory, prompt] = [textOf(file["memory"]), textOf(file["prompt"])]
  const isScene = prompt.trim().length <= LONGEST_SCENE
  const { book, entriesAt = "" } = worldInfo(file) ?? {}
  return {
    data: {
      description: isScene ? memory : [memory, prompt].join("\n\n"),
      scenario: isScene ? prompt : "",
      post_history_instructions: file["authorsnote"] ?? file["authorsNote"],
      character_book: book
    },
    paths: {
      description: memory === "" ? "prompt" : "memory",
      scenario: "prompt",
      post_history_instructions: file["authorsnote"] === undefined ? "authorsNote" : "authorsnote",
      "character_book.entries": entriesAt
    }
  }
}

const named = (filename: string): string => filename.replace(/\.[a-z]{1,8}$/i, "")

const KOBOLD = new Set(["memory", "prompt", "authorsnote", "worldinfo", "worldinfo_v2", "title", "gamestarted"])

const fromKoboldAi = (file: Fields, filename: string): OtherCard => {
  const { data, paths } = storyOf(file)
  // Several characters of a chat are separated by `||$||`.
  const [opponent] = textOf(fieldsOf(file["savedsettings"])["chatopponent"]).split("||$||", 1)
  return {
    format: "koboldai",
    data: { ...data, name: either(opponent, file["title"], named(filename)) },
    paths,
    unused: unusedIn(file, KOBOLD)
  }
}

const AI_DUNGEON = new Set("title description memory prompt authorsNote storyCards worldInfo tags".split(" "))

const fromAiDungeon = (file: Fields, filename: string): OtherCard => {
  const { data, paths } = storyOf(file)
  return {
    format: "ai_dungeon",
    data: {
      ...data,
      name: either(file["title"], named(filename)),
      creator_notes: textOf(file["description"]),
      tags: textsOf(file["tags"])
    },
    paths: { ...paths, name: "title", creator_notes: "description" },
    unused: unusedIn(file, AI_DUNGEON)
  }
}

/** The character in a file of another program. Undefined if it is of none of them, or contains only lore. */
export const otherCard = (file: Fields, filename = ""): OtherCard | undefined => {
  const { kind, persona, char_name, name, context, greeting, memory, prompt } = file
  if (kind === "character" || (isRecord(persona) && isRecord(persona["attributes"]))) return fromAgnai(file)
  const backyard = fromBackyard(file)
  if (backyard !== undefined) return backyard
  const isV1 = V1.some((field) => isText(file[field]))
  if (!isV1 && (isText(char_name) || (isText(name) && (isText(context) || isText(greeting)))))
    return fromPygmalion(file)
  // Of NovelAI.
  if (file["scenarioVersion"] !== undefined || file["storyContainerVersion"] !== undefined) return undefined
  if (either(memory, prompt) === "") return undefined
  const program = worldInfo(file)?.program
  if (program === "KoboldAI" || file["gamestarted"] !== undefined || isRecord(file["savedsettings"]))
    return fromKoboldAi(file, filename)
  return program === "AI Dungeon" || isText(file["authorsNote"]) ? fromAiDungeon(file, filename) : undefined
}
