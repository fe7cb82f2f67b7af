import { fillMacros } from "#pipeline/domain/macros.ts"
import type { Turn } from "#pipeline/domain/Turn.ts"
import { forbiddenIn } from "#pipeline/emission/forbidden.ts"
import type { Candidate } from "./candidates.ts"
import { fillSlots } from "./slots.ts"

/** A signature phrase is heard at most once in so many replies, and so is an emoji where the author wants them rare. */
const ONE_IN = 4

const EMOJI = /[ \t]*(?:\p{Extended_Pictographic}|\p{Emoji_Presentation}|\p{RI}\p{RI})(?:\p{EMod}|\uFE0F|\u200D\p{Extended_Pictographic})*/gu
const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")
const capital = (text: string): string => text.replace(/^\p{Ll}/u, (letter) => letter.toUpperCase())

/** A phrase that is only put in, between commas or as a sentence, comes out again without harm. */
const without = (line: string, phrase: string): string => {
  const said = escaped(phrase.replace(/[.!?]+$/, ""))
  return line
    .replace(new RegExp(String.raw`(^|[.!?]\s+)(\p{L}+),\s*${said},`, "giu"), "$1$2,")
    .replace(new RegExp(String.raw`,\s*${said},(?!\s*(?:and|or|but|for|so|yet)\b)`, "giu"), "")
    .replace(new RegExp(String.raw`,\s*${said}(?=\s*[,.!?;:—…])`, "giu"), "")
    .replace(new RegExp(String.raw`(^|[.!?]\s+|\n)${said}[,.!?:]\s*(\p{L})`, "giu"), (_, before: string, next: string) => `${before}${/\p{Lu}/u.test(line.trimStart().charAt(0)) ? capital(next) : next}`)
    .replace(new RegExp(String.raw`([.!?])\s+${said}[.!?]*\s*$`, "giu"), "$1")
    .trim()
}

/** Whether the author writes without capitals, as the engine's own lines then are. */
const writesLowerCase = ({ voice_samples }: Turn["character"]): boolean =>
  voice_samples.length > 0 && voice_samples.filter(({ text }) => /^\P{L}*\p{Ll}/u.test(text)).length >= voice_samples.length * 0.8

/** How the character says a candidate after what it has said; null when it would not say it at all. */
export const voicePass = ({ character, endUser }: Turn, said: ReadonlyArray<string>): (candidate: Candidate) => string | null => {
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
    const spoken = fillMacros(worn.reduce(without, plain), names)
    const wearsOut = worn.some((phrase) => spoken.toLowerCase().includes(phrase.toLowerCase()))
    return spoken === "" || wearsOut || forbiddenIn(spoken, character.forbidden_style) !== null ? null : spoken
  }
}
