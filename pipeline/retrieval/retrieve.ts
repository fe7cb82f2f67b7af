import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { withAllWords } from "../domain/referred.ts"
import { fillMacros, fillTexts, fillWords, NOBODY } from "../domain/macros.ts"
import type { Turn, Usage } from "../domain/Turn.ts"
import { describeRelationship, type RelationshipDescription, trustIn } from "../relational/describeRelationship.ts"
import { retrieveWorld } from "../world/retrieveWorld.ts"
import type { WorldStore } from "../world/WorldStore.ts"
import type { EvidenceStore } from "./EvidenceStore.ts"
import { fuse } from "./fuse.ts"
import { examplesFor } from "./examples.ts"
import { hasMemory, loreFor } from "./lore.ts"
import { type LoreCalls, type LoreRecord, NOT_CALLED } from "./LoreRecord.ts"
import { forgetRequestIn } from "../relational/rules/forgetRequest.ts"
import { maskOf } from "./maskForgotten.ts"
import type { MemoryStore } from "./MemoryStore.ts"
import { rank } from "./rank.ts"
import type { Recall } from "./Recall.ts"
import { recallQuery } from "./recallQuery.ts"
import type { Recalled, Retrieved } from "./Retrieved.ts"
import { fusedMemories } from "./fusedMemories.ts"
import { HISTORY_UTTERANCES, shownHistory } from "./shownHistory.ts"
import { saysNothing } from "./saysNothing.ts"
import { searchSaid } from "./searchSaid.ts"
import { NOTHING_SIMILAR, type Similar } from "./Similar.ts"
import type { Transcript, Utterance } from "./Transcript.ts"

/** Utterances this far back in the history are indexed, so that they can be found when they drop out of the history. */
const INDEXED_UTTERANCES = 16
const CANDIDATES = 20
const RECALLED = 8
const REMEMBERED = 8
/** Memories that are found by their meaning, in addition. */
const SIMILAR_MEMORIES = 4
const LOOPS = 3
const EVIDENCE = 4

export interface Retrieval {
  readonly history: ReadonlyArray<Utterance>
  readonly retrieved: Retrieved
  readonly relationship: RelationshipDescription
  /** How far the person is trusted, from 0 to 1. Null if trust is not measured. */
  readonly trust: number | null
  /** The lore triggers, for the turns that follow. */
  readonly loreCalls: LoreCalls
  /** What the search by meaning has cost. Null: there was none. */
  readonly usage: Usage | null
  readonly failed: boolean
}

interface Ports {
  readonly transcript: Transcript["Service"]
  readonly recall: Recall["Service"]
  readonly similar?: Similar | null
  readonly memoryStore: MemoryStore["Service"]
  readonly worldStore: WorldStore["Service"]
  readonly evidenceStore: EvidenceStore
  readonly loreRecord: LoreRecord
}

/** What was found by words and by meaning. What both have found comes first. */
const fused = (byWords: ReadonlyArray<Recalled>, byMeaning: ReadonlyArray<Recalled>): ReadonlyArray<Recalled> => {
  if (byMeaning.length === 0) return byWords
  const rankings = [byWords, byMeaning].map((items) => ({ items, weight: 1 }))
  const all = fuse(rankings, ({ cursor }) => cursor).slice(0, RECALLED)
  return Array.from(all, ({ item, score }) => ({ ...item, score }))
}

/**
 * Reads the last utterances of the session and the relationship, and finds what else is relevant to the message. Recall
 * is skipped if the session fits into its history or the message is only a greeting or a nod ("ok").
 */
export const retrieve = Effect.fnUntraced(function* (
  { transcript, recall, similar = null, memoryStore, worldStore, evidenceStore, loreRecord }: Ports,
  turn: Turn
): Effect.fn.Return<Retrieval> {
  // If the character writes first, the search uses the topic that it will write about.
  const said = turn.proactive === undefined ? turn.text : (turn.proactive.about ?? "")
  // What the message quotes or forwards is what it is about.
  const sought = { ...turn, text: withAllWords({ ...turn, text: said }) }
  const [history, { world, failed: worldFailed }, called] = yield* Effect.all(
    [
      transcript.before(turn, HISTORY_UTTERANCES),
      worldStore.look(turn),
      hasMemory(turn.character) ? loreRecord.before(turn) : Effect.succeed(NOT_CALLED)
    ],
    { concurrency: 3 }
  )
  // What prompts no longer show has to be found.
  const oldest = shownHistory(history)[0]
  const indexed = history[INDEXED_UTTERANCES - 1]
  const query = saysNothing(sought.text) ? [] : recallQuery(sought.text, history)
  const range =
    oldest === undefined || indexed === undefined || history.length < HISTORY_UTTERANCES || query.length === 0
      ? null
      : { turn, before: oldest.cursor, indexTo: indexed.cursor }
  const [{ found, failed }, near, known, evidence] = yield* Effect.all(
    [
      range === null
        ? Effect.succeed({ found: [], failed: false })
        : searchSaid(recall, { ...range, terms: query, limit: CANDIDATES }),
      similar === null || query.length === 0
        ? Effect.succeed(NOTHING_SIMILAR)
        : similar.search({
            turn,
            text: sought.text,
            before: range?.before ?? 0,
            limit: RECALLED,
            memories: SIMILAR_MEMORIES
          }),
      memoryStore.look({ turn, terms: query, memories: REMEMBERED, loops: LOOPS }),
      query.length === 0
        ? Effect.succeed({ found: [], failed: false })
        : evidenceStore.look({ turn, terms: query, limit: EVIDENCE })
    ],
    { concurrency: 4 }
  )
  const now = yield* Clock.currentTimeMillis
  const mask = maskOf(known.forgotten, history, { text: said, atMs: now })
  const recalled = fused(mask.found(rank(found, now, RECALLED)), mask.found(near.found))
  const names = {
    character: turn.character.display_name,
    user: turn.endUser.displayName,
    seed: turn.seed ?? turn.sessionId
  }
  const around = fillTexts(retrieveWorld(sought, history, world, now), (text) => fillMacros(text, names, NOBODY.told))
  const trust = trustIn(turn.character, known.bearing, now)
  const { lore, calls: loreCalls } = loreFor(sought, history, called, trust)
  return {
    history: mask.history(history),
    retrieved: {
      recalled,
      memories: fusedMemories(mask.found(known.memories), mask.found(near.memories)),
      forgets: forgetRequestIn(said) !== null,
      loops: known.loops,
      lore,
      evidence: fillTexts(evidence.found, (text) => fillWords(text, names, NOBODY.told, true)),
      world: around,
      examples: examplesFor(turn.character, said)
    },
    relationship: describeRelationship(turn.character, known.bearing, now, around.mood),
    trust,
    loreCalls,
    usage: near.usage,
    failed: failed || known.failed || evidence.failed || worldFailed
  }
})
