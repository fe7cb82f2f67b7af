import type { Character, LoreEntry } from "../domain/Character.ts"
import { seedOf } from "../domain/seed.ts"
import type { Turn } from "../domain/Turn.ts"
import { type Bm25, bm25 } from "./bm25.ts"
import { contentOf } from "./contentWords.ts"
import { calls, type Key, keyOf, newEffort, type Scanned, scanned } from "./loreKeys.ts"
import type { Lore } from "./Retrieved.ts"
import { terms } from "./terms.ts"
import type { Utterance } from "./Transcript.ts"

/** About 800 tokens. */
const MAX_CHARS = 3_200
/** From here on an entry without keys is about the message. */
const ALIKE = 0.35

interface Entry {
  readonly id: string
  readonly entry: LoreEntry
  readonly place: number
  readonly keys: ReadonlyArray<Key>
  readonly secondary: ReadonlyArray<Key>
  readonly groups: ReadonlyArray<string>
}

interface Index {
  readonly entries: ReadonlyArray<Entry>
  /** Over what the keyless ones say. */
  readonly keyless: Bm25<Entry>
}

const prepare = (character: Character): Index => {
  const entries = character.world_context.entries.map((entry, place): Entry => ({
    id: entry.id ?? `lore-${place}`,
    entry,
    place,
    keys: entry.keys.map((key) => keyOf(key, entry)),
    secondary: entry.secondary_keys.map((key) => keyOf(key, entry)),
    groups: entry.group.split(",").map((name) => name.trim()).filter((name) => name !== "")
  })).filter(({ entry }) => entry.enabled)
  return { entries, keyless: bm25(entries.filter(({ entry }) => !entry.constant && entry.keys.length === 0), ({ entry }) => entry.content) }
}

const prepared = new WeakMap<Character, Index>()
const loreOf = (character: Character): Index => {
  const lore = prepared.get(character) ?? prepare(character)
  prepared.set(character, lore)
  return lore
}

/** A message of the person, with what else tells it from others: from turn to turn it stays the same, so that what was drawn for it is drawn again. */
interface Said {
  readonly text: string
  readonly scanned: Scanned
  readonly before: string
  readonly turnIndex: number
}

const drawn = (sessionId: string, of: string, { text, before }: Said): number => seedOf({ sessionId: `${sessionId}#${of}#${before}#${text}`, turnIndex: 0 }) / 2 ** 32

/** Since when an entry is on at the last of these messages; null: it is not. */
type On = { readonly sticking: boolean } | null

/**
 * Whether an entry is on at the last of these messages. Once called it stays for `sticky_turns` more, whatever is said, and then cannot be called
 * for `cooldown_turns`. Follows the messages as far back as the history reaches.
 */
const onAt = (candidate: Entry, messages: ReadonlyArray<Said>, alike: boolean, sessionId: string): On => {
  const { entry: { constant, sticky_turns, cooldown_turns, delay_turns, probability, logic }, keys, secondary, id } = candidate
  const last = messages.length - 1
  let calledAt = Number.NEGATIVE_INFINITY
  for (let at = sticky_turns + cooldown_turns === 0 ? last : 0; at <= last; at++) {
    const message = messages[at]
    if (message === undefined || at - calledAt <= sticky_turns + cooldown_turns || (delay_turns > 0 && message.turnIndex <= delay_turns)) continue
    const called = constant || (alike && at === last) || calls(message.scanned, keys, secondary, logic)
    if (called && (probability >= 1 || drawn(sessionId, id, message) < probability)) calledAt = at
  }
  return last - calledAt <= sticky_turns ? { sticking: calledAt < last } : null
}

/** One of each named group: those that stick, or else one by weight. */
const onePerGroup = (on: ReadonlyMap<Entry, { readonly sticking: boolean }>, message: Said, sessionId: string): ReadonlySet<Entry> => {
  const left = new Set(on.keys())
  for (const group of new Set([...on.keys()].flatMap(({ groups }) => groups))) {
    const members = [...left].filter(({ groups }) => groups.includes(group))
    const sticking = members.filter((member) => on.get(member)?.sticking)
    let rest = drawn(sessionId, `group ${group}`, message) * members.reduce((sum, { entry }) => sum + entry.group_weight, 0)
    const picked = members.find(({ entry }) => (rest -= entry.group_weight) < 0) ?? members.at(-1)
    for (const member of members) if (sticking.length > 0 ? !sticking.includes(member) : member !== picked) left.delete(member)
  }
  return left
}

/**
 * The facts of the world that this turn calls up, by the rules of SillyTavern's world info, as many as there is room for: always those that are constant, then by priority.
 * Only the message itself is scanned, and contents call up nothing further.
 */
export const loreFor = (turn: Turn, history: ReadonlyArray<Utterance>, trust: number | null = null): ReadonlyArray<Lore> => {
  const { entries, keyless } = loreOf(turn.character)
  if (entries.length === 0) return []
  const { sessionId } = turn
  const texts = [...history.filter(({ role }) => role === "user").map(({ text }) => text), turn.text]
  const effort = newEffort()
  const messages = texts.map((text, place): Said => ({ text, scanned: scanned(text, effort), before: texts[place - 1] ?? "", turnIndex: turn.turnIndex - (texts.length - 1 - place) }))
  const message = messages.at(-1)
  if (message === undefined) return []
  const alike = new Map(keyless.search(contentOf(terms(turn.text)).join(" ")).filter(({ score }) => score >= ALIKE).map(({ item, score }) => [item, score]))
  // Without a measure of trust, what needs trust stays unsaid.
  const on = new Map(entries.filter(({ entry }) => (entry.min_trust ?? 0) <= (trust ?? 0)).flatMap((candidate) => {
    const state = onAt(candidate, messages, alike.has(candidate), sessionId)
    return state === null ? [] : [[candidate, state] as const]
  }))
  const ordered = [...onePerGroup(on, message, sessionId)].sort((a, b) =>
    Number(b.entry.constant) - Number(a.entry.constant) || b.entry.priority - a.entry.priority || (alike.get(b) ?? 0) - (alike.get(a) ?? 0) || a.place - b.place)
  let left = MAX_CHARS
  return ordered.map(({ entry, id }): Lore => ({ id, content: entry.content })).filter(({ content }) => {
    if (content.length > left) return false
    left -= content.length
    return true
  })
}
