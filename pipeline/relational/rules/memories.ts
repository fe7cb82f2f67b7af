import { bounded } from "../bounded.ts"
import type { Extraction } from "../Extraction.ts"
import type { EndedTurn } from "../Extractor.ts"
import { gistOf, shared } from "../gist.ts"
import type { Memory, Relationship } from "../Relationship.ts"
import type { Attribute, Fact } from "./Fact.ts"
import { factsIn } from "./facts.ts"

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
const TELLING_WORDS = 2
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

const FORGET = new RegExp(
  String.raw`\b(?:forget|delete|erase|don['’]?t remember|do not remember|unlearn)\b(?! (?:to|it\b|me\b|you\b))` +
    String.raw`(?: (?:about|that|what|everything|all|the|my|i|said|told|you|of|thing|things|memory|` +
    String.raw`memories)){0,12} (.{3,120})|(?<!\p{L})(?:vergiss|lösch(?:e)?)(?: bitte)?` +
    String.raw`(?: das| was| über| dass| alles| von){0,6} (.{3,120})|(?<!\p{L})(?:olvida|oublie|esquece)` +
    String.raw`(?: lo| ce| o)?(?: que| de){0,6} (.{3,120})`,
  "iu"
)
const WORDS_SHARED = 2

/** What the person asks to have forgotten. */
const toForget = (text: string, known: ReadonlyArray<Memory>): ReadonlyArray<string> => {
  const match = FORGET.exec(text)
  const about = match?.slice(1).find((group) => group !== undefined)
  if (about === undefined) return []
  const words = gistOf(about).split(" ").length
  return known
    .filter(
      ({ text, evidence }) =>
        shared(about, [text, ...evidence.map(({ quote }) => quote)].join(" ")) >= Math.min(WORDS_SHARED, words)
    )
    .map(({ id }) => id)
}

/** What the person said about themselves in a turn, sentence by sentence, and which memories it replaces. */
export const memoriesOf = (turn: EndedTurn, known: Relationship): Pick<Extraction, "memories" | "invalidate"> => {
  const { message } = turn
  if (message === null) return { memories: [], invalidate: [] }
  const active = [...known.memories.values()].filter(({ status }) => status === "active")
  const forget = toForget(message.text, active)
  const quote = bounded(message.text, MAX_QUOTE_CHARS)
  if (forget.length > 0)
    return {
      memories: [],
      invalidate: forget.map((memory_id) => ({ memory_id, reason: "user_asked_to_forget", quote }))
    }

  const facts = factsIn([...turn.history, message]).filter(({ cursor }) => cursor === message.cursor)
  const byQuote = Map.groupBy(facts, ({ quote }) => quote)
  const memories = [...byQuote].flatMap(([words, of]): ReadonlyArray<Read> => {
    const best = of.find(({ attribute }) => attribute !== "statement") ?? of[0]
    if (best === undefined || (best.attribute === "statement" && gistOf(words).split(" ").length < TELLING_WORDS))
      return []
    return [
      {
        kind: kindOf(best),
        subject: best.topic === "person" || best.topic === "pet" ? "third_party" : "user",
        text: words,
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
