import type { Turn } from "../domain/Turn.ts"
import { bm25, type Bm25 } from "../retrieval/bm25.ts"
import { contentOf } from "../retrieval/contentWords.ts"
import { terms } from "../retrieval/terms.ts"
import type { Utterance } from "../retrieval/Transcript.ts"
import { type Mood, moodOf, NEUTRAL_MOOD, type ActiveArc, activeArcs } from "./arcs.ts"
import { namesIn } from "./names.ts"
import { nodeOf } from "./nodes.ts"
import { beatOf } from "./storylines.ts"
import { type Edge, holdsAt, type Npc, type SessionWorld } from "./World.ts"

/** A person who is relevant to the message, or whom the character may mention by itself. */
export interface Person {
  readonly id: string
  readonly name: string
  readonly aliases: ReadonlyArray<string>
  readonly role: string
  readonly summary: string
  /** Whether the message is about them. */
  readonly asked: boolean
}

/** A relation between two nodes, in words. */
export interface Relation {
  readonly id: string
  readonly from: string
  readonly relation: string
  readonly to: string
  readonly fact: string
  /** The feeling behind it, by the edge's `sentiment`. Null: neutral. */
  readonly feeling: string | null
  /** Only for the character's reasoning. */
  readonly private: boolean
}

/** What of the character's world is relevant to a turn. */
export interface WorldFound {
  readonly people: ReadonlyArray<Person>
  readonly ties: ReadonlyArray<Relation>
  readonly beat: {
    readonly storylineId: string
    readonly key: string
    readonly premise: string
    readonly summary: string
    readonly guidance: string
  } | null
  readonly influences: ReadonlyArray<ActiveArc>
  readonly mood: Mood
  /** Names that must not be said. */
  readonly unspoken: ReadonlyArray<string>
  /** What must not be told to anyone. */
  readonly untold: ReadonlyArray<string>
}

export const EMPTY_WORLD_FOUND: WorldFound = {
  people: [],
  ties: [],
  beat: null,
  influences: [],
  mood: NEUTRAL_MOOD,
  unspoken: [],
  untold: []
}

const MAX_ASKED = 4
/** How much of an earlier message is read. Prompts show no more of it. */
const READ_CHARS = 2_000
/** How many further people a character may bring up by itself. */
const MAX_AT_HAND = 3
const MAX_TIES = 6
const MAX_UNTOLD = 50
const MAX_INFLUENCES = 5
/** From this score on, a person's role and summary match the message. */
const ALIKE = 0.4
/** How many user messages a mention of a person stays current for. */
const RECENT = 3
const OUTER: ReadonlySet<string> = new Set(["place", "org", "topic"])

const indexes = new WeakMap<ReadonlyArray<Npc>, Bm25<Npc>>()
const indexOf = (npcs: ReadonlyArray<Npc>): Bm25<Npc> => {
  const index = indexes.get(npcs) ?? bm25(npcs, ({ name, role, summary }) => `${name} ${role} ${summary}`)
  indexes.set(npcs, index)
  return index
}

const OF_WHOM = /(?<!\s)\s+(?:of|from|at|in|to|de|da|do|von|aus)\s.*$|[,(].*$/isu
/**
 * For "younger brother of her mother" the result is "brother". People ask about a person by this word instead of the
 * name.
 */
const whatTheyAre = (role: string): string => terms(role.replace(OF_WHOM, "")).at(-1) ?? ""

/** A sentiment from -1 to 1 in words. Null: too close to 0 to show. */
const feelingOf = (sentiment: number): string | null => {
  const strength = Math.abs(sentiment)
  if (strength < 0.2) return null
  const word = sentiment > 0 ? "warm" : "hostile"
  return strength >= 0.7 ? `very ${word}` : strength >= 0.4 ? word : sentiment > 0 ? "friendly" : "strained"
}

const called = ({ name, aliases }: Npc): ReadonlyArray<string> => [name, ...aliases]
const strongest = (edges: ReadonlyArray<Edge>): ReadonlyArray<Edge> =>
  edges.toSorted((a, b) => b.strength - a.strength || (a.id < b.id ? 1 : -1))

/**
 * What of the world is relevant to a turn: people whom the person has named recently, who match the message, or who are
 * close to the character; the relations between them, the places and things that the message names, the character and
 * the person; the story beat; and current influences. Excludes people whose `mention_policy` forbids it, and everything
 * `secret`.
 */
export const retrieveWorld = (
  turn: Turn,
  history: ReadonlyArray<Utterance>,
  world: SessionWorld,
  now: number
): WorldFound => {
  const { npcs, edges } = world
  const {
    character,
    endUser: { externalUserRef },
    sessionId,
    text
  } = turn
  const byId = new Map(npcs.map((npc) => [npc.id, npc]))
  const texts = [
    text,
    ...history
      .filter(({ role }) => role === "user")
      .map((said) => said.text.slice(0, READ_CHARS))
      .toReversed()
  ]
  // How many messages ago each was last named.
  const saidIn = texts.map(namesIn)
  const namedAt = new Map(
    npcs.flatMap((npc) => {
      const at = saidIn.findIndex((has) => has(called(npc)))
      return at === -1 ? [] : [[npc.id, at] as const]
    })
  )
  const mayMention = ({ id, mention_policy }: Npc) =>
    mention_policy === "free" || (mention_policy === "when_asked" && namedAt.has(id))

  const words = [...new Set(contentOf(terms(text)))]
  const alike = [
    ...npcs.filter(({ role }) => words.includes(whatTheyAre(role))),
    ...indexOf(npcs)
      .search(words.join(" "))
      .filter(({ score }) => score >= ALIKE)
      .map(({ item }) => item)
  ]
  const named = npcs
    .filter(({ id }) => (namedAt.get(id) ?? RECENT) < RECENT)
    .sort((a, b) => (namedAt.get(a.id) ?? 0) - (namedAt.get(b.id) ?? 0))
  const asked = [...new Set([...named, ...alike])].filter(mayMention).slice(0, MAX_ASKED)

  const holding = edges.filter((edge) => holdsAt(edge, now))
  const speakable = (node: string) => {
    const npc = byId.get(node)
    return npc === undefined || mayMention(npc)
  }
  const closeness = new Map<string, number>()
  for (const { from, to, strength } of holding)
    for (const node of [from, to]) closeness.set(node, Math.max(strength, closeness.get(node) ?? 0))
  const closeTo = ({ id }: Npc) => closeness.get(id) ?? 0
  const atHand = npcs
    .filter((npc) => npc.mention_policy === "free" && !asked.includes(npc))
    .sort((a, b) => closeTo(b) - closeTo(a) || (a.id < b.id ? -1 : 1))
    .slice(0, MAX_AT_HAND)

  const label = (node: string) => nodeOf(node, character.display_name, byId)
  const concerned = new Set(["user", ...asked.map(({ id }) => id)])
  const saysName = saidIn[0] ?? namesIn(text)
  const isNamed = (node: string) => {
    const found = label(node)
    return found !== undefined && OUTER.has(found.kind) && saysName([found.label])
  }
  const bears = ({ from, to }: Edge) => [from, to].some((node) => concerned.has(node) || isNamed(node))
  const bearing = holding.filter(bears)
  const ties = strongest(
    bearing.filter(({ visibility, from, to }) => visibility !== "secret" && speakable(from) && speakable(to))
  ).slice(0, MAX_TIES)
  const story = beatOf(world)
  const influences = activeArcs(world, { sessionId, externalUserRef }, character.life_rhythm.timezone ?? "UTC", now)
  return {
    people: [...asked, ...atHand].map((npc) => ({
      id: npc.id,
      name: npc.name,
      aliases: npc.aliases,
      role: npc.role,
      summary: npc.summary,
      asked: asked.includes(npc)
    })),
    ties: ties.map(({ id, from, relation, to, fact, sentiment, visibility }) => ({
      id,
      from: label(from)?.label ?? from,
      relation,
      to: label(to)?.label ?? to,
      fact,
      feeling: feelingOf(sentiment),
      private: visibility === "private"
    })),
    beat:
      story === null
        ? null
        : {
            storylineId: story.storyline.id,
            key: story.beat.key,
            premise: story.storyline.premise,
            summary: story.beat.summary,
            guidance: story.beat.guidance
          },
    influences: influences.slice(0, MAX_INFLUENCES),
    mood: moodOf(influences),
    unspoken: npcs.filter((npc) => !mayMention(npc)).flatMap(called),
    untold: strongest(bearing.filter(({ visibility }) => visibility !== "public"))
      .slice(0, MAX_UNTOLD)
      .map(({ fact }) => fact)
  }
}
