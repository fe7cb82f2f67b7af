import { fillWords } from "#pipeline/domain/macros.ts"
import type { Turn } from "#pipeline/domain/Turn.ts"
import { forbiddenIn } from "#pipeline/emission/forbidden.ts"
import type { Candidate } from "./candidates.ts"
import { fillSlots } from "./slots.ts"

/**
 * A signature phrase occurs at most once in this many replies. So does an emoji if the author wants them to be rare.
 */
const ONE_IN = 4

const EMOJI = new RegExp(
  String.raw`(?<![ \t])[ \t]*(?:\p{Extended_Pictographic}|\p{Emoji_Presentation}|\p{RI}\p{RI})` +
    String.raw`(?:\p{Emoji_Modifier}|\uFE0F|\u200D\p{Extended_Pictographic})*`,
  "gu"
)
const capital = (text: string): string => text.replace(/^\p{Ll}/u, (letter) => letter.toUpperCase())

/**
 * Placeholder for the n-th occurrence of the phrase, U+E000 + n, so that the ones that stay keep their original
 * letters.
 */
const MARKS = 0xe000
const MAX_MARKS = 200
const MARK = /[\uE000-\uE0FF]/g

/** Every position of a phrase, regardless of case. */
const positionsOf = (line: string, phrase: string): ReadonlyArray<number> => {
  const positions: Array<number> = []
  const [text, sought] = [line.toLowerCase(), phrase.toLowerCase()]
  if (sought === "" || text.length !== line.length || sought.length !== phrase.length) return positions
  for (
    let at = text.indexOf(sought);
    at !== -1 && positions.length < MAX_MARKS;
    at = text.indexOf(sought, at + sought.length)
  )
    positions.push(at)
  return positions
}

/** Removes a phrase that is only an insertion, between commas or as a sentence of its own. */
const without = (line: string, phrase: string): string => {
  const said = phrase.replace(/(?<![.!?])[.!?]+$/, "")
  const positions = positionsOf(line, said)
  const occurrences = positions.map((at) => line.slice(at, at + said.length))
  const between = [-said.length, ...positions].map((at, index) =>
    line.slice(at + said.length, positions[index] ?? line.length).replace(MARK, "")
  )
  const marked = between
    .map((text, index) => (index < positions.length ? text + String.fromCharCode(MARKS + index) : text))
    .join("")
  return marked
    .replace(/(^|[.!?]\s+)(\p{L}+),\s*[\uE000-\uE0FF],/gu, "$1$2,")
    .replace(/,\s*[\uE000-\uE0FF],(?!\s*(?:and|or|but|for|so|yet)\b)/giu, "")
    .replace(/,\s*[\uE000-\uE0FF](?=\s*[,.!?;:—…])/gu, "")
    .replace(
      /(^|[.!?]\s+|\n)[\uE000-\uE0FF][,.!?:]\s*(\p{L})/gu,
      (_, before: string, next: string) =>
        `${before}${/\p{Lu}/u.test(line.trimStart().charAt(0)) ? capital(next) : next}`
    )
    .replace(/([.!?])\s+[\uE000-\uE0FF][.!?]*\s*$/gu, "$1")
    .replace(MARK, (mark) => occurrences[mark.charCodeAt(0) - MARKS] ?? "")
    .trim()
}

/** Whether the author writes without capitals. The engine's own lines then do the same. */
const writesLowerCase = ({ voice_samples }: Turn["character"]): boolean =>
  voice_samples.length > 0 &&
  voice_samples.filter(({ text }) => /^\P{L}*\p{Ll}/u.test(text)).length >= voice_samples.length * 0.8

/** A candidate in the character's voice, given what it has said. Null if the character would not say it. */
export const voicePass = (
  { character, endUser }: Turn,
  said: ReadonlyArray<string>
): ((candidate: Candidate) => string | null) => {
  const { voice } = character
  const lowerCase = writesLowerCase(character)
  const names = { character: character.display_name, user: endUser.displayName }
  const recent = said.slice(1 - ONE_IN).map((text) => text.toLowerCase())
  const worn = voice.signature_phrases.filter((phrase) => recent.some((text) => text.includes(phrase.toLowerCase())))
  const noEmoji = voice.emoji === "none" || (voice.emoji === "rare" && recent.some((text) => text.search(EMOJI) !== -1))

  return ({ line, own, slots }) => {
    const filled = fillSlots(own && lowerCase ? line.toLowerCase() : line, slots, lowerCase)
    if (filled === null) return null
    const plain = noEmoji ? filled.replace(EMOJI, "").trim() : filled
    const spoken = fillWords(worn.reduce(without, plain), names)
    const wearsOut = worn.some((phrase) => spoken.toLowerCase().includes(phrase.toLowerCase()))
    return spoken === "" || wearsOut || forbiddenIn(spoken, character.forbidden_style) !== null ? null : spoken
  }
}
