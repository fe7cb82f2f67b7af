import { Worlds } from "#src/db/world/Worlds.ts"
import * as WorldStores from "#src/db/world/WorldStores.ts"

/** The people, places and stories of a character. */
export const shared = Worlds.layer

/** What turns read. */
export const stores = WorldStores.layer
