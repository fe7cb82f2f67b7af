import type { Conversation } from "./Conversation.ts"
import { matcher } from "./matching.ts"
import { openingOf } from "./repertoire.ts"

const GO_ON = new RegExp(
  String.raw`\b(?:go on|continue|and then|then what|tell me (?:more )?about|tell me more|say more|more|happened|` +
    String.raw`next|really|seriously|what do you mean|explain|describe|let me)\b`,
  "i"
)
const ALIKE = 0.55
const ASKED_ON = 0.92
const URGED_ON = 0.85

const firstWord = (text: string): string => /\p{L}+/u.exec(text)?.[0].toLowerCase() ?? ""

/** What the author wrote to follow the character's last message, if the person's message asks for it. */
export const continued = ({
  text,
  act,
  said,
  repertoire
}: Conversation): ReadonlyArray<{ readonly line: string; readonly score: number }> => {
  const next = repertoire.goesOn.get(openingOf(said.at(-1) ?? ""))
  if (next === undefined) return []
  if (act === "elaborate" && (next.act === "elaborate" || firstWord(next.user) === firstWord(text)))
    return [{ line: next.character, score: ASKED_ON }]
  if (act === "elaborate" && GO_ON.test(text)) return [{ line: next.character, score: URGED_ON }]
  const alike = matcher([next], ({ user }) => user).like(text)[0]?.score ?? 0
  return alike >= ALIKE ? [{ line: next.character, score: Math.min(1, alike + 0.3) }] : []
}
