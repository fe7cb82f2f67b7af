import { type Character, exampleTurns } from "#pipeline/domain/Character.ts"
import { type Bm25, bm25 } from "#pipeline/retrieval/bm25.ts"
import { admitsMachine, asksWhatYouAre } from "#pipeline/safety/candour.ts"
import { type Act, actOf, actOfSituation } from "./acts.ts"

interface Exchange {
  readonly user: string
  readonly character: string
}

/** All that a character can say, sorted once so that a turn only looks things up. */
export interface Repertoire {
  readonly examples: Bm25<Exchange>
  readonly byAct: Readonly<Record<Act, ReadonlyArray<string>>>
  /** Authored answers that say the truth to "are you an AI?" as well as to "are you human?". */
  readonly candid: ReadonlyArray<string>
  /** What can be said at any time. */
  readonly anytime: ReadonlyArray<string>
}

const exchangesOf = (character: Character): ReadonlyArray<Exchange> =>
  character.example_dialogues.flatMap((dialogue) => {
    const turns = exampleTurns(dialogue)
    return turns.flatMap((turn, i) => {
      const before = turns[i - 1]
      return turn.role === "character" && before?.role === "user" ? [{ user: before.text, character: turn.text }] : []
    })
  })

const interestLine = (interest: Character["interests"][number]): string => {
  if (typeof interest === "string") return `Lately my head is full of this: ${interest}.`
  if (interest.detail !== undefined) return interest.detail
  if (interest.stance === "dislike") return `Don't get me started on ${interest.topic}.`
  return interest.stance === "curious" ? `I keep wondering about ${interest.topic}.` : `I could talk about ${interest.topic} for hours.`
}

// "Yes" is the truth to "are you an AI?" and a lie to "are you human?", so an answer has to do without.
const YES_OR_NO = /^\W*(?:yes|yeah|yep|yup|no|nope|nah|ja|nein|oui|non|sí|sim)\s*(?:[,.!?;:—–-]|$)/i

// A biography is mostly written about the character; only what it says of itself can be put in its mouth.
const FIRST_PERSON = /\b(?:I|I'm|I've|my|me)\b/
const bioLines = (bio: string): ReadonlyArray<string> => bio.split(/(?<=[.!?])\s+/).filter((sentence) => FIRST_PERSON.test(sentence))

const prepare = (character: Character): Repertoire => {
  const exchanges = exchangesOf(character)
  const samples = character.voice_samples.map(({ text, situation }) => ({ text, act: actOfSituation(situation ?? ""), asked: asksWhatYouAre(situation ?? "") }))
  const forAct = (act: Act) => [
    ...exchanges.filter((exchange) => actOf(exchange.user) === act).map((exchange) => exchange.character),
    ...samples.filter((sample) => sample.act === act).map((sample) => sample.text)
  ]
  const answers = exchanges.filter((exchange) => asksWhatYouAre(exchange.user)).map((exchange) => exchange.character)
  return {
    examples: bm25(exchanges.filter((exchange) => !asksWhatYouAre(exchange.user)), (exchange) => exchange.user),
    byAct: { greeting: forAct("greeting"), farewell: forAct("farewell"), thanks: forAct("thanks") },
    candid: [...answers, ...samples.filter((sample) => sample.asked).map((sample) => sample.text)].filter((line) => admitsMachine(line) && !YES_OR_NO.test(line)),
    anytime: [
      ...samples.filter((sample) => sample.act === null && !sample.asked).map((sample) => sample.text),
      ...character.interests.map(interestLine),
      ...bioLines(character.visible_bio)
    ]
  }
}

const prepared = new WeakMap<Character, Repertoire>()

/** The repertoire of a character. Prepared once per object: whoever loads characters hands out the same one for the same version. */
export const repertoireOf = (character: Character): Repertoire => {
  const known = prepared.get(character)
  if (known !== undefined) return known
  const repertoire = prepare(character)
  prepared.set(character, repertoire)
  return repertoire
}
