import type { Character } from "./Character.ts"
import { fillTexts, NOBODY } from "./macros.ts"

/** Filled copies to cache per character, one per name of a person. Data derived from a character is cached by copy. */
const MAX_KEPT = 100

const copies = new WeakMap<Character, Map<string | null, Character>>()

const fill = (character: Character, user: string | null): Character => {
  const names = { character: character.display_name, user }
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
  const spoken = { voice, voice_samples, example_dialogues, fallback_lines, offline_lines }
  const inSpeech = fillTexts(spoken, names, NOBODY.spoken)
  const inTelling = fillTexts(told, names, NOBODY.told)
  // A pattern is not text, so nothing is filled into it.
  const rules = forbidden_style.map((rule) => (rule.kind === "regex" ? rule : fillTexts(rule, names, NOBODY.told)))
  const isSame = inSpeech === spoken && inTelling === told && rules.every((rule, at) => rule === forbidden_style[at])
  return isSame ? character : { slug, display_name, ...inSpeech, ...inTelling, forbidden_style: rules }
}

/**
 * The character as a given person sees it: both names are filled into all authored text. The stored profile keeps its
 * placeholders. If there are none, this returns the character itself.
 */
export const addressed = (character: Character, user: string | null): Character => {
  const known = copies.get(character) ?? new Map<string | null, Character>()
  copies.set(character, known)
  const kept = known.get(user)
  if (kept !== undefined) return kept
  const made = fill(character, user)
  if (known.size >= MAX_KEPT) known.clear()
  known.set(user, made)
  return made
}
