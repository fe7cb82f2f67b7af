import type { Voice } from "../domain/Character.ts"
import { isEmphasis } from "./emphasis.ts"

const EMOJI = new RegExp(
  String.raw`(?:\p{Extended_Pictographic}(?:\uFE0F|\p{Emoji_Modifier})*(?:\u200D\p{Extended_Pictographic}` +
    String.raw`(?:\uFE0F|\p{Emoji_Modifier})*)*|[\u{1F1E6}-\u{1F1FF}]{2})`,
  "gu"
)
const BOLD = /\*\*([^*\n]+)\*\*/g
const STARRED = /\*([^*\n]+)\*/g

/**
 * A single starred word is emphasis, and several mostly are a stage direction. A star with a space inside is
 * arithmetic.
 */
const unstarred = (whole: string, inside: string, place: number, text: string): string => {
  if (inside.trim() !== inside) return whole
  const isSaid = !/\s/.test(inside) || isEmphasis(inside, text.slice(0, place), text.slice(place + whole.length))
  return isSaid ? inside : " "
}

const tidy = (text: string): string =>
  text
    .replace(/[ \t]{2,}/g, " ")
    .replace(/ (?=[.,!?…])/g, "")
    .trim()

const BEFORE_A_NAME = /^[\s*_>]*/
const AFTER_A_NAME = /^[*_]*\s?:[*_]*\s*/

/** Removes the speaker's name before a line, as in "**Mara:** hello". */
const withoutSpeaker = (line: string, names: ReadonlyArray<string>): string => {
  const rest = line.replace(BEFORE_A_NAME, "")
  for (const name of names.map((given) => given.replace(BEFORE_A_NAME, ""))) {
    const after = rest.slice(name.length)
    if (name !== "" && rest.slice(0, name.length).toLowerCase() === name.toLowerCase() && AFTER_A_NAME.test(after))
      return after.replace(AFTER_A_NAME, "")
  }
  return line
}

/**
 * Removes from a bubble what the voice does not allow and what carries no content: the character's own name before its
 * words, emoji, stage directions. A bubble that consists of nothing else stays as it is.
 */
export const cleanBubble = (bubble: string, voice: Voice, displayName: string): string => {
  const name = displayName.trim()
  const [firstName = name] = name.split(/\s+/)
  const steps: ReadonlyArray<(text: string) => string> = [
    (text) => withoutSpeaker(text, [name, firstName]),
    (text) => (voice.narration === "none" ? text.replace(BOLD, "$1").replace(STARRED, unstarred) : text),
    (text) => (voice.emoji === "none" ? text.replace(EMOJI, " ") : text)
  ]
  return steps.reduce((text, step) => {
    const mended = step(text)
    return mended === text || tidy(mended) === "" ? text : tidy(mended)
  }, bubble)
}
