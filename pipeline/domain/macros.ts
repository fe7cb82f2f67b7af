import { type Filling, textOf } from "./macroText.ts"
import { readMacros } from "./macroTree.ts"
import { seedOf } from "./seed.ts"

/** A text without these has no macros. */
const SIGNS = /\{\{|\}\}|<(?:user|bot|char)>/i

/** `user` is null if the person's name is unknown. */
export interface Names {
  readonly character: string
  readonly user: string | null
  /** What random choices depend on. With the same seed, a text is always filled in the same way. */
  readonly seed?: string
}

/** What replaces a missing name in the character's own speech and in text about it. */
export const NOBODY = { spoken: "you", told: "the user" } as const

/** A name that can be read. People and apps may give an empty one, or one of invisible characters. */
export const readableName = (name: string | null): string | null =>
  name !== null && /[\p{L}\p{N}\p{S}\p{P}]/u.test(name) ? name : null

/** Draws that depend on the seed and the text. */
const drawsFrom = (seed: string, text: string): Filling["draw"] => {
  let drawn = 0
  let start: number | undefined
  return (count) => {
    start ??= seedOf({ sessionId: `${seed} `, turnIndex: 0 }, text)
    drawn += 1
    return seedOf({ sessionId: String(start), turnIndex: drawn }) % count
  }
}

/** How the macros are filled that an author wrote. */
export const authored = (text: string, { character, user, seed = character }: Names, nobody: string): Filling => ({
  character,
  user: readableName(user),
  nobody,
  draw: drawsFrom(seed, text),
  unknown: "omit",
  filled: new Map()
})

const CHANCE = /\{\{\s*(?:random|pick|roll)/i

export const hasMacros = (text: string): boolean => SIGNS.test(text)

/** Fills the macros of authored text. What is not known is left out. No double braces remain, except in a name. */
export const fillMacros = (
  text: string,
  names: Names,
  nobody: string = NOBODY.spoken,
  kept?: ReadonlySet<string>
): string =>
  hasMacros(text)
    ? textOf(readMacros(text), { ...authored(text, names, nobody), ...(kept !== undefined && { kept }) })
    : text

/**
 * The same for text that was not written for a program: a model's reply, or a source. It may contain a template as an
 * example, so nothing of it is left out but the braces. `<USER>` is a tag there, unless `oldForms` are asked for.
 */
export const fillWords = (text: string, names: Names, nobody: string = NOBODY.spoken, oldForms = false): string =>
  text.includes("{{") || text.includes("}}") || (oldForms && hasMacros(text))
    ? textOf(readMacros(text, { blocks: false, oldForms }), { ...authored(text, names, nobody), unknown: "words" })
    : text

/** Whether what a text becomes may depend on the seed. */
export const hasChance = (text: string): boolean => CHANCE.test(text)

/** Number of ways in which a text with choices is read. */
const MAX_WAYS = 16
const PARTS = /\{\{#?\w*|\}\}|::/g

/**
 * Texts that a text with choices and conditions can become, for checks that must see each part of it. If there are more
 * choices than ways, one more text consists of all of them.
 */
export const waysOf = (text: string, names: Names): ReadonlyArray<string> => {
  if (!hasMacros(text)) return [text]
  const nodes = readMacros(text)
  const found = new Set<string>()
  let most = 1
  for (let way = 0; way < Math.min(most, MAX_WAYS); way++) {
    const pick = (count: number) => {
      most = Math.max(most, count)
      return way % count
    }
    found.add(textOf(nodes, { ...authored(text, names, NOBODY.told), draw: pick, branch: pick }))
  }
  return most > MAX_WAYS ? [...found, text.replace(PARTS, ". ")] : [...found]
}

/** Fills every text of a value. Returns the value itself if there is nothing to fill. */
export const fillTexts = <A>(value: A, fill: (text: string) => string): A => {
  const filled = (inner: unknown): unknown => {
    if (typeof inner === "string") return fill(inner)
    if (typeof inner !== "object" || inner === null || inner instanceof Date) return inner
    if (Array.isArray(inner)) {
      const items = inner.map(filled)
      return items.some((item, at) => item !== inner[at]) ? items : inner
    }
    const fields = Object.entries(inner).map(([key, field]) => [key, field, filled(field)] as const)
    return fields.some(([, before, after]) => before !== after)
      ? Object.fromEntries(fields.map(([key, , after]) => [key, after]))
      : inner
  }
  return filled(value) as A
}
