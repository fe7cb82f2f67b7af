import type { Act } from "#pipeline/relational/rules/acts.ts"
import type { Conversation } from "./Conversation.ts"
import { namesRelative } from "./mentions.ts"
import { content } from "./wording.ts"

const ASKS: ReadonlySet<Act> = new Set(["question_self", "question_world", "question_past", "command", "story"])
/** Someone or something that was just spoken of. */
const OTHERS = new RegExp(
  String.raw`\b(?:he|she|they|him|her|his|hers|them|their)(?:['’]?(?:s|d|re|ve|ll))?\b|` +
    String.raw`(?<!\p{L})(?:el[ea]s?|del[ea]s?|nel[ea]s?|er|sie|ihn|ihm|ihr|él|ella|ellos)(?!\p{L})`,
  "iu"
)
const YOU = /\b(?:you|your|yours|u|ur|ya)\b/i

/** Whether a text speaks of somebody else. */
export const speaksOfOthers = (text: string): boolean => OTHERS.test(text)

const OTHERS_AND_YOU = 0.55
/** How much an example counts that does not speak of others, for a question that does. */
export const weightForOthers = (asked: string, example: string): number =>
  !OTHERS.test(asked) || OTHERS.test(example) ? 1 : YOU.test(asked) ? OTHERS_AND_YOU : 0

/** "and then?", "why?": only what the author wrote to follow, and no other line, goes on or gives a reason. */
const GOES_ON = new RegExp(
  String.raw`^\W*(?:(?:and|but|so|ok|oh|wait|hm+|wow)[\s,]+)*(?:then|why|how come|what (?:then|next|happened)|` +
    String.raw`e depois|` +
    String.raw`e então|porqu[eê]|por qu[eé]|und dann|warum|y (?:luego|después))`,
  "iu"
)

/** A question with fewer words of its own is about what was just said. */
const FEW_WORDS = 2
const MIN_OWN = 0.5
const MIN_CONTEXT = 0.3
/** Asks on without any word of its own. */
const MIN_CONTEXT_ALONE = 0.5

const FITS = 0.43
const OWN_MORE = 0.12
const CONTEXT_MORE = 0.1
const ASKED_ON_FITS = 0.56
const EARLIER = 5

/** What the character says elsewhere about what is asked, or about what was just said if the question refers to it. */
export const mentioned = ({
  text,
  act,
  said,
  earlier,
  repertoire: { mentions, lineOf }
}: Conversation): ReadonlyArray<{ readonly line: string; readonly score: number }> => {
  const asksOn = act === "elaborate"
  if ((!asksOn && !ASKS.has(act)) || (asksOn && GOES_ON.test(text))) return []
  const answered = lineOf(said.at(-1) ?? "")
  if (answered === null && (asksOn || (content(text) === "" && !OTHERS.test(text)))) return []
  const refersBack = asksOn || OTHERS.test(text) || content(text).split(" ").length < FEW_WORDS
  return mentions
    .about(asksOn ? "" : text, refersBack ? { answered, earlier: earlier.slice(-EARLIER) } : null)
    .flatMap(({ line, own, context }) => {
      if (asksOn) return context >= MIN_CONTEXT_ALONE ? [{ line, score: ASKED_ON_FITS + CONTEXT_MORE * context }] : []
      const fits =
        refersBack && OTHERS.test(text) && !namesRelative(text)
          ? context >= MIN_CONTEXT
          : own >= MIN_OWN || context >= MIN_CONTEXT_ALONE
      return fits ? [{ line, score: FITS + OWN_MORE * own + CONTEXT_MORE * context }] : []
    })
}
