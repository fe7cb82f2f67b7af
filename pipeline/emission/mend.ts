import type { Voice } from "../domain/Character.ts"

const EMOJI = /(?:\p{Extended_Pictographic}(?:\uFE0F|\p{EMod})*(?:\u200D\p{Extended_Pictographic}(?:\uFE0F|\p{EMod})*)*|[\u{1F1E6}-\u{1F1FF}]{2})/gu
const STARRED = /\*([^*\n]+)\*/g

/** One starred word is stressed, several are a stage direction; a star with a space inside is arithmetic. */
const unstarred = (whole: string, inside: string): string => inside.trim() !== inside ? whole : /\s/.test(inside) ? " " : inside

const tidy = (text: string): string => text.replace(/[ \t]{2,}/g, " ").replace(/ +([.,!?…])/g, "$1").trim()
const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")

/** Takes out of a bubble what the voice does not allow and nobody will miss: the character's own name before its words, emoji, stage directions. A bubble that is nothing else stays as it is. */
export const mend = (bubble: string, voice: Voice, displayName: string): string => {
  const name = displayName.trim()
  const [firstName = name] = name.split(/\s+/)
  const speaker = new RegExp(`^[\\s*_>]*(?:${escaped(name)}|${escaped(firstName)})[*_]*\\s?:[*_]*\\s*`, "iu")
  const steps: ReadonlyArray<(text: string) => string> = [
    (text) => name === "" ? text : text.replace(speaker, ""),
    (text) => voice.narration === "none" ? text.replace(STARRED, unstarred) : text,
    (text) => voice.emoji === "none" ? text.replace(EMOJI, " ") : text
  ]
  return steps.reduce((text, step) => {
    const mended = step(text)
    return mended === text || tidy(mended) === "" ? text : tidy(mended)
  }, bubble)
}
