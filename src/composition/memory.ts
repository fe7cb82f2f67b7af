import * as Layer from "effect/Layer"
import { CharacterVersions } from "#src/db/character/CharacterVersions.ts"
import { Memories } from "#src/db/memory/Memories.ts"
import * as MemoryStores from "#src/db/memory/MemoryStores.ts"
import { ReadTurns } from "#src/db/memory/ReadTurns.ts"
import * as Recalls from "#src/db/memory/Recalls.ts"
import { RelationshipEdits } from "#src/db/memory/RelationshipEdits.ts"
import { RelationshipLists } from "#src/db/memory/RelationshipLists.ts"
import { SessionStories } from "#src/db/memory/SessionStories.ts"
import { TurnReader } from "#src/jobs/memory/TurnReader.ts"

/** The position of sessions in their characters' stories. */
const stories = SessionStories.layer.pipe(Layer.provideMerge(CharacterVersions.layer))

/** Services that routes use. */
export const serving = Layer.mergeAll(stories, Memories.layer, RelationshipEdits.layer, RelationshipLists.layer)

/** Services that turns read from. */
export const stores = Layer.merge(Recalls.layer, MemoryStores.layer.pipe(Layer.provide(Memories.layer)))

/** Services that jobs use. */
export const working = TurnReader.layer.pipe(Layer.provide(ReadTurns.layer), Layer.provide(stories))
