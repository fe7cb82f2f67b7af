import type { Character } from "../domain/Character.ts"
import { forbiddenIn } from "../emission/forbidden.ts"
import { isDetectable, languageOf, languageOfTag, mayBeIn } from "../languages.ts"
import { spokenTexts } from "./authoredTexts.ts"
import { type Check, check, type Finding, skipped } from "./Readiness.ts"

const MIN_SAMPLES = 3
const MIN_DIALOGUES = 5

const tooFew = (path: string, there: number, least: number, what: string): Finding | null =>
  there >= least
    ? null
    : {
        path,
        message: `There are ${there} ${what}, and ${least} make the voice steady.`,
        fix: `Add ${least - there} more.`
      }

const EMOJI = /\p{Extended_Pictographic}/u
const NARRATION = /(?<!\*)\*[^*\n]{2,}\*(?!\*)/

const outOfVoice = ({ voice }: Character, greeting: ReadonlyArray<string>): Finding | null => {
  const text = greeting.join("\n")
  const finding = (message: string, fix: string): Finding => ({ path: "greeting", message, fix })
  if (greeting.length > voice.max_bubbles)
    return finding(
      `The greeting has ${greeting.length} bubbles, and voice.max_bubbles is ${voice.max_bubbles}.`,
      "Join its bubbles, or raise voice.max_bubbles."
    )
  if (greeting.some((bubble) => bubble.length > voice.max_bubble_chars)) {
    return finding(
      `A bubble of the greeting is longer than voice.max_bubble_chars, which is ${voice.max_bubble_chars}.`,
      "Shorten it, or raise voice.max_bubble_chars."
    )
  }
  if (voice.emoji === "none" && EMOJI.test(text))
    return finding("The greeting has an emoji, and voice.emoji is none.", "Take it out, or set voice.emoji to rare.")
  if (voice.narration === "none" && NARRATION.test(text))
    return finding(
      "The greeting narrates between asterisks, and voice.narration is none.",
      "Take it out, or set voice.narration to asterisk."
    )
  const language = languageOf(text)
  const languages = voice.languages.map(languageOfTag)
  return language !== null &&
    languages.length > 0 &&
    languages.every(isDetectable) &&
    !languages.some((one) => mayBeIn(language, one))
    ? finding(
        "The greeting is in a language that voice.languages does not name.",
        "Write it in one that it names, or name this one."
      )
    : null
}

/**
 * Limit for the text that all patterns together search, in characters. The rest is checked against words only, since a
 * large profile would take a second.
 */
const LOOKED_THROUGH = 100_000

const selfConflict = (character: Character, greeting: ReadonlyArray<string>): Finding | null => {
  const rules = character.forbidden_style
  const words = rules.filter(({ kind }) => kind !== "regex")
  let left = LOOKED_THROUGH / Math.max(1, rules.length - words.length)
  for (const { path, text } of spokenTexts(character, greeting)) {
    const broken = forbiddenIn(text, left > 0 ? rules : words)
    left -= text.length
    if (broken !== null) {
      return {
        path,
        message: `This breaks the character's own rule forbidden_style[${character.forbidden_style.indexOf(broken)}].`,
        fix: "Write it another way, or take the rule back: a reply like it would be refused."
      }
    }
  }
  return null
}

/** How the character talks. */
export const voiceChecks = (character: Character, greeting: ReadonlyArray<string>): ReadonlyArray<Check> => [
  check(
    "voice_samples_min",
    tooFew("voice_samples", character.voice_samples.length, MIN_SAMPLES, "voice samples"),
    "There are enough voice samples."
  ),
  check(
    "example_dialogues_min",
    tooFew("example_dialogues", character.example_dialogues.length, MIN_DIALOGUES, "example dialogues"),
    "There are enough example dialogues."
  ),
  greeting.length === 0
    ? skipped("greeting_in_voice", "No greeting is authored: the person speaks first.")
    : check("greeting_in_voice", outOfVoice(character, greeting), "The greeting keeps to the voice."),
  check(
    "forbidden_style_self_conflict",
    selfConflict(character, greeting),
    "No authored line breaks the character's own rules."
  )
]
