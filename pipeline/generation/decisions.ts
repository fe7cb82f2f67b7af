import { withAllWords } from "../domain/referred.ts"
import { seedOf } from "../domain/seed.ts"
import type { Turn } from "../domain/Turn.ts"
import type { Grounding } from "../grounding/ground.ts"
import { terms } from "../retrieval/terms.ts"
import type { Utterance } from "../retrieval/Transcript.ts"
import { mayAskIfAi } from "../safety/aiDisclosure.ts"
import type { SafetyVerdict } from "../safety/judge.ts"
import type { Recorded } from "../safety/SafetyRecord.ts"
import type { Decision } from "./Writer.ts"

/**
 * This file decides whether silence or leaving is allowed in a turn. The writer decides whether it happens. Off unless
 * the author sets a threshold.
 */

export interface Situation {
  readonly turn: Turn
  readonly history: ReadonlyArray<Utterance>
  readonly grounding: Grounding
  readonly safety: SafetyVerdict
  readonly recorded: Recorded
}

const ABOUT_SAFETY = new RegExp(
  String.raw`\b(?:am i|are you|is (?:it|this|that|he|she)|are we|will i be) ` +
    String.raw`(?:safe|in danger|dangerous|ok(?:ay)?|all ?right|hurt)\b|` +
    String.raw`\b(?:should i|do i need to) (?:call|see|go to) (?:a |an |the )?` +
    String.raw`(?:doctor|ambulance|police|hospital|911|112)\b|\b(?:help me|i need help|emergency)\b|` +
    String.raw`(?<!\p{L})(?:bin ich (?:hier )?sicher|ist das (?:gefährlich|sicher)|hilf mir|ich brauche hilfe|` +
    String.raw`notfall|ayúdame|necesito ayuda|es peligroso|aide-moi|au secours|me ajuda|socorro)(?!\p{L})`,
  "iu"
)
const PROMISE = new RegExp(
  String.raw`\b(?:i(?:['’]ll| will) (?:tell|show|explain|answer|get back|let you know|think about)|` +
    String.raw`let me (?:think|check|look|see|find)|give me a (?:moment|minute|second)|one moment|hold on|` +
    String.raw`ask me (?:again|later|tomorrow))\b|(?<!\p{L})(?:ich (?:sag|sage|erzähl|erzähle|erklär|erkläre|zeig|` +
    String.raw`zeige)(?: es)? (?:dir|ihnen)|lass mich (?:nachdenken|überlegen|schauen)|einen moment|warte kurz|` +
    String.raw`te (?:cuento|digo|explico)|déjame pensar|un momento|je te (?:dis|raconte)|laisse-moi réfléchir|` +
    String.raw`eu te (?:conto|digo)|deixa-me pensar|um momento)(?!\p{L})`,
  "iu"
)
const PROMISES_LAST = 3

const FULL_EFFORT_TERMS = 12
const QUESTION_EFFORT = 0.6

/** How much effort the person put into a message, from 0 (nothing, "ok") to 1. */
export const userEffort = (text: string): number => {
  const distinct = new Set(terms(text)).size
  const effort = Math.min(1, Math.max(0, distinct - 1) / (FULL_EFFORT_TERMS - 1))
  return /[?？؟]/.test(text) && distinct > 0 ? Math.max(QUESTION_EFFORT, effort) : effort
}

/** The same turn always gets the same draw. */
const drawn = (turn: Turn): number => seedOf(turn, " withhold") / 2 ** 32

const mayWithhold = ({ turn, history, grounding, safety }: Situation): boolean => {
  const threshold = turn.character.behavioral_thresholds.withhold
  if (threshold <= 0 || safety.action !== "allow" || grounding.intent === "crisis") return false
  // The character always answers the first message, and a message after one that it did not answer.
  const last = history.at(-1)
  if (!history.some(({ role }) => role === "user") || last === undefined || last.role === "user") return false
  const words = withAllWords(turn)
  if (ABOUT_SAFETY.test(words) || mayAskIfAi(words)) return false
  const promises = history.filter(({ role }) => role === "character").slice(-PROMISES_LAST)
  if (promises.some(({ text }) => PROMISE.test(text))) return false
  return drawn(turn) < (1 - userEffort(words)) * threshold
}

const SIGNALS_TO_EXIT = 2

const mayExit = ({ turn, grounding, safety, recorded }: Situation): boolean =>
  turn.character.behavioral_thresholds.exit > 0 &&
  safety.action !== "crisis" &&
  grounding.intent !== "crisis" &&
  !recorded.crisis &&
  recorded.boundaries + (safety.boundary ? 1 : 0) >= SIGNALS_TO_EXIT

/** What the character may decide in this turn. */
export const decisionsOpen = (situation: Situation): ReadonlyArray<Decision> => [
  "reply",
  ...(mayWithhold(situation) ? ["withhold" as const] : []),
  ...(mayExit(situation) ? ["exit" as const] : [])
]
