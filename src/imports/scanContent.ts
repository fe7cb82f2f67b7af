import { setImmediate } from "node:timers/promises"
import { instructs } from "#pipeline/relational/instructs.ts"
import { MINOR, ROMANCE, SEXUAL } from "#pipeline/safety/lexicon.ts"
import type { Bundle } from "./Bundle.ts"
import { textOf, fieldsOf, textsOf } from "./readJson.ts"
import { type Finding, finding } from "./Report.ts"

/** The rules for instructions take more than a linear time, so a text is looked at piece by piece, and others are let in between. */
const PIECE = 2000
const TURN_MS = 8
/** Findings of one kind that are told one by one. */
const MOST = 50

/** What a card says of its character's age in the third person, and of what the two are to each other. */
const AGE = /\bage[ds]?\b["')]{0,2}\s{0,3}[:=("-]{0,3}\s{0,3}"?(?:[5-9]|1[0-7])\b(?!\s{0,2}(?:\d|%|centur|hundred|thousand))/i
const COURTSHIP = /(?<!\p{L})(?:girlfriend|boyfriend|(?:my|your|her|his|their|secret|user\}\}['’]s) lover|romantic(?:ally)?|romance|in love with|crush on|flirt\w{0,6}|seduc\w{0,8}|dating (?:you|me|him|her|\{\{)|nsfw|lewd|erotic\w{0,6}|verliebt|novi[ao]|amante)(?!\p{L})/iu

interface Leaf {
  readonly path: string
  readonly text: string
}

function* leavesOf(value: unknown, path: string): Generator<Leaf> {
  if (typeof value === "string") yield { path, text: value }
  else if (Array.isArray(value)) for (const [index, inner] of value.entries()) yield* leavesOf(inner, `${path}[${index}]`)
  else if (typeof value === "object" && value !== null) for (const [key, inner] of Object.entries(value)) yield* leavesOf(inner, path === "" ? key : `${path}.${key}`)
}

/** As it would be read in a conversation: a placeholder is a name, and no order. */
const spokenOut = (text: string): string => text.replace(/\{\{char\}\}/gi, "Ada").replace(/\{\{user\}\}/gi, "Ben")

const firstMatch = (leaves: ReadonlyArray<Leaf>, ...patterns: ReadonlyArray<RegExp>): { readonly path: string; readonly excerpt: string } | undefined => {
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
  let since = performance.now()
  for (const { path, text } of leaves) {
    const spoken = spokenOut(text)
    for (let at = 0; at < spoken.length && found.length < MOST; at += PIECE) {
      const piece = spoken.slice(at, at + PIECE)
      if (performance.now() - since > TURN_MS) {
        await setImmediate()
        since = performance.now()
      }
      if (instructs(piece)) {
        found.push(finding("instruction_text", "warning", path, "Reads like instructions to a model. It will be told as a part of the character, and is not followed.", piece))
        break
      }
    }
  }
  return found
}

/**
 * What is in a bundle that somebody must look at: text that instructs, signs of a minor, and of romance or sex, which together are not let in.
 * Worked out anew after every edit.
 */
export const scanContent = async (bundle: Pick<Bundle, "character" | "lore" | "npcs" | "evidence" | "visual_identity" | "extra">): Promise<ReadonlyArray<Finding>> => {
  const { character, lore, npcs, evidence, visual_identity } = bundle
  const leaves = [...leavesOf({ character, lore, npcs, evidence, visual_identity }, "")]
  const found: Array<Finding> = [...await instructions(leaves)]

  const tags = textsOf(fieldsOf(bundle.extra["card"])["tags"]).map((text, index) => ({ path: `extra.card.tags[${index}]`, text }))
  const told = [...leaves, ...tags]
  const minor = firstMatch(told, MINOR, AGE)
  const explicit = firstMatch(told, SEXUAL)
  const schema = textOf(fieldsOf(character["relationship_posture"])["schema"])
  const romance = explicit ?? firstMatch(told, ROMANCE, COURTSHIP) ?? (schema === "dating" ? { path: "character.relationship_posture.schema", excerpt: schema } : undefined)
  const band = textOf(fieldsOf(character["safety"])["age_band"])
  const young = minor ?? (band === "teen" || band === "child" ? { path: "character.safety.age_band", excerpt: band } : undefined)
  if (young !== undefined && romance !== undefined) {
    found.push(finding("minor_romance", "blocker", young.path, `Signs of a minor, and of romance or sex at ${romance.path}: such a character is not let in.`, young.excerpt))
  } else if (minor !== undefined && band === "") {
    found.push(finding("minor_signals", "warning", minor.path, "Signs of a minor: if the character is one, set character.safety.age_band.", minor.excerpt))
  }
  if (explicit !== undefined) found.push(finding("explicit_content", "warning", explicit.path, "Explicit content: the character is rated mature.", explicit.excerpt))
  return found
}
