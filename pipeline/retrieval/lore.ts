import type { Character, LoreEntry } from "../domain/Character.ts"
import { seedOf } from "../domain/seed.ts"
import type { Turn } from "../domain/Turn.ts"
import { type Bm25, bm25 } from "./bm25.ts"
import { contentOf } from "./contentWords.ts"
import { calls, type Key, keyOf, type Scanned, scanned } from "./loreKeys.ts"
import { type LoreCalls, NOT_CALLED } from "./LoreRecord.ts"
import type { Lore } from "./Retrieved.ts"
import { terms } from "./terms.ts"
import type { Utterance } from "./Transcript.ts"

/** About 800 tokens. */
const MAX_CHARS = 3_200
/** From this score on, an entry without keys is relevant to the message. */
const ALIKE = 0.35

interface Entry {
  readonly id: string
  readonly entry: LoreEntry
  readonly index: number
  readonly keys: ReadonlyArray<Key>
  readonly secondary: ReadonlyArray<Key>
  readonly groups: ReadonlyArray<string>
}

interface Index {
  readonly entries: ReadonlyArray<Entry>
  /** Index over the content of keyless entries. Null: there are none. */
  readonly keyless: Bm25<Entry> | null
}

const prepare = (character: Character): Index => {
  const entries = character.world_context.entries
    .map((entry, index): Entry => ({
      id: entry.id ?? `lore-${index}`,
      entry,
      index,
      keys: entry.keys.map((key) => keyOf(key, entry)),
      secondary: entry.secondary_keys.map((key) => keyOf(key, entry)),
      groups: entry.group
        .split(",")
        .map((name) => name.trim())
        .filter((name) => name !== "")
    }))
    .filter(({ entry }) => entry.enabled)
  const keyless = entries.filter(({ entry }) => !entry.constant && entry.keys.length === 0)
  return { entries, keyless: keyless.length === 0 ? null : bm25(keyless, ({ entry }) => entry.content) }
}

const prepared = new WeakMap<Character, Index>()
const loreOf = (character: Character): Index => {
  const lore = prepared.get(character) ?? prepare(character)
  prepared.set(character, lore)
  return lore
}

/** For how many turns after a trigger the trigger still matters. */
const spanOf = ({ entry: { sticky_turns, cooldown_turns } }: Entry): number => sticky_turns + cooldown_turns

/** Whether earlier triggers can affect later turns. */
export const hasMemory = (character: Character): boolean =>
  loreOf(character).entries.some((candidate) => spanOf(candidate) > 0)

/** The message with its context. A retry of the turn sees the same values, so its random draws are the same. */
interface Said {
  readonly text: string
  readonly scanned: Scanned
  readonly before: string
  readonly turnIndex: number
}

/** How much of the messages a draw depends on. */
const DRAWN_CHARS = 300
const drawn = (sessionId: string, of: string, { text, before }: Said): number =>
  seedOf({
    sessionId: `${sessionId}#${of}#${before.slice(0, DRAWN_CHARS)}#${text.slice(0, DRAWN_CHARS)}`,
    turnIndex: 0
  }) /
  2 ** 32

/** Whether an entry is active in a turn, and why. Null: it is not. */
type ActiveLore = { readonly sticking: boolean } | null

/**
 * Once triggered, an entry stays active for `sticky_turns` more turns regardless of the message. Then it cannot be
 * triggered for `cooldown_turns`.
 */
const onAt = (
  candidate: Entry,
  message: Said,
  calledAt: number | undefined,
  alike: boolean,
  sessionId: string
): ActiveLore => {
  const {
    entry: { constant, sticky_turns, delay_turns, probability, logic },
    keys,
    secondary,
    id
  } = candidate
  const since = calledAt === undefined ? Number.POSITIVE_INFINITY : message.turnIndex - calledAt
  if (since <= sticky_turns) return { sticking: true }
  if (since <= spanOf(candidate) || (delay_turns > 0 && message.turnIndex <= delay_turns)) return null
  const called = constant || alike || calls(message.scanned, keys, secondary, logic)
  return called && (probability >= 1 || drawn(sessionId, id, message) < probability) ? { sticking: false } : null
}

/** One entry of each named group: the sticky ones, or else one drawn by weight. */
const onePerGroup = (
  on: ReadonlyMap<Entry, { readonly sticking: boolean }>,
  message: Said,
  sessionId: string
): ReadonlySet<Entry> => {
  const left = new Set(on.keys())
  const byGroup = new Map<string, Array<Entry>>()
  for (const entry of on.keys())
    for (const group of new Set(entry.groups)) byGroup.set(group, (byGroup.get(group) ?? []).concat(entry))
  for (const [group, entries] of byGroup) {
    const members = entries.filter((entry) => left.has(entry))
    if (members.length < 2) continue
    const sticking = members.filter((member) => on.get(member)?.sticking)
    let rest =
      drawn(sessionId, `group ${group}`, message) * members.reduce((sum, { entry }) => sum + entry.group_weight, 0)
    const picked = members.find(({ entry }) => (rest -= entry.group_weight) < 0) ?? members.at(-1)
    for (const member of members)
      if (sticking.length > 0 ? on.get(member)?.sticking !== true : member !== picked) left.delete(member)
  }
  return left
}

interface TriggeredLore {
  readonly lore: ReadonlyArray<Lore>
  /** For the turns that follow. */
  readonly calls: LoreCalls
}

/**
 * The world facts that this turn triggers, by the rules of SillyTavern's world info, up to the size limit: constant
 * entries first, then by priority. Only the message itself is scanned, and entries do not trigger others. `before`:
 * what earlier turns have triggered.
 */
export const loreFor = (
  turn: Turn,
  history: ReadonlyArray<Utterance>,
  before: LoreCalls,
  trust: number | null = null
): TriggeredLore => {
  const { entries, keyless } = loreOf(turn.character)
  if (entries.length === 0) return { lore: [], calls: NOT_CALLED }
  const { sessionId, turnIndex, text } = turn
  const message: Said = {
    text,
    scanned: scanned(text),
    before: history.findLast(({ role }) => role === "user")?.text ?? "",
    turnIndex
  }
  const found = keyless === null ? [] : keyless.search(contentOf(terms(text)).join(" "))
  const alike = new Map(found.filter(({ score }) => score >= ALIKE).map(({ item, score }) => [item, score]))
  // If trust is not measured, entries that require trust are not used.
  const on = new Map(
    entries
      .filter(({ entry }) => (entry.min_trust ?? 0) <= (trust ?? 0))
      .flatMap((candidate) => {
        const state = onAt(candidate, message, before[candidate.id], alike.has(candidate), sessionId)
        return state === null ? [] : [[candidate, state] as const]
      })
  )
  const ordered = [...onePerGroup(on, message, sessionId)].sort(
    (a, b) =>
      Number(b.entry.constant) - Number(a.entry.constant) ||
      b.entry.priority - a.entry.priority ||
      (alike.get(b) ?? 0) - (alike.get(a) ?? 0) ||
      a.index - b.index
  )
  let left = MAX_CHARS
  const lore = ordered
    .map(({ entry, id }): Lore => ({ id, content: entry.content }))
    .filter(({ content }) => {
      if (content.length > left) return false
      left -= content.length
      return true
    })
  const matters = entries.flatMap((candidate) => {
    const calledAt = on.get(candidate)?.sticking === false ? turnIndex : before[candidate.id]
    return calledAt !== undefined && turnIndex - calledAt < spanOf(candidate) ? [[candidate.id, calledAt] as const] : []
  })
  return { lore, calls: Object.fromEntries(matters) }
}
