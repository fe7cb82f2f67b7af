import { setImmediate } from "node:timers/promises"
import { waysOf } from "#pipeline/domain/macros.ts"
import { isInstruction } from "#pipeline/relational/isInstruction.ts"
import { statedMinor } from "#pipeline/safety/cardAge.ts"
import { ROMANCE, SEXUAL } from "#pipeline/safety/romance.ts"
import type { Bundle } from "./Bundle.ts"
import { textOf, fieldsOf, textsOf } from "./readJson.ts"
import { type Finding, finding } from "./Report.ts"
import { stayInUnit } from "#src/units/currentUnit.ts"

/**
 * The rules for instructions take more than linear time, so texts are checked in pieces, with pauses for other work.
 */
const PIECE = 2000
const TURN_MS = 8
/** Maximum number of findings of one kind that are listed individually. */
const MOST = 50

/** Words for a romantic relationship between the character and the user. */
const COURTSHIP = new RegExp(
  String.raw`(?<!\p{L})(?:girlfriend|boyfriend|(?:my|your|her|his|their|secret|user\}\}['’]s) lover|` +
    String.raw`romantic(?:ally)?|romance|in love with|crush on|flirt\w{0,6}|seduc\w{0,8}|` +
    String.raw`dating (?:you|me|him|her|\{\{)|nsfw|lewd|erotic\w{0,6}|verliebt|novi[ao]|amante)(?!\p{L})`,
  "iu"
)

interface Leaf {
  readonly path: string
  readonly text: string
}

function* leavesOf(value: unknown, path: string): Generator<Leaf> {
  if (typeof value === "string") yield { path, text: value }
  else if (Array.isArray(value))
    for (const [index, inner] of value.entries()) yield* leavesOf(inner, `${path}[${index}]`)
  else if (typeof value === "object" && value !== null)
    for (const [key, inner] of Object.entries(value)) yield* leavesOf(inner, path === "" ? key : `${path}.${key}`)
}

const PLACEHOLDERS = { character: "{{char}}", user: "{{user}}" }

/** A leaf for each text that choices and conditions can make of this one. */
const everyWay = ({ path, text }: Leaf): ReadonlyArray<Leaf> =>
  waysOf(text, PLACEHOLDERS).map((way) => ({ path, text: way }))

/** The text as it would appear in a conversation. A placeholder is a name, not an instruction. */
const spokenOut = (text: string): string => text.replace(/\{\{char\}\}/gi, "Ada").replace(/\{\{user\}\}/gi, "Ben")

/** How many characters of a text a finding quotes. */
const EXCERPT = 140

const firstMatch = (
  leaves: ReadonlyArray<Leaf>,
  ...patterns: ReadonlyArray<RegExp>
): { readonly path: string; readonly excerpt: string } | undefined => {
  for (const { path, text } of leaves) {
    for (const pattern of patterns) {
      const match = pattern.exec(text)
      if (match !== null) return { path, excerpt: text.slice(Math.max(0, match.index - 60), match.index + 80) }
    }
  }
  return undefined
}

const instructions = async (leaves: ReadonlyArray<Leaf>): Promise<ReadonlyArray<Finding>> => {
  const found: Array<Finding> = []
  const within = stayInUnit()
  let since = performance.now()
  for (const { path, text } of leaves) {
    const spoken = spokenOut(text)
    for (let at = 0; at < spoken.length && found.length < MOST; at += PIECE) {
      const piece = spoken.slice(at, at + PIECE)
      if (performance.now() - since > TURN_MS) {
        await setImmediate()
        since = performance.now()
      }
      if (within(() => isInstruction(piece))) {
        found.push(
          finding(
            "instruction_text",
            "warning",
            path,
            "Reads like instructions to a model. It is passed on as part of the character, but not followed.",
            piece
          )
        )
        break
      }
    }
  }
  return found
}

/** Where the text says that the character is under 18. Reads in pieces, because a card may be large. */
const statedAge = async (
  leaves: ReadonlyArray<Leaf>,
  names: ReadonlyArray<string>
): Promise<{ readonly path: string; readonly excerpt: string } | undefined> => {
  const within = stayInUnit()
  let since = performance.now()
  for (const { path, text } of leaves) {
    for (let at = 0; at < text.length; at += PIECE) {
      if (performance.now() - since > TURN_MS) {
        await setImmediate()
        since = performance.now()
      }
      // A statement may cross the end of a piece.
      const piece = text.slice(Math.max(0, at - EXCERPT), at + PIECE)
      if (within(() => names.some((name) => statedMinor([{ text: piece }], name) !== undefined)))
        return { path, excerpt: piece.slice(0, EXCERPT) }
    }
  }
  return undefined
}

/**
 * Finds content of a bundle that needs review: text that instructs a model, signs of a minor, and signs of romance or
 * sex. Minor and sexual content together are refused. Runs again after every edit.
 */
export const scanContent = async (
  bundle: Pick<Bundle, "character" | "lore" | "npcs" | "evidence" | "visual_identity" | "extra">
): Promise<ReadonlyArray<Finding>> => {
  const { character, lore, npcs, evidence, visual_identity } = bundle
  const within = stayInUnit()
  const leaves = [...leavesOf({ character, lore, npcs, evidence, visual_identity }, "")].flatMap(everyWay)
  const found: Array<Finding> = [...(await instructions(leaves))]

  const tags = textsOf(fieldsOf(bundle.extra["card"])["tags"]).map((text, index) => ({
    path: `extra.card.tags[${index}]`,
    text
  }))
  const told = [...leaves, ...tags]
  // Other people are described in the NPCs and in the lore.
  const ofCharacter = [...leavesOf(character, "character"), ...leavesOf(visual_identity, "visual_identity"), ...tags]
    .filter(({ path }) => path !== "character.slug")
    .flatMap(everyWay)
  const nickname = textOf(fieldsOf(bundle.extra["card"])["nickname"])
  const minor = await statedAge(ofCharacter, [
    textOf(character["display_name"]),
    ...(nickname === "" ? [] : [nickname.slice(0, EXCERPT)])
  ])
  const explicit = within(() => firstMatch(told, SEXUAL))
  const schema = textOf(fieldsOf(character["relationship_posture"])["schema"])
  const romance =
    explicit ??
    within(() => firstMatch(told, ROMANCE, COURTSHIP)) ??
    (schema === "dating" ? { path: "character.relationship_posture.schema", excerpt: schema } : undefined)
  const band = textOf(fieldsOf(character["safety"])["age_band"])
  const young =
    minor ?? (band === "teen" || band === "child" ? { path: "character.safety.age_band", excerpt: band } : undefined)
  if (young !== undefined && romance !== undefined) {
    found.push(
      finding(
        "minor_romance",
        "blocker",
        young.path,
        `Signs of a minor, and of romance or sex at ${romance.path}. Such a character is not accepted.`,
        young.excerpt
      )
    )
  } else if (minor !== undefined && band === "") {
    found.push(
      finding(
        "minor_signals",
        "warning",
        minor.path,
        "Signs of a minor. If the character is a minor, set character.safety.age_band.",
        minor.excerpt
      )
    )
  }
  if (explicit !== undefined)
    found.push(
      finding(
        "explicit_content",
        "warning",
        explicit.path,
        "Explicit content. The character is rated mature.",
        explicit.excerpt
      )
    )
  return found
}
