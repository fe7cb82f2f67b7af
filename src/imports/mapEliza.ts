import type { Bundle } from "./Bundle.ts"
import { Examples, type Turn } from "./examples.ts"
import { type Fields, fieldsOf, isEmpty, isRecord, listOf, textOf, textsOf } from "./readJson.ts"
import type { Report } from "./Report.ts"
import { slugify } from "./slugify.ts"
import { nameIn } from "./nameIn.ts"
import { cut, piecesOf, Text } from "./Text.ts"

const USED = new Set([
  "name",
  "bio",
  "lore",
  "messageExamples",
  "postExamples",
  "style",
  "topics",
  "adjectives",
  "knowledge",
  "system",
  "settings",
  "secrets",
  "username",
  "id"
])
const FORBIDS = /^(?:never|don['’]t|do not|avoid)\s+\S/i
const LONGEST_NOTE = 20_000
const MAX_NOTES = 50

const lines = (value: unknown): ReadonlyArray<string> => (typeof value === "string" ? [value] : textsOf(value))

const speakerOf = (message: Fields): string => (textOf(message["user"]) || textOf(message["name"])).trim().toLowerCase()
const PERSON = /^(?:\{\{\s*(?:user|name)\s*(?:\d+\s*)?\}\}|user\s?\d*|you|human|anon(?:ymous)?|person)$/

/**
 * Which speakers of a conversation are the person. Authors name the person by a placeholder, and everybody else is the
 * character, whatever it is called there. Without a placeholder, everybody but the character is the person, or else
 * the one who speaks first.
 */
const personIn = (speakers: ReadonlyArray<string>, name: string): ((speaker: string) => boolean) => {
  const own = name.toLowerCase()
  const [first = ""] = speakers
  if (speakers.some((speaker) => PERSON.test(speaker))) return (speaker) => PERSON.test(speaker)
  if (speakers.includes(own)) return (speaker) => speaker !== own
  return (speaker) => new Set(speakers).size > 1 && speaker === first
}

/**
 * The secrets of an elizaOS character are API keys of its operator. They are left out, and the report says so without
 * quoting them.
 */
const refuseSecrets = (card: Fields, report: Report): void => {
  for (const [path, secrets] of [
    ["settings.secrets", fieldsOf(card["settings"])["secrets"]],
    ["secrets", card["secrets"]]
  ] as const) {
    if (!isEmpty(secrets))
      report.block(
        "secrets_present",
        path,
        "The file contains secrets. They were not imported. Rotate them, " +
          "because others may have read them. Drop this path to continue."
      )
  }
}

/** Converts an elizaOS character to a bundle. */
export const mapEliza = (card: Fields, report: Report): Bundle => {
  const text = new Text(report, null)
  const examples = new Examples(text)
  const prepared = (value: unknown, path: string) =>
    lines(value)
      .map((line, index) => text.prepare(line, `${path}[${index}]`))
      .filter((line) => line !== "")
  const name = text.bounded(nameIn(text, card["name"], "name") ?? "Unnamed", 80, "name")
  report.mapped("name", "character.display_name")
  refuseSecrets(card, report)

  const bio = prepared(card["bio"], "bio")
  const style = fieldsOf(card["style"])
  const ways = [...prepared(style["all"], "style.all"), ...prepared(style["chat"], "style.chat")]
  if (lines(style["post"]).length > 0)
    report.dropped("style.post", "The style of posts is not used: characters write messages here.")
  const forbidden = ways
    .filter((way) => FORBIDS.test(way))
    .map((way) => ({ kind: "behavior", value: cut(way, 200) }))
    .slice(0, 50)
  const notes = ways.filter((way) => !FORBIDS.test(way))
  const whole = [bio.join("\n"), notes.length > 0 ? `How {{char}} writes: ${notes.join("; ")}` : ""]
    .filter((part) => part !== "")
    .join("\n\n")
  const [summary = "", ...more] = whole === "" ? [] : piecesOf(whole, 4000)
  if (bio.length > 0) report.mapped("bio", "character.persona.summary")
  if (notes.length > 0) report.mapped("style", "character.persona.summary")
  if (forbidden.length > 0) report.mapped("style", "character.forbidden_style")
  const world = text.bounded(prepared(card["lore"], "lore").join("\n"), 4000, "lore")
  if (world !== "") report.mapped("lore", "character.world_context.summary")

  for (const [index, example] of listOf(card["messageExamples"]).entries()) {
    const path = `messageExamples[${index}]`
    // One conversation: a list, or in newer versions an object with a list in it.
    const messages = (Array.isArray(example) ? example : listOf(fieldsOf(example)["examples"])).filter(isRecord)
    const isPerson = personIn(messages.map(speakerOf), name)
    examples.take(
      messages
        .map((message): Turn => {
          const { content } = message
          return {
            role: isPerson(speakerOf(message)) ? "user" : "character",
            text: text.prepare(typeof content === "string" ? content : fieldsOf(content)["text"], path)
          }
        })
        .filter((turn) => turn.text !== ""),
      path
    )
  }
  for (const [index, post] of prepared(card["postExamples"], "postExamples").entries())
    examples.takeSample(post, `postExamples[${index}]`, "post")

  const traits = prepared(card["adjectives"], "adjectives")
    .map((trait) => cut(trait, 40))
    .slice(0, 20)
  if (traits.length > 0) report.mapped("adjectives", "character.persona.traits")
  const interests = prepared(card["topics"], "topics")
    .map((topic) => cut(topic, 300))
    .slice(0, 30)
  if (interests.length > 0) report.mapped("topics", "character.interests")

  const evidence = listOf(card["knowledge"]).flatMap((item, index) => {
    const path = `knowledge[${index}]`
    if (typeof item !== "string") {
      report.dropped(path, "A path to a file that is not included.")
      return []
    }
    return piecesOf(text.prepare(item, path), LONGEST_NOTE).map((note) => ({
      kind: "author_note",
      text: note,
      trust: "authored",
      source: { title: path }
    }))
  })
  if (evidence.length > 0) report.mapped("knowledge", "evidence")
  if (evidence.length > MAX_NOTES)
    report.warn("list_truncated", "knowledge", `More than ${MAX_NOTES}. The rest was omitted.`)
  const rest = piecesOf(more.join("\n\n"), LONGEST_NOTE)
    .slice(0, 5)
    .map((note) => ({ kind: "author_note", text: note, trust: "authored", source: { title: "bio" } }))

  const system = textOf(card["system"])
  if (system.trim() !== "")
    report.warn(
      "system_quarantined",
      "system",
      "Instructions to a model are only kept for exports. They are never followed.",
      system
    )
  for (const field of Object.keys(card).filter((key) => !USED.has(key))) report.dropped(field, "Used only by elizaOS.")
  if (!isEmpty(card["settings"])) report.dropped("settings", "Used only by elizaOS.")

  const persona = { ...(summary !== "" && { summary }), ...(traits.length > 0 && { traits }) }
  const quarantined = {
    ...(system.trim() !== "" && { system_prompt: cut(system, LONGEST_NOTE) }),
    ...(text.quarantined.length > 0 && { sentences: text.quarantined.slice(0, 100) })
  }
  return {
    character: {
      slug: slugify(name),
      display_name: name,
      ...(bio[0] !== undefined && { visible_bio: cut(bio[0], 2000) }),
      ...(Object.keys(persona).length > 0 && { persona }),
      ...(interests.length > 0 && { interests }),
      ...examples.fields,
      ...(forbidden.length > 0 && { forbidden_style: forbidden }),
      ...(world !== "" && { world_context: { summary: world } })
    },
    npcs: [],
    lore: [],
    assets: [],
    evidence: [...rest, ...evidence].slice(0, MAX_NOTES),
    visual_identity: null,
    extra: Object.keys(quarantined).length > 0 ? { quarantine: quarantined } : {}
  }
}
