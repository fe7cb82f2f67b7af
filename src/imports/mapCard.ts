import { type Assets, shownName } from "./Assets.ts"
import { type Bundle, hashOf, splitProfile } from "./Bundle.ts"
import { describe } from "./describe.ts"
import { Examples } from "./examples.ts"
import { entriesOf } from "./loreEntries.ts"
import { bookInCard } from "./otherLorebooks.ts"
import { mapLore, type MappedLore } from "./mapLore.ts"
import { unusedIn } from "./OtherCard.ts"
import { type Fields, fieldsOf, isEmpty, isRecord, listOf, textOf, textsOf } from "./readJson.ts"
import type { Report } from "./Report.ts"
import { slugify } from "./slugify.ts"
import { nameIn } from "./nameIn.ts"
import { paragraphsOf } from "./paragraphsOf.ts"
import { cut, Text } from "./Text.ts"
import { TROUPE_EXTENSION } from "./troupeExtension.ts"

const LONGEST_NAME = 80
const LONGEST_NOTE = 20_000
const LONGEST_SCENE = 1000
const MAX_BUBBLES = 4
const LONGEST_BUBBLE = 600
const MAX_ALTERNATES = 10
const LONGEST_ALTERNATE = 2400

const PROVENANCE = [
  "creator",
  "creator_notes",
  "creator_notes_multilingual",
  "character_version",
  "tags",
  "source",
  "creation_date",
  "modification_date",
  "nickname"
] as const
const KNOWN = new Set<string>([
  ...PROVENANCE,
  "name",
  "description",
  "personality",
  "scenario",
  "first_mes",
  "mes_example",
  "alternate_greetings",
  "group_only_greetings",
  "system_prompt",
  "post_history_instructions",
  "character_book",
  "characterBook",
  "globalLore",
  "extensions",
  "assets"
])
/** Programs repeat the fields of version 1 beside those of later versions. */
const BESIDE_DATA = new Set([...KNOWN, "spec", "spec_version", "data"])
const FORBIDS = /^(?:never|don['’]t|do not|avoid)\s+\S/i

/** Up to the maximum number of greeting bubbles. The rest of the text goes into the last ones. */
const greetingBubblesOf = (spoken: string, text: Text, path: string): ReadonlyArray<string> => {
  const parts = paragraphsOf(spoken).flatMap((part) => paragraphsOf(text.settled(part, LONGEST_BUBBLE, path)))
  const bubbles =
    parts.length <= MAX_BUBBLES ? parts : [...parts.slice(0, MAX_BUBBLES - 1), parts.slice(MAX_BUBBLES - 1).join("\n")]
  return bubbles.map((bubble) => text.bounded(bubble, LONGEST_BUBBLE, path))
}

/** Instructions in the card are stored but never followed. Proposes rules for what they forbid. */
const quarantine = (data: Fields, at: string, report: Report): Fields => {
  const depth = fieldsOf(fieldsOf(data["extensions"])["depth_prompt"])
  const found: ReadonlyArray<readonly [string, string]> = [
    ["system_prompt", textOf(data["system_prompt"])],
    ["post_history_instructions", textOf(data["post_history_instructions"])],
    ["depth_prompt", textOf(depth["prompt"])]
  ]
  const kept: Record<string, unknown> = {}
  for (const [name, said] of found) {
    if (said.trim() === "") continue
    const path = name === "depth_prompt" ? `${at}extensions.depth_prompt` : at + name
    report.warn(
      `${name}_quarantined`,
      path,
      "Instructions to a model are only kept for exports. They are never followed.",
      said
    )
    kept[name] = name === "depth_prompt" ? depth : said
    const rules = said
      .slice(0, LONGEST_NOTE)
      .split(/(?<=[.!?])\s+|\n/)
      .map((sentence) => sentence.trim())
      .filter((sentence) => FORBIDS.test(sentence) && sentence.length <= 200)
    for (const value of rules.slice(0, 10))
      report.propose("character.forbidden_style", { kind: "behavior", value }, path)
  }
  return kept
}

/** The creator of a card, and fields that have no place here. Exports write them back. */
const extraOf = (data: Fields, lore: MappedLore, quarantined: Fields, report: Report, at: string): Fields => {
  const card = Object.fromEntries(PROVENANCE.filter((name) => !isEmpty(data[name])).map((name) => [name, data[name]]))
  const fields = Object.fromEntries(Object.entries(data).filter(([name]) => !KNOWN.has(name)))
  const { depth_prompt: _, talkativeness: __, [TROUPE_EXTENSION]: ___, ...extensions } = fieldsOf(data["extensions"])
  for (const name of Object.keys(card)) report.mapped(at + name, `extra.card.${name}`)
  const unused = [...Object.keys(fields), ...Object.keys(extensions).map((name) => `extensions.${name}`)]
  report.unused(
    unused.map((name) => `${at}${shownName(name)}`),
    "Not used. Kept for exports."
  )
  const { entries: _entries, ...book } = fieldsOf(data["character_book"])
  const talkativeness = fieldsOf(data["extensions"])["talkativeness"]
  const all = {
    card,
    fields,
    extensions: { ...extensions, ...(talkativeness !== undefined && { talkativeness }) },
    quarantine: quarantined,
    book,
    lore: lore.rest
  }
  return Object.fromEntries(Object.entries(all).filter(([, part]) => Object.keys(part).length > 0))
}

const proposeTalkativeness = (data: Fields, at: string, report: Report): void => {
  const given = fieldsOf(data["extensions"])["talkativeness"]
  const talkativeness = typeof given === "string" && given.trim() !== "" ? Number(given) : given
  if (typeof talkativeness !== "number" || !(talkativeness >= 0 && talkativeness <= 1)) return
  report.propose(
    "character.behavioral_thresholds.proactivity_tolerance",
    talkativeness * 0.5,
    `${at}extensions.talkativeness`
  )
  report.tell(
    "talkativeness_proposed",
    `${at}extensions.talkativeness`,
    "Talkativeness can be used as proactivity_tolerance. See proposals."
  )
}

/** Converts a character card of version 1, 2 or 3 to a bundle. `at` is the path of its fields. */
export const mapCard = async (card: Fields, assets: Assets, report: Report): Promise<Bundle> => {
  const isNested = isRecord(card["data"])
  const data = isNested ? fieldsOf(card["data"]) : card
  const at = isNested ? "data." : ""
  const nickname = cut(textOf(data["nickname"]).trim(), LONGEST_NAME)
  const name = textOf(data["name"]).trim()
  if (isNested) report.unused(unusedIn(card, BESIDE_DATA), "Not used: it is beside the fields of the card.")
  const text = new Text(report, nickname !== "" && nickname !== name ? nickname : null)
  const examples = new Examples(text)
  const names = [cut(name, LONGEST_NAME), nickname]

  const displayName = text.bounded(
    nameIn(text, name, `${at}name`) ?? (nickname || "Unnamed"),
    LONGEST_NAME,
    `${at}name`
  )
  report.mapped(`${at}name`, "character.display_name")
  const described = describe(data, at, text, examples, names)
  const scene = text.bounded(text.prepare(data["scenario"], `${at}scenario`), LONGEST_SCENE, `${at}scenario`)
  if (scene !== "") report.mapped(`${at}scenario`, "character.world_context.scene")
  examples.takeBlocks(text.prepare(data["mes_example"], `${at}mes_example`), names, `${at}mes_example`)

  const spoken = text.spoken(text.prepare(data["first_mes"], `${at}first_mes`), `${at}first_mes`)
  const bubbles = greetingBubblesOf(spoken, text, `${at}first_mes`)
  const alternates = textsOf(data["alternate_greetings"])
    .slice(0, MAX_ALTERNATES)
    .map((line, index) => {
      const path = `${at}alternate_greetings[${index}]`
      return text.bounded(text.spoken(text.prepare(line, path), path), LONGEST_ALTERNATE, path)
    })
    .filter((line) => line !== "")
  if (textsOf(data["alternate_greetings"]).length > MAX_ALTERNATES)
    report.warn("list_truncated", `${at}alternate_greetings`, `More than ${MAX_ALTERNATES}. The rest was omitted.`)
  if (textsOf(data["group_only_greetings"]).length > 0)
    report.dropped(
      `${at}group_only_greetings`,
      "Greetings for groups are not supported: characters speak with one person here."
    )
  // Alternates need a main greeting. If there is none, the first alternate becomes the main one.
  const [first, ...others] =
    bubbles.length > 0
      ? [bubbles, ...alternates]
      : alternates.map((line, index) =>
          index === 0 ? greetingBubblesOf(line, text, `${at}alternate_greetings[0]`) : line
        )
  const greeting =
    first === undefined ? undefined : { bubbles: first, ...(others.length > 0 && { alternates: others }) }
  if (greeting !== undefined) report.mapped(`${at}first_mes`, "character.greeting")

  const isOurs = isRecord(fieldsOf(data["extensions"])[TROUPE_EXTENSION])
  const { book, entriesAt } = bookInCard(data)
  const lore = mapLore(book, at + entriesAt, text, isOurs)
  const entries = entriesOf(book).length
  if (entries > 0 && lore.entries.length === 0)
    report.warn(
      "lore_unusable",
      at + entriesAt,
      `The lorebook has ${entries} entries, and none of them has a text to import. The character has no lore.`
    )
  const quarantined = quarantine(data, at, report)
  proposeTalkativeness(data, at, report)
  await assets.takeListed(
    data["assets"],
    `${at}assets`,
    fieldsOf(fieldsOf(data["extensions"])[TROUPE_EXTENSION])["placeholder"] === true
  )

  const character: Fields = {
    slug: slugify(displayName),
    display_name: displayName,
    ...(described.bio !== "" && { visible_bio: described.bio }),
    ...((described.summary !== "" || described.traits.length > 0) && {
      persona: {
        ...(described.summary !== "" && { summary: described.summary }),
        ...(described.traits.length > 0 && { traits: described.traits })
      }
    }),
    ...(described.interests.length > 0 && { interests: described.interests }),
    ...examples.fields,
    ...(greeting !== undefined && { greeting }),
    ...(scene !== "" && { world_context: { scene } })
  }
  const extra = extraOf(
    data,
    lore,
    { ...quarantined, ...(text.quarantined.length > 0 && { sentences: text.quarantined.slice(0, 100) }) },
    report,
    at
  )
  const mapped = {
    character,
    lore: lore.entries,
    npcs: [],
    evidence: described.notes,
    visual_identity: described.looks === "" ? null : { appearance: described.looks }
  }
  return { ...ours(data, mapped), assets: assets.found, extra }
}

type Mapped = Omit<Bundle, "assets" | "extra">

/**
 * A card that was exported here contains the whole character except its pictures. If the card is unchanged since then,
 * use that character. If it was changed, the card's fields take precedence.
 */
const ours = (data: Fields, mapped: Mapped): Mapped => {
  const { [TROUPE_EXTENSION]: given, ...extensions } = fieldsOf(data["extensions"])
  const { profile, card_sha256: hash, ...rest } = fieldsOf(given)
  if (!isRecord(profile)) return mapped
  const { assets: _, ...words } = data
  const looks = isRecord(rest["visual_identity"]) ? rest["visual_identity"] : null
  const kept: Mapped = {
    ...splitProfile(profile),
    npcs: listOf(rest["npcs"]),
    evidence: listOf(rest["evidence"]).filter(isRecord),
    visual_identity: looks
  }
  if (hash === hashOf({ ...words, extensions })) return kept
  const { slug } = kept.character
  return {
    character: { ...kept.character, ...mapped.character, ...(slug !== undefined && { slug }) },
    lore: mapped.lore,
    npcs: kept.npcs,
    evidence: [
      ...kept.evidence,
      ...mapped.evidence.filter(({ text }) => !kept.evidence.some((known) => known["text"] === text))
    ],
    visual_identity: looks === null && mapped.visual_identity === null ? null : { ...looks, ...mapped.visual_identity }
  }
}
