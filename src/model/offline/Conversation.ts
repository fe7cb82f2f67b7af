import { seedOf } from "#pipeline/domain/seed.ts"
import { sentencesAbout } from "#pipeline/evidence/sentences.ts"
import type { WriteRequest } from "#pipeline/generation/Writer.ts"
import { languageAmong, languageOf, languageOfTag, mayBeIn } from "#pipeline/languages.ts"
import type { Utterance } from "#pipeline/retrieval/Transcript.ts"
import { asksIfAi } from "#pipeline/safety/aiDisclosure.ts"
import { type Act, actOf } from "#pipeline/relational/rules/acts.ts"
import { askedIn } from "./asked.ts"
import type { Fact } from "#pipeline/relational/rules/Fact.ts"
import { factsIn } from "#pipeline/relational/rules/facts.ts"
import { isQuestion } from "#pipeline/relational/rules/questions.ts"
import { GENTLE_LANGUAGES, isGentle } from "./gentle.ts"
import { canSay, type Repertoire, repertoireOf } from "./repertoire.ts"

/** Stands for the message being answered, which has no cursor on the log to cite. */
export const NOW = Number.MAX_SAFE_INTEGER

/** A turn as the engine sees it. */
export interface Conversation {
  readonly text: string
  readonly act: Act
  /** What the message does in addition to its question. Null if it does nothing else. */
  readonly besides: Act | null
  /** What the person's earlier messages did, oldest first. */
  readonly actsBefore: ReadonlyArray<Act>
  readonly facts: ReadonlyArray<Fact>
  /** The character's messages, oldest first. */
  readonly said: ReadonlyArray<string>
  /** Whether the person just told something sad, so that the character stays on the topic. */
  readonly tender: boolean
  /** The language of the engine's own gentle lines, in turns where banter is not appropriate. Null in all others. */
  readonly gentle: string | null
  readonly repertoire: Repertoire
  /** The languages that the character speaks, and which of them to answer in. Null if there is no choice. */
  readonly spoken: ReadonlyArray<string>
  readonly language: string | null
  /** Authored world facts that are relevant to the message. */
  readonly lore: ReadonlyArray<string>
  /** What is known about the people whom the message mentions. */
  readonly people: ReadonlyArray<string>
  readonly seed: number
}

const AGAIN: ReadonlySet<Act> = new Set(["joke", "story", "advice"])
const AGAIN_WITHIN = 3
const GRIEF_LASTS = 4
const SADNESS_LASTS = 1
/** Rules read only the beginning of a message, which shows what it does. */
const READ_CHARS = 600
/** More than a greeting or a comma. */
const BESIDES = /\p{L}\P{L}+\p{L}/u
const EARLIER_ACTS = 6
const EARLIER_LANGUAGE = 3
const MAX_LORE_CHARS = 300

/** "Another one" repeats the previous request. "I'm sorry" after an answer expresses sympathy with the character. */
const resolved = (act: Act, before: ReadonlyArray<Act>): Act => {
  if (act === "more") return before.slice(-AGAIN_WITHIN).findLast((earlier) => AGAIN.has(earlier)) ?? "elaborate"
  return act === "apology" && before.at(-1) === "question_self" ? "compliment" : act
}

/**
 * The language to answer in: that of the message, or else of the person's earlier messages, if the character speaks it.
 */
const languageFor = (texts: ReadonlyArray<string>, spoken: ReadonlyArray<string>): string | null => {
  if (spoken.length < 2) return null
  return texts.map((text) => languageAmong(text, spoken)).find((language) => language !== null) ?? spoken[0] ?? null
}

/** Whether a message is clearly in a language that the character does not speak. */
const isForeign = (text: string, spoken: ReadonlyArray<string>): boolean => {
  const language = languageOf(text)
  return language !== null && spoken.length > 0 && !spoken.some((known) => mayBeIn(language, known))
}

/**
 * The language of the message, or of earlier ones, among those that the character speaks. English if it cannot be
 * detected.
 */
const gentleLanguage = (texts: ReadonlyArray<string>, spoken: ReadonlyArray<string>): string => {
  const known = spoken.filter((language) => GENTLE_LANGUAGES.includes(language))
  const among = known.length > 0 ? known : GENTLE_LANGUAGES
  return texts.map((text) => languageAmong(text, among)).find((language) => language !== null) ?? known[0] ?? "en"
}

export const conversationOf = ({ turn, history, retrieved, safety }: WriteRequest): Conversation => {
  // A note replaces the message that it was extracted from, if that message is not in the history.
  const noted = retrieved.memories.flatMap(({ text, cursor, at }): ReadonlyArray<Utterance> =>
    cursor === null ? [] : [{ role: "user", text, cursor, at }]
  )
  const before = [
    ...new Map(
      [...noted, ...retrieved.recalled, ...history].map((said): [number, Utterance] => [said.cursor, said])
    ).values()
  ].sort((a, b) => a.cursor - b.cursor)
  const actsBefore = history
    .filter(({ role }) => role === "user")
    .slice(-EARLIER_ACTS)
    .map(({ text }) => actOf(text.slice(0, READ_CHARS)))
  const whole = turn.text.slice(0, READ_CHARS)
  const text = askedIn(whole)
  const spoken = turn.character.voice.languages.map(languageOfTag)
  const texts = [
    whole,
    ...history
      .filter(({ role }) => role === "user")
      .map(({ text }) => text)
      .toReversed()
      .slice(0, EARLIER_LANGUAGE)
  ]
  return {
    text,
    // A request that must be refused is handled like a request for a secret.
    act:
      safety.action === "refuse_in_voice"
        ? "probe"
        : asksIfAi(whole)
          ? "meta"
          : isForeign(whole, spoken)
            ? "gibberish"
            : resolved(actOf(text), actsBefore),
    besides:
      whole.includes(text) && isQuestion(text) && BESIDES.test(whole.replace(text, ""))
        ? actOf(whole.replace(text, ""))
        : null,
    spoken,
    language: languageFor(texts, spoken),
    actsBefore,
    facts: factsIn([...before, { role: "user", text: turn.text, cursor: NOW, at: new Date(0) }]),
    said: history.filter(({ role }) => role === "character").map(({ text }) => text),
    gentle: isGentle(safety) ? gentleLanguage(texts, spoken) : null,
    tender: actsBefore.slice(-GRIEF_LASTS).includes("grief") || actsBefore.slice(-SADNESS_LASTS).includes("bad_news"),
    repertoire: repertoireOf(turn.character),
    lore: [
      ...retrieved.lore.map(({ content }) => content),
      ...retrieved.evidence.flatMap((piece) => sentencesAbout(piece.text, text).map(({ sentence }) => sentence))
    ].filter((text) => text.length <= MAX_LORE_CHARS && canSay(turn.character)(text)),
    people: retrieved.world.people
      .filter(
        ({ asked, summary }) =>
          asked && summary !== "" && summary.length <= MAX_LORE_CHARS && !summary.includes(turn.character.display_name)
      )
      .map(({ name, summary }) => `${name}? ${summary}`),
    seed: seedOf(turn)
  }
}
