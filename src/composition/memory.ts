import * as Layer from "effect/Layer"
import { CharacterVersions } from "#src/db/character/CharacterVersions.ts"
import { Memories } from "#src/db/memory/Memories.ts"
import * as PostgresMemoryStore from "#src/db/memory/PostgresMemoryStore.ts"
import { MemoryExtractions } from "#src/db/memory/MemoryExtractions.ts"
import * as PostgresRecall from "#src/db/memory/PostgresRecall.ts"
import { RelationshipEdits } from "#src/db/memory/RelationshipEdits.ts"
import { RelationshipLists } from "#src/db/memory/RelationshipLists.ts"
import { SessionStories } from "#src/db/memory/SessionStories.ts"
import { MemoryExtractionWorker } from "#src/jobs/memory/MemoryExtractor.ts"

/** The position of sessions in their characters' stories. */
const stories = SessionStories.layer.pipe(Layer.provideMerge(CharacterVersions.layer))

/** Services that routes use. */
export const serving = Layer.mergeAll(stories, Memories.layer, RelationshipEdits.layer, RelationshipLists.layer)

/** Services that turns read from. */
export const stores = Layer.merge(PostgresRecall.layer, PostgresMemoryStore.layer.pipe(Layer.provide(Memories.layer)))

/** Services that jobs use. */
export const working = MemoryExtractionWorker.layer.pipe(Layer.provide(MemoryExtractions.layer), Layer.provide(stories))
