import type { Character, LoreEntry } from "../domain/Character.ts"
import { seedOf } from "../domain/seed.ts"
import type { Turn } from "../domain/Turn.ts"
import { type Bm25, bm25 } from "./bm25.ts"
import { contentOf } from "./contentWords.ts"
import type { Lore } from "./Retrieved.ts"
import { terms } from "./terms.ts"
import type { Utterance } from "./Transcript.ts"

/** About 800 tokens. */
const MAX_CHARS = 3_200
/** From here on an entry without keys is about the message. */
const ALIKE = 0.35

interface Entry {
  readonly entry: LoreEntry
  readonly place: number
  readonly keys: ReadonlyArray<string>
  readonly secondary: ReadonlyArray<string>
}

interface Index {
  readonly entries: ReadonlyArray<Entry>
  /** Over what the keyless ones say. */
  readonly keyless: Bm25<Entry>
}

/** Words in the form in which keys are looked for: a key is found as whole words, in any script. */
const padded = (text: string): string => ` ${terms(text).join(" ")} `

const prepare = (character: Character): Index => {
  const entries = character.world_context.entries.map((entry, place): Entry => ({ entry, place, keys: entry.keys.map(padded), secondary: entry.secondary_keys.map(padded) }))
    .filter(({ entry }) => entry.enabled)
  return { entries, keyless: bm25(entries.filter(({ entry }) => !entry.constant && entry.keys.length === 0), ({ entry }) => entry.content) }
}

const prepared = new WeakMap<Character, Index>()
const loreOf = (character: Character): Index => {
  const lore = prepared.get(character) ?? prepare(character)
  prepared.set(character, lore)
  return lore
}

const calledBy = ({ entry, keys, secondary }: Entry, text: string): boolean => {
  const has = (key: string) => key !== "  " && text.includes(key)
  if (!keys.some(has)) return false
  if (secondary.length === 0) return true
  switch (entry.logic) {
    case "and_any": return secondary.some(has)
    case "and_all": return secondary.every(has)
    case "not_any": return !secondary.some(has)
    case "not_all": return !secondary.every(has)
  }
}

/** The same turn always draws the same. */
const drawn = (turn: Turn, place: number): number => seedOf(turn, `#${place}`) / 2 ** 32

/**
 * Whether an entry is on at the last of these messages. Once called it stays for `sticky_turns` more, and then cannot be called
 * for `cooldown_turns`. Follows the messages as far back as the history reaches.
 */
const isOn = (candidate: Entry, messages: ReadonlyArray<string>): boolean => {
  const { sticky_turns, cooldown_turns } = candidate.entry
  if (sticky_turns === 0 && cooldown_turns === 0) return calledBy(candidate, messages.at(-1) ?? "")
  let calledAt = Number.NEGATIVE_INFINITY
  for (const [at, message] of messages.entries()) {
    const since = at - calledAt
    if ((since <= sticky_turns || since > sticky_turns + cooldown_turns) && calledBy(candidate, message)) calledAt = at
  }
  return messages.length - 1 - calledAt <= sticky_turns
}

/** One of each named group: the first, since they are in order. */
const onePerGroup = (entries: ReadonlyArray<Entry>): ReadonlyArray<Entry> =>
  entries.filter(({ entry }, i) => entry.group === "" || entries.findIndex((other) => other.entry.group === entry.group) === i)

/** The facts of the world that this turn calls up, as many as there is room for: always those that are constant, then by priority. */
export const loreFor = (turn: Turn, history: ReadonlyArray<Utterance>, trust: number | null = null): ReadonlyArray<Lore> => {
  const { entries, keyless } = loreOf(turn.character)
  if (entries.length === 0) return []
  const messages = [...history.filter(({ role }) => role === "user").map(({ text }) => text), turn.text].map(padded)
  const alike = new Map(keyless.search(contentOf(terms(turn.text)).join(" ")).filter(({ score }) => score >= ALIKE).map(({ item, score }) => [item, score]))
  const on = entries.filter((candidate) => {
    const { constant, delay_turns, probability, min_trust } = candidate.entry
    // Without a measure of trust, what needs trust stays unsaid.
    if ((min_trust ?? 0) > (trust ?? 0)) return false
    if (constant) return true
    return turn.turnIndex > delay_turns && (alike.has(candidate) || isOn(candidate, messages)) && (probability >= 1 || drawn(turn, candidate.place) < probability)
  })
  const ordered = on.toSorted((a, b) =>
    Number(b.entry.constant) - Number(a.entry.constant) || b.entry.priority - a.entry.priority || (alike.get(b) ?? 0) - (alike.get(a) ?? 0) || a.place - b.place)
  let left = MAX_CHARS
  return onePerGroup(ordered).map(({ entry, place }): Lore => ({ id: `lore-${place}`, content: entry.content })).filter(({ content }) => {
    if (content.length > left) return false
    left -= content.length
    return true
  })
}
