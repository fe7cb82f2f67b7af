import { dataBlock } from "../chat.ts"
import { languageAmong, languageOf, languageOfTag } from "../languages.ts"
import { filled } from "./filledBlock.ts"
import type { WriteRequest } from "./Writer.ts"

/** How many of the character's last messages the next one should not begin like. */
const OPENERS = 3
const OPENER_WORDS = 4
const OPENER_MAX_CHARS = 60

/** "pt-PT" is European Portuguese. */
const LANGUAGE_NAMES = new Intl.DisplayNames(["en"], { type: "language" })

const EMOJI = { none: "none", rare: "hardly ever", often: "often" } as const

const openerOf = (text: string): string =>
  text.trim().split(/\s+/, OPENER_WORDS).join(" ").slice(0, OPENER_MAX_CHARS).toWellFormed()

/**
 * The language to answer in: that of the message if the voice has it, else the first of the voice. Null if neither is
 * known, so that the rule about the last message decides.
 */
const languageTag = ({ turn, history }: WriteRequest): string | null => {
  const { languages } = turn.character.voice
  const detectable = languages.map(languageOfTag)
  const lastSaid = history.findLast(({ role }) => role === "user")?.text ?? ""
  const told =
    languageOf(turn.text) ?? (languages.length > 1 ? languageAmong(turn.text, detectable) : languageOf(lastSaid))
  if (languages.length === 0) return told
  return languages[told === null ? 0 : Math.max(0, detectable.indexOf(told))] ?? null
}

const named = (tag: string): string => {
  try {
    return LANGUAGE_NAMES.of(tag) ?? tag
  } catch {
    return tag
  }
}

/** The last thing that a model reads of the character: who it is, how it writes, and how it should not begin. */
export const writeAs = (request: WriteRequest): string => {
  const { turn, history } = request
  const { display_name, voice } = turn.character
  const tag = languageTag(request)
  const said = history.filter(({ role }) => role === "character").slice(-OPENERS)
  return dataBlock("write_as", {
    name: display_name,
    ...filled({
      register: voice.register,
      sentences: voice.sentence_length,
      emoji: EMOJI[voice.emoji],
      language: tag === null ? null : named(tag),
      max_bubbles: voice.max_bubbles,
      not_like: [...new Set(said.map(({ text }) => openerOf(text)))]
    })
  })
}
