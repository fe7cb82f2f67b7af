import type { Character } from "./Character.ts"
import { fillMacros, fillTexts, hasChance, NOBODY } from "./macros.ts"

/**
 * Filled copies to cache per character, one per name of a person and, with random choices, per session. Data derived
 * from a character is cached by copy.
 */
const MAX_KEPT = 100

/** Slots of the offline engine's lines, which it fills itself. */
const SLOTS: ReadonlySet<string> = new Set(["subject", "value", "quote", "topics"])

interface Copies {
  readonly choose: boolean
  readonly byName: Map<string, Character>
}

const copies = new WeakMap<Character, Copies>()

const copiesOf = (character: Character): Copies => {
  let choose = false
  fillTexts(character, (text) => {
    choose ||= hasChance(text)
    return text
  })
  return { choose, byName: new Map() }
}

const fill = (character: Character, user: string | null, seed: string): Character => {
  const names = { character: character.display_name, user, seed }
  const say = (text: string) => fillMacros(text, names, NOBODY.spoken)
  const tell = (text: string) => fillMacros(text, names, NOBODY.told)
  const {
    slug,
    display_name,
    forbidden_style,
    voice,
    voice_samples,
    example_dialogues,
    fallback_lines,
    offline_lines,
    ...told
  } = character
  const spoken = { voice, voice_samples, example_dialogues, fallback_lines }
  const inSpeech = fillTexts(spoken, say)
  const ownLines = fillTexts(offline_lines, (text) => fillMacros(text, names, NOBODY.spoken, SLOTS))
  const inTelling = fillTexts(told, tell)
  // A pattern is not text, so nothing is filled into it.
  const rules = forbidden_style.map((rule) => (rule.kind === "regex" ? rule : fillTexts(rule, tell)))
  const isSame =
    inSpeech === spoken &&
    ownLines === offline_lines &&
    inTelling === told &&
    rules.every((rule, at) => rule === forbidden_style[at])
  return isSame
    ? character
    : { slug, display_name, ...inSpeech, offline_lines: ownLines, ...inTelling, forbidden_style: rules }
}

/**
 * The character as a given person sees it: the macros in all authored text are filled. The stored profile keeps its
 * macros. If there are none, this returns the character itself. Random choices depend on the seed, which is mostly the
 * session.
 */
export const addressed = (character: Character, user: string | null, seed = ""): Character => {
  const { choose, byName } = copies.get(character) ?? copiesOf(character)
  copies.set(character, { choose, byName })
  const name = JSON.stringify([user, choose ? seed : ""])
  const kept = byName.get(name)
  if (kept !== undefined) return kept
  const made = fill(character, user, seed)
  if (byName.size >= MAX_KEPT) byName.clear()
  byName.set(name, made)
  return made
}
