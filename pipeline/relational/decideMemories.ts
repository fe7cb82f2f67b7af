import { memoize } from "../memoize.ts"
import { derivedId } from "../domain/Id.ts"
import { bounded } from "./bounded.ts"
import type { Extraction } from "./Extraction.ts"
import type { EndedTurn } from "./Extractor.ts"
import { gistOf, hashOf } from "./gist.ts"
import { isInstruction } from "./isInstruction.ts"
import type { About, Evidence, Memory, Relationship } from "./Relationship.ts"
import { isOwnVoice, judge } from "./voices/judge.ts"

const MAX_PER_TURN = 12
const MAX_TEXT_CHARS = 500
const MAX_QUOTE_CHARS = 300
/** How many quotes of a memory to keep, newest first. */
const MAX_EVIDENCE = 4
/** How many log positions of a memory to keep. All of them are forgotten with it. */
const MAX_PLACES = 200
const MAX_LINKED = 8
/** Limit for active memories of a session. Beyond it, the least important are dropped, oldest first. */
export const MAX_ACTIVE = 1_000
/** A repeated statement closes this share of the gap to full confidence. */
const CONFIDENCE_GAIN = 0.5

const plain = (text: string): string => text.toLowerCase().replace(/\s+/g, " ").trim()
const within = (value: number, least: number, most: number): number =>
  Number.isFinite(value) ? Math.min(most, Math.max(least, value)) : least

/** The gists of known memories, which are needed for every new one. */
const knownGist = memoize(4 * MAX_ACTIVE, gistOf)

/** A quote with its log position, if a message of this turn contains it word for word. Otherwise it was not said. */
export const evidenceOf = (quote: string, said: EndedTurn["message"]): Evidence | null => {
  const words = plain(bounded(quote, quote.length))
  return said === null || words === "" || !plain(said.text).includes(words)
    ? null
    : { cursor: said.cursor, quote: bounded(quote, MAX_QUOTE_CHARS) }
}

const mergedMemory = (before: ReadonlyArray<Evidence>, one: Evidence): ReadonlyArray<Evidence> => {
  const all = [...before, one].slice(-MAX_PLACES)
  return all.map((evidence, place) =>
    place < all.length - MAX_EVIDENCE ? { cursor: evidence.cursor, quote: "" } : evidence
  )
}

/** The sentences that contain a quote. The quoted words alone may hide that the whole sentence is an instruction. */
export const sentencesOf = (quote: string, text: string): string => {
  const words = plain(quote)
  return (
    text
      .split(/(?<=[.!?…])\s+|\n+/)
      .filter((sentence) => plain(sentence).includes(words) || words.includes(plain(sentence)))
      .join(" ") || text
  )
}

const MAX_NAME_CHARS = 80

/** Whom a memory is about. Null: the message does not support it. */
const subjectOf = (
  { subject, about: claimed, said_by, text, quote }: Extraction["memories"][number],
  { message, endUser }: EndedTurn
): Pick<Memory, "subject" | "about"> | null => {
  const named = (about: About | null): About | null => {
    const name = bounded(about?.name ?? "", MAX_NAME_CHARS)
    const relation = bounded(about?.relation ?? "", MAX_NAME_CHARS)
    return name + relation === "" || isInstruction(`${name} ${relation}`)
      ? null
      : { name: name === "" ? null : name, relation: relation === "" ? null : relation }
  }
  const about = named(claimed)
  const isOfAnother = subject === "user" && about !== null
  if (subject === "user" && !isOfAnother && said_by !== null && said_by.trim() !== "") return null
  const verdict = judge(
    message?.text ?? "",
    { subject: isOfAnother ? "third_party" : subject, text, quote },
    endUser.displayName
  )
  if (verdict.kind === "refused") return null
  if (subject === "character" || verdict.kind === "character") return { subject: "character", about: null }
  if (verdict.kind === "person") return { subject: isOfAnother ? "third_party" : subject, about }
  return { subject: "third_party", about: about ?? named(verdict.about) }
}

/** There is no year 0. */
const ISO_DAY = /^(?!0000)\d{4}-\d{2}-\d{2}$/
/** The day on which it happened, if that day is in the past. */
const validAt = (happenedOn: string | null, at: Date): string => {
  const then = happenedOn !== null && ISO_DAY.test(happenedOn) ? Date.parse(`${happenedOn}T12:00:00Z`) : Number.NaN
  return then < at.getTime() ? new Date(then).toISOString() : at.toISOString()
}

/** What remains of a forgotten memory: where it was said, and hashes of its words to recognize them if they return. */
export const forgotten = (memory: Memory, at: string): Memory => ({
  ...memory,
  status: "forgotten",
  text: "",
  about: null,
  evidence: memory.evidence.map(({ cursor }) => ({ cursor, quote: "" })),
  linked_ids: [],
  pinned: false,
  invalid_at: memory.invalid_at ?? at,
  tombstone: [...new Set([memory.text, ...memory.evidence.map(({ quote }) => quote)].map(hashOf))].join(" ")
})

/**
 * The memories to drop if there are too many, in their new state: least important first, then oldest first, never
 * pinned ones.
 */
export const surplusOf = (memories: ReadonlyArray<Memory>, at: string): ReadonlyArray<Memory> => {
  const active = memories.filter(({ status, pinned }) => status === "active" && !pinned)
  const surplus = active
    .sort((a, b) => a.importance - b.importance || a.created_at.localeCompare(b.created_at))
    .slice(0, Math.max(0, active.length - MAX_ACTIVE))
  return Array.from(surplus, (memory) => ({ ...memory, status: "superseded", invalid_at: at }))
}

/**
 * Which of the memories extracted from a turn are stored. A memory needs a quote in which the person says it, of
 * themselves or of whom it names. A memory that instructs a model is quarantined and never read. A forgotten one stays
 * forgotten. Repeating a known one raises its confidence. One that is replaced is kept as superseded.
 */
export const decideMemories = (
  known: Relationship,
  turn: EndedTurn,
  extraction: Extraction,
  version: number
): ReadonlyArray<Memory> => {
  const at = turn.at.toISOString()
  const changed = new Map<string, Memory>()
  const current = (id: string): Memory | undefined => changed.get(id) ?? known.memories.get(id)
  const all = () => [...new Map([...known.memories, ...changed]).values()]
  const tombstones = new Set([...known.memories.values()].flatMap(({ tombstone }) => tombstone?.split(" ") ?? []))

  const replaced: Array<string> = []
  for (const { memory_id, reason, quote } of extraction.invalidate) {
    const memory = current(memory_id)
    // The person must have said that they take something back. Memories that the app added are only removed by the app.
    if (reason !== "expired" && evidenceOf(quote, turn.message) === null) continue
    if (reason !== "expired" && !isOwnVoice(turn.message?.text ?? "", quote, turn.endUser.displayName)) continue
    if (memory?.status !== "active" || (memory.source === "app" && reason !== "user_asked_to_forget")) continue
    if (reason === "user_asked_to_forget") {
      const gone = forgotten(memory, at)
      changed.set(memory_id, gone)
      for (const hash of gone.tombstone?.split(" ") ?? []) tombstones.add(hash)
    } else {
      changed.set(memory_id, { ...memory, status: "superseded", invalid_at: at })
      replaced.push(memory_id)
    }
  }

  for (const [n, read] of extraction.memories.slice(0, MAX_PER_TURN).entries()) {
    const evidence = evidenceOf(read.quote, turn.message)
    const text = bounded(read.text, MAX_TEXT_CHARS)
    if (evidence === null || text === "" || tombstones.has(hashOf(text)) || tombstones.has(hashOf(evidence.quote)))
      continue
    const whose = subjectOf(read, turn)
    if (whose === null) continue
    const gist = gistOf(text)
    const same = all().find(
      (memory) => (memory.status === "active" || memory.status === "quarantined") && knownGist(memory.text) === gist
    )
    if (same !== undefined) {
      if (same.evidence.some(({ cursor, quote }) => cursor === evidence.cursor && quote === evidence.quote)) continue
      changed.set(same.id, {
        ...same,
        confidence: same.confidence + (1 - same.confidence) * CONFIDENCE_GAIN,
        evidence: mergedMemory(same.evidence, evidence)
      })
      continue
    }
    const id = derivedId("mem", turn.at, `${turn.sessionId} ${version} ${n}`)
    changed.set(id, {
      id,
      kind: read.kind,
      ...whose,
      text,
      importance: Math.round(within(read.importance, 1, 10)),
      confidence: within(read.confidence, 0, 1),
      pinned: false,
      status:
        isInstruction(text) || isInstruction(sentencesOf(read.quote, turn.message?.text ?? ""))
          ? "quarantined"
          : "active",
      valid_at: validAt(read.happened_on, turn.at),
      invalid_at: null,
      supersedes_id: replaced.shift() ?? null,
      linked_ids: read.linked_ids.filter((linked) => known.memories.has(linked)).slice(0, MAX_LINKED),
      evidence: [evidence],
      source: "extracted",
      tombstone: null,
      recall_count: 0,
      last_recalled_at: null,
      created_at: at
    })
  }

  for (const memory of surplusOf(all(), at)) changed.set(memory.id, memory)
  return [...changed.values()]
}
