import { seedOf } from "#pipeline/domain/seed.ts"
import { sentencesAbout } from "#pipeline/evidence/sentences.ts"
import type { WriteRequest } from "#pipeline/generation/Writer.ts"
import { languageAmong, languageOf, languageOfTag, mayBeIn } from "#pipeline/languages.ts"
import type { Utterance } from "#pipeline/retrieval/Transcript.ts"
import { asksIfAi } from "#pipeline/safety/aiDisclosure.ts"
import { DANGER_OF_ANOTHER } from "#pipeline/safety/judge.ts"
import { type Act, actOf } from "#pipeline/relational/rules/acts.ts"
import { askedIn, withoutOpening } from "./asked.ts"
import type { Fact } from "#pipeline/relational/rules/Fact.ts"
import { factsIn } from "#pipeline/relational/rules/facts.ts"
import { factsInMemory } from "#pipeline/relational/rules/factsInMemory.ts"
import { isQuestion } from "#pipeline/relational/rules/questions.ts"
import { toldAt } from "./followUp.ts"
import { speaksOfOthers } from "./mentioned.ts"
import { GENTLE_LANGUAGES, isGentle } from "./gentle.ts"
import { introduction } from "./introduction.ts"
import { content } from "./wording.ts"
import { canSay, type Repertoire, repertoireOf } from "./repertoire.ts"

/** Stands for the message being answered, which has no cursor on the log to cite. */
export const NOW = Number.MAX_SAFE_INTEGER
/** Stands for the position of a memory that the app added. */
export const UNSAID = -1

/** A turn as the engine sees it. */
export interface Conversation {
  readonly text: string
  readonly act: Act
  /** What the message does in addition to its question. Null if it does nothing else. */
  readonly besides: Act | null
  /** The person's earlier messages, oldest first. */
  readonly earlier: ReadonlyArray<string>
  /** What the last of them did, oldest first. */
  readonly actsBefore: ReadonlyArray<Act>
  readonly facts: ReadonlyArray<Fact>
  /** Whether the person asks to have something forgotten. */
  readonly forgets: boolean
  /** The character's messages, oldest first. */
  readonly said: ReadonlyArray<string>
  /** Whether the person just told something sad, so that the character stays on the topic. */
  readonly tender: boolean
  /** The language of the engine's own gentle lines, in turns where banter is not appropriate. Null in all others. */
  readonly gentle: string | null
  /** Whether somebody else, whose words the message quotes or forwards, may be in danger. */
  readonly isForAnother: boolean
  /** Who the character is, if the message asks for it. */
  readonly introduction: string | null
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
/** For so long everything is about it, and then what says nothing else, and what is about others. */
const GRIEF_FILLS = 2
const GRIEF_LASTS = 4
const GRIEF_COLOURS = 6
const SADNESS_LASTS = 1
/** Rules read only the beginning of a message, which shows what it does. */
const READ_CHARS = 600
/** A farewell, an insult or thanks in a part of a message counts more than what the rest tells. */
const PARTING: ReadonlyArray<Act> = ["farewell", "insult", "thanks"]
const BEFORE_PARTING: ReadonlySet<Act> = new Set(["remark", "disclosure", "plan", "agreement", "compliment"])
const CLAUSES = /[.,!?;\n]+/
const partingIn = (text: string, act: Act): Act => {
  if (!BEFORE_PARTING.has(act)) return act
  const acts = new Set(text.split(CLAUSES).map(actOf))
  return PARTING.find((parting) => acts.has(parting)) ?? act
}

/** More than a greeting or a comma. */
const BESIDES = /\p{L}\P{L}+\p{L}/u
const EARLIER_ACTS = 6
const EARLIER_LANGUAGE = 3
const MAX_LORE_CHARS = 300

const ECHO_WORDS = 3
/** "a priest?" takes up a word of the character's last message. */
const isEcho = (text: string, last: string): boolean => {
  const echoed = content(text)
    .split(" ")
    .filter((word) => !word.startsWith("theme"))
  if (
    !/\?\W{0,9}$/.test(text) ||
    isQuestion(text.replaceAll("?", "")) ||
    text.split(/\s+/).length > ECHO_WORDS ||
    echoed.join("") === ""
  )
    return false
  const known = new Set(content(last.slice(0, READ_CHARS)).split(" "))
  return echoed.every((word) => known.has(word))
}

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
  // A note says the same as the message that it was extracted from, in words that can be understood on their own.
  const read = new Set(history.map(({ cursor }) => cursor))
  const noted = retrieved.memories.filter(({ cursor }) => cursor === null || !read.has(cursor))
  const notedAt = new Set(noted.map(({ cursor }) => cursor))
  const before = [
    ...new Map(
      [...retrieved.recalled.filter(({ cursor }) => !notedAt.has(cursor)), ...history].map(
        (said): [number, Utterance] => [said.cursor, said]
      )
    ).values()
  ].sort((a, b) => a.cursor - b.cursor)
  const remembered = noted
    .toSorted((a, b) => a.at.getTime() - b.at.getTime())
    .flatMap(({ id, text, cursor }) => factsInMemory(text, cursor ?? UNSAID, cursor === null ? id : undefined))
  const whole = turn.text.slice(0, READ_CHARS)
  const earlier = history.filter(({ role }) => role === "user").map(({ text }) => text.slice(0, READ_CHARS))
  const actsBefore = earlier.slice(-EARLIER_ACTS).map((text) => actOf(withoutOpening(text)))
  const text = withoutOpening(askedIn(whole, earlier))
  const spoken = turn.character.voice.languages.map(languageOfTag)
  const texts = [whole, ...earlier.toReversed().slice(0, EARLIER_LANGUAGE)]
  const facts = [
    ...remembered,
    ...factsIn([...before, { role: "user", text: turn.text, cursor: NOW, at: new Date(0) }])
  ]
  const grieved = (within: number): boolean => actsBefore.slice(-within).includes("grief")
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
            : isEcho(text, history.findLast(({ role }) => role === "character")?.text ?? "")
              ? "elaborate"
              : resolved(partingIn(text, actOf(text)), actsBefore),
    besides:
      whole.includes(text) && isQuestion(text) && BESIDES.test(whole.replace(text, ""))
        ? actOf(whole.replace(text, ""))
        : null,
    spoken,
    language: languageFor(texts, spoken),
    earlier,
    actsBefore,
    facts,
    forgets: retrieved.forgets === true,
    said: history.filter(({ role }) => role === "character").map(({ text }) => text),
    gentle: isGentle(safety) ? gentleLanguage(texts, spoken) : null,
    isForAnother: safety.categories.includes(DANGER_OF_ANOTHER),
    tender:
      grieved(GRIEF_FILLS) ||
      (grieved(GRIEF_LASTS) && toldAt(NOW, facts).length === 0) ||
      (grieved(GRIEF_COLOURS) && speaksOfOthers(whole)) ||
      actsBefore.slice(-SADNESS_LASTS).includes("bad_news"),
    introduction: introduction(text, turn.character),
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
