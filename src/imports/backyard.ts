import type { Archive } from "./Archive.ts"
import { shownName } from "./Assets.ts"
import { unreadable } from "./ImportRefused.ts"
import { type OtherCard, unusedIn } from "./OtherCard.ts"
import { type Fields, fieldsOf, isEmpty, isRecord, listOf, readJson, textOf, textsOf } from "./readJson.ts"
import type { Report } from "./Report.ts"
import { keysIn } from "./worldInfo.ts"

const MIB = 1024 * 1024
const MAX_SCENARIOS = 10
const MAX_IMAGES = 100
/** Limit for one file of the archive. Scenarios contain chats. */
const MAX_JSON_BYTES = 4 * MIB

/** The names of Backyard AI in single braces. Speakers have a `#` before them. */
const NAMES = /#?(?<!\{)\{(character|user)\}(?!\})/gi
const filled = (text: unknown): string =>
  textOf(text).replace(NAMES, (_, name: string) => (name.toLowerCase() === "user" ? "{{user}}" : "{{char}}"))

const bookOf = (items: unknown): Fields | undefined =>
  listOf(items).length === 0
    ? undefined
    : {
        entries: listOf(items)
          .filter(isRecord)
          .map(({ key, value }) => ({ keys: keysIn(key).map(filled), content: filled(value) }))
      }

/** What the character is called in a chat may differ from its title. */
const namesOf = (title: unknown, called: unknown): Fields => {
  const name = textOf(title) || textOf(called)
  return { name, ...(textOf(called) !== "" && textOf(called) !== name && { nickname: textOf(called) }) }
}

/** Of the database there. */
const RECORD = ["$schema", "schemaVersion", "id", "createdAt", "updatedAt"]
const OLDER_USED = new Set([
  ..."aiName aiDisplayName aiPersona basePrompt scenario firstMessage customDialogue loreItems".split(" "),
  ...RECORD
])

/** A character of Faraday, as Backyard AI was called. */
const fromFaraday = (file: Fields, character: Fields): OtherCard => ({
  format: "backyard",
  data: {
    ...namesOf(character["aiDisplayName"], character["aiName"]),
    description: filled(character["aiPersona"]),
    system_prompt: filled(character["basePrompt"]),
    scenario: filled(character["scenario"]),
    first_mes: filled(character["firstMessage"]),
    mes_example: filled(character["customDialogue"]),
    character_book: bookOf(character["loreItems"])
  },
  paths: {
    name: "character.aiDisplayName",
    nickname: "character.aiName",
    description: "character.aiPersona",
    system_prompt: "character.basePrompt",
    scenario: "character.scenario",
    first_mes: "character.firstMessage",
    mes_example: "character.customDialogue",
    "character_book.entries": "character.loreItems"
  },
  unused: [...unusedIn(character, OLDER_USED, "character."), ...unusedIn(file, new Set(["character", "version"]))]
})

const CHARACTER_USED = new Set(["name", "displayName", "persona", "loreItems", "images", ...RECORD])
const SCENARIO_USED = new Set([
  ..."formattingInstructions narrative firstMessages exampleMessages".split(" "),
  ...RECORD
])
/** Of scenarios after the first one, only the first messages are used. */
const LATER_USED = new Set(["firstMessages", ...RECORD])

const messagesIn = (list: unknown): ReadonlyArray<string> =>
  listOf(list)
    .map((message) => filled(fieldsOf(message)["text"]))
    .filter((text) => text.trim() !== "")

const SPEAKER = /^\{\{(?:char|user)\}\}:/m

/** A character and its scenarios, as `openBackyard` reads them from an archive. */
const fromArchive = (file: Fields, character: Fields): OtherCard => {
  const scenarios = listOf(file["scenarios"]).filter(isRecord)
  const [first = {}, ...later] = scenarios
  const [greeting = "", ...greetings] = scenarios.flatMap((scenario) => messagesIn(scenario["firstMessages"]))
  return {
    format: "backyard",
    data: {
      ...namesOf(character["displayName"], character["name"]),
      description: filled(character["persona"]),
      system_prompt: filled(first["formattingInstructions"]),
      scenario: filled(first["narrative"]),
      first_mes: greeting,
      alternate_greetings: greetings,
      mes_example: messagesIn(first["exampleMessages"])
        .map((text) => (SPEAKER.test(text) ? text : `{{char}}: ${text}`))
        .join("\n"),
      character_book: bookOf(character["loreItems"]),
      assets: file["assets"]
    },
    paths: {
      name: "character.displayName",
      nickname: "character.name",
      description: "character.persona",
      system_prompt: "scenarios[0].formattingInstructions",
      scenario: "scenarios[0].narrative",
      first_mes: "scenarios[0].firstMessages",
      alternate_greetings: "scenarios.firstMessages",
      mes_example: "scenarios[0].exampleMessages",
      "character_book.entries": "character.loreItems",
      assets: "character.images"
    },
    unused: [
      ...unusedIn(character, CHARACTER_USED, "character."),
      ...unusedIn(first, SCENARIO_USED, "scenarios[0]."),
      ...later.flatMap((scenario, index) => unusedIn(scenario, LATER_USED, `scenarios[${index + 1}].`))
    ]
  }
}

/** The character of a file of Backyard AI. */
export const fromBackyard = (file: Fields): OtherCard | undefined => {
  const character = fieldsOf(file["character"])
  if (["aiName", "aiDisplayName", "aiPersona"].some((field) => typeof character[field] === "string"))
    return fromFaraday(file, character)
  const hasName = typeof character["displayName"] === "string" || typeof character["name"] === "string"
  return hasName && Array.isArray(file["scenarios"]) ? fromArchive(file, character) : undefined
}

/** The JSON of an archive (`.byaf`) whose manifest is at a path. Undefined if the manifest is of another program. */
export const openBackyard = async (archive: Archive, path: string, report: Report) => {
  const folder = path.slice(0, path.lastIndexOf("/") + 1)
  const used = new Set([path])
  const readAt = async (name: string): Promise<Fields | undefined> => {
    const bytes = await archive.read(folder + name, MAX_JSON_BYTES)
    if (bytes === undefined) return undefined
    used.add(folder + name)
    return fieldsOf(readJson(bytes, `${shownName(name)} of the archive`))
  }
  const manifest = await readAt(path.slice(folder.length))
  const [name, ...others] = textsOf(manifest?.["characters"])
  if (name === undefined) return undefined
  const character = await readAt(name)
  if (character === undefined)
    throw unreadable(
      `The archive has no file ${shownName(name)} with at most ${MAX_JSON_BYTES / MIB} MiB, which its manifest names ` +
        "as the character. Export the character again."
    )
  report.droppedAll(others.map(shownName), "characters", "Only the first character of an archive is imported.")

  const scenarios: Array<Fields> = []
  const paths = textsOf(manifest?.["scenarios"])
  for (const [index, scenario] of paths.slice(0, MAX_SCENARIOS).entries()) {
    const read = await readAt(scenario)
    if (read === undefined) report.dropped(shownName(scenario), "The file is missing, or too large.")
    const { messages, ...rest } = read ?? {}
    if (!isEmpty(messages)) report.dropped(`scenarios[${index}].messages`, "A chat is not part of a character.")
    scenarios.push(rest)
  }
  report.droppedAll(
    paths.slice(MAX_SCENARIOS).map(shownName),
    "scenarios",
    `An archive may have ${MAX_SCENARIOS} scenarios.`
  )

  const files = new Set(archive.files)
  const beside = name.slice(0, name.lastIndexOf("/") + 1)
  const assets = listOf(character["images"])
    .filter(isRecord)
    .slice(0, MAX_IMAGES)
    .map((image, index) => {
      const place = textOf(image["path"])
      return {
        type: index === 0 ? "icon" : "x_portrait",
        uri: `embeded://${files.has(folder + beside + place) ? beside + place : place}`,
        name: textOf(image["label"])
      }
    })
  return { json: { character, scenarios, assets }, folder, used }
}
