import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { fillTexts, NOBODY } from "../domain/macros.ts"
import type { Turn } from "../domain/Turn.ts"
import { describeRelationship, type RelationshipDescription, trustIn } from "../relational/describeRelationship.ts"
import { retrieveWorld } from "../world/retrieveWorld.ts"
import type { WorldStore } from "../world/WorldStore.ts"
import { contentOf } from "./contentWords.ts"
import type { EvidenceStore } from "./EvidenceStore.ts"
import { examplesFor } from "./examples.ts"
import { hasMemory, loreFor } from "./lore.ts"
import { type LoreCalls, type LoreRecord, NOT_CALLED } from "./LoreRecord.ts"
import type { MemoryStore } from "./MemoryStore.ts"
import { rank } from "./rank.ts"
import type { Recall } from "./Recall.ts"
import { recallQuery } from "./recallQuery.ts"
import type { Retrieved } from "./Retrieved.ts"
import { terms } from "./terms.ts"
import type { Transcript, Utterance } from "./Transcript.ts"

const HISTORY_UTTERANCES = 24
/** Utterances this far back in the history are indexed, so that they can be found when they drop out of the history. */
const INDEXED_UTTERANCES = 16
const CANDIDATES = 20
const RECALLED = 8
const REMEMBERED = 8
const LOOPS = 3
const EVIDENCE = 4

const FILLERS = new Set(
  (
    "ok okay k lol haha hahaha hm hmm mm yes yeah yep yup no nope nah hi hey hello hallo thanks thx danke ja nein " +
    "oui si sim nao bye"
  ).split(" ")
)
const saysNothing = (text: string): boolean => contentOf(terms(text)).every((word) => FILLERS.has(word))

export interface Retrieval {
  readonly history: ReadonlyArray<Utterance>
  readonly retrieved: Retrieved
  readonly relationship: RelationshipDescription
  /** How far the person is trusted, from 0 to 1. Null if trust is not measured. */
  readonly trust: number | null
  /** The lore triggers, for the turns that follow. */
  readonly loreCalls: LoreCalls
  readonly failed: boolean
}

interface Ports {
  readonly transcript: Transcript["Service"]
  readonly recall: Recall["Service"]
  readonly memoryStore: MemoryStore["Service"]
  readonly worldStore: WorldStore["Service"]
  readonly evidenceStore: EvidenceStore
  readonly loreRecord: LoreRecord
}

/**
 * Reads the last utterances of the session and the relationship, and finds what else is relevant to the message. Recall
 * is skipped if the session fits into its history or the message has no content words ("ok").
 */
export const retrieve = Effect.fnUntraced(function* (
  { transcript, recall, memoryStore, worldStore, evidenceStore, loreRecord }: Ports,
  turn: Turn
): Effect.fn.Return<Retrieval> {
  // If the character writes first, the search uses the topic that it will write about.
  const sought = turn.proactive === undefined ? turn : { ...turn, text: turn.proactive.about ?? "" }
  const [history, { world, failed: worldFailed }, called] = yield* Effect.all(
    [
      transcript.before(turn, HISTORY_UTTERANCES),
      worldStore.look(turn),
      hasMemory(turn.character) ? loreRecord.before(turn) : Effect.succeed(NOT_CALLED)
    ],
    { concurrency: 3 }
  )
  const oldest = history[0]
  const indexed = history[INDEXED_UTTERANCES - 1]
  const query = saysNothing(sought.text) ? [] : recallQuery(sought.text, history)
  const [{ found, failed }, known, evidence] = yield* Effect.all(
    [
      oldest === undefined || indexed === undefined || history.length < HISTORY_UTTERANCES || query.length === 0
        ? Effect.succeed({ found: [], failed: false })
        : recall.search({ turn, terms: query, before: oldest.cursor, indexTo: indexed.cursor, limit: CANDIDATES }),
      memoryStore.look({ turn, terms: query, memories: REMEMBERED, loops: LOOPS }),
      query.length === 0
        ? Effect.succeed({ found: [], failed: false })
        : evidenceStore.look({ turn, terms: query, limit: EVIDENCE })
    ],
    { concurrency: 3 }
  )
  const now = yield* Clock.currentTimeMillis
  const recalled = rank(
    found.filter(({ cursor }) => !known.forgotten.has(cursor)),
    now,
    RECALLED
  )
  const names = { character: turn.character.display_name, user: turn.endUser.displayName }
  const around = fillTexts(retrieveWorld(sought, history, world, now), names, NOBODY.told)
  const trust = trustIn(turn.character, known.bearing, now)
  const { lore, calls: loreCalls } = loreFor(sought, history, called, trust)
  return {
    history,
    retrieved: {
      recalled,
      memories: known.memories,
      loops: known.loops,
      lore,
      evidence: fillTexts(evidence.found, names, NOBODY.told),
      world: around,
      examples: examplesFor(turn.character, sought.text)
    },
    relationship: describeRelationship(turn.character, known.bearing, now, around.mood),
    trust,
    loreCalls,
    failed: failed || known.failed || evidence.failed || worldFailed
  }
})
