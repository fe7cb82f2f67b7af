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
        message: `There are only ${there} ${what}. ${least} are needed for a consistent voice.`,
        fix: `Add ${least - there} more.`
      }

const EMOJI = /\p{Extended_Pictographic}/u
const NARRATION = /(?<!\*)\*[^*\n]{2,}\*(?!\*)/

const outOfVoice = ({ voice }: Character, greeting: ReadonlyArray<string>): Finding | null => {
  const text = greeting.join("\n")
  const finding = (message: string, fix: string): Finding => ({ path: "greeting", message, fix })
  if (greeting.length > voice.max_bubbles)
    return finding(
      `The greeting has ${greeting.length} bubbles, but voice.max_bubbles is ${voice.max_bubbles}.`,
      "Merge bubbles, or raise voice.max_bubbles."
    )
  if (greeting.some((bubble) => bubble.length > voice.max_bubble_chars)) {
    return finding(
      `A bubble of the greeting is longer than voice.max_bubble_chars, which is ${voice.max_bubble_chars}.`,
      "Shorten it, or raise voice.max_bubble_chars."
    )
  }
  if (voice.emoji === "none" && EMOJI.test(text))
    return finding("The greeting has an emoji, but voice.emoji is none.", "Remove it, or set voice.emoji to rare.")
  if (voice.narration === "none" && NARRATION.test(text))
    return finding(
      "The greeting has narration between asterisks, but voice.narration is none.",
      "Remove it, or set voice.narration to asterisk."
    )
  const language = languageOf(text)
  const languages = voice.languages.map(languageOfTag)
  return language !== null &&
    languages.length > 0 &&
    languages.every(isDetectable) &&
    !languages.some((one) => mayBeIn(language, one))
    ? finding("The language of the greeting is not in voice.languages.", "Use one of these languages, or add this one.")
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
        message: `This violates the character's rule forbidden_style[${character.forbidden_style.indexOf(broken)}].`,
        fix: "Rephrase it, or remove the rule. A reply like this would be refused."
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
    ? skipped("greeting_in_voice", "The character has no greeting. The person speaks first.")
    : check("greeting_in_voice", outOfVoice(character, greeting), "The greeting matches the voice."),
  check(
    "forbidden_style_self_conflict",
    selfConflict(character, greeting),
    "No authored line violates the character's rules."
  )
]
