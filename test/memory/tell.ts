import { decide } from "#pipeline/relational/decide.ts"
import type { EndedTurn } from "#pipeline/relational/Extractor.ts"
import { apply } from "#pipeline/relational/Patch.ts"
import { type Memory, NEW_RELATIONSHIP, type Relationship } from "#pipeline/relational/Relationship.ts"
import { extractByRules } from "#pipeline/relational/rules/extractByRules.ts"
import type { Utterance } from "#pipeline/retrieval/Transcript.ts"
import { characterOf, turnOf } from "#test/support/conversation/turns.ts"
import { type Expected, fits, type Line, type Person } from "./toldSets.ts"

const BEGAN = Date.parse("2026-03-02T18:00:00Z")
const MINUTE_MS = 60_000
const HISTORY = 12
const REPLIES = ["Mm.", "Go on.", "I see.", "Is that so.", "Right.", "I hear you."]

/** Everyday messages without facts, so that what was told leaves the history of later turns. */
const CHATTER = [
  "so much rain again",
  "long day",
  "just had some soup",
  "the tram was late",
  "it's quiet here tonight",
  "watching the clouds",
  "need a coffee",
  "back again",
  "the radio keeps playing the same song",
  "almost midnight",
  "that was funny",
  "the street is loud today",
  "hm",
  "so anyway"
]

export const PERSON_LANGUAGES: ReadonlyArray<string> = ["en", "de", "pt", "es"]
export const listener = characterOf({
  slug: "listener",
  display_name: "Noe",
  voice: { languages: PERSON_LANGUAGES }
})

/** The whole conversation in order, each message of the person followed by a reply. */
export const utterancesOf = ({ lines }: Person, chatter = false): ReadonlyArray<Utterance> => {
  const said: Array<Omit<Utterance, "cursor" | "at">> = []
  const reply = (text: string) => said.push({ role: "character", text })
  for (const line of [...lines, ...(chatter ? CHATTER.map((text) => ({ by: "person" as const, text })) : [])]) {
    if (line.by === "person" && said.at(-1)?.role === "user") reply(REPLIES[said.length % REPLIES.length] ?? "")
    said.push({ role: line.by === "person" ? "user" : "character", text: line.text })
  }
  reply("Mm.")
  return Array.from(said, (one, n) => ({ ...one, cursor: n + 1, at: new Date(BEGAN + n * MINUTE_MS) }))
}

/** What the rules store of a conversation, turn by turn. */
export const relationshipOf = (said: ReadonlyArray<Utterance>, locale: string): Relationship => {
  let known = NEW_RELATIONSHIP
  let turnIndex = 0
  for (const [n, message] of said.entries()) {
    if (message.role !== "user") continue
    turnIndex += 1
    const next = said[n + 1]
    const turn: EndedTurn = {
      sessionId: "ses_told",
      turnIndex,
      character: listener,
      endUser: { ...turnOf({}).endUser, locale },
      outcome: "replied",
      history: said.slice(Math.max(0, n - HISTORY), n),
      message,
      reply: next?.role === "character" ? next : null,
      at: message.at
    }
    known = apply(known, decide(known, turn, extractByRules({ turn, known }), []), message.at.toISOString(), turnIndex)
  }
  return known
}

export interface FactsOf {
  readonly told: number
  readonly stored: number
  readonly memories: number
  readonly silly: number
  /** For the development half only. */
  readonly missed: ReadonlyArray<string>
  readonly wrong: ReadonlyArray<string>
}

/** How many of a person's facts are stored, and how many memories are not among them. */
export const measureFacts = (person: Person): FactsOf => {
  const said = utterancesOf(person)
  const known = relationshipOf(said, person.language)
  const active = [...known.memories.values()].filter(({ status }) => status === "active")
  const of = new Map<number, Array<Memory>>()
  for (const memory of active) {
    const cursor = memory.evidence[0]?.cursor ?? 0
    of.set(cursor, [...(of.get(cursor) ?? []), memory])
  }
  const missed: Array<string> = []
  const wrong: Array<string> = []
  let told = 0
  let stored = 0
  const ownLines = said.filter(({ role }) => role === "user")
  const without = person.lines
    .flatMap((line) => (line.by === "person" ? (line.facts ?? []) : []))
    .flatMap((one) => one.without)
  const forbidden: ReadonlyArray<Expected> = without.map((word) => ({ groups: [[word]], without: [] }))
  for (const [n, line] of person.lines
    .filter((line): line is Line & { by: "person" } => line.by === "person")
    .entries()) {
    const mine = of.get(ownLines[n]?.cursor ?? -1) ?? []
    const facts = (line.facts ?? []).filter(({ groups }) => groups.length > 0)
    for (const fact of facts) {
      told += 1
      if (mine.some(({ text }) => fits(text, fact))) stored += 1
      else missed.push(`${line.text} => ${fact.groups.map((group) => group.join("|")).join(" ")}`)
    }
    for (const { text } of mine)
      if (
        (line.facts !== null &&
          !facts.some((fact) => fact.groups.some((group) => fits(text, { groups: [group], without: [] })))) ||
        forbidden.some((word) => fits(text, word))
      )
        wrong.push(`${line.text} => ${text}`)
  }
  return { told, stored, memories: active.length, silly: wrong.length, missed, wrong }
}
