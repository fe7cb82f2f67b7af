import type { Utterance } from "../../retrieval/Transcript.ts"
import { topicsAsked, topicsTold } from "../../retrieval/topics/topics.ts"
import { bounded } from "../bounded.ts"
import type { Extraction } from "../Extraction.ts"
import type { EndedTurn } from "../Extractor.ts"
import { gistOf, sharedWith } from "../gist.ts"
import type { Memory, Relationship } from "../Relationship.ts"
import { correctionIn } from "./corrections.ts"
import type { Attribute, Fact } from "./Fact.ts"
import { factsIn } from "./facts.ts"
import { forgetRequestIn } from "./forgetRequest.ts"
import { isRetraction } from "./notFacts.ts"
import { sentencesOf } from "./sentences.ts"

type Read = Extraction["memories"][number]

/** A person has only one of each of these at a time. */
const SINGLE: ReadonlySet<Attribute> = new Set(["name", "age", "birthday", "home", "work", "study", "favourite"])
const IMPORTANCE: Readonly<Record<Fact["topic"], number>> = {
  person: 7,
  pet: 6,
  event: 6,
  work: 5,
  home: 5,
  like: 4,
  dislike: 4,
  other: 3
}
const MAX_QUOTE_CHARS = 300
const SURE = 0.9
const LIKELY = 0.7

const kindOf = ({ attribute, topic }: Fact): Read["kind"] =>
  attribute === "like" || attribute === "dislike" || attribute === "favourite"
    ? "preference"
    : topic === "event"
      ? "event"
      : topic === "person" && attribute !== "statement"
        ? "relationship"
        : "fact"

const slotOf = ({ subject, attribute }: Fact): string => `${subject} ${attribute}`

/** The facts in a memory, extracted from the quotes that it was made from. */
const slotsOf = (memory: Memory): ReadonlyArray<Fact> =>
  factsIn(
    memory.evidence
      .filter(({ quote }) => quote !== "")
      .slice(0, 1)
      .map(({ quote, cursor }) => ({ role: "user" as const, text: quote, cursor, at: new Date(memory.created_at) }))
  ).filter(({ attribute }) => SINGLE.has(attribute))

const WORDS_SHARED = 2

const textsOf = ({ text, evidence }: Memory): string => [text, ...evidence.map(({ quote }) => quote)].join(" ")

/** What the person asks to have forgotten: what shares their words, or else what is on the topic that they name. */
const toForget = (text: string, known: ReadonlyArray<Memory>): ReadonlyArray<string> => {
  const request = forgetRequestIn(text)
  if (request === null) return []
  if (request.everything) return known.map(({ id }) => id)
  const words = gistOf(request.about).split(" ").length
  const named = known.filter((memory) => sharedWith(textsOf(memory))(request.about) >= Math.min(WORDS_SHARED, words))
  const topics = topicsAsked(request.about)
  const found =
    named.length > 0
      ? named
      : known.filter((memory) => {
          const told = topicsTold(textsOf(memory))
          return [...topics].some((topic) => told.has(topic))
        })
  return found.map(({ id }) => id)
}

/**
 * What a message says about the person, sentence by sentence, and which memories it replaces. `facts`: the facts of
 * this
 * message.
 */
export const memoriesIn = (
  message: Utterance,
  facts: ReadonlyArray<Fact>,
  active: ReadonlyArray<Memory>
): Pick<Extraction, "memories" | "invalidate"> => {
  const quote = bounded(message.text, MAX_QUOTE_CHARS)
  if (forgetRequestIn(message.text) !== null)
    return {
      memories: [],
      invalidate: toForget(message.text, active).map((memory_id) => ({
        memory_id,
        reason: "user_asked_to_forget",
        quote
      }))
    }
  const byQuote = Map.groupBy(facts, ({ quote }) => quote)
  const memories = [...byQuote].flatMap(([words, of]): ReadonlyArray<Read> => {
    const best = of.find(({ attribute }) => attribute !== "statement") ?? of[0]
    if (best === undefined) return []
    return [
      {
        kind: kindOf(best),
        subject: best.topic === "person" || best.topic === "pet" ? "third_party" : "user",
        about: null,
        said_by: null,
        text: best.text,
        importance: IMPORTANCE[best.topic] + (best.attribute === "name" ? 1 : 0),
        confidence: best.attribute === "statement" ? LIKELY : SURE,
        quote: words,
        happened_on: null,
        linked_ids: []
      }
    ]
  })
  const slots = new Map(
    facts.filter(({ attribute }) => SINGLE.has(attribute)).map((fact) => [slotOf(fact), fact.value.toLowerCase()])
  )
  const invalidate =
    slots.size === 0
      ? []
      : active
          .filter((memory) =>
            slotsOf(memory).some((fact) => {
              const now = slots.get(slotOf(fact))
              return now !== undefined && now !== fact.value.toLowerCase()
            })
          )
          .map(({ id }) => ({ memory_id: id, reason: "user_corrected" as const, quote }))
  return { memories, invalidate }
}

/** "kidding": what the memories of the person's last message say is not true. */
const takenBack = ({ message, history }: EndedTurn, active: ReadonlyArray<Memory>): Extraction["invalidate"] => {
  const [first = ""] = sentencesOf(message?.text ?? "")
  const before = history.findLast(({ role }) => role === "user")
  return before === undefined || !isRetraction(first)
    ? []
    : active
        .filter(({ evidence }) => evidence.length > 0 && evidence.every(({ cursor }) => cursor === before.cursor))
        .map(({ id }) => ({ memory_id: id, reason: "user_corrected", quote: first }))
}

/** The same for the message of a turn. */
export const memoriesOf = (turn: EndedTurn, known: Relationship): Pick<Extraction, "memories" | "invalidate"> => {
  const { message, history } = turn
  if (message === null) return { memories: [], invalidate: [] }
  const active = [...known.memories.values()].filter(({ status }) => status === "active")
  const facts = factsIn([...history, message]).filter(({ cursor }) => cursor === message.cursor)
  const lately = history.filter(({ role }) => role === "user").map(({ cursor }) => cursor)
  const right = correctionIn(message.text, active, lately)
  const read = memoriesIn(
    message,
    right === null ? facts : facts.filter(({ quote }) => !right.quote.includes(quote)),
    active
  )
  const invalidate = [...read.invalidate, ...takenBack(turn, active)]
  if (right === null || forgetRequestIn(message.text) !== null) return { ...read, invalidate }
  const { memory, text, quote } = right
  const { kind, subject, about, importance } = memory
  return {
    memories: [
      {
        kind,
        subject,
        about,
        said_by: null,
        text,
        importance,
        confidence: LIKELY,
        quote,
        happened_on: null,
        linked_ids: []
      },
      ...read.memories
    ],
    invalidate: [{ memory_id: memory.id, reason: "user_corrected", quote }, ...invalidate]
  }
}
