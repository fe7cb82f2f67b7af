import * as Layer from "effect/Layer"
import { CharacterVersions } from "#src/db/character/CharacterVersions.ts"
import { Expenses } from "#src/db/billing/Expenses.ts"
import { SpokenWith } from "#src/db/conversation/SpokenWith.ts"
import { HistoryReadings } from "#src/db/memory/HistoryReadings.ts"
import { Memories } from "#src/db/memory/Memories.ts"
import * as PostgresMemoryStore from "#src/db/memory/PostgresMemoryStore.ts"
import { MemoryVectors } from "#src/db/memory/MemoryVectors.ts"
import { MemoryExtractions } from "#src/db/memory/MemoryExtractions.ts"
import * as PostgresRecall from "#src/db/memory/PostgresRecall.ts"
import * as PostgresSimilar from "#src/db/memory/PostgresSimilar.ts"
import { RelationshipEdits } from "#src/db/memory/RelationshipEdits.ts"
import { RelationshipLists } from "#src/db/memory/RelationshipLists.ts"
import { SessionRecall } from "#src/db/memory/SessionRecall.ts"
import { SessionStories } from "#src/db/memory/SessionStories.ts"
import { UtteranceVectors } from "#src/db/memory/UtteranceVectors.ts"
import { MemoryExtractionWorker } from "#src/jobs/memory/MemoryExtractor.ts"
import { SessionEmbedder } from "#src/jobs/memory/SessionEmbedder.ts"
import { embedder } from "./model.ts"

import * as research from "./research.ts"

/** The position of sessions in their characters' stories. */
const stories = SessionStories.layer.pipe(Layer.provideMerge(CharacterVersions.layer))

/** Services that turns read from. */
export const stores = Layer.mergeAll(
  PostgresRecall.layer,
  PostgresSimilar.layer.pipe(Layer.provide([UtteranceVectors.layer, MemoryVectors.layer, embedder])),
  PostgresMemoryStore.layer.pipe(Layer.provide(Memories.layer))
)

const spokenWith = SpokenWith.layer.pipe(Layer.provide(CharacterVersions.layer))
/** What a turn would be given, outside of one. */
const sessionRecall = SessionRecall.layer.pipe(Layer.provide([stores, research.stores, spokenWith, Expenses.layer]))

/** Services that routes use. */
export const serving = Layer.mergeAll(
  stories,
  sessionRecall,
  Memories.layer,
  RelationshipEdits.layer,
  RelationshipLists.layer
)

/** Services that jobs use. */
export const working = Layer.mergeAll(
  MemoryExtractionWorker.layer.pipe(Layer.provide(MemoryExtractions.layer), Layer.provide(stories)),
  SessionEmbedder.layer.pipe(
    Layer.provide([stores, spokenWith, Expenses.layer, UtteranceVectors.layer, MemoryVectors.layer, embedder])
  ),
  HistoryReadings.layer.pipe(Layer.provide(spokenWith)),
  sessionRecall
)
