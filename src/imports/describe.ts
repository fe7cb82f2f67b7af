import { hasChance } from "#pipeline/domain/macros.ts"
import { attributesIn, readAttributes } from "./attributes.ts"
import { dialoguesIn, type Examples } from "./examples.ts"
import { paragraphsOf } from "./paragraphsOf.ts"
import type { Fields } from "./readJson.ts"
import { cut, piecesOf, type Text } from "./Text.ts"
import { traitsOf, withoutPersonalityBlock } from "./traits.ts"

const LONGEST_SUMMARY = 4000
const LONGEST_NOTE = 20_000
const MAX_NOTES = 10
const LONGEST_BIO = 2000
const LONGEST_TRAIT = 40
const LONGEST_TOPIC = 300
const APPEARANCE = /^\W{0,4}(?:appearance|looks?|physical description|aussehen)\W{0,4}[:=]\W{0,4}(\S.*)$/i

/** A biography for a card that only lists attributes. */
const briefly = (name: string, about: ReadonlyArray<string>): string =>
  name === "" || about.length === 0 ? "" : `${[name, ...about.slice(0, 4)].join(", ")}.`

/** The summary, overlong parts of it as notes, and the looks, traits and speech that it describes. */
export const describe = (data: Fields, at: string, text: Text, examples: Examples, names: ReadonlyArray<string>) => {
  const { report } = text
  const path = `${at}description`
  const [before = "", ...dialogues] = text.prepare(data["description"], path).split(/<start>/i)
  if (dialogues.length > 0) examples.takeBlocks(dialogues.join("<START>"), names, path)
  const spoken = dialoguesIn(before, names)
  if (spoken.blocks.length > 0) examples.takeBlocks(spoken.blocks.join("<START>"), names, path)
  const listing = attributesIn(spoken.rest)
  const told = readAttributes(listing.attributes, names)
  if (listing.attributes.length > 0)
    report.tell("attributes_read", path, "A list of attributes was written out, one line for each.")
  const { traits: alone, rest: prose } = withoutPersonalityBlock(listing.rest)
  const inBlock = [...told.traits.map((trait) => cut(trait, LONGEST_TRAIT)), ...alone]
  const rest = [prose.trim(), told.lines.join("\n")].filter((part) => part !== "").join("\n\n")
  const looks = [
    ...prose
      .split("\n")
      .map((line) => APPEARANCE.exec(line)?.[1]?.trim() ?? "")
      .filter((line) => line !== ""),
    ...told.looks
  ]
  if (looks.length > 0) report.mapped(path, "visual_identity.appearance")

  const personality = text.prepare(data["personality"], `${at}personality`)
  // The choices of a macro may have commas.
  const listed = hasChance(personality) ? null : traitsOf(personality)
  const traits = [...new Set([...inBlock, ...(listed ?? [])])].slice(0, 20)
  if (traits.length > 0) report.mapped(inBlock.length > 0 ? path : `${at}personality`, "character.persona.traits")
  const whole = [rest.trim(), listed === null ? personality : ""].filter((part) => part !== "").join("\n\n")
  if (listed === null && personality !== "") report.mapped(`${at}personality`, "character.persona.summary")

  const [summary = "", ...more] = whole === "" ? [] : piecesOf(whole, LONGEST_SUMMARY)
  if (summary !== "") report.mapped(path, "character.persona.summary")
  const notes = piecesOf(more.join("\n\n"), LONGEST_NOTE)
  if (notes.length > 0)
    report.warn(
      "description_parted",
      path,
      `Longer than ${LONGEST_SUMMARY} characters. The rest became evidence, which is used when relevant.`,
      notes[0]
    )
  if (notes.length > MAX_NOTES)
    report.warn("text_truncated", path, `Longer than ${MAX_NOTES * LONGEST_NOTE} characters. The rest was omitted.`)
  return {
    summary,
    traits,
    looks: cut(looks.join("\n"), 1500),
    bio: cut(paragraphsOf(prose)[0] ?? briefly(names[0] ?? "", told.about), LONGEST_BIO).trim(),
    interests: [...new Set(told.likes)].map((topic) => cut(topic, LONGEST_TOPIC)).slice(0, 30),
    notes: notes
      .slice(0, MAX_NOTES)
      .map((note) => ({ kind: "author_note", text: note, trust: "authored", source: { title: path } }))
  }
}
