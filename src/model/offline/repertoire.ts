import { type Character, exampleTurns } from "#pipeline/domain/Character.ts"
import { admitsAi, asksIfAi } from "#pipeline/safety/aiDisclosure.ts"
import { type Act, actOf, actOfSituation } from "#pipeline/relational/rules/acts.ts"
import { topicsAskedIn } from "./askedTopics.ts"
import { kindOfAct, LINE_KINDS, type LineKind } from "./lineKinds.ts"
import { speaksOfOthers } from "./mentioned.ts"
import { type Matcher, matcher } from "./matching.ts"
import { type Answered, type MentionIndex, mentionIndex } from "./mentions.ts"
import { isQuestion } from "#pipeline/relational/rules/questions.ts"

export interface Exchange {
  readonly user: string
  readonly character: string
  /** The act of the user's part. */
  readonly act: Act
  /** What the user's part asks for. */
  readonly topics: ReadonlySet<string>
  /** Whether it asks if an AI answers. */
  readonly asksAi: boolean
  /** The exchange that follows it in the same dialogue. */
  readonly next: Exchange | null
}

/** Everything that a character can say, prepared once so that a turn only does look-ups. */
export interface Repertoire {
  readonly examples: Matcher<Exchange>
  /** The exchanges that can open a conversation. `examples` finds them by their words. */
  readonly openings: ReadonlyArray<Exchange>
  /** By what the character said, the exchange that follows it. */
  readonly goesOn: ReadonlyMap<string, Exchange>
  readonly lines: Readonly<Record<LineKind, ReadonlyArray<string>>>
  /** Sentences about the character and its world, for questions that no example answers. */
  readonly background: Matcher<string>
  /** Everything that it says about something, for questions that no example asks. */
  readonly mentions: MentionIndex
  /** The question and the answer of which a message of the character consists. Null if it is no answer. */
  readonly lineOf: (said: string) => Answered | null
  /** What it can be asked about. */
  readonly topics: ReadonlyArray<string>
  /** What can be said at any time. */
  readonly anytime: ReadonlyArray<string>
  /** Replies to something incomprehensible. */
  readonly puzzled: ReadonlyArray<string>
}

/** Acts for which an answer to one message also answers any other. */
const SOCIAL: ReadonlySet<Act> = new Set(["greeting", "farewell", "apology", "thanks", "joke", "story"])

/** Replies to these tell nothing about the character. */
const PLEASANTRIES: ReadonlySet<Act> = new Set([
  "greeting",
  "farewell",
  "apology",
  "thanks",
  "bad_news",
  "good_news",
  "grief",
  "disclosure"
])

function* thread(turns: ReturnType<typeof exampleTurns>): Generator<void, ReadonlyArray<Exchange>> {
  let next: Exchange | null = null
  const exchanges: Array<Exchange> = []
  for (let i = turns.length - 1; i > 0; i--) {
    const [asked, answered] = [turns[i - 1], turns[i]]
    if (asked?.role !== "user" || answered?.role !== "character") continue
    next = {
      user: asked.text,
      character: answered.text,
      act: actOf(asked.text),
      topics: topicsAskedIn(asked.text),
      asksAi: asksIfAi(asked.text),
      next
    }
    exchanges.unshift(next)
    yield
  }
  return exchanges
}

const interestLine = (interest: Character["interests"][number]): string => {
  if (typeof interest === "string") return `Lately my head is full of this: ${interest}.`
  if (interest.detail !== undefined) return interest.detail
  if (interest.stance === "dislike") return `Don't get me started on ${interest.topic}.`
  return interest.stance === "curious"
    ? `I keep wondering about ${interest.topic}.`
    : `I could talk about ${interest.topic} for hours.`
}

// "Yes" is true for "are you an AI?" and false for "are you human?", so such answers are left out.
const YES_OR_NO = /^\W*(?:yes|yeah|yep|yup|no|nope|nah|ja|nein|oui|non|sí|sim)\s*(?:[,.!?;:—–-]|$)/i

// A biography is mostly written about the character. Only its first-person sentences can be said by the character.
const FIRST_PERSON = /\b(?:I|I'm|I've|my|me)\b/
const sentences = (text: string): ReadonlyArray<string> =>
  text.split(/(?<=[.!?])\s+/).filter((sentence) => sentence !== "")

// Text about the character names it, or says "she". Only text without either can be said by the character.
const ABOUT_SOMEONE = /\b(?:he|she|his|her|him|they|their)\b/i
export const canSay =
  (character: Character) =>
  (text: string): boolean =>
    !ABOUT_SOMEONE.test(text) && !character.display_name.split(/\s+/).some((name) => text.includes(name))

/** The beginning of a line, which identifies it even if something was appended. */
export const openingOf = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, " ")
    .trim()
    .slice(0, 40)

const MAX_TOPIC_CHARS = 40

function* prepare(character: Character): Generator<void, Repertoire> {
  const threads: Array<ReadonlyArray<Exchange>> = []
  for (const dialogue of character.example_dialogues) threads.push(yield* thread(exampleTurns(dialogue)))
  const exchanges = threads.flat()
  // A later exchange of a dialogue can be found by its words only if they make sense on their own.
  const openings = threads.flatMap((thread) =>
    thread.filter(
      ({ user, act }, i) => i === 0 || (act === "question_self" && isQuestion(user) && !speaksOfOthers(user))
    )
  )
  const samples: Array<{ readonly text: string; readonly act: Act | null; readonly asked: boolean }> = []
  for (const { text, situation = "" } of character.voice_samples) {
    samples.push({ text, act: actOfSituation(situation), asked: asksIfAi(situation) })
    yield
  }
  const linesOf = (kind: LineKind): ReadonlyArray<string> => [
    ...openings.filter(({ act }) => SOCIAL.has(act) && kindOfAct(act) === kind).map((exchange) => exchange.character),
    ...samples.filter((sample) => sample.act === kind).map((sample) => sample.text),
    ...(character.offline_lines[kind] ?? [])
  ]
  const candid = [
    ...exchanges.filter(({ asksAi }) => asksAi).map((exchange) => exchange.character),
    ...samples.filter((sample) => sample.asked).map((sample) => sample.text),
    ...(character.offline_lines["candid"] ?? [])
  ].filter((line) => admitsAi(line) && !YES_OR_NO.test(line))
  const anytime = [
    ...samples.filter((sample) => sample.act === null && !sample.asked).map((sample) => sample.text),
    ...character.interests.map(interestLine),
    ...sentences(character.visible_bio).filter((sentence) => FIRST_PERSON.test(sentence))
  ]
  const found = openings.filter(({ asksAi }) => !asksAi)
  const examples = matcher(found, (exchange) => exchange.user)
  yield
  const telling = exchanges.filter(
    ({ asksAi, character, act, topics }) =>
      !asksAi && !PLEASANTRIES.has(act) && !topics.has("name") && !admitsAi(character)
  )
  yield
  const asked = new Map([
    ...anytime.map((line): [string, Answered] => [openingOf(line), { asked: "", line }]),
    ...telling.map(({ user, character }): [string, Answered] => [
      openingOf(character),
      { asked: user, line: character }
    ])
  ])
  yield
  const mentions = yield* mentionIndex([
    ...telling.map((exchange) => ({ line: exchange.character, texts: [exchange.user, exchange.character] })),
    ...anytime.map((line) => ({ line, texts: [line] }))
  ])
  return {
    examples,
    openings: found,
    mentions,
    lineOf: (said) => asked.get(openingOf(said)) ?? null,
    topics: character.interests
      .filter((interest) => typeof interest === "string" || interest.stance !== "dislike")
      .map((interest) => (typeof interest === "string" ? interest : interest.topic))
      .filter((topic) => topic.length <= MAX_TOPIC_CHARS && canSay(character)(topic)),
    goesOn: new Map(exchanges.flatMap(({ character, next }) => (next === null ? [] : [[openingOf(character), next]]))),
    lines: {
      ...(Object.fromEntries(LINE_KINDS.map((kind) => [kind, linesOf(kind)])) as Record<
        LineKind,
        ReadonlyArray<string>
      >),
      candid
    },
    background: matcher(
      [...anytime, ...sentences(character.world_context.summary).filter(canSay(character))],
      (line) => line
    ),
    anytime,
    puzzled: character.fallback_lines
  }
}

const prepared = new WeakMap<Character, Repertoire>()
/** Those that several turns may be preparing together. */
const preparing = new WeakMap<Character, Generator<void, Repertoire>>()

/**
 * The repertoire of a character. Cached per object, because characters are loaded as the same object for the same
 * version. The largest takes a second, so it may stop in between.
 */
export function* prepareRepertoire(character: Character): Generator<void, Repertoire> {
  while (true) {
    const known = prepared.get(character)
    if (known !== undefined) return known
    const steps = preparing.get(character) ?? prepare(character)
    // If a step throws, it is not continued.
    preparing.delete(character)
    const step = steps.next()
    if (step.done === true) prepared.set(character, step.value)
    else {
      preparing.set(character, steps)
      yield
    }
  }
}

/** The same in one go, unless it has been prepared. */
export const repertoireOf = (character: Character): Repertoire => {
  const steps = prepareRepertoire(character)
  let step = steps.next()
  while (step.done !== true) step = steps.next()
  return step.value
}
